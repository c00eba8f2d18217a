//! DSNC: what an operator does with the connection to the database from a terminal.
//!
//! Everything but the lists of threads goes through the commands INQUIRE, SET and SEND TEXT, so that rights and limits are
//! those of a program.

mod command;
mod display;

use std::sync::Arc;

use kernel::catalog::SuppliedTransaction;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{self, Content, Flow, Parcel};
use kernel::raise::{Outcome, Raise};
use kernel::task::Task;
use kernel::transactions::Supplied;
use spec::{cmd, cond, opt};

use crate::messages;
use crate::resources::Resources;
use command::{Command, What, read};

/// The transaction and its program.
pub(crate) const DSNC: SuppliedTransaction =
    SuppliedTransaction { name: "DSNC", program: "DFHD2CM1", supplied: Supplied::Inquire, run: program };

/// Characters of a command.
const INPUT_MAX: usize = 256;

fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let typed = received(context.task()).await?;
        let lines = match read(&typed) {
            Ok(command) => answer(context.task(), command).await?,
            Err(why) => vec![why],
        };
        let text = lines.join("\n").into_bytes();
        let mut send = Parcel::new(cmd::SEND_TEXT);
        let made = send.give(opt::FROM, Content::Bytes(text));
        made.and_then(|()| send.keyword(opt::ERASE))
            .and_then(|()| send.keyword(opt::FREEKB))
            .map_err(broken)?;
        exec::issue(context.task(), &send).await.map_err(Raise::Abend)?;
        Ok(Flow::Return)
    })
}

/// Text behind the name of the transaction.
async fn received(task: &mut Task) -> Outcome<String> {
    let mut receive = Parcel::new(cmd::RECEIVE);
    let made = receive.room(opt::INTO, INPUT_MAX);
    made.and_then(|()| receive.give(opt::LENGTH, Content::Number(INPUT_MAX as i64))).map_err(broken)?;
    exec::issue(task, &receive).await.map_err(Raise::Abend)?;
    let Some(Content::Bytes(bytes)) = receive.content(opt::INTO) else { return Ok(String::new()) };
    let length = match receive.content(opt::LENGTH) {
        Some(Content::Number(length)) => usize::try_from(length).unwrap_or(0).min(bytes.len()),
        _ => bytes.len(),
    };
    Ok(task.characters().text(&bytes[..length]))
}

/// The record of a command has not what it is given here.
fn broken(_: impl std::error::Error) -> Raise {
    Raise::abend("AEY9")
}

async fn answer(task: &mut Task, command: Command) -> Outcome<Vec<String>> {
    let region = Arc::clone(&task.region);
    let resources = Resources::of(&region);
    match command {
        Command::Display(What::Statistics) => Ok(display::statistics(&region)),
        Command::Display(What::Threads { transaction }) => {
            Ok(display::threads(&region, transaction.as_deref()))
        }
        Command::Disconnect { plan } => {
            Ok(vec![format!("DSNC: no thread is kept for {plan}: each goes back with its unit of work")])
        }
        Command::Start { server } => {
            let by = if server.is_empty() { String::new() } else { format!(" DB2ID('{server}')") };
            issue(task, &format!("SET DB2CONN CONNECTED{by}"), "the connection is being made").await
        }
        Command::Stop { force } => {
            let how = if force { "FORCE" } else { "WAIT" };
            issue(task, &format!("SET DB2CONN NOTCONNECTED {how}"), "the connection has ended").await
        }
        Command::Threads { transaction, limit } => {
            let text = match transaction.as_str() {
                "CEPL" => format!("SET DB2CONN THREADLIMIT({limit})"),
                "DSNC" => format!("SET DB2CONN COMTHREADLIM({limit})"),
                name => match resources.entry_name(name) {
                    Some(entry) => format!("SET DB2ENTRY('{entry}') THREADLIMIT({limit})"),
                    None => return Ok(vec![format!("DSNC: transaction {name} has no DB2ENTRY")]),
                },
            };
            issue(task, &text, "the limit is changed").await
        }
        Command::Destination { old, new } => {
            let Some(queue) = messages::attribute_of(resources, &old) else {
                return Ok(vec![format!("DSNC: DB2CONN sends no messages to {old}")]);
            };
            issue(task, &format!("SET DB2CONN {queue}('{new}')"), "the destination is changed").await
        }
    }
}

/// Issues a command; what it came to.
async fn issue(task: &mut Task, text: &str, done: &str) -> Outcome<Vec<String>> {
    let parcel = match Parcel::read(text) {
        Ok(parcel) => parcel,
        Err(mistakes) => return Ok(mistakes),
    };
    exec::issue(task, &parcel).await.map_err(Raise::Abend)?;
    Ok(vec![match parcel.response() {
        Some((cond::NORMAL, _)) => format!("DFHDB2020 {done}"),
        Some((condition, reason)) => format!("DSNC: {text}: {}, RESP2 {reason}", condition.name()),
        None => format!("DSNC: {text}: no answer"),
    }])
}
