//! Commands applied to a CSD.

use diagnostics::Diagnostic;

use crate::command::{Command, Duplicates};
use crate::store::{Applied, Csd};
use crate::transfer::From;

impl Csd {
    /// Applies commands in order; a command that cannot be applied changes nothing and gets a message.
    pub fn apply(&mut self, commands: &[Command]) -> Vec<Diagnostic> {
        commands.iter().filter_map(|command| self.apply_one(command).err()).map(|refused| *refused).collect()
    }

    /// Applies one command.
    ///
    /// # Errors
    /// The message about a command that changes nothing.
    pub fn apply_one(&mut self, command: &Command) -> Applied {
        match command {
            Command::Define(definition) => self.define(definition),
            Command::Userdefine(definition) => self.define(&self.with_user_defaults(definition)),
            Command::Alter(changes) => self.alter(changes),
            Command::Delete(target) => self.delete(target),
            Command::Add { group, list, position, place } => self.add(group, list, position, place),
            Command::Remove { group, list, place } => self.remove(group, list, place),
            Command::Append { list, to, place } => self.append(list, to, place),
            Command::Copy { group, to, only, named, duplicates, place } => {
                let from = From { group, only: only.as_ref(), named: named.as_deref() };
                self.copy(&from, to, *duplicates, place)
            }
            Command::Move { group, to, only, named, duplicates, place } => {
                let from = From { group, only: only.as_ref(), named: named.as_deref() };
                self.move_to(&from, to, *duplicates, place)
            }
            Command::Rename { resource, name, group, named, place } => {
                let only = Some(&(*resource, name.clone()));
                let from = From { group, only, named: Some(named) };
                self.move_to(&from, group, Duplicates::Refuse, place)
            }
            Command::Lock { name, by, .. } => {
                self.locks.insert(name.clone(), by.clone());
                Ok(())
            }
            Command::Unlock { name, list, place } => {
                self.is_free(name, *list, place)?;
                self.locks.remove(name);
                Ok(())
            }
        }
    }
}
