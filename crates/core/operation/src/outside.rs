//! Requests from outside to a running region: its state, an operator's command, a transaction without a terminal.
//!
//! The front door decides who may ask: everything here is done as the region's own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use domains::children::{Child, Ending};
use domains::interval::StartData;
use kernel::channels::{Bytes, Channel, DataType};
use kernel::dispatcher;
use kernel::dispatcher::{Attach, AttachError, Dispatcher};
use kernel::health::Health;
use kernel::name::{Name16, TransactionName};
use kernel::raise::AbendCode;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use kernel::terminals::Terminals;
use kernel::transactions::Transactions;

/// The operator's transaction.
const OPERATOR: &str = "CEMT";
/// The transactions of definitions: a command that begins with one is for it.
const DEFINERS: [&str; 3] = ["CEDA", "CEDB", "CEDC"];
/// The channel by which it answers where it has no terminal, and the container.
const ANSWER: &str = "DFHANSWER";
/// The container of the number of errors.
const ERRORS: &str = "DFHERRORS";

/// The state of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its application identifier.
    pub applid: String,
    /// Its system identifier.
    pub sysid: String,
    /// True if it takes new tasks: it does not while it ends.
    pub serves: bool,
    /// Seconds since it started.
    pub seconds: u64,
    /// Tasks that run or wait for something.
    pub tasks: u64,
    /// Tasks that wait for MXT or their class.
    pub queued: u64,
    /// MXT.
    pub tasks_max: u64,
    /// The number of times that MXT was reached.
    pub tasks_max_reached: u64,
    /// Tasks that were attached since the start.
    pub attached: u64,
    /// Tasks that ended with an abend since the start.
    pub abends: u64,
    /// Terminals.
    pub terminals: u64,
    /// TCBs, QR counted.
    pub tcbs: u64,
    /// The health, from 0 to 100.
    pub health: u64,
}

/// The state of a region now; it has run since `started`.
pub fn status(region: &Region, started: Instant) -> Status {
    let dispatcher = Dispatcher::of(region);
    let admissions = dispatcher.admissions(false);
    let abends = Transactions::of(region).list().iter().map(|t| t.abends.load(Ordering::Relaxed)).sum();
    Status {
        applid: region.options.applid.to_string(),
        sysid: region.options.sysid.to_string(),
        serves: !dispatcher.is_closed(),
        seconds: started.elapsed().as_secs(),
        tasks: dispatcher.running() as u64,
        queued: admissions.queued as u64,
        tasks_max: admissions.limit as u64,
        tasks_max_reached: admissions.at_limit,
        attached: dispatcher.attached(),
        abends,
        terminals: Terminals::of(region).list().len() as u64,
        tcbs: dispatcher.tcb_count() as u64,
        health: Health::of(region).value().into(),
    }
}

/// The end of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The number of its task.
    pub task: u32,
    /// Its abend, and the reason where that is known.
    pub abend: Option<(AbendCode, Option<String>)>,
}

/// Runs a transaction without a terminal as START would, and waits for its end. RETRIEVE gives it its data.
///
/// # Errors
/// The reason if there is no task.
pub async fn run(
    region: &Arc<Region>,
    transaction: TransactionName,
    user: Arc<User>,
    data: Option<Vec<u8>>,
) -> Result<Ran, AttachError> {
    let code = if data.is_some() { StartCode::StartWithData } else { StartCode::Start };
    let mut attach = Attach::new(transaction, code, user);
    if data.is_some() {
        attach.kept.put(StartData { data, ..StartData::default() });
    }
    wait_for(region, attach).await
}

/// The answer to a command of CEMT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operated {
    /// The lines it shows.
    pub text: String,
    /// The number of mistakes in it, of resources that are not there, and of changes that were refused.
    pub errors: usize,
}

/// Carries a command of CEMT or CEDA out with the right to change the region.
///
/// # Errors
/// The reason if there is no task.
pub async fn operate(region: &Arc<Region>, command: &str) -> Result<Operated, AttachError> {
    let first = command.split_whitespace().next().unwrap_or_default();
    let definer = DEFINERS.into_iter().find(|name| first.eq_ignore_ascii_case(name));
    let name = TransactionName::from(definer.unwrap_or(OPERATOR));
    let mut attach = Attach::new(name, StartCode::System, User::region());
    let channel = Channel::new(Name16::from(ANSWER));
    attach.channel = Some(Arc::clone(&channel));
    attach.input_message = Some(command.as_bytes().to_vec());
    let ran = wait_for(region, attach).await?;
    let text_of = |name: &str| {
        let container = channel.get(Name16::from(name))?;
        Some(String::from_utf8_lossy(&container.data).into_owned())
    };
    let errors = text_of(ERRORS).and_then(|errors| errors.parse().ok()).unwrap_or(1);
    let ended = || ran.abend.as_ref().map_or_else(String::new, |(code, _)| format!("abend {code}\n"));
    Ok(Operated { text: text_of(ANSWER).unwrap_or_else(ended), errors })
}

/// Gives the answer to a command that came without a terminal.
pub(crate) fn answer(channel: &Channel, answer: &Operated) {
    let put = |name: &str, text: &str| {
        channel.put(Name16::from(name), Bytes::own(text.as_bytes()), DataType::Bit);
    };
    put(ANSWER, &answer.text);
    put(ERRORS, &answer.errors.to_string());
}

/// Attaches a task, and waits for its end.
///
/// # Errors
/// The reason if there is no task.
pub async fn wait_for(region: &Arc<Region>, mut attach: Attach) -> Result<Ran, AttachError> {
    let child = Child::of_the_region();
    attach.kept.put(child.family());
    let task = dispatcher::attach(region, attach)?;
    let abend = match child.end().await {
        Ending::Normal => None,
        Ending::Abend(code) => Some((code, child.reason())),
    };
    Ok(Ran { task, abend })
}
