//! Documents: what a task puts together from texts, templates and symbols, and retrieves as one piece.
//!
//! A document is a row of pieces (text, bytes, bookmarks) and a table of symbols. It belongs to the task, and is gone
//! with it. Templates come from the region's library.
//!
//! Invariant: a symbol is replaced when its template comes in; the text in the document does not change afterwards.

mod commands;
pub mod definition;
pub mod for_others;
mod library;
mod statistics;
mod symbols;
mod template;

use std::collections::HashMap;
use std::sync::Arc;

use spec::cond;

pub(crate) use commands::HANDLERS;
pub use definition::TemplateNames;
pub use statistics::Teller;

use kernel::limits::{DOCUMENT_BYTES_MAX, DOCUMENTS_MAX, ITEM_BYTES, TASK_DOCUMENT_BYTES_MAX};
use kernel::name::Name16;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::storage::{Charge, Dsa};
use kernel::task::TaskPart;
use symbols::Symbols;

/// The identifier of a document in a program.
pub type Token = [u8; 16];

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Characters of the region.
    Text(Vec<u8>),
    /// Bytes that no conversion touches.
    Binary(Vec<u8>),
    /// A place with a name.
    Bookmark(Name16),
}

impl Piece {
    fn length(&self) -> usize {
        match self {
            Self::Text(bytes) | Self::Binary(bytes) => bytes.len(),
            Self::Bookmark(_) => 0,
        }
    }
}

/// RESP2 of NOTFND.
mod missing {
    pub const DOCUMENT: i32 = 1;
    pub const SYMBOL: i32 = 2;
    pub const TEMPLATE: i32 = 3;
    pub const FROM_DOCUMENT: i32 = 4;
    pub const AT: i32 = 5;
    pub const TO: i32 = 6;
    pub const CHARACTER_SET: i32 = 7;
}

/// RESP2 of LENGERR for a document that is too long.
const TOO_LONG: i32 = 1;

/// A document.
#[derive(Default)]
pub struct Document {
    pieces: Vec<Piece>,
    /// Its bytes.
    length: usize,
    symbols: Symbols,
}

/// The bookmark before everything.
const TOP: &str = "TOP";

impl Document {
    /// Its bytes.
    fn length(&self) -> usize {
        self.length
    }

    /// Returns the bytes that it counts for.
    fn counts(&self) -> usize {
        self.length + self.pieces.len() * ITEM_BYTES + self.symbols.counts()
    }

    /// Returns the place after a bookmark.
    fn behind(&self, bookmark: Name16) -> Option<usize> {
        if bookmark == Name16::from(TOP) {
            return Some(0);
        }
        let is_it = |piece: &Piece| *piece == Piece::Bookmark(bookmark);
        self.pieces.iter().position(is_it).map(|place| place + 1)
    }

    /// Puts pieces at the end; after a bookmark; or in place of everything between two.
    ///
    /// # Errors
    /// NOTFND: no such bookmark. INVREQ: the second comes before the first. DUPREC: a bookmark is there already.
    /// LENGERR: the document would be too long.
    fn insert(&mut self, pieces: Vec<Piece>, at: Option<Name16>, to: Option<Name16>) -> Outcome {
        let place = |bookmark, resp2| self.behind(bookmark).ok_or_else(|| cond::NOTFND.raise(resp2));
        let begin = at.map(|at| place(at, missing::AT)).transpose()?;
        // What is replaced ends before the second bookmark, which stays.
        let end = to.map(|to| place(to, missing::TO)).transpose()?.map(|behind| behind.saturating_sub(1));
        let range = match (begin, end) {
            (None, None) => self.pieces.len()..self.pieces.len(),
            (Some(begin), None) => begin..begin,
            (Some(begin), Some(end)) if begin <= end => begin..end,
            _ => return Err(cond::INVREQ.raise(0)),
        };
        for piece in &pieces {
            if let Piece::Bookmark(name) = piece
                && self.behind(*name).is_some()
            {
                return Err(cond::DUPREC.raise(0));
            }
        }
        let added: usize = pieces.iter().map(Piece::length).sum();
        if self.length() + added > DOCUMENT_BYTES_MAX {
            return Err(cond::LENGERR.raise(TOO_LONG));
        }
        let gone: usize = self.pieces.splice(range, pieces).map(|piece| piece.length()).sum();
        self.length = self.length + added - gone;
        Ok(())
    }

    /// The whole document, its texts as `convert` makes them.
    fn bytes(&self, convert: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let parts = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => convert(text),
            Piece::Binary(bytes) => bytes.clone(),
            Piece::Bookmark(_) => Vec::new(),
        });
        parts.collect::<Vec<_>>().concat()
    }
}

