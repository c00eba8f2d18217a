//! A program's package: what a region needs at run time of each of its statements.
//!
//! `cobol-exec` makes it, the tool chain keeps it with the program's code ([`Package::to_bytes`]), and the region finds it by the token in each call's descriptor ([`crate::call`]).

mod action;
mod form;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::arithmetic::Arithmetic;

pub use action::{
    Action, Change, Count, DescribeWhat, Diagnostic, DiagnosticItem, Isolation, Orientation, Using,
};
pub use form::{Form, Sign};

/// All statements of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// The program's name as PROGRAM-ID has it, in upper case.
    pub program: String,
    /// The user's sources that statements stand in, by the names that messages show: a [`Spot`] has a number here.
    pub sources: Vec<String>,
    /// The cursors that it declares.
    pub cursors: Vec<Cursor>,
    /// The executable statements: number *n* of a descriptor is at *n* − 1.
    pub statements: Vec<Statement>,
    /// The tables that it describes by DECLARE TABLE (as DCLGEN writes them).
    pub tables: Vec<Table>,
    /// The rules of decimal numbers in its statements.
    pub arithmetic: Arithmetic,
}

/// An executable statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Action of the statement.
    pub action: Action,
    /// The statement in PostgreSQL's words, with `$1`, `$2` … for [`inputs`](Self::inputs); empty where `action` says it
    /// all. An OPEN has the text of its cursor's query.
    pub sql: Text,
    /// Variables that the statement reads, in the order of the parameters `$1`, `$2` … A host variable that the text
    /// names twice is here twice.
    pub inputs: Vec<Variable>,
    /// Variables for the results, in the order of the columns.
    pub targets: Vec<Variable>,
    /// `WITH RS` and its like, if the statement says so.
    pub isolation: Option<Isolation>,
    /// True if the statement changes, locks or opens something: it cannot run outside of a unit of work.
    pub has_effects: bool,
    /// Position in the user's text.
    pub at: Spot,
    /// As the user wrote it, on one line, without EXEC SQL and END-EXEC: for dumps and traces.
    pub text: String,
}

/// A cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Its name, in upper case.
    pub name: String,
    /// The name of the prepared statement that it is for, in upper case; `None`: its query is static, and every OPEN
    /// has the text.
    pub prepared: Option<String>,
    /// WITH HOLD: it stays open over a syncpoint.
    pub hold: bool,
    /// It can only be read: FOR FETCH ONLY, or ORDER BY and the like, and nothing in the program is WHERE CURRENT OF it.
    /// Its rows may be fetched ahead.
    pub read_only: bool,
    /// An UPDATE or DELETE of this program is WHERE CURRENT OF it, or its query has FOR UPDATE.
    pub for_update: bool,
    /// WITH ROWSET POSITIONING.
    pub rowset: bool,
    /// SCROLL: it may go backwards.
    pub scroll: bool,
    /// WITH RETURN: it is the result set of a procedure.
    pub with_return: bool,
    /// Its query as the user wrote it, on one line, for an engine that reads Db2's words; empty for a prepared statement's.
    pub query: String,
    /// Place of the declaration.
    pub at: Spot,
}

/// A table that a program describes by DECLARE TABLE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Its name as the program has it, in upper case, with its schema if it has one.
    pub name: String,
    /// The statements that make it in PostgreSQL, in order; a type that it needs first.
    pub create: Vec<Text>,
    /// Place of the declaration.
    pub at: Spot,
}

/// A statement in PostgreSQL's words with the way back to the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The words.
    pub sql: String,
    /// Sources of the text's parts, in order.
    pub marks: Vec<Mark>,
}

/// From here on a text comes from a place of the user's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// In characters of the text, from 0.
    pub from: u32,
    /// The place.
    pub spot: Spot,
}

/// A place in the user's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Spot {
    /// Which source: for a package its number in [`Package::sources`], else what the caller of the lexer says.
    pub source: u16,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u16,
    /// In characters.
    pub width: u16,
}

impl Text {
    /// The user's place for PostgreSQL's error position: a number of a character, from 1.
    pub fn spot(&self, position: u32) -> Option<Spot> {
        let at = position.saturating_sub(1);
        let behind = self.marks.partition_point(|mark| mark.from <= at);
        self.marks.get(behind.saturating_sub(1)).map(|mark| mark.spot)
    }
}

/// A host variable as a statement uses it: its bytes are in parameter `argument` of the CALL, from `offset` on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// As the program has it, in upper case and without the colon: `ACCT-ID`, `G.F`.
    pub name: String,
    /// Which of the CALL's parameters behind those [in front](crate::call::IN_FRONT), from 0.
    pub argument: u16,
    /// Offset of the value in it, in bytes.
    pub offset: u32,
    /// Storage form of the value.
    pub form: Form,
    /// The indicator, if there is one.
    pub indicator: Option<Indicator>,
    /// An array, for rowsets and multi-row INSERT.
    pub array: Option<Array>,
}

/// A signed two-byte number that says NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indicator {
    /// Which of the CALL's parameters, as in [`Variable::argument`].
    pub argument: u16,
    /// Offset in it, in bytes.
    pub offset: u32,
    /// An array.
    pub array: Option<Array>,
}

/// Occurrences of an item, or of the group that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// Number of elements.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

impl Package {
    /// The package as it is kept in a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Vectors of plain values: writing them to memory cannot fail.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// A number that stands for this content and no other: the calls of the program carry it, so that a module never runs
    /// with another module's package.
    pub fn token(&self) -> u64 {
        let digest = Sha256::digest(self.to_bytes());
        digest.iter().take(8).fold(0, |token, byte| token << 8 | u64::from(*byte))
    }

    /// Changes every place: when sources get other numbers.
    pub fn each_spot(&mut self, mut change: impl FnMut(&mut Spot)) {
        let Self { cursors, statements, tables, .. } = self;
        cursors.iter_mut().for_each(|cursor| change(&mut cursor.at));
        let text = |text: &mut Text, change: &mut dyn FnMut(&mut Spot)| {
            text.marks.iter_mut().for_each(|mark| change(&mut mark.spot));
        };
        for Statement { at, sql, action, .. } in statements {
            change(at);
            text(sql, &mut change);
            if let Action::Define(texts) = action {
                texts.iter_mut().for_each(|definition| text(definition, &mut change));
            }
        }
        for Table { at, create, .. } in tables {
            change(at);
            create.iter_mut().for_each(|definition| text(definition, &mut change));
        }
    }

    /// The statement of a number from 1.
    pub fn statement(&self, number: u16) -> Option<&Statement> {
        self.statements.get(usize::from(number).checked_sub(1)?)
    }

    /// The cursor of a number from 0, as an [`Action`] has it.
    pub fn cursor(&self, number: u16) -> Option<&Cursor> {
        self.cursors.get(usize::from(number))
    }
}

impl Spot {
    /// From here to the end of `other`, if that stands on the same line; else just here.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        let same = self.source == other.source && self.line == other.line && other.column >= self.column;
        if same { Self { width: other.column - self.column + other.width, ..self } } else { self }
    }
}
