//! The commands of this domain; QUERY SECURITY, and PERFORM SECURITY REBUILD.
//!
//! RESP2 numbers are those of the published commands, for what can happen here.

mod passwords;
mod sign_on;
mod tokens;

use std::sync::Arc;

use spec::{Resource, cmd, cond, opt};

use ::security::{Class, Level};

use crate::files::Files;
use crate::transient_data::TransientData;
use kernel::exec::call::Bytes;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::meters::Figure;
use kernel::name::{Name8, QueueName, TransactionName};
use kernel::programs::Programs;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::security::{NotRebuilt, Refusal, Security, User, Users, rebuild_certificates};
use kernel::task::{Task, WaitKind};
use kernel::terminals::rebuild_security;
use kernel::transactions::Transactions;
use passwords::{change, sign_off, sign_on, verify};

pub use passwords::sign_off_at;
pub use sign_on::check;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::SIGNON, Handler::Waits(sign_on)),
    (cmd::SIGNOFF, Handler::Now(|task, _| sign_off(task))),
    (cmd::VERIFY_PASSWORD, Handler::Waits(verify)),
    (cmd::VERIFY_PHRASE, Handler::Waits(verify)),
    (cmd::CHANGE_PASSWORD, Handler::Waits(change)),
    (cmd::CHANGE_PHRASE, Handler::Waits(change)),
    (cmd::VERIFY_TOKEN, Handler::Waits(tokens::verify)),
    (cmd::SIGNON_TOKEN, Handler::Waits(tokens::sign_on)),
    (cmd::REQUEST_PASSTICKET, Handler::Now(tokens::pass_ticket)),
    (cmd::QUERY_SECURITY, Handler::Now(query_security)),
    (cmd::PERFORM_SECURITY_REBUILD, Handler::Waits(rebuild)),
    (cmd::PERFORM_SSL_REBUILD, Handler::Waits(rebuild_ssl)),
];

const USER_UNKNOWN: i32 = 8;

/// PERFORM SECURITY REBUILD: the profiles are read again, off the TCB; those before stay where they cannot be.
fn rebuild<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    const NOT_BUILT: i32 = 1;
    Box::pin(async move {
        call.put_number(opt::ESMRESP, 0)?;
        rebuilt(task).await?.map(drop).map_err(|_| cond::INVREQ.raise(NOT_BUILT))
    })
}

/// PERFORM SSL REBUILD: the certificates of the front doors are read again; one that cannot be used stays what it was.
fn rebuild_ssl<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    const NOT_BUILT: i32 = 1;
    Box::pin(async move {
        call.put_number(opt::GSKRESP, 0)?;
        if certificates_rebuilt(task).await? { Ok(()) } else { Err(cond::INVREQ.raise(NOT_BUILT)) }
    })
}

/// Reads the certificates again for a task, off its TCB: true if all can be used.
///
/// # Errors
/// The abend of a task that was purged meanwhile.
pub async fn certificates_rebuilt(task: &Task) -> Outcome<bool> {
    let region = Arc::clone(&task.region);
    let reading = tokio::task::spawn_blocking(move || rebuild_certificates(&region));
    Ok(task.wait(WaitKind::TCB, reading).await?.unwrap_or(false))
}

/// Reads the profiles again for a task, off its TCB.
///
/// # Errors
/// The abend of a task that was purged meanwhile.
pub async fn rebuilt(task: &Task) -> Outcome<Result<usize, NotRebuilt>> {
    let region = Arc::clone(&task.region);
    let reading = tokio::task::spawn_blocking(move || rebuild_security(&region));
    let read = task.wait(WaitKind::TCB, reading).await?;
    Ok(read.unwrap_or_else(|failure| Err(NotRebuilt::Unreadable(failure.to_string()))))
}

/// The rights of a user to a resource, by the levels of QUERY SECURITY.
struct Access {
    read: bool,
    update: bool,
    control: bool,
    alter: bool,
}

