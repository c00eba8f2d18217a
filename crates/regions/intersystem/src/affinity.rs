//! Affinities: tasks that must run where one before them has run, because it has left something there.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use kernel::name::{Name, Name8, TransactionName};
use kernel::terminals::Terminal;
use parking_lot::Mutex;

use crate::limits::AFFINITIES_MAX;

/// The tasks that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All.
    Global,
    /// Those of one terminal.
    Terminal,
    /// Those of one user.
    User,
}

/// The time for which they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until a task of the pseudo-conversation names no next transaction.
    Pconv,
    /// As long as the terminal is there.
    Logon,
    /// As long as the user is signed on at the terminal.
    Signon,
    /// As long as the other region is there.
    System,
    /// As long as this region runs.
    Permanent,
}

/// An affinity, as it is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affinity {
    /// The names of transactions; `*` at the end stands for any rest.
    pub transactions: Vec<String>,
    /// The tasks that belong together.
    pub relation: Relation,
    /// The time for which they do.
    pub lifetime: Lifetime,
}

impl Affinity {
    fn has(&self, transaction: TransactionName) -> bool {
        let name = transaction.to_string();
        self.transactions.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
    }
}

/// The tasks of one definition that belong together: its place, and terminal or user.
type Group = (usize, Name8);

/// The system where a group runs.
struct Bound {
    system: Name<4>,
    terminal: Weak<Terminal>,
    user: Name8,
    /// It does not end with its terminal.
    stays: bool,
}

/// The affinities of a region.
#[derive(Default)]
pub(crate) struct Affinities(Mutex<HashMap<Group, Bound>>);

/// A task, and those with which it belongs together.
pub(crate) struct Belongs<'a> {
    group: Group,
    lifetime: Lifetime,
    terminal: Option<&'a Arc<Terminal>>,
    user: Name8,
}

impl<'a> Belongs<'a> {
    /// The first definition that has the transaction counts. Without a terminal nothing belongs together that a terminal holds together.
    pub fn of(
        defined: &[Affinity],
        transaction: TransactionName,
        user: Name8,
        terminal: Option<&'a Arc<Terminal>>,
    ) -> Option<Self> {
        let place = defined.iter().position(|affinity| affinity.has(transaction))?;
        let Affinity { relation, lifetime, .. } = defined[place];
        let key = match relation {
            Relation::Global => Name8::BLANK,
            Relation::Terminal => Name8::new(terminal?.name),
            Relation::User => user,
        };
        let stays = matches!(lifetime, Lifetime::System | Lifetime::Permanent);
        (stays || terminal.is_some()).then_some(Self { group: (place, key), lifetime, terminal, user })
    }

    /// The same of a program or a START: the end of a pseudo-conversation says nothing about them.
    pub fn of_request(
        defined: &[Affinity],
        transaction: TransactionName,
        user: Name8,
        terminal: Option<&'a Arc<Terminal>>,
    ) -> Option<Self> {
        Self::of(defined, transaction, user, terminal).filter(|task| task.lifetime != Lifetime::Pconv)
    }
}

impl Affinities {
    /// The system where such a task has to run; `None`: any. `is_there`: the system is there.
    pub fn system(&self, task: &Belongs<'_>, is_there: impl Fn(Name<4>) -> bool) -> Option<Name<4>> {
        let mut all = self.0.lock();
        let bound = all.get(&task.group)?;
        let is_same_terminal = || {
            bound.terminal.upgrade().zip(task.terminal).is_some_and(|(before, now)| Arc::ptr_eq(&before, now))
        };
        let holds = match task.lifetime {
            Lifetime::Permanent => true,
            Lifetime::Pconv | Lifetime::System => is_there(bound.system),
            Lifetime::Logon => is_same_terminal(),
            Lifetime::Signon => bound.terminal.upgrade().is_some_and(|before| before.user().id == bound.user),
        };
        if holds {
            return Some(bound.system);
        }
        all.remove(&task.group);
        None
    }

    /// A task has been routed.
    pub fn routed(&self, task: &Belongs<'_>, system: Name<4>) {
        let mut all = self.0.lock();
        if all.len() >= AFFINITIES_MAX {
            // An affinity that no task can use again is forgotten.
            all.retain(|_, bound| bound.stays || bound.terminal.strong_count() > 0);
        }
        if all.len() < AFFINITIES_MAX || all.contains_key(&task.group) {
            let (terminal, user) = (task.terminal.map(Arc::downgrade).unwrap_or_default(), task.user);
            let stays = matches!(task.lifetime, Lifetime::System | Lifetime::Permanent);
            all.entry(task.group).or_insert(Bound { system, terminal, user, stays });
        }
    }

    /// The task was not taken there.
    pub fn forget(&self, task: &Belongs<'_>) {
        self.0.lock().remove(&task.group);
    }

    /// A task has ended. `goes_on`: its RETURN names the next transaction.
    pub fn ended(&self, task: &Belongs<'_>, goes_on: bool) {
        if task.lifetime == Lifetime::Pconv && !goes_on {
            self.0.lock().remove(&task.group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_rest() {
        let affinity = Affinity {
            transactions: vec![String::from("AC*"), String::from("PAY")],
            relation: Relation::Global,
            lifetime: Lifetime::Permanent,
        };
        for (name, expected) in
            [("ACCT", true), ("AC", true), ("PAY", true), ("PAYS", false), ("BANK", false)]
        {
            assert_eq!(affinity.has(TransactionName::from(name)), expected, "{name}");
        }
    }

    #[test]
    fn a_request_without_a_terminal_belongs_to_others_only_by_what_does_not_end_with_one() {
        let of = |relation, lifetime| {
            let defined = [Affinity { transactions: vec![String::from("CSMI")], relation, lifetime }];
            let name = TransactionName::from("CSMI");
            Belongs::of_request(&defined, name, Name8::from("ALICE"), None).map(|task| task.group.1)
        };
        for (relation, lifetime, expected) in [
            (Relation::User, Lifetime::System, Some("ALICE")),
            (Relation::User, Lifetime::Permanent, Some("ALICE")),
            (Relation::Global, Lifetime::Permanent, Some("")),
            (Relation::Terminal, Lifetime::Permanent, None),
            (Relation::User, Lifetime::Logon, None),
            (Relation::User, Lifetime::Signon, None),
            (Relation::Global, Lifetime::Pconv, None),
        ] {
            assert_eq!(of(relation, lifetime), expected.map(Name8::from), "{relation:?} {lifetime:?}");
        }
    }

    #[test]
    fn what_is_bound_without_a_terminal_holds_as_long_as_the_system_is_there() {
        let defined = [Affinity {
            transactions: vec![String::from("CSMI")],
            relation: Relation::User,
            lifetime: Lifetime::System,
        }];
        let name = TransactionName::from("CSMI");
        let task = Belongs::of_request(&defined, name, Name8::from("ALICE"), None).expect("one of them");
        let affinities = Affinities::default();
        assert_eq!(affinities.system(&task, |_| true), None);
        affinities.routed(&task, Name::from("AOR1"));
        affinities.routed(&task, Name::from("AOR2"));
        assert_eq!(affinities.system(&task, |_| true), Some(Name::from("AOR1")));
        assert_eq!(affinities.system(&task, |_| false), None);
        assert_eq!(affinities.system(&task, |_| true), None, "it is forgotten");
    }
}
