//! System events: places in a region, not at a command, in which events are captured.

use crate::context::Context;
use crate::event_values::Operator;
use crate::messages;
use crate::system_rule::SystemKind;

/// A system event as a place of captures.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemPoint {
    /// Its name, as published.
    pub name: &'static str,
    /// The kind of occurrence.
    pub kind: SystemKind,
    /// Its primary predicate; empty: it has none.
    pub primary: &'static str,
    /// Facts about the task that may be asked for.
    contexts: &'static [Context],
    /// Options that a filter may be about.
    filters: &'static [&'static str],
    /// Options that an item may have.
    items: &'static [&'static str],
}

/// Everything that a capture asks of a system event.
#[derive(Default)]
pub(crate) struct Asked<'c> {
    /// True if it asks for fields in storage, or has conditions about them.
    pub(crate) storage: bool,
    /// Facts about the task: of its items, then of its conditions.
    pub(crate) contexts: Vec<Context>,
    /// Options that are its items.
    pub(crate) options: Vec<&'c str>,
    /// Conditions about options: the option, the operator and the value.
    pub(crate) filters: Vec<(&'c str, Operator, &'c str)>,
}

const TASK: &[Context] = &[Context::Transaction, Context::User];

/// All of them. Of an abend, public pages name TRANSACTION; the other options are recalled.
static POINTS: [SystemPoint; 7] = [
    SystemPoint {
        name: "DB2 CONNECTION STATUS",
        kind: SystemKind::Db2Connection,
        primary: "",
        contexts: TASK,
        filters: &["FROM_CONNECTST", "TO_CONNECTST"],
        items: &["DB2ID", "DB2GROUPID", "DB2RELEASE", "FROM_CONNECTST", "TO_CONNECTST"],
    },
    SystemPoint {
        name: "FILE ENABLE STATUS",
        kind: SystemKind::FileEnable,
        primary: "FILE",
        contexts: TASK,
        filters: &["FILE", "FROM_ENABLESTATUS", "TO_ENABLESTATUS", "OPENSTATUS"],
        items: &["FILE", "DSNAME", "FROM_ENABLESTATUS", "TO_ENABLESTATUS", "OPENSTATUS"],
    },
    SystemPoint {
        name: "FILE OPEN STATUS",
        kind: SystemKind::FileOpen,
        primary: "FILE",
        contexts: TASK,
        filters: &["FILE", "FROM_OPENSTATUS", "TO_OPENSTATUS"],
        items: &["FILE", "DSNAME", "FROM_OPENSTATUS", "TO_OPENSTATUS", "ENABLESTATUS"],
    },
    SystemPoint {
        name: "MESSAGE",
        kind: SystemKind::Message,
        primary: messages::ID,
        contexts: TASK,
        filters: &[messages::ID],
        items: &[messages::ID],
    },
    SystemPoint {
        name: "TASK THRESHOLD",
        kind: SystemKind::Tasks,
        primary: "",
        contexts: &[],
        filters: &["PERCENT_MAXTASKS"],
        items: &["FROM_TASKS", "TO_TASKS", "MAXTASKS", "PERCENT_MAXTASKS"],
    },
    SystemPoint {
        name: "TRANCLASS TASK THRESHOLD",
        kind: SystemKind::ClassTasks,
        primary: "TRANCLASS",
        contexts: &[],
        filters: &["TRANCLASS", "PERCENT_MAXACTIVE"],
        items: &["TRANCLASS", "FROM_ACTIVE", "TO_ACTIVE", "MAXACTIVE", "PERCENT_MAXACTIVE"],
    },
    SystemPoint {
        name: "TRANSACTION ABEND",
        kind: SystemKind::Abend,
        primary: "TRANSACTION",
        contexts: &[Context::User],
        filters: &["TRANSACTION", "ABCODE", "PROGRAM"],
        items: &["TRANSACTION", "ABCODE", "PROGRAM"],
    },
];

impl SystemPoint {
    /// The one of its words, which may stand apart or joined by underscores.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn of_words(words: &str) -> Result<&'static Self, String> {
        let words = words.replace('_', " ");
        let name = words.strip_prefix("UNHANDLED ").unwrap_or(&words);
        let point = POINTS.iter().find(|point| point.name == name);
        point.ok_or_else(|| format!("there is no system event '{name}'"))
    }

    /// Returns true if these options have one, or a message has that insert.
    fn has(&self, options: &[&str], keyword: &str) -> bool {
        let is_insert = || self.kind == SystemKind::Message && messages::insert(keyword).is_some();
        options.contains(&keyword) || is_insert()
    }

    /// Checks what a capture asks of it.
    ///
    /// # Errors
    /// The reason why that cannot be.
    pub(crate) fn check(&self, asked: &Asked<'_>) -> Result<(), String> {
        if asked.storage {
            return Err(format!("the system event {} has no storage of a program", self.name));
        }
        if let Some(of) = asked.contexts.iter().find(|of| !self.contexts.contains(of)) {
            return Err(format!("the system event {} has no {}", self.name, of.source()));
        }
        if let Some(keyword) = asked.options.iter().find(|keyword| !self.has(self.items, keyword)) {
            return Err(format!("the system event {} has no option '{keyword}'", self.name));
        }
        asked
            .filters
            .iter()
            .try_for_each(|(keyword, operator, value)| self.check_filter(keyword, *operator, value))
    }

    fn check_filter(&self, keyword: &str, operator: Operator, value: &str) -> Result<(), String> {
        if !self.has(self.filters, keyword) {
            return Err(format!("the system event {} has no predicate '{keyword}'", self.name));
        }
        if keyword == messages::ID && operator == Operator::Equals {
            messages::check(value)?;
        }
        let is_percentage = keyword.starts_with("PERCENT_");
        if is_percentage != operator.is_of_thresholds() {
            return Err(format!("{keyword} cannot be compared so: GHT and GLT are for percentages alone"));
        }
        if is_percentage && !value.parse().is_ok_and(|percent: u8| percent <= 100) {
            return Err(format!("the filterValue '{value}' of {keyword} is no percentage"));
        }
        Ok(())
    }
}
