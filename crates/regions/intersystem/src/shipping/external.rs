//! The external interface: a program outside of the region has a program run by a mirror task of its own.
//!
//! The mirror task takes a syncpoint behind the program and ends: no unit of work outlives a request.

use std::sync::Arc;

use kernel::dispatcher::{Attach, AttachError, Dispatcher};
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{User, Users, may_link_as};
use kernel::task::StartCode;
use kernel::transactions::Transactions;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use super::mirror::{Inbox, Job, Order, PROGRAM};
use crate::build::Numbers;
use crate::jobs::JobSession;
use crate::message::{Answer, Done, Linked, Refusal, of_bytes};
use crate::systems::Systems;

/// The transaction of the mirror task, if nothing names another one.
const USUAL: &str = "CSMI";

/// A program that is to be run.
pub struct External {
    /// The user of the job that asks.
    pub client: Arc<User>,
    /// The user on whose behalf it asks, who gets no rights that the job's user has not; `None`: its own.
    pub user: Option<[u8; 8]>,
    /// The program.
    pub program: [u8; 8],
    /// The transaction of the mirror task; `None`: the usual one.
    pub transaction: Option<[u8; 4]>,
    /// The bytes of the COMMAREA that were sent, and its whole length.
    pub commarea: Option<(Vec<u8>, u16)>,
    /// The channel.
    pub channel: Option<Vec<u8>>,
}

/// The outcome.
pub enum Came {
    /// The program has come back, or was not run.
    Done {
        /// RESP.
        condition: u16,
        /// RESP2.
        resp2: i32,
        /// The COMMAREA.
        commarea: Option<Vec<u8>>,
        /// The containers that were changed, as a channel; and the names of those that were deleted.
        channel: Option<(Vec<u8>, Vec<[u8; 16]>)>,
    },
    /// The mirror task has ended with this abend, and all that it had changed is backed out.
    Abended([u8; 4]),
    /// The user of the job may not act for the other user.
    NotSurrogate,
    /// There is no mirror task, for this reason.
    NoMirror(String),
}

/// Has a program run for a job, and waits for its end: the region's own threads need not ask.
pub async fn run(region: &Arc<Region>, job: &JobSession, asked: External) -> Came {
    let name = asked.transaction.map_or(TransactionName::from(USUAL), TransactionName::new);
    let Some(definition) = Transactions::of(region).get(name) else {
        return Came::NoMirror(format!("transaction {name} is not defined"));
    };
    if definition.program != Name8::from(PROGRAM) {
        return Came::NoMirror(format!("the program of transaction {name} is not {PROGRAM}"));
    }
    let user = match asked.user.map(Name8::new).filter(|user| *user != asked.client.id) {
        None => asked.client,
        Some(other) => {
            if !may_link_as(region, &asked.client, &definition, other) {
                return Came::NotSurrogate;
            }
            match Users::of(region).file.user(&other.to_string()) {
                Some(user) => Arc::new(user.limited(&asked.client)),
                None => return Came::NoMirror(format!("there is no user {other}")),
            }
        }
    };
    let linked = Linked {
        program: asked.program,
        transaction: None,
        commarea: asked.commarea.map(|(bytes, length)| (bytes.into(), length)),
        channel: asked.channel,
        syncs: true,
    };
    let (sender, orders) = unbounded_channel();
    let (answer, told) = oneshot::channel();
    let _ = sender.send(Order { job: Job::Link(linked), answer });
    let mut attach = Attach::new(name, StartCode::Linked(true), user);
    attach.kept.put(Inbox {
        orders: Some(orders),
        numbers: Arc::new(Numbers::own(Systems::of(region).build())),
        link: None,
        stays: false,
        is_clean: false,
        waits: None,
    });
    let _running = match Dispatcher::of(region).try_attach(region, attach) {
        Ok(task) => job.has(task),
        Err(refused) => return Came::NoMirror(why_not(name, refused.why)),
    };
    let told = told.await.ok().and_then(|(bytes, _)| of_bytes::<Answer>(&bytes));
    // The mirror task waits for no more.
    drop(sender);
    match told {
        Some(Answer::Done(Done { condition, resp2, commarea, channel, .. })) => {
            let channel = channel.map(|(changed, deleted)| (changed.into_vec(), deleted));
            Came::Done { condition, resp2, commarea, channel }
        }
        Some(Answer::Abended(code) | Answer::Undone(code)) => Came::Abended(code),
        Some(Answer::Refused(Refusal::NoRoom)) => {
            Came::NoMirror(format!("too many tasks wait already, and transaction {name} was not started"))
        }
        _ => Came::NoMirror(format!("transaction {name} has ended before its program was run")),
    }
}

fn why_not(name: TransactionName, why: AttachError) -> String {
    match why {
        AttachError::Unknown => format!("transaction {name} is not defined"),
        AttachError::Remote => format!("transaction {name} is one of another system"),
        AttachError::Disabled => format!("transaction {name} is disabled"),
        AttachError::NotAuthorized => format!("the user may not run transaction {name}"),
        AttachError::QueueFull => {
            format!("too many tasks wait already, and transaction {name} was not started")
        }
        AttachError::Closing => String::from("the region shuts down: it takes no new tasks"),
        AttachError::TerminalBusy => String::from("the terminal has a task already"),
    }
}
