//! All tests together: every command that is built has one, and no program saw a condition that its record lacks.

use std::collections::{BTreeMap, BTreeSet};

use spec::{Condition, Status};

use crate::document::Document;
use crate::suite::Report;

/// What the tests say and see of commands.
#[derive(Default)]
pub struct Coverage {
    marked: BTreeSet<String>,
    seen: BTreeMap<&'static str, BTreeSet<Condition>>,
    complaints: Vec<String>,
}

impl Coverage {
    /// Takes a test into account.
    pub fn add(&mut self, document: &Document, report: &Report) {
        for name in &document.commands {
            let is_stated = report.seen.contains_key(name.as_str())
                || report.statements.iter().any(|statement| statement.starts_with(name.as_str()));
            if spec::find(name).is_none() {
                self.complaints.push(format!("{document}: there is no command {name}"));
            } else if !is_stated {
                self.complaints.push(format!("{document} says that it is about {name}, and does not use it"));
            }
            self.marked.insert(name.clone());
        }
        for (name, conditions) in &report.seen {
            self.seen.entry(name).or_default().extend(conditions);
        }
    }

    /// What is wrong with the tests of all commands.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = self.complaints.clone();
        for command in spec::commands() {
            if command.status != Status::NotYet && !self.marked.contains(command.name) {
                complaints.push(format!("no test says `command: {}`", command.name));
            }
        }
        complaints.extend(self.undeclared());
        complaints
    }

    /// Conditions that programs saw and records do not name.
    pub fn undeclared(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, conditions) in &self.seen {
            let declared = spec::find(name).map_or(&[][..], |command| command.conditions);
            for condition in conditions.iter().filter(|condition| condition.resp() != 0) {
                let is_declared = |name: &&str| spec::condition_named(name) == Some(*condition);
                if !declared.iter().any(is_declared) {
                    let condition = condition.name();
                    complaints.push(format!("{name} has raised {condition}, which its record does not name"));
                }
            }
        }
        complaints
    }
}
