//! Checks of a command with SEC=YES: the accesses of its record.

use ::security::{Class, Level};
use spec::{Resource, cond};

use super::{Call, Parcel};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::security::{By, ResourceName, Security, accesses, wanted};
use crate::task::Task;

/// RESP2 where a user may not use a command, and where not a resource.
const COMMAND_REFUSED: i32 = 100;
const RESOURCE_REFUSED: i32 = 101;
/// RESP2 of START, CANCEL and RUN TRANSID where a user may not start a transaction.
const TRANSACTION_REFUSED: i32 = 7;

/// Checks that a task's user may give a command; else it is NOTAUTH.
#[inline(never)]
pub(super) fn check_access(task: &Task, call: &Call<'_>) -> Outcome {
    let Some(security) = Security::of(&task.region).filter(|_| !task.user.unchecked) else { return Ok(()) };
    let accesses = accesses(call.command());
    if accesses.is_empty() {
        return Ok(());
    }
    let transaction = &task.control.transaction;
    for access in spec::command(call.command()).accesses(|option| call.has(option) || call.keyword(option)) {
        let Some((class, _)) = accesses.iter().find(|(_, other)| std::ptr::eq(*other, access)) else {
            continue;
        };
        if !security.is_wanted(*class, transaction) {
            continue;
        }
        let mut resource = ResourceName::from_slice(access.prefix.as_bytes());
        match access.resource {
            Resource::Named(name) => resource.extend_from_slice(name.as_bytes()),
            Resource::Of(option) => match call.bytes(option)? {
                Some(bytes) => resource.extend_from_slice(bytes.trim_ascii_end()),
                None => continue,
            },
            Resource::Numbered(option) => match call.number(option)? {
                Some(number) => resource.extend_from_slice(format!("{number:02}").as_bytes()),
                None => continue,
            },
        }
        check(security, task, *class, &resource, wanted(access)).map_err(|()| {
            cond::NOTAUTH.raise(match class {
                Class::Cmd => COMMAND_REFUSED,
                Class::Pct if spec::command(call.command()).api => TRANSACTION_REFUSED,
                _ => RESOURCE_REFUSED,
            })
        })?;
    }
    Ok(())
}

/// Checks that a task's user may do what a parcel's command is: for who asks on behalf of several users.
///
/// # Errors
/// NOTAUTH.
pub fn is_allowed(task: &Task, parcel: &Parcel) -> Outcome {
    Call::over(parcel).map_or(Ok(()), |call| check_access(task, &call))
}

/// Checks that a task's user may run a program that no option of its command names.
///
/// # Errors
/// NOTAUTH.
pub fn may_run_program(task: &Task, program: Name8) -> Outcome {
    let Some(security) = Security::of(&task.region).filter(|_| !task.user.unchecked) else { return Ok(()) };
    if !security.is_wanted(Class::Ppt, &task.control.transaction) {
        return Ok(());
    }
    let checked = check(security, task, Class::Ppt, program.trimmed(), Level::Read);
    checked.map_err(|()| cond::NOTAUTH.raise(RESOURCE_REFUSED))
}

/// Checks that a task's user may have such access to a resource. A refusal goes to the log and the audit.
fn check(security: &Security, task: &Task, class: Class, resource: &[u8], wanted: Level) -> Result<(), ()> {
    if security.level(&task.user, class, resource) >= wanted {
        return Ok(());
    }
    let transaction = &task.control.transaction;
    let terminal = task.terminal().map_or_else(String::new, |terminal| terminal.name.to_string());
    let by = By { user: &task.user, transaction, terminal, tells: task.may_write_line() };
    security.refuse(&task.region, &by, class, resource, wanted);
    Err(())
}
