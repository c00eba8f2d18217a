//! Settings that hold for one statement of a unit of work, and not for the others beside it.

use std::rc::Rc;

use crate::resolve::quoted;
use crate::statement::Statement;

/// Settings of the transaction for one statement, set back behind it. A statement that fails takes them back by
/// itself.
#[derive(Debug)]
pub struct Locals {
    set: Vec<Rc<Statement>>,
    reset: Vec<Rc<Statement>>,
}

impl Locals {
    /// Of settings by their names in PostgreSQL: values as they stand behind `=`, or texts.
    pub fn new<'a>(settings: impl Iterator<Item = (&'a str, Local<'a>)>) -> Rc<Self> {
        let (mut set, mut reset) = (Vec::new(), Vec::new());
        for (name, value) in settings {
            let value = match value {
                Local::Words(words) => words.to_owned(),
                Local::Text(text) => quoted(text),
            };
            set.push(Statement::plain(format!("SET LOCAL {name} = {value}")));
            reset.push(Statement::plain(format!("SET LOCAL {name} TO DEFAULT")));
        }
        Rc::new(Self { set, reset })
    }

    pub(crate) fn set(&self) -> &[Rc<Statement>] {
        &self.set
    }

    pub(crate) fn reset(&self) -> &[Rc<Statement>] {
        &self.reset
    }
}

/// A value of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Local<'a> {
    /// As PostgreSQL reads it: a list of names.
    Words(&'a str),
    /// Any text.
    Text(&'a str),
}