/// QUERY SECURITY: the rights of the task's user, or of USERID, by type of resource.
fn query_security(task: &mut Task, call: &Call<'_>) -> Outcome {
    let user = match call.name::<8>(opt::USERID)? {
        None => Arc::clone(&task.user),
        Some(id) => {
            let known = Users::of(&task.region).file.user(&id.to_string());
            Arc::new(known.ok_or_else(|| cond::USERIDERR.raise(USER_UNKNOWN))?)
        }
    };
    let tells = logs(call)?;
    let asked = queried_of(task, call, &user, tells);
    if !tells {
        count_silent(task, &asked);
    }
    let access = asked?;
    call.put_value(opt::READ, &Value::either(access.read, "READABLE", "NOTREADABLE"))?;
    call.put_value(opt::UPDATE, &Value::either(access.update, "UPDATABLE", "NOTUPDATABLE"))?;
    call.put_value(opt::CONTROL, &Value::either(access.control, "CTRLABLE", "NOTCTRLABLE"))?;
    call.put_value(opt::ALTER, &Value::either(access.alter, "ALTERABLE", "NOTALTERABLE"))
}

/// Counts a query with NOLOG whose user may not read the resource, or that is about something that is not there.
fn count_silent(task: &Task, asked: &Outcome<Access>) {
    match asked {
        Ok(access) if !access.read => task.adds(Figure::SilentQueriesRefused, 1),
        Err(Raise::Condition(cond::NOTFND, _)) => task.adds(Figure::SilentQueriesNotFound, 1),
        _ => {}
    }
}

/// The access that a user has to the resource of a query. `tells`: the log says if it is none.
fn queried_of(task: &mut Task, call: &Call<'_>, user: &User, tells: bool) -> Outcome<Access> {
    const NO_TYPE: i32 = 2;
    const NO_NAME: i32 = 9;
    let name = resource(call)?;
    let kind = call.bytes(opt::RESTYPE)?.unwrap_or_default();
    let operates =
        Access { read: user.inquire, update: user.operate, control: user.operate, alter: user.operate };
    let uses = Access { read: user.run, update: user.run, control: user.operate, alter: user.operate };
    let kind = kind.trim_ascii_end();
    if name.trim_ascii_end().is_empty() {
        return Err(cond::INVREQ.raise(NO_NAME));
    }
    if !call.has(opt::RESCLASS) {
        is_installed(&task.region, kind, &name)?;
    }
    let secured = Security::of(&task.region).map(|security| queried(security, call, user, (kind, &name)));
    if let Some(Ok(Access { read: false, .. })) = &secured
        && tells
    {
        tell(task, user, call, (kind, &name))?;
    }
    match kind {
        _ if secured.is_some() => secured.unwrap_or(Err(cond::NOTFND.raise(NO_TYPE))),
        b"SPCOMMAND" => Ok(operates),
        b"TRANSACTION" | b"TRANSATTACH" => {
            let transaction = Transactions::of(&task.region).get(TransactionName::new(&name));
            let runs = transaction.is_some_and(|transaction| user.may_run(&transaction));
            Ok(Access { read: runs, update: runs, control: user.operate, alter: user.operate })
        }
        b"FILE" | b"PROGRAM" | b"PSB" | b"JOURNALNAME" | b"TDQUEUE" | b"TSQUEUE" | b"TSQNAME" => Ok(uses),
        _ => Err(cond::NOTFND.raise(NO_TYPE)),
    }
}

/// Reads LOGMESSAGE: a level that the user does not have is logged, unless NOLOG.
fn logs(call: &Call<'_>) -> Outcome<bool> {
    const NO_SUCH_VALUE: i32 = 7;
    let Some(value) = call.number(opt::LOGMESSAGE)? else { return Ok(true) };
    match i32::try_from(value).ok().and_then(spec::cvda_name) {
        Some("LOG") => Ok(true),
        Some("NOLOG") => Ok(false),
        _ => Err(cond::INVREQ.raise(NO_SUCH_VALUE)),
    }
}

/// RESID, of the length that RESIDLENGTH gives where there is one.
fn resource(call: &Call<'_>) -> Outcome<Bytes> {
    const LENGTH: i32 = 6;
    let Some(length) = call.number(opt::RESIDLENGTH)? else {
        return Ok(call.bytes(opt::RESID)?.unwrap_or_default());
    };
    let length = usize::try_from(length).ok().filter(|length| (1..=RESOURCE_MAX).contains(length));
    let length = length.ok_or_else(|| cond::LENGERR.raise(LENGTH))?;
    Ok(call.bytes_of(opt::RESID, length)?.unwrap_or_default())
}

