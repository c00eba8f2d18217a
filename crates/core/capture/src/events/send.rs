//! Events brought to where each kind of adapter leads, by commands of the task that emits them.

use std::sync::Arc;

use domains::interval::known_user;
use domains::temporary_storage::TemporaryStorage;
use kernel::dispatcher::{self, Attach};
use kernel::exec::Content;
use kernel::name::{Name8, Name16, TransactionName};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{StartCode, Task};
use policies::ep_adapter::{AdapterKind, AdapterUser, DataFormat};
use spec::{cmd, cond, opt};

use super::adapter::Adapter;
use super::asking::{ask, command};
use super::event::Event;
use super::failure::Failure;
use super::{Events, format};

/// Bytes of a record of a queue; an event beyond is cut, as published.
const RECORD_MAX: usize = 32_763;
/// The type of the records of a journal that are events.
const JOURNAL_TYPE: &str = "EP";
/// Bytes of an answer that a server may give.
const ANSWER_MAX: usize = 4_096;
/// Characters of MEDIATYPE, and of SESSTOKEN.
const MEDIA_TYPE: usize = 56;
const TOKEN: usize = 8;

/// Emits an event.
pub(super) async fn emit(task: &mut Task, adapter: &Adapter, event: &Event) -> Result<(), Failure> {
    let region = Arc::clone(&task.region);
    let counts = &Events::of(&region).counts;
    match &adapter.adapter.kind {
        AdapterKind::TsQueue { queue, auxiliary } => {
            counts.ts_queue.more();
            to_ts_queue(task, adapter, event, (queue, *auxiliary)).await
        }
        AdapterKind::TdQueue { queue } => {
            counts.td_queue.more();
            let arguments = vec![
                (opt::QUEUE, Content::text(&format!("{queue:<4}"))),
                (opt::FROM, Content::Bytes(record(adapter, event))),
            ];
            ask(task, &command(cmd::WRITEQ_TD, arguments, &[])?, &[]).await
        }
        AdapterKind::LogStream { journal } => to_log_stream(task, adapter, event, journal).await,
        AdapterKind::Transaction { name, user } => {
            counts.transaction.more();
            start(task, event, name, user).await
        }
        AdapterKind::Http { urimap } => {
            counts.http.more();
            to_server(task, adapter, event, urimap).await
        }
        AdapterKind::Custom { data } => {
            counts.custom.more();
            to_program(task, adapter, event, data)
        }
    }
}

fn record(adapter: &Adapter, event: &Event) -> Vec<u8> {
    let mut record = format::in_program_characters(&format::text(event, adapter.adapter.format));
    record.truncate(RECORD_MAX);
    record
}

async fn to_ts_queue(
    task: &mut Task,
    adapter: &Adapter,
    event: &Event,
    (queue, auxiliary): (&str, bool),
) -> Result<(), Failure> {
    let is_recoverable = TemporaryStorage::of(&task.region).is_recoverable(Name16::from(queue));
    if adapter.adapter.synchronous && adapter.adapter.transactional != is_recoverable {
        let (wanted, is) = if is_recoverable { ("not recoverable", "is") } else { ("recoverable", "is not") };
        return Err(Failure::Config(format!(
            "TS queue {queue} has to be {wanted} for these events, and {is}"
        )));
    }
    let arguments = vec![
        (opt::QNAME, Content::text(&format!("{queue:<16}"))),
        (opt::FROM, Content::Bytes(record(adapter, event))),
    ];
    let place = if auxiliary { opt::AUXILIARY } else { opt::MAIN };
    ask(task, &command(cmd::WRITEQ_TS, arguments, &[place])?, &[]).await
}

/// A record of a journal, which is in its log stream when the command is over.
async fn to_log_stream(
    task: &mut Task,
    adapter: &Adapter,
    event: &Event,
    journal: &str,
) -> Result<(), Failure> {
    let record = record(adapter, event);
    let length = i64::try_from(record.len()).unwrap_or(i64::MAX);
    let arguments = vec![
        (opt::JOURNALNAME, Content::text(&format!("{journal:<8}"))),
        (opt::JTYPEID, Content::text(JOURNAL_TYPE)),
        (opt::FROM, Content::Bytes(record)),
        (opt::FLENGTH, Content::Number(length)),
    ];
    ask(task, &command(cmd::WRITE_JOURNALNAME, arguments, &[opt::WAIT])?, &[]).await
}

