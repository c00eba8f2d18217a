//! What is checked with SEC=YES: the transaction at its attach, and the accesses of each command's record.
//!
//! Profiles decide; what they have said of a user is kept with the user until they change (`Generation`). Without SEC=YES
//! nothing is asked here.

use std::sync::{Arc, LazyLock};

use ::security::{Class, Classes, Decisions, Generation, Level, Profiles, Reason, Subject};
use parking_lot::RwLock;
use smallvec::SmallVec;
use spec::{Access, AccessLevel, CommandId, Resource, cond};

use super::{Refusal, User, Users};
use crate::exec::Call;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::region::Region;
use crate::task::{Task, TaskControl};
use crate::transactions::{Supplied, Transaction};

/// RESP2 where a user may not use a command, and where not a resource.
const COMMAND_REFUSED: i32 = 100;
const RESOURCE_REFUSED: i32 = 101;
/// RESP2 of START, CANCEL and RUN TRANSID where a user may not start a transaction.
const TRANSACTION_REFUSED: i32 = 7;

/// What SEC=YES checks, by the system initialization parameters.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Under which names the profiles of each class stand.
    pub classes: Classes,
    /// What stands before the name of each resource, with its period: SECPRFX.
    pub prefix: String,
    /// CMDSEC=ALWAYS.
    pub commands_always: bool,
    /// RESSEC=ALWAYS.
    pub resources_always: bool,
}

/// The profiles of a region.
pub struct Security {
    checked: Checked,
    profiles: RwLock<Arc<Profiles>>,
    generation: Generation,
}

/// The accesses of each command, with their classes.
static ACCESSES: LazyLock<Vec<Vec<(Class, &'static Access)>>> = LazyLock::new(|| {
    let of = |access: &'static Access| Some((Class::of_parameter(access.class)?, access));
    spec::commands().iter().map(|command| command.access.iter().filter_map(of).collect()).collect()
});

impl Security {
    /// Profiles that were just read.
    pub(crate) fn new(checked: Checked, profiles: Arc<Profiles>) -> Self {
        Self { checked, profiles: RwLock::new(profiles), generation: Generation::default() }
    }

    /// The profiles of a region; `None` without SEC=YES.
    pub fn of(region: &Region) -> Option<&Self> {
        region.secured.then(|| region.part::<Self>())
    }

    /// Takes profiles that were read again: nothing that was decided before counts any more.
    pub fn rebuild(&self, profiles: Arc<Profiles>) {
        *self.profiles.write() = profiles;
        self.generation.advance();
    }

    /// How far a user may go with a resource. What is in no class that is checked is everybody's.
    pub(crate) fn level(&self, user: &User, class: Class, resource: &[u8]) -> Level {
        let Some(name) = self.checked.classes.name(class).filter(|_| !user.unchecked) else {
            return Level::Alter;
        };
        let decide = || self.decide(user, name, resource).0;
        user.decisions.level(self.generation.now(), class, resource, decide)
    }

    /// How far a user may go by the profiles under a name, and why.
    pub(crate) fn decide(&self, user: &User, class: &str, resource: &[u8]) -> (Level, Reason) {
        let resource = self.checked.prefix.clone() + &String::from_utf8_lossy(resource);
        let id = user.id.to_string();
        let who = Subject { user: &id, groups: &user.groups };
        let decision = self.profiles.read().decide(who, class, &resource);
        (decision.level, decision.reason)
    }

    fn is_wanted(&self, class: Class, transaction: &Transaction) -> bool {
        // Of what the region itself begins only as much is checked as it says there.
        let always = match transaction.supplied {
            Supplied::Internal => (false, false),
            Supplied::Inquire | Supplied::Operate => (true, true),
            Supplied::No | Supplied::Open => (self.checked.commands_always, self.checked.resources_always),
        };
        match class {
            Class::Cmd => always.0 || transaction.command_security,
            _ => always.1 || transaction.resource_security,
        }
    }

    /// Tells that somebody may not, in the log and to whoever keeps an account of it.
    fn refuse(&self, region: &Region, by: &By<'_>, class: Class, resource: &[u8], wanted: Level) {
        let name = self.checked.classes.name(class).unwrap_or_default();
        let (level, reason) = self.decide(by.user, name, resource);
        let resource = String::from_utf8_lossy(resource).into_owned();
        let why = format!("{reason}: {level}");
        let refusal = Refusal {
            user: by.user.id.to_string(),
            transaction: by.transaction.name.to_string(),
            terminal: by.terminal.clone(),
            class: name.to_owned(),
            resource,
            wanted,
            why,
        };
        Users::of(region).file.refused(&refusal);
        if by.tells {
            let Refusal { user, transaction, class, resource, wanted, why, .. } = refusal;
            tracing::warn!(
                target: "XS",
                "{user} in {transaction} may not {wanted} {resource:?} of class {class} ({why})"
            );
        }
    }
}

/// Who asks, and where.
struct By<'a> {
    user: &'a User,
    transaction: &'a Transaction,
    terminal: String,
    /// Whether a line may be written.
    tells: bool,
}

