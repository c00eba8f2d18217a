//! The rows that a cursor is on, for UPDATE and DELETE WHERE CURRENT OF.

use std::ops::Range;
use std::rc::Rc;

use super::{Cursor, Kind};
use crate::answer::{Described, Rows};
use crate::codes::Sqlca;
use crate::failure::Failure;

/// The name of a query's last column that has the place of its row (`ctid`), for cursors that change rowsets.
pub const PLACE: &str = "db2_place";

/// Names of the rows in the current rowset: how a positioned change finds them.
#[derive(Debug)]
pub(super) enum Places {
    /// By the portal: it is on one row, if that is still there.
    Portal { is_there: bool },
    /// Each by its place; `None`: it is gone.
    Rows(Vec<Option<Box<[u8]>>>),
}

/// Rows that a positioned change concerns.
#[derive(Debug, PartialEq, Eq)]
pub enum Current<'c> {
    /// By these words behind it: ` WHERE CURRENT OF "portal"`.
    Portal(String),
    /// Once for each of the rowset's rows that are still there, by its place.
    Places(&'c [Option<Box<[u8]>>]),
}

fn has_places(described: &Described, kind: Kind) -> bool {
    kind == Kind::Update && described.columns.last().is_some_and(|last| last.name == PLACE)
}

/// The columns that a program sees.
pub(super) fn without(described: Rc<Described>, kind: Kind) -> Rc<Described> {
    if !has_places(&described, kind) {
        return described;
    }
    let mut columns = described.columns.to_vec();
    columns.pop();
    Rc::new(Described { columns: columns.into(), ..(*described).clone() })
}

impl Places {
    pub(super) fn of(described: &Described, kind: Kind) -> Self {
        if has_places(described, kind) { Self::Rows(Vec::new()) } else { Self::Portal { is_there: false } }
    }

    /// Notes which rows were fetched.
    pub(super) fn note(&mut self, rows: &Rows, range: Range<usize>) {
        match self {
            Self::Portal { is_there } => *is_there = !range.is_empty(),
            Self::Rows(places) => {
                places.clear();
                places.extend(range.map(|row| rows.row(row).last().flatten().map(Box::from)));
            }
        }
    }
}

impl Cursor {
    /// Rows that were fetched last, in the form that UPDATE and DELETE need.
    ///
    /// # Errors
    /// -508: there is no such row; -510: the cursor is for reading.
    pub fn current(&self) -> Result<Current<'_>, Failure> {
        match (&self.places, self.kind) {
            (_, Kind::Read) => Err(Sqlca::error(-510, b"42828").into()),
            (Places::Portal { is_there: true }, Kind::Update) => {
                Ok(Current::Portal(format!(" WHERE CURRENT OF {}", self.quoted())))
            }
            (Places::Rows(places), Kind::Update) if places.iter().any(Option::is_some) => {
                Ok(Current::Places(places))
            }
            (_, Kind::Update) => Err(Sqlca::error(-508, b"24504").into()),
        }
    }

    /// A row of the rowset, from 0, is somewhere else since it was changed, or nowhere since it was deleted.
    pub fn move_row(&mut self, number: usize, place: Option<&[u8]>) {
        match &mut self.places {
            Places::Portal { is_there } => *is_there = place.is_some(),
            Places::Rows(places) => {
                if let Some(known) = places.get_mut(number) {
                    *known = place.map(Box::from);
                }
            }
        }
    }
}
