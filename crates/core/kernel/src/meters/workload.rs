//! Service classes and report classes of tasks, and what records tell of the region around a task.

use crate::name::Name8;
use crate::recorder::Recorder;

/// A rule that gives tasks a service class and a report class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkRule {
    /// The transactions that it is for; `*` at the end stands for any characters. Empty: all.
    pub transactions: Vec<String>,
    /// The users that it is for, in the same way.
    pub users: Vec<String>,
    /// The service class; blank: none.
    pub service: Name8,
    /// The report class; blank: none.
    pub report: Name8,
}

impl WorkRule {
    fn is_for(&self, transaction: &[u8], user: &[u8]) -> bool {
        fits_one(&self.transactions, transaction) && fits_one(&self.users, user)
    }
}

fn fits_one(patterns: &[String], name: &[u8]) -> bool {
    let fits = |pattern: &String| match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin.as_bytes()),
        None => name == pattern.as_bytes(),
    };
    patterns.is_empty() || patterns.iter().any(fits)
}

/// The number of tasks in a region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tasks {
    /// MXT.
    pub most: usize,
    /// Those that run.
    pub running: usize,
    /// Those of the task's class that run.
    pub of_class: usize,
}

/// The surroundings of the tasks of a region.
pub(crate) struct Surroundings {
    /// The place of records.
    pub recorder: Recorder,
    /// The region's APPLID.
    pub applid: Name8,
    /// The name of the machine: the first part of its name on the network.
    pub machine: Name8,
    rules: Vec<WorkRule>,
}

/// The file in which Linux tells the name of the machine.
const MACHINE: &str = "/proc/sys/kernel/hostname";

impl Surroundings {
    pub fn new(recorder: Recorder, applid: Name8, rules: Vec<WorkRule>) -> Self {
        let name = std::fs::read_to_string(MACHINE).unwrap_or_default();
        let machine = name.trim().split('.').next().unwrap_or_default();
        Self { recorder, applid, machine: Name8::from(machine), rules }
    }

    /// The service class and the report class of a task: those of the first rule that is for it. Blank: none.
    pub fn classes(&self, transaction: &[u8], user: &[u8]) -> (Name8, Name8) {
        let rule = self.rules.iter().find(|rule| rule.is_for(transaction, user));
        rule.map_or((Name8::BLANK, Name8::BLANK), |rule| (rule.service, rule.report))
    }

    /// The rules.
    pub fn rules(&self) -> &[WorkRule] {
        &self.rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_is_for_a_task_gives_its_classes() {
        let rule = |transactions: &[&str], users: &[&str], service: &str| WorkRule {
            transactions: transactions.iter().map(|text| (*text).to_owned()).collect(),
            users: users.iter().map(|text| (*text).to_owned()).collect(),
            service: Name8::from(service),
            report: Name8::BLANK,
        };
        let rules = [rule(&["PAY*", "BOOK"], &[], "HIGH"), rule(&[], &["BATCH"], "LOW")];
        for (transaction, user, service) in [
            ("PAY1", "ADA", Some("HIGH")),
            ("PAY", "BATCH", Some("HIGH")),
            ("BOOK", "ADA", Some("HIGH")),
            ("BOO", "ADA", None),
            ("BOO", "BATCH", Some("LOW")),
        ] {
            let found = rules.iter().find(|rule| rule.is_for(transaction.as_bytes(), user.as_bytes()));
            assert_eq!(found.map(|rule| rule.service), service.map(Name8::from), "{transaction} {user}");
        }
    }
}
