//! Work of Java threads that gets a task of its own: CICSExecutorService.
//!
//! ```text
//! JVM: runAsCICS ─► "attach" (control connection) ─► task of CJSA, or of the transaction named ─► a thread of the JVM server ─► the work
//! ```
//!
//! A task that does not come to its work tells the JVM so, whatever has become of it.

use std::sync::Arc;
use std::time::Instant;

use kernel::catalog::SuppliedTransaction;
use kernel::control::Origin;
use kernel::dispatcher::{self, Attach, AttachError, Context, SuppliedWaiting};
use kernel::lines::often;
use kernel::name::{Name8, TransactionName};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::StartCode;
use kernel::transactions::Supplied;
use webdomain::{JvmRequest, JvmTask, task_of_jvm_server};

use crate::limits::{REFUSALS_PER_SECOND, WORKS_MAX};
use crate::program::{self, What};
use crate::server::{JvmServer, Order};
use crate::wire::Reader;
use crate::work::Work;

/// The kind of a message that wants a task.
pub(crate) const ATTACH: u8 = b'A';
/// The same for an HTTP request.
pub(crate) const REQUEST: u8 = b'Q';
/// The transaction of work that no task has asked for, and the program of all.
const TRANSACTION: &str = "CJSA";
const PROGRAM: &str = "DFHSJTHP";
/// The scheme of a request that came over TLS.
const HTTPS: &str = "https";
/// Characters of a transaction's name.
const TRANSACTION_MAX: usize = 4;
/// The abend of a task without work: a user has started the transaction.
const NO_WORK: &str = "ASJ1";

/// The transaction.
pub(crate) const TRANSACTIONS: &[SuppliedTransaction] =
    &[SuppliedTransaction { name: TRANSACTION, program: PROGRAM, supplied: Supplied::Open, run }];

/// Attaches the task that a JVM asks for: the number of the work, the task that asks or 0, the transaction or nothing. `None` if the
/// message is none.
pub(crate) fn attach(region: &Arc<Region>, server: &Arc<JvmServer>, body: &mut Reader<'_>) -> Option<()> {
    let (number, parent, transaction) = (body.u32()?, body.u32()?, body.text()?);
    let transaction = transaction.to_owned();
    body.is_at_end().then_some(())?;
    let Some(named) = named(&transaction) else {
        server.order(Order::Reject(number));
        return Some(());
    };
    // A task that this JVM server does not have is not spoken for by it. The one that asks waits until its work has a task.
    let asking = server.task(parent);
    if parent != 0 && asking.is_none() {
        server.order(Order::Reject(number));
        return Some(());
    }
    let own = asking.as_ref().map(|parent| parent.transaction.name);
    let name = match &*named {
        b"" => own.unwrap_or_else(|| TransactionName::from(TRANSACTION)),
        named => TransactionName::new(named),
    };
    let user =
        asking.as_ref().map_or_else(|| Arc::clone(&Users::of(region).default), |it| Arc::clone(&it.user));
    let mut task = Attach::new(name, StartCode::System, user);
    task.origin = asking.as_ref().map_or_else(Origin::default, |parent| Origin::from_task(parent));
    begin(region, server, number, task);
    Some(())
}

/// Attaches the task of an HTTP request to Liberty: the number of the work, and scheme, host, path and query of the request. A URIMAP
/// with USAGE(JVMSERVER) says its transaction and its user.
/// `None` if the message is none.
pub(crate) fn request(region: &Arc<Region>, server: &Arc<JvmServer>, body: &mut Reader<'_>) -> Option<()> {
    let number = body.u32()?;
    let (scheme, host, path, query) = (body.text()?, body.text()?, body.text()?, body.text()?);
    body.is_at_end().then_some(())?;
    let query = Some(query).filter(|query| !query.is_empty());
    let asked = JvmRequest { tls: scheme == HTTPS, host, path: path.as_bytes(), query };
    match task_of_jvm_server(region, &asked).and_then(|task| Ok((user(region, &task)?, task))) {
        Ok((user, task)) => {
            let transaction = task.transaction.unwrap_or_else(|| TransactionName::from(TRANSACTION));
            begin(region, server, number, Attach::new(transaction, StartCode::System, user));
        }
        Err(why) => {
            often!(warn, target: "SJ", "JVMSERVER {}: a request has no task: {why}", server.name);
            server.order(Order::Reject(number));
        }
    }
    Some(())
}

/// The user of a request's task: that of its URIMAP, or the default user.
fn user(region: &Region, task: &JvmTask) -> Result<Arc<User>, String> {
    let users = Users::of(region);
    let Some(id) = task.user else { return Ok(Arc::clone(&users.default)) };
    users
        .file
        .user(&id.to_string())
        .map(Arc::new)
        .ok_or_else(|| format!("USERID({id}) of its URIMAP is not known"))
}

/// Attaches a task for work of a number, or has the JVM hear that it has none.
fn begin(region: &Arc<Region>, server: &Arc<JvmServer>, number: u32, mut task: Attach) {
    let transaction = task.transaction;
    let asked = (task.user.id, transaction);
    if server.refusals.are_too_many(asked, Instant::now()) {
        often!(warn, target: "SJ", "JVMSERVER {}: more than {REFUSALS_PER_SECOND} tasks of {transaction} for work of Java were refused {} within a second", server.name, asked.0);
        server.order(Order::Reject(number));
        return;
    }
    let Some(work) = Work::new(server, number) else {
        often!(warn, target: "SJ", "JVMSERVER {}: more than {WORKS_MAX} works of Java wait", server.name);
        server.order(Order::Reject(number));
        return;
    };
    task.program = Some(Name8::from(PROGRAM));
    task.asks = true;
    task.kept.get_or_insert_with(|| work);
    server.order(Order::Attached(number));
    if let Err(why) = dispatcher::attach(region, task) {
        if why == AttachError::NotAuthorized {
            server.refusals.add(asked, Instant::now());
        }
        often!(warn, target: "SJ", "JVMSERVER {}: no task of {transaction} for work of Java: {why:?}", server.name);
    }
}

/// The name of a transaction as Java gives it, or nothing; `None` if there can be none of the name.
fn named(text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<u8>> = text.chars().map(|one| u8::try_from(one).ok()).collect();
    bytes.filter(|bytes| bytes.len() <= TRANSACTION_MAX)
}

/// The program: has the work run.
fn run<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(work) = context.task().kept.get_mut::<Work>() else {
            return Err(Raise::abend(NO_WORK));
        };
        let (server, number) = (work.name, work.number);
        program::serve(context, server, What::Work(number)).await
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_has_the_name_that_java_gives_or_none() {
        assert_eq!(named("").as_deref(), Some(&b""[..]));
        assert_eq!(named("PAY\u{e9}").as_deref(), Some(&b"PAY\xe9"[..]));
        for none in ["PAYROLL", "PAY\u{20ac}"] {
            assert_eq!(named(none), None, "{none}");
        }
    }
}