async fn start(task: &mut Task, event: &Event, name: &str, user: &AdapterUser) -> Result<(), Failure> {
    let mut arguments = vec![
        (opt::TRANSID, Content::text(&format!("{name:<4}"))),
        (opt::CHANNEL, Content::text(&format!("{:<16}", format::CHANNEL))),
    ];
    match user {
        AdapterUser::Region => {}
        AdapterUser::Context => {
            arguments.push((opt::USERID, Content::Bytes(event.user.id.as_bytes().to_vec())))
        }
        AdapterUser::Named(user) => arguments.push((opt::USERID, Content::text(&format!("{user:<8}")))),
    }
    let parcel = command(cmd::START_CHANNEL, arguments, &[])?;
    // The command finds the channel by its name, as the one that the task was given.
    let own = task.level_mut().channel.replace(format::containers(event));
    let asked = ask(task, &parcel, &[]).await;
    task.level_mut().channel = own;
    asked
}

async fn to_server(task: &mut Task, adapter: &Adapter, event: &Event, urimap: &str) -> Result<(), Failure> {
    let name = Content::text(&format!("{urimap:<8}"));
    let mut open = command(cmd::WEB_OPEN, vec![(opt::URIMAP, name)], &[])?;
    open.room(opt::SESSTOKEN, TOKEN).map_err(|unfit| Failure::Other(unfit.to_string()))?;
    ask(task, &open, &[]).await?;
    let token = open.content(opt::SESSTOKEN).unwrap_or_default();
    let posted = post(task, adapter, event, token.clone()).await;
    // The server may have closed it already.
    let close = command(cmd::WEB_CLOSE, vec![(opt::SESSTOKEN, token)], &[])?;
    let closed = ask(task, &close, &[cond::INVREQ, cond::NOTOPEN, cond::IOERR]).await;
    posted.and(closed)
}

async fn post(task: &mut Task, adapter: &Adapter, event: &Event, token: Content) -> Result<(), Failure> {
    let format = adapter.adapter.format;
    let media = if format == DataFormat::Json { "application/json" } else { "text/xml" };
    let body = format::text(event, format).into_bytes();
    let length = i64::try_from(body.len()).unwrap_or(i64::MAX);
    let arguments = vec![
        (opt::SESSTOKEN, token),
        (opt::MEDIATYPE, Content::text(&format!("{media:<MEDIA_TYPE$}"))),
        (opt::FROM, Content::Bytes(body)),
        (opt::FROMLENGTH, Content::Number(length)),
        (opt::MAXLENGTH, Content::Number(ANSWER_MAX as i64)),
    ];
    // UTF-8 as it is.
    let mut parcel = command(cmd::WEB_CONVERSE, arguments, &[opt::POST, opt::NOCLICONVERT])?;
    for (option, room) in [(opt::INTO, ANSWER_MAX), (opt::TOLENGTH, size_of::<i32>()), (opt::STATUSCODE, 2)] {
        parcel.room(option, room).map_err(|unfit| Failure::Other(unfit.to_string()))?;
    }
    // An answer that is longer is of no interest.
    ask(task, &parcel, &[cond::LENGERR]).await?;
    match parcel.content(opt::STATUSCODE) {
        Some(Content::Number(200..=299)) => Ok(()),
        Some(Content::Number(status)) => Err(Failure::Other(format!("the server has answered {status}"))),
        _ => Err(Failure::Other(String::from("the server has not answered"))),
    }
}

/// A custom adapter is a task of its own.
fn to_program(task: &Task, adapter: &Adapter, event: &Event, data: &str) -> Result<(), Failure> {
    let user = user_of(task, &adapter.adapter.user, event)?;
    let name = TransactionName::from(adapter.adapter.transaction.as_str());
    let mut attach = Attach::new(name, StartCode::Start, user);
    attach.channel = Some(format::object(event, &adapter.name, data));
    match dispatcher::attach(&task.region, attach) {
        Ok(_) => Ok(()),
        Err(why) => Err(Failure::Config(format!("transaction {name}: {why:?}"))),
    }
}

/// The user of an adapter; `None`: there is no such user.
fn known(region: &Region, user: &AdapterUser, event: &Event) -> Option<Arc<User>> {
    match user {
        AdapterUser::Region => Some(User::region()),
        AdapterUser::Context => Some(Arc::clone(&event.user)),
        AdapterUser::Named(name) => known_user(region, Name8::from(name.as_str())),
    }
}

fn user_of(task: &Task, user: &AdapterUser, event: &Event) -> Result<Arc<User>, Failure> {
    known(&task.region, user, event)
        .ok_or_else(|| Failure::Config(String::from("there is no such user as its own")))
}