/// Whether a task's user may do what a command is: what is not allowed is NOTAUTH.
#[inline(never)]
pub(crate) fn check(task: &Task, call: &Call<'_>) -> Outcome {
    let Some(security) = Security::of(&task.region).filter(|_| !task.user.unchecked) else { return Ok(()) };
    let accesses = &ACCESSES[usize::from(call.command().0)];
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
        let mut resource: SmallVec<[u8; 64]> = SmallVec::from_slice(access.prefix.as_bytes());
        match access.resource {
            Resource::Named(name) => resource.extend_from_slice(name.as_bytes()),
            Resource::Of(option) => match call.bytes(option)? {
                Some(bytes) => resource.extend_from_slice(bytes.trim_ascii_end()),
                None => continue,
            },
        }
        let wanted = wanted(access.level);
        if security.level(&task.user, *class, &resource) < wanted {
            let terminal = task.terminal().map_or_else(String::new, |terminal| terminal.name.to_string());
            let by = By { user: &task.user, transaction, terminal, tells: task.may_write_line() };
            security.refuse(&task.region, &by, *class, &resource, wanted);
            return Err(cond::NOTAUTH.raise(match class {
                Class::Cmd => COMMAND_REFUSED,
                Class::Pct if spec::command(call.command()).api => TRANSACTION_REFUSED,
                _ => RESOURCE_REFUSED,
            }));
        }
    }
    Ok(())
}

/// Whether a user may do what a command does without giving it: CEMT. `name`: to this resource; `None`: at all. What is
/// refused is told.
pub(crate) fn may_do(task: &TaskControl, region: &Region, command: CommandId, name: Option<&[u8]>) -> bool {
    refused(task, region, command, name).is_none_or(|(security, (class, resource, wanted))| {
        let by =
            By { user: &task.user, transaction: &task.transaction, terminal: String::new(), tells: true };
        security.refuse(region, &by, class, &resource, wanted);
        false
    })
}

/// Whether a user may know of a resource: in a browse of INQUIRE, in a list of CEMT. Nobody is told of what they do not see.
pub(crate) fn sees(task: &TaskControl, region: &Region, inquire: CommandId, name: &[u8]) -> bool {
    refused(task, region, inquire, Some(name)).is_none()
}

/// A class, the name of a resource in it, and how far somebody wants to go.
type Wanted = (Class, SmallVec<[u8; 64]>, Level);

/// The first access that a command is and that its user may not: of its type, or of the resource of a name.
fn refused<'r>(
    task: &TaskControl,
    region: &'r Region,
    command: CommandId,
    name: Option<&[u8]>,
) -> Option<(&'r Security, Wanted)> {
    let security = Security::of(region).filter(|_| !task.user.unchecked)?;
    let accesses = ACCESSES[usize::from(command.0)].iter();
    let meant = accesses
        .filter(|(class, access)| access.with.is_none() && security.is_wanted(*class, &task.transaction));
    let named = meant.filter_map(|(class, access)| {
        let name = match (access.resource, name) {
            (Resource::Named(type_name), None) => type_name.as_bytes(),
            (Resource::Of(_), Some(name)) => name.trim_ascii_end(),
            _ => return None,
        };
        let mut resource: SmallVec<[u8; 64]> = SmallVec::from_slice(access.prefix.as_bytes());
        resource.extend_from_slice(name);
        Some((*class, resource, wanted(access.level)))
    });
    let mut beyond = named.filter(|(class, name, wanted)| security.level(&task.user, *class, name) < *wanted);
    beyond.next().map(|wanted| (security, wanted))
}

/// Whether a user may attach a transaction: without SEC=YES as the rights of the users file say, with it as class XTRAN says.
/// Transactions of the region itself are nobody's, and those by which people sign on are everybody's.
pub fn may_attach(region: &Region, user: &User, transaction: &Transaction) -> bool {
    let Some(security) = Security::of(region) else { return user.may_run(transaction) };
    match transaction.supplied {
        Supplied::Internal => false,
        Supplied::Open => true,
        Supplied::No | Supplied::Inquire | Supplied::Operate => {
            let name = transaction.name.to_string();
            let may = security.level(user, Class::Tran, name.as_bytes()) >= Level::Read;
            if !may {
                let by = By { user, transaction, terminal: String::new(), tells: true };
                security.refuse(region, &by, Class::Tran, name.as_bytes(), Level::Read);
            }
            may
        }
    }
}

/// Whether a user may start work as another: the check of a surrogate.
pub(crate) fn may_start_as(task: &TaskControl, region: &Region, other: Name8) -> bool {
    let user = &*task.user;
    let Some(security) = Security::of(region) else { return user.may_start_as(other) };
    let name = format!("{other}.DFHSTART");
    let may = other == user.id || security.level(user, Class::User, name.as_bytes()) >= Level::Read;
    if !may {
        let by = By { user, transaction: &task.transaction, terminal: String::new(), tells: true };
        security.refuse(region, &by, Class::User, name.as_bytes(), Level::Read);
    }
    may
}

fn wanted(level: AccessLevel) -> Level {
    match level {
        AccessLevel::Read => Level::Read,
        AccessLevel::Update => Level::Update,
        AccessLevel::Control => Level::Control,
        AccessLevel::Alter => Level::Alter,
    }
}

/// What was decided for a new user: nothing yet.
pub fn undecided() -> Arc<Decisions> {
    Arc::default()
}
