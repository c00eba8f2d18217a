//! Conditions: the normal outcomes of a command other than NORMAL.

use std::fmt;

use crate::CONDITION_RECORDS;

/// A condition by its RESP number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition(pub u16);

/// The record of one condition.
#[derive(Debug)]
pub struct ConditionRecord {
    /// Its name.
    pub name: &'static str,
    /// Its number.
    pub condition: Condition,
    /// The abend that ends a task that does not handle it; `None`: it is ignored.
    pub default_abend: Option<&'static str>,
}

impl Condition {
    /// The value of EIBRESP.
    pub fn resp(self) -> u32 {
        self.0.into()
    }

    /// Its name, or `?` for a number that no record has.
    pub fn name(self) -> &'static str {
        self.record().map_or("?", |r| r.name)
    }

    /// The abend that ends a task that does not handle it; `None`: it is ignored.
    pub fn default_abend(self) -> Option<&'static str> {
        self.record().and_then(|r| r.default_abend)
    }

    fn record(self) -> Option<&'static ConditionRecord> {
        // Where two names share a number the later record is the current name (DSIDERR, FILENOTFOUND).
        CONDITION_RECORDS.iter().rev().find(|r| r.condition == self)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.0)
    }
}

/// All conditions, in the order of their numbers.
pub fn conditions() -> &'static [ConditionRecord] {
    CONDITION_RECORDS
}

/// The condition of that name (upper case).
pub fn condition_named(name: &str) -> Option<Condition> {
    CONDITION_RECORDS.iter().find(|r| r.name == name).map(|r| r.condition)
}
