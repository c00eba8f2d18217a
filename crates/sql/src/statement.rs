//! A statement, and what sessions know of it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use foldhash::HashSet;

use crate::answer::Described;
use crate::limits;
use crate::literals::Constants;
use crate::locals::Locals;
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
        })
    }

    /// The settings that it runs under, if it has some.
    pub fn locals(&self) -> Option<&Rc<Locals>> {
        self.locals.as_ref()
    }

    /// Texts of its own that are parameters, behind the others.
    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The types of the parameters that whoever runs it gives values for.
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

    /// How its parameters and columns are, once a session has asked.
    pub fn described(&self) -> Option<Rc<Described>> {
        self.described.borrow().clone()
    }

    pub(crate) fn set_described(&self, described: Option<Rc<Described>>) {
        *self.described.borrow_mut() = described;
    }

    /// Says types that were left to the server. Whether that changes anything.
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

/// The statements that one session has prepared.
#[derive(Default)]
pub(crate) struct Prepared {
    ids: HashSet<u64>,
    /// In the order in which they were prepared, with their names.
    order: VecDeque<(u64, Box<str>)>,
}

impl Prepared {
    pub(crate) fn has(&self, statement: &Statement) -> bool {
        self.ids.contains(&statement.id)
    }

    /// Notes a statement that is about to be prepared; the oldest is closed for it if there are too many.
    pub(crate) fn note(&mut self, statement: &Statement, out: &mut Outgoing) -> u64 {
        self.ids.insert(statement.id);
        self.order.push_back((statement.id, statement.name.clone()));
        if self.order.len() > limits::PREPARED_MAX
            && let Some((id, name)) = self.order.pop_front()
        {
            self.ids.remove(&id);
            out.close_statement(&name);
        }
        statement.id
    }

    /// A statement that was not prepared after all.
    pub(crate) fn forget(&mut self, id: u64) {
        self.ids.remove(&id);
        self.order.retain(|(other, _)| *other != id);
    }

    /// Closes a statement, so that its next use prepares it again.
    pub(crate) fn close(&mut self, statement: &Statement, out: &mut Outgoing) {
        self.forget(statement.id);
        out.close_statement(&statement.name);
        statement.set_described(None);
    }
}