impl TaskPart for Documents {}

/// The documents of a task.
#[derive(Default)]
pub struct Documents {
    by_token: HashMap<Token, Document>,
    /// The bytes that they count for.
    counted: usize,
    /// The same, as the region counts it.
    charge: Option<Charge>,
    last_number: u64,
}

impl Documents {
    /// # Errors
    /// INVREQ where the task has too many.
    fn add(&mut self, dsa: &Arc<Dsa>, document: Document) -> Outcome<Token> {
        if self.by_token.len() >= DOCUMENTS_MAX {
            return Err(cond::INVREQ.raise(0));
        }
        let counts = document.counts();
        self.has_room(dsa, counts)?;
        self.count(dsa, self.counted + counts);
        self.last_number += 1;
        let mut token = *b"DFHDOC  \0\0\0\0\0\0\0\0";
        token[8..].copy_from_slice(&self.last_number.to_be_bytes());
        self.by_token.insert(token, document);
        Ok(token)
    }

    /// # Errors
    /// NOTFND.
    fn get(&mut self, token: Token) -> Outcome<&mut Document> {
        self.by_token.get_mut(&token).ok_or_else(no_document)
    }

    /// Returns success if a document may have so much more.
    ///
    /// # Errors
    /// INVREQ where the task has too much already, or the region has no storage left.
    fn has_room(&self, dsa: &Dsa, more: usize) -> Outcome {
        let is_there =
            self.counted + more <= TASK_DOCUMENT_BYTES_MAX && (more == 0 || dsa.used() + more <= dsa.limit());
        if is_there { Ok(()) } else { Err(cond::INVREQ.raise(0)) }
    }

    /// Changes a document, for which so much room is wanted.
    ///
    /// # Errors
    /// NOTFND; what there is no room for; what the change comes to.
    fn change<T>(
        &mut self,
        dsa: &Arc<Dsa>,
        (token, wants): (Token, usize),
        change: impl FnOnce(&mut Document) -> Outcome<T>,
    ) -> Outcome<T> {
        self.get(token)?;
        self.has_room(dsa, wants)?;
        let document = self.get(token)?;
        let before = document.counts();
        let changed = change(document);
        let after = document.counts();
        self.count(dsa, self.counted - before + after);
        changed
    }

    /// They count for so much from now on.
    fn count(&mut self, dsa: &Arc<Dsa>, counted: usize) {
        self.counted = counted;
        self.charge.get_or_insert_with(|| dsa.charge(0)).becomes(counted);
    }

    /// # Errors
    /// NOTFND.
    fn delete(&mut self, dsa: &Arc<Dsa>, token: Token) -> Outcome {
        let document = self.by_token.remove(&token).ok_or_else(no_document)?;
        self.count(dsa, self.counted - document.counts());
        Ok(())
    }
}

fn no_document() -> Raise {
    cond::NOTFND.raise(missing::DOCUMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<Piece> {
        vec![Piece::Text(text.into())]
    }

    fn shown(document: &Document) -> String {
        String::from_utf8(document.bytes(<[u8]>::to_vec)).expect("text")
    }

    #[test]
    fn data_goes_to_the_end_behind_a_bookmark_or_between_two() {
        let (a, b) = (Name16::from("A"), Name16::from("B"));
        let mut document = Document::default();
        for pieces in
            [text("one "), vec![Piece::Bookmark(a)], text("two "), vec![Piece::Bookmark(b)], text("three")]
        {
            assert_eq!(document.insert(pieces, None, None), Ok(()));
        }
        assert_eq!(document.insert(text("and "), Some(a), None), Ok(()));
        assert_eq!(shown(&document), "one and two three");
        assert_eq!(document.insert(text("or "), Some(a), Some(b)), Ok(()));
        assert_eq!(shown(&document), "one or three");
        assert_eq!(document.insert(text("zero "), Some(Name16::from("TOP")), None), Ok(()));
        assert_eq!(shown(&document), "zero one or three");
    }

    #[test]
    fn bookmarks_are_unique_and_must_be_there() {
        let (a, b) = (Name16::from("A"), Name16::from("B"));
        let mut document = Document::default();
        assert_eq!(document.insert(vec![Piece::Bookmark(a)], None, None), Ok(()));
        assert_eq!(document.insert(vec![Piece::Bookmark(a)], None, None), Err(cond::DUPREC.raise(0)));
        assert_eq!(document.insert(text("x"), Some(b), None), Err(cond::NOTFND.raise(5)));
        assert_eq!(document.insert(text("x"), Some(a), Some(b)), Err(cond::NOTFND.raise(6)));
    }
}
