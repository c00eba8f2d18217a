//! SIGNON, SIGNOFF, VERIFY PASSWORD, CHANGE PASSWORD, QUERY SECURITY.
//!
//! RESP2 numbers are those of the published commands, for what can happen here.

use std::sync::Arc;
use std::time::Instant;

use spec::{cmd, cond, opt};

use ::security::{Class, Level};

use crate::exec::value::Value;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::files::Files;
use crate::name::{Name8, TransactionName};
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::security::{CHECKS, Guesses, Security, SignOnError, User, Users};
use crate::task::{Task, WaitKind};
use crate::terminals::Terminal;
use crate::transactions::Transactions;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::SIGNON, Handler::Waits(sign_on)),
    (cmd::SIGNOFF, Handler::Now(|task, _| sign_off(task))),
    (cmd::VERIFY_PASSWORD, Handler::Waits(verify_password)),
    (cmd::CHANGE_PASSWORD, Handler::Waits(change_password)),
    (cmd::QUERY_SECURITY, Handler::Now(query_security)),
    (cmd::PERFORM_SECURITY_REBUILD, Handler::Waits(rebuild)),
];

const PASSWORD_MISSING: i32 = 1;
const PASSWORD_WRONG: i32 = 2;
const USER_UNKNOWN: i32 = 8;
const SIGNED_ON_ALREADY: i32 = 9;
const NO_TERMINAL: i32 = 10;
const USER_REVOKED: i32 = 19;
const MANAGER_SILENT: i32 = 29;
const USER_BLANK: i32 = 30;

/// SIGNON: the terminal gets the user. The task that asks goes on as whom it was attached for.
fn sign_on<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = task.terminal().cloned().ok_or_else(|| cond::INVREQ.raise(NO_TERMINAL))?;
        if !terminal.user().is_default {
            return Err(cond::INVREQ.raise(SIGNED_ON_ALREADY));
        }
        no_further_reason(call)?;
        let user = checked(task, call).await?;
        terminal.set_user(Arc::new(user));
        call.put(opt::LANGINUSE, b"ENU")?;
        call.put(opt::NATLANGINUSE, b"E")
    })
}

/// SIGNOFF: the terminal is the default user's again.
fn sign_off(task: &mut Task) -> Outcome {
    const NOBODY_SIGNED_ON: i32 = 1;
    const NO_TERMINAL: i32 = 2;
    let terminal = task.terminal().cloned().ok_or_else(|| cond::INVREQ.raise(NO_TERMINAL))?;
    if terminal.user().is_default {
        return Err(cond::INVREQ.raise(NOBODY_SIGNED_ON));
    }
    sign_off_at(task, &terminal);
    Ok(())
}

/// The terminal is the default user's again.
pub(crate) fn sign_off_at(task: &Task, terminal: &Terminal) {
    terminal.set_user(Arc::clone(&Users::of(&task.region).default));
}

/// VERIFY PASSWORD: nothing but the answer.
fn verify_password<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        no_further_reason(call)?;
        checked(task, call).await.map(drop)
    })
}

/// CHANGE PASSWORD: the region reads the users file and never writes it, so that after all checks nobody answers.
fn change_password<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        no_further_reason(call)?;
        checked(task, call).await?;
        Err(cond::INVREQ.raise(MANAGER_SILENT))
    })
}

/// ESMRESP and ESMREASON: there is no manager beyond the region that had more to say.
fn no_further_reason(call: &Call<'_>) -> Outcome {
    call.put_number(opt::ESMRESP, 0)?;
    call.put_number(opt::ESMREASON, 0)
}

/// The user of USERID (else the task's), if PASSWORD is right.
async fn checked(task: &Task, call: &Call<'_>) -> Outcome<User> {
    let user: Name8 = call.name(opt::USERID)?.unwrap_or(task.user.id);
    if user.is_blank() {
        return Err(cond::USERIDERR.raise(USER_BLANK));
    }
    let Some(password) = call.bytes(opt::PASSWORD)? else {
        return Err(cond::NOTAUTH.raise(PASSWORD_MISSING));
    };
    let password: String = password.trim_ascii_end().iter().map(|b| char::from(*b)).collect();
    check(task, user, password).await?.map_err(|error| match error {
        SignOnError::UnknownUser => cond::USERIDERR.raise(USER_UNKNOWN),
        SignOnError::WrongPassword => cond::NOTAUTH.raise(PASSWORD_WRONG),
        SignOnError::Revoked => cond::NOTAUTH.raise(USER_REVOKED),
    })
}