/// Characters of a resource's name at most.
const RESOURCE_MAX: usize = 246;

/// Reports that a user may not even look.
fn tell(task: &Task, user: &User, call: &Call<'_>, (kind, name): (&[u8], &[u8])) -> Outcome {
    let class = call.bytes(opt::RESCLASS)?;
    let class = class.as_ref().map_or(kind, |class| class.trim_ascii_end());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    Users::of(&task.region).file.refused(&Refusal {
        user: user.id.to_string(),
        transaction: task.control.transaction.name.to_string(),
        terminal: task.terminal().map_or_else(String::new, |terminal| terminal.name.to_string()),
        class: text(class),
        resource: text(name),
        wanted: Level::Read,
        why: String::from("QUERY SECURITY"),
    });
    Ok(())
}

/// QUERY SECURITY with SEC=YES: what profiles say, by the type of resource or the name of its class, in one call and on the
/// task's own thread.
fn queried(
    security: &Security,
    call: &Call<'_>,
    user: &User,
    (kind, name): (&[u8], &[u8]),
) -> Outcome<Access> {
    const NO_TYPE: i32 = 2;
    let types = [
        (&b"FILE"[..], Class::Fct),
        (b"JOURNALNAME", Class::Jct),
        (b"PROGRAM", Class::Ppt),
        (b"SPCOMMAND", Class::Cmd),
        (b"TDQUEUE", Class::Dct),
        (b"TRANSACTION", Class::Pct),
        (b"TRANSATTACH", Class::Tran),
        (b"TSQUEUE", Class::Tst),
        (b"TSQNAME", Class::Tst),
        (b"BUNDLE", Class::Res),
        (b"DOCTEMPLATE", Class::Res),
    ];
    let level = match call.bytes(opt::RESCLASS)? {
        Some(class) => {
            let class = String::from_utf8_lossy(class.trim_ascii_end()).to_ascii_uppercase();
            security.decide(user, &class, name.trim_ascii_end()).0
        }
        None => {
            let known = types.iter().find(|(word, _)| *word == kind);
            let (word, class) = known.ok_or_else(|| cond::NOTFND.raise(NO_TYPE))?;
            let before = if *class == Class::Res { [*word, b"."].concat() } else { Vec::new() };
            security.level(user, *class, &[&before, name.trim_ascii_end()].concat())
        }
    };
    Ok(Access {
        read: level >= Level::Read,
        update: level >= Level::Update,
        control: level >= Level::Control,
        alter: level >= Level::Alter,
    })
}

/// Refuses a resource that is not installed, and a command that is none of the system's, before anybody asks for rights to it. A
/// queue of temporary storage and a journal are made by their first use, so that their names mean something before.
fn is_installed(region: &Region, kind: &[u8], name: &[u8]) -> Outcome {
    const NO_RESOURCE: i32 = 1;
    const NO_COMMAND: i32 = 3;
    const INDIRECT: i32 = 1;
    let is_there = match kind {
        b"TRANSACTION" | b"TRANSATTACH" => Transactions::of(region).get(TransactionName::new(name)).is_some(),
        b"FILE" => Files::of(region).get(Name8::new(name)).is_some(),
        b"PROGRAM" => Programs::of(region).get(Name8::new(name)).is_some(),
        b"TDQUEUE" => {
            let (queues, queue) = (TransientData::of(region), QueueName::new(name));
            if queues.has(queue) && matches!(queues.get(queue), Err(Raise::Condition(cond::QIDERR, _))) {
                return Err(cond::QIDERR.raise(INDIRECT));
            }
            queues.has(queue)
        }
        b"SPCOMMAND" => match is_command(name.trim_ascii_end()) {
            true => true,
            false => return Err(cond::NOTFND.raise(NO_COMMAND)),
        },
        _ => true,
    };
    if is_there { Ok(()) } else { Err(cond::NOTFND.raise(NO_RESOURCE)) }
}

/// Returns true if commands of the system are protected under a name.
fn is_command(name: &[u8]) -> bool {
    let accesses = spec::commands().iter().flat_map(|command| command.access);
    let mut named = accesses.filter_map(|access| match access.resource {
        Resource::Named(named) if access.class == "XCMD" => Some(named),
        _ => None,
    });
    named.any(|named| named.as_bytes() == name)
}
