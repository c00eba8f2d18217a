//! A statement that a program has prepared.

use std::cell::RefCell;
use std::rc::Rc;

use db2::package::{Action, Text};
use db2::{Attributes, DynamicKind, Letters, Mistake, MistakeKind};
use sql::Statement;
use sql::codes::Sqlca;
use sql::value::sent;

use crate::registers::Registers;
use crate::statements::SESSION;

/// A prepared statement.
pub(crate) struct Dynamic {
    pub(crate) read: db2::Dynamic,
    pub(crate) attributes: Attributes,
    /// The statement of a query that a cursor runs through which rows are changed.
    changing: Option<Rc<Statement>>,
    pub(crate) statement: Rc<Statement>,
    /// WHERE CURRENT OF: the words after the text, and the whole.
    current: RefCell<Option<(String, Rc<Statement>)>>,
}

impl Dynamic {
    /// A text as it was prepared, under the registers of this moment.
    pub(crate) fn new(text: &[u8], registers: &Registers) -> Result<Rc<Self>, Sqlca> {
        Self::with(text, b"", registers)
    }

    /// The same with attributes.
    pub(crate) fn with(text: &[u8], attributes: &[u8], registers: &Registers) -> Result<Rc<Self>, Sqlca> {
        let (mut text, attributes) = (SESSION.text(text), SESSION.text(attributes));
        let attributes = db2::attributes(&Letters::plain(&attributes))
            .map_err(|mistake| unreadable(&attributes, mistake))?;
        if !attributes.behind.is_empty() {
            text = format!("{} {}", text.trim_end().trim_end_matches(';'), attributes.behind);
        }
        let read = db2::dynamic(&Letters::plain(&text), registers.arithmetic())
            .map_err(|mistake| unreadable(&text, mistake))?;
        let under = |text: &Text| Statement::under(sent(&text.sql), &[], registers.of_prepared());
        let (statement, changing) = (under(&read.text), read.changing.as_ref().map(under));
        Ok(Rc::new(Self { read, attributes, changing, statement, current: RefCell::default() }))
    }

    /// As a cursor's query.
    pub(crate) fn query(&self, is_changed: bool) -> Result<Query, Sqlca> {
        match (&self.read.kind, &self.changing) {
            (DynamicKind::Query { .. }, Some(changing)) if is_changed => {
                let statement = Rc::clone(changing);
                Ok(Query { statement, isolation: self.read.isolation, for_update: true })
            }
            (DynamicKind::Query { for_update, .. }, _) => {
                let statement = Rc::clone(&self.statement);
                Ok(Query { statement, isolation: self.read.isolation, for_update: *for_update })
            }
            (DynamicKind::Action { .. }, _) => Err(Sqlca::error(-517, b"07005")),
        }
    }

    /// Returns true if the server can describe it before it runs.
    pub(crate) fn can_be_described(&self) -> bool {
        match &self.read.kind {
            DynamicKind::Query { .. } => true,
            DynamicKind::Action { action, cursor } => matches!(action, Action::Change(_)) && cursor.is_none(),
        }
    }

    /// The statement with its WHERE CURRENT OF.
    pub(crate) fn with_current(&self, current: &str) -> Rc<Statement> {
        let mut made = self.current.borrow_mut();
        if let Some((_, statement)) = made.as_ref().filter(|(known, _)| known == current) {
            return Rc::clone(statement);
        }
        let text = sent(&format!("{}{current}", self.read.text.sql));
        let statement = Statement::under(text, &[], self.statement.locals().cloned());
        *made = Some((current.to_owned(), Rc::clone(&statement)));
        statement
    }
}

/// The query of a cursor.
pub(crate) struct Query {
    pub(crate) statement: Rc<Statement>,
    pub(crate) isolation: Option<db2::package::Isolation>,
    pub(crate) for_update: bool,
}

/// Makes the SQLCA of a statement that cannot be read: its tokens are the error, or the text after a quote.
pub(crate) fn unreadable(text: &str, mistake: Mistake) -> Sqlca {
    let line = text.lines().nth(mistake.spot.line.saturating_sub(1) as usize).unwrap_or_default();
    let (column, width) = (usize::from(mistake.spot.column), usize::from(mistake.spot.width));
    let behind: String = line.chars().skip(column).collect();
    let word: String = line.chars().skip(column.saturating_sub(1)).take(width).collect();
    match mistake.fault {
        MistakeKind::OpenQuote => Sqlca::error(-10, b"42603").token(behind.trim_end()),
        MistakeKind::LongName => Sqlca::error(-107, b"42622").token(word),
        MistakeKind::Hexadecimal => Sqlca::error(-110, b"42606").token(word),
        MistakeKind::Unpreparable => Sqlca::error(-84, b"42612"),
        MistakeKind::NoFunction => Sqlca::error(-440, b"42884").token(word),
        MistakeKind::NoName => Sqlca::error(-204, b"42704").token(word),
        MistakeKind::Unsupported => Sqlca::error(-199, b"42601").token(mistake.message),
        MistakeKind::Syntax => Sqlca::error(-104, b"42601").token(mistake.message),
    }
}