/// Checks a password off the TCB: it takes a while by design.
///
/// # Errors
/// The abend of a task that was purged meanwhile; INVREQ if the check itself failed.
pub(crate) async fn check(task: &Task, user: Name8, password: String) -> Outcome<Result<User, SignOnError>> {
    let users = Arc::clone(&Users::of(&task.region).file);
    let id = user.to_string();
    let address = task.terminal().and_then(|terminal| terminal.address());
    let Some(wait) = Guesses::of(&task.region).begin(user, address, Instant::now()) else {
        tell_refused(task, user, "too many passwords were wrong lately");
        return Ok(Err(SignOnError::WrongPassword));
    };
    let checking = async {
        tokio::time::sleep(wait).await;
        // The permit goes with the check: one whose task was purged still costs what it costs.
        let permit = CHECKS.acquire().await;
        let check = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            users.sign_on(&id, &password)
        });
        check.await
    };
    let checked = task.wait(WaitKind::TCB, checking).await?.map_err(|failure| {
        tracing::error!(target: "XS", "the password of {user} could not be checked: {failure}");
        cond::INVREQ.raise(MANAGER_SILENT)
    })?;
    match &checked {
        Ok(_) => Guesses::of(&task.region).was_right(user, address, Instant::now()),
        Err(why) => {
            Guesses::of(&task.region).was_wrong(user, address, Instant::now());
            tell_refused(task, user, &format!("{why:?}"));
        }
    }
    Ok(checked)
}

/// Tells in the log that somebody is not signed on.
fn tell_refused(task: &Task, user: Name8, why: &str) {
    let terminal = task.terminal().map_or_else(String::new, |t| format!(" at terminal {}", t.name));
    if task.may_write_line() {
        tracing::warn!(target: "XS", "{user} is refused{terminal}: {why}");
    }
}

/// PERFORM SECURITY REBUILD: the profiles are read again, off the TCB; those before stay where they cannot be.
fn rebuild<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    const NOT_BUILT: i32 = 1;
    Box::pin(async move {
        call.put_number(opt::ESMRESP, 0)?;
        if Security::of(&task.region).is_none() {
            return Err(cond::INVREQ.raise(NOT_BUILT));
        }
        let file = Arc::clone(&Users::of(&task.region).file);
        let reading = tokio::task::spawn_blocking(move || file.profiles());
        let read =
            task.wait(WaitKind::TCB, reading).await?.unwrap_or_else(|failure| Err(failure.to_string()));
        match (read, Security::of(&task.region)) {
            (Ok(profiles), Some(security)) => {
                tracing::info!(target: "XS", "{} profiles are in force", profiles.count());
                security.rebuild(profiles);
                Ok(())
            }
            (read, _) => {
                let why = read.err().unwrap_or_default();
                tracing::error!(target: "XS", "the profiles stay as they were: {why}");
                Err(cond::INVREQ.raise(NOT_BUILT))
            }
        }
    })
}

/// What a user may do with a resource, by the levels that QUERY SECURITY tells.
struct Access {
    read: bool,
    update: bool,
    control: bool,
    alter: bool,
}

/// QUERY SECURITY: the rights of the task's user, or of USERID, by type of resource.
fn query_security(task: &mut Task, call: &Call<'_>) -> Outcome {
    const NO_RESOURCE: i32 = 1;
    const NO_TYPE: i32 = 2;
    let user = match call.name::<8>(opt::USERID)? {
        None => Arc::clone(&task.user),
        Some(id) => {
            let known = Users::of(&task.region).file.user(&id.to_string());
            Arc::new(known.ok_or_else(|| cond::USERIDERR.raise(USER_UNKNOWN))?)
        }
    };
    let name = call.bytes(opt::RESID)?.unwrap_or_default();
    let kind = call.bytes(opt::RESTYPE)?.unwrap_or_default();
    let operates =
        Access { read: user.inquire, update: user.operate, control: user.operate, alter: user.operate };
    let uses = Access { read: user.run, update: user.run, control: user.operate, alter: user.operate };
    let kind = kind.trim_ascii_end();
    let secured = Security::of(&task.region).map(|security| queried(security, call, &user, (kind, &name)));
    let access = match kind {
        _ if secured.is_some() => secured.unwrap_or(Err(cond::NOTFND.raise(NO_TYPE)))?,
        b"SPCOMMAND" => operates,
        b"TRANSACTION" | b"TRANSATTACH" => {
            let transaction = Transactions::of(&task.region).get(TransactionName::new(&name));
            let transaction = transaction.ok_or_else(|| cond::NOTFND.raise(NO_RESOURCE))?;
            let runs = user.may_run(&transaction);
            Access { read: runs, update: runs, control: user.operate, alter: user.operate }
        }
        b"FILE" => known(Files::of(&task.region).get(Name8::new(&name)).is_some(), NO_RESOURCE, uses)?,
        b"PROGRAM" | b"PSB" | b"JOURNALNAME" | b"TDQUEUE" | b"TSQUEUE" | b"TSQNAME" => uses,
        _ => return Err(cond::NOTFND.raise(NO_TYPE)),
    };
    call.put_value(opt::READ, &Value::either(access.read, "READABLE", "NOTREADABLE"))?;
    call.put_value(opt::UPDATE, &Value::either(access.update, "UPDATABLE", "NOTUPDATABLE"))?;
    call.put_value(opt::CONTROL, &Value::either(access.control, "CTRLABLE", "NOTCTRLABLE"))?;
    call.put_value(opt::ALTER, &Value::either(access.alter, "ALTERABLE", "NOTALTERABLE"))
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

fn known(exists: bool, resp2: i32, access: Access) -> Result<Access, Raise> {
    if exists { Ok(access) } else { Err(cond::NOTFND.raise(resp2)) }
}
