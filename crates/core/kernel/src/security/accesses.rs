//! Accesses of commands, by their records: with their classes, and for callers that do a command's work without
//! giving it.

use std::sync::LazyLock;

use ::security::{Class, Level};
use smallvec::SmallVec;
use spec::{Access, AccessLevel, CommandId, Resource};

use super::{By, Security, User};
use crate::region::Region;
use crate::transactions::Transaction;

/// The name of a resource, with what stands before it.
pub(crate) type ResourceName = SmallVec<[u8; 64]>;

static ACCESSES: LazyLock<Vec<Vec<(Class, &'static Access)>>> = LazyLock::new(|| {
    let of = |access: &'static Access| Some((Class::of_parameter(access.class)?, access));
    spec::commands().iter().map(|command| command.access.iter().filter_map(of).collect()).collect()
});

/// The accesses of a command, with their classes.
pub(crate) fn accesses(command: CommandId) -> &'static [(Class, &'static Access)] {
    &ACCESSES[usize::from(command.0)]
}

/// Level of an access.
pub(crate) fn wanted(access: &Access) -> Level {
    match access.level {
        AccessLevel::Read => Level::Read,
        AccessLevel::Update => Level::Update,
        AccessLevel::Control => Level::Control,
        AccessLevel::Alter => Level::Alter,
    }
}

/// A part of the region that acts like a command without giving it: CEMT, a browse of INQUIRE.
#[derive(Clone, Copy)]
pub(crate) struct Doer<'a> {
    /// The region.
    pub region: &'a Region,
    /// The user.
    pub user: &'a User,
    /// In which transaction.
    pub transaction: &'a Transaction,
}

impl Doer<'_> {
    /// Returns true if the user may give a command, for the resource of a name; `None`: at all. A refusal is logged.
    pub fn may(self, command: CommandId, name: Option<&[u8]>) -> bool {
        let Self { region, user, transaction } = self;
        self.refused(command, name).is_none_or(|(security, class, resource, wanted)| {
            let by = By { user, transaction, terminal: String::new(), tells: true };
            security.refuse(region, &by, class, &resource, wanted);
            false
        })
    }

    /// Returns true if the user may know of a resource. INQUIRE shows no other.
    pub fn sees(self, inquire: CommandId, name: &[u8]) -> bool {
        self.refused(inquire, Some(name)).is_none()
    }

    /// The first access that a command is and that the user may not: of its type, or of the resource of a name.
    fn refused(
        &self,
        command: CommandId,
        name: Option<&[u8]>,
    ) -> Option<(&Security, Class, ResourceName, Level)> {
        let security = Security::of(self.region).filter(|_| !self.user.unchecked)?;
        let meant = accesses(command)
            .iter()
            .filter(|(class, access)| access.with.is_none() && security.is_wanted(*class, self.transaction));
        let named = meant.filter_map(|(class, access)| {
            let name = match (access.resource, name) {
                (Resource::Named(type_name), None) => type_name.as_bytes(),
                (Resource::Of(_), Some(name)) => name.trim_ascii_end(),
                _ => return None,
            };
            let mut resource = ResourceName::from_slice(access.prefix.as_bytes());
            resource.extend_from_slice(name);
            Some((security, *class, resource, wanted(access)))
        });
        let mut beyond =
            named.filter(|(_, class, name, wanted)| security.level(self.user, *class, name) < *wanted);
        beyond.next()
    }
}
