//! A statement, the settings that hold for it alone, and what sessions know of it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use foldhash::HashMap;

use crate::answer::Described;
use crate::limits;
use crate::literals::Constants;
use crate::oid::Oid;
use crate::wire::Outgoing;

/// A statement in PostgreSQL's words, with parameters `$1`, `$2` … One thread runs it, over any of its sessions; each
/// session prepares it once.
#[derive(Debug)]
pub struct Statement {
    id: u64,
    name: Box<str>,
    text: Box<[u8]>,
    types: RefCell<Box<[Oid]>>,
    described: RefCell<Option<Rc<Described>>>,
    constants: Constants,
    locals: Option<Rc<Locals>>,
    /// It ran for long the last time.
    is_long: Cell<bool>,
    /// Its result did not fit into the first block of a cursor the last time.
    is_many: Cell<bool>,
}

thread_local! {
    static STATEMENTS: Cell<u64> = const { Cell::new(0) };
}

impl Statement {
    /// A statement with the types of its parameters, as far as they are to be said: 0 leaves one to the server. The text is
    /// in the session's encoding.
    pub fn new(text: impl AsRef<[u8]>, types: &[Oid]) -> Rc<Self> {
        Self::under(text, types, None)
    }

    /// The same, with settings of its own: it runs in a unit of work, never over a shared session.
    pub fn under(text: impl AsRef<[u8]>, types: &[Oid], locals: Option<Rc<Locals>>) -> Rc<Self> {
        let mut text = text.as_ref().to_vec();
        let constants = Constants::take(&mut text);
        Self::of(text, types, constants, locals)
    }

    /// One whose constants stay in its text: SET takes no parameters.
    pub(crate) fn plain(text: String) -> Rc<Self> {
        Self::of(text.into(), &[], Constants::default(), None)
    }

    /// Another's text and parameters under settings.
    pub fn like(other: &Self, locals: Rc<Locals>) -> Rc<Self> {
        Self::of(other.text.to_vec(), &other.types(), other.constants.clone(), Some(locals))
    }

    /// One with another's text in its own, and so with its parameters.
    pub(crate) fn around(text: Vec<u8>, inner: &Self) -> Rc<Self> {
        Self::of(text, &inner.types(), inner.constants.clone(), inner.locals.clone())
    }

    fn of(text: Vec<u8>, types: &[Oid], constants: Constants, locals: Option<Rc<Locals>>) -> Rc<Self> {
        let id = STATEMENTS.replace(STATEMENTS.get() + 1);
        Rc::new(Self {
            id,
            name: format!("s{id}").into(),
            text: text.into(),
            types: RefCell::new(types.into()),
            described: RefCell::default(),
            constants,
            locals,
            is_long: Cell::new(false),
            is_many: Cell::new(false),
        })
    }

    /// Returns true if it ran so long the last time that others had to get out of its way.
    pub(crate) fn is_long(&self) -> bool {
        self.is_long.get()
    }

    /// Returns true if its result was longer the last time than a cursor reads at once.
    pub fn is_many(&self) -> bool {
        self.is_many.get()
    }

    pub(crate) fn set_many(&self, is_many: bool) {
        self.is_many.set(is_many);
    }

    pub(crate) fn set_long(&self, is_long: bool) {
        self.is_long.set(is_long);
    }

    /// The settings that it runs under, if it has some.
    pub fn locals(&self) -> Option<&Rc<Locals>> {
        self.locals.as_ref()
    }

    /// Texts of its own that are parameters, behind the others.
    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The types of the parameters whose values the caller gives.
    pub fn open_parameters<'d>(&self, described: &'d Described) -> &'d [Oid] {
        let open = described.parameters.len().saturating_sub(self.constants.len());
        &described.parameters[..open]
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn types(&self) -> Box<[Oid]> {
        self.types.borrow().clone()
    }

    /// Types of its parameters and columns, once a session has asked.
    pub fn described(&self) -> Option<Rc<Described>> {
        self.described.borrow().clone()
    }

    pub(crate) fn set_described(&self, described: Option<Rc<Described>>) {
        *self.described.borrow_mut() = described;
    }

    /// Sets types that were left to the server. Returns true if that changes anything.
    pub(crate) fn insist(&self, types: &[Oid]) -> bool {
        let mut mine = self.types.borrow_mut();
        if **mine == *types {
            return false;
        }
        *mine = types.into();
        true
    }

    pub(crate) fn parse(&self, out: &mut Outgoing) {
        out.parse(&self.name, &self.text, &self.types.borrow());
    }
}

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

/// A text as a constant.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The statements that one session has prepared.
#[derive(Default)]
pub(crate) struct Prepared {
    /// Each with the number of its preparation.
    ids: HashMap<u64, u64>,
    /// In the order in which they were prepared, with their names.
    order: VecDeque<(u64, Box<str>)>,
    /// Preparations so far.
    count: u64,
}

/// One preparation of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preparation {
    id: u64,
    number: u64,
}

impl Prepared {
    pub(crate) fn has(&self, statement: &Statement) -> bool {
        self.ids.contains_key(&statement.id)
    }

    /// Notes a statement that is about to be prepared; the oldest is closed for it if there are too many.
    pub(crate) fn note(&mut self, statement: &Statement, out: &mut Outgoing) -> Preparation {
        self.count += 1;
        self.ids.insert(statement.id, self.count);
        self.order.push_back((statement.id, statement.name.clone()));
        if self.order.len() > limits::PREPARED_MAX
            && let Some((id, name)) = self.order.pop_front()
        {
            self.ids.remove(&id);
            out.close_statement(&name);
        }
        Preparation { id: statement.id, number: self.count }
    }

    /// Forgets a preparation that has failed. A later one of the same statement counts.
    pub(crate) fn forget(&mut self, Preparation { id, number }: Preparation) {
        if self.ids.get(&id) == Some(&number) {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: u64) {
        self.ids.remove(&id);
        self.order.retain(|(other, _)| *other != id);
    }

    /// Closes a statement, so that its next use prepares it again.
    pub(crate) fn close(&mut self, statement: &Statement, out: &mut Outgoing) {
        self.remove(statement.id);
        out.close_statement(&statement.name);
        statement.set_described(None);
    }

    /// Closes all statements: some are not there any more.
    pub(crate) fn close_all(&mut self, out: &mut Outgoing) {
        self.ids.clear();
        for (_, name) in self.order.drain(..) {
            out.close_statement(&name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preparation_that_failed_does_not_count_and_a_later_one_does() {
        let (mut prepared, mut out) = (Prepared::default(), Outgoing::default());
        let statement = Statement::new("SELECT 1", &[]);
        let failed = prepared.note(&statement, &mut out);
        prepared.forget(failed);
        assert!(!prepared.has(&statement));
        let failed = prepared.note(&statement, &mut out);
        prepared.close(&statement, &mut out);
        let later = prepared.note(&statement, &mut out);
        // The answer to the first comes when the second is on its way already.
        prepared.forget(failed);
        assert!(prepared.has(&statement));
        prepared.forget(later);
        assert!(!prepared.has(&statement) && prepared.order.is_empty());
    }
}
