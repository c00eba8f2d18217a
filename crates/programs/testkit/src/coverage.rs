//! All tests together: every command that is built has one, no program saw a condition that its record lacks, all
//! conditions of a complete command were seen, and of a command that another region may be asked for, all that can come from there.

use std::collections::{BTreeMap, BTreeSet};

use pages::document::Document;
use spec::{Condition, Status};

use crate::suite::Report;
use crate::terms;

/// The commands that the tests name and see.
#[derive(Default)]
pub struct Coverage {
    marked: BTreeSet<String>,
    seen: BTreeMap<&'static str, BTreeSet<Condition>>,
    shipped: BTreeMap<&'static str, BTreeSet<Condition>>,
    complaints: Vec<String>,
}

impl Coverage {
    /// Takes a test into account.
    pub fn add(&mut self, document: &Document, report: &Report) {
        for name in terms::commands(document) {
            let is_stated = report.seen.contains_key(name)
                || report.statements.iter().any(|statement| is_of(statement, name));
            if spec::find(name).is_none() {
                self.complaints.push(format!("{document}: there is no command {name}"));
            } else if !is_stated {
                self.complaints.push(format!("{document} says that it is about {name}, and does not use it"));
            }
            self.marked.insert(name.to_owned());
        }
        for (name, conditions) in &report.seen {
            self.seen.entry(name).or_default().extend(conditions);
        }
        for (name, conditions) in &report.shipped {
            self.shipped.entry(name).or_default().extend(conditions);
        }
    }

    /// Returns the faults of the tests of all commands.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = self.complaints.clone();
        for command in spec::commands() {
            if command.status != Status::NotYet && !self.marked.contains(command.name) {
                complaints.push(format!("no test says `command: {}`", command.name));
            }
        }
        complaints.extend(self.undeclared());
        complaints.extend(self.unseen());
        complaints.extend(self.unshipped());
        complaints
    }

    /// Conditions of commands that another region may be asked for which have not been seen to come from there, or on the way; and
    /// those that have been, though their records say that they do not.
    pub fn unshipped(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for command in spec::commands().iter().filter(|command| command.remote) {
            let seen = self.shipped.get(command.name);
            let is_seen = |name: &str| {
                spec::condition_named(name).is_some_and(|c| seen.is_some_and(|seen| seen.contains(&c)))
            };
            let stays =
                |name: &str| command.not_remote.iter().chain(command.never).any(|(other, _)| *other == name);
            for name in command.conditions {
                match (is_seen(name), stays(name)) {
                    (false, false) => complaints
                        .push(format!("no test has seen {} come to {name} at another region", command.name)),
                    (true, true) => complaints.push(format!(
                        "{} has come to {name} at another region: its record says that it does not",
                        command.name
                    )),
                    _ => {}
                }
            }
        }
        complaints
    }

    /// Conditions of complete commands that no program saw.
    fn unseen(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for command in spec::commands().iter().filter(|command| command.status == Status::Complete) {
            let seen = self.seen.get(command.name);
            let is_seen = |name: &str| {
                spec::condition_named(name).is_some_and(|c| seen.is_some_and(|seen| seen.contains(&c)))
            };
            let can_come = |name: &&&str| !command.never.iter().any(|(never, _)| never == *name);
            for name in command.conditions.iter().filter(can_come).filter(|name| !is_seen(name)) {
                complaints.push(format!("{} is complete, and no test has seen its {name}", command.name));
            }
        }
        complaints
    }

    /// Conditions that programs saw and records do not name.
    pub fn undeclared(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, conditions) in &self.seen {
            let declared = spec::find(name).map_or(&[][..], |command| command.conditions);
            for condition in conditions.iter().filter(|condition| condition.resp() != 0) {
                let is_declared = |name: &&str| spec::condition_named(name) == Some(*condition);
                let never = spec::find(name).map_or(&[][..], |command| command.never);
                let condition_name = condition.name();
                if !declared.iter().any(is_declared) {
                    complaints
                        .push(format!("{name} has raised {condition_name}, which its record does not name"));
                } else if never.iter().any(|(name, _)| is_declared(name)) {
                    complaints.push(format!("{name} has raised {condition_name}: its record says never"));
                }
            }
        }
        complaints
    }
}

/// Returns true if a statement is the command of that name: READ is not READNEXT, and WRITEQ TD may say `WRITEQ
/// QUEUE('A') TD`.
fn is_of(statement: &str, name: &str) -> bool {
    let words: Vec<&str> = statement
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|w| !w.is_empty())
        .collect();
    let mut wanted = name.split(' ');
    words.first() == wanted.next().as_ref() && wanted.all(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_statement_is_of_the_command_whose_words_it_has() {
        assert!(is_of("READ FILE('F') INTO(A)", "READ"));
        assert!(!is_of("READNEXT FILE('F') INTO(A)", "READ"));
        assert!(is_of("WRITEQ QUEUE('Q') TD FROM(A)", "WRITEQ TD"));
        assert!(!is_of("WRITEQ TS QUEUE('Q') FROM(A)", "WRITEQ TD"));
    }
}
