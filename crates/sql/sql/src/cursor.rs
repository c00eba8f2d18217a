//! Cursors: portals of a session, read ahead where no program can notice.

mod places;
mod scroll;

use std::rc::Rc;

pub use places::{Current, PLACE};
pub use scroll::To;

use self::places::Places;
use self::scroll::Position;
use crate::answer::{Answer, Described, Rows, Values};
use crate::codes::Sqlca;
use crate::failure::Failure;
use crate::limits;
use crate::request::{self, Step};
use crate::statement::Statement;
use crate::unit::{Isolation, Leaves, Unit, Way};
use crate::value::Argument;

/// Purpose of a cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Reading: rows are read ahead, first few, then many. They are those of the moment of the OPEN either way.
    #[default]
    Read,
    /// Its query has FOR UPDATE: a row is locked when it is fetched, so one at a time; changes WHERE CURRENT OF it.
    Update,
}

/// An open cursor.
///
/// It belongs to the unit of work that it was opened in: with its end the server closes it, unless it is held. The server
/// holds no cursor that locks rows: of such a one as many rows go on as [`Cursor::keep`] reads, and they are for reading.
pub struct Cursor {
    portal: String,
    kind: Kind,
    described: Rc<Described>,
    /// Rows that were read ahead, and the next of them.
    rows: Rows,
    next: usize,
    /// Which block comes next.
    block: usize,
    /// The server has no more rows.
    is_at_end: bool,
    /// Number of rows that the last fetch gave: the rowset that the cursor is on.
    size: usize,
    /// Number of rows that the last fetch wanted.
    asked: u32,
    /// The rows of the rowset for CURRENT OF.
    places: Places,
    /// Position of a scrollable cursor.
    position: Position,
    is_held: bool,
    is_scrollable: bool,
    /// It was kept over a commit without the rows behind those that were read.
    is_cut: bool,
}

/// Properties with which a cursor is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// Purpose of the cursor.
    pub kind: Kind,
    /// WITH HOLD: it stays open over a commit.
    pub is_held: bool,
    /// SCROLL: it can go backwards.
    pub is_scrollable: bool,
    /// Isolation from the changes of others.
    pub isolation: Isolation,
}

impl Cursor {
    /// Number of rows that are asked for where a query is to give all rows at once ([`Self::whole`]).
    pub const WHOLE: u32 = limits::BLOCKS[0];

    /// A cursor whose rows are all here: those of a query that was run over a shared session, up to [`Self::WHOLE`] rows. `None`
    /// if there are more: it has to be opened in a unit of work, and the next OPEN does so at once.
    pub fn whole(query: &Statement, answer: &Answer) -> Option<Self> {
        let is_many = answer.part(0).is_suspended;
        query.set_many(is_many);
        if is_many {
            return None;
        }
        let described = answer.described.clone().unwrap_or_default();
        let mut cursor = Self::at_begin("", described, Opening::default());
        cursor.rows.append(&answer.rows, answer.part(0).rows);
        cursor.is_at_end = true;
        Some(cursor)
    }

    /// Opens a cursor for a query; `portal` is a name that no other open cursor of the session has. The first rows come with
    /// it, where rows are read ahead.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn open(
        unit: &mut Unit,
        portal: &str,
        query: &Rc<Statement>,
        arguments: &[Argument<'_>],
        opening: Opening,
    ) -> Result<Self, Failure> {
        if is_declared(opening.is_held, opening.is_scrollable, opening.kind) {
            let described = unit.described(query, opening.isolation).await?;
            let declare = Statement::around(declare(portal, query, opening), query);
            let way = Way { portal: "", rows: 0, leaves: Leaves::Something };
            unit.run_so(&declare, arguments, opening.isolation, way).await?;
            return Ok(Self::at_begin(portal, described, opening));
        }
        if opening.kind == Kind::Update {
            let described = unit.described(query, opening.isolation).await?;
            let parameters = request::parameters(query, &described, arguments)?;
            let bind =
                Step::Bind { statement: query, described: &described, parameters: &parameters, portal };
            unit.step(bind, opening.isolation, Leaves::Something).await?;
            return Ok(Self::at_begin(portal, described, opening));
        }
        let way = Way { portal, rows: limits::BLOCKS[0], leaves: Leaves::Something };
        let answer = unit.run_so(query, arguments, opening.isolation, way).await?;
        let described = unit.described(query, opening.isolation).await?;
        let mut cursor = Self::at_begin(portal, described, opening);
        cursor.block = 1;
        cursor.take(unit, answer);
        query.set_many(!cursor.is_at_end);
        Ok(cursor)
    }

    /// A cursor before its first row.
    fn at_begin(portal: &str, described: Rc<Described>, opening: Opening) -> Self {
        Self {
            portal: portal.to_owned(),
            kind: opening.kind,
            places: Places::of(&described, opening.kind),
            described: places::without(described, opening.kind),
            rows: Rows::default(),
            next: 0,
            block: 0,
            is_at_end: false,
            size: 0,
            asked: 0,
            position: Position::default(),
            is_held: opening.is_held,
            is_scrollable: opening.is_scrollable,
            is_cut: false,
        }
    }

    /// Types of the cursor's columns.
    pub fn described(&self) -> &Rc<Described> {
        &self.described
    }

    /// WITH HOLD.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// The row that the next [`Cursor::row`] shows is fetched; `false`: there is no more (+100).
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn fetch(&mut self, unit: &mut Unit) -> Result<bool, Failure> {
        Ok(self.fetch_to(unit, To::Next, 1).await? == 1)
    }

    /// The values of the row that was fetched last.
    pub fn row(&self) -> Values<'_> {
        self.rows.row(self.next.wrapping_sub(1))
    }

    /// Fetches up to so many rows at once where the server need not be asked for them: they are in [`Cursor::rowset`]. `None` if
    /// it has to be asked ([`Cursor::fetch_to`]).
    pub fn fetch_here(&mut self, to: To, count: u32) -> Option<usize> {
        let is_here = self.is_at_end || self.rows.len() - self.next >= count as usize;
        if self.is_scrollable || to != To::Next || !is_here {
            return None;
        }
        let size = self.takes(count);
        self.has_fetched(size, count);
        Some(size)
    }

    /// Fetches up to so many rows at once, from a place on: they are in [`Cursor::rowset`]. Fewer: there is no more (+100).
    ///
    /// # Errors
    /// See [`Failure`]; -225: the cursor only goes forward.
    pub async fn fetch_to(&mut self, unit: &mut Unit, to: To, count: u32) -> Result<usize, Failure> {
        let size = if self.is_scrollable {
            // Directions count from the row that the program is on: none may be read ahead.
            self.scroll(unit, to, count).await?
        } else if to == To::Next {
            self.ahead(unit, count).await?
        } else {
            return Err(Sqlca::error(-225, b"42872").into());
        };
        self.has_fetched(size, count);
        Ok(size)
    }

    fn has_fetched(&mut self, size: usize, asked: u32) {
        (self.size, self.asked) = (size, asked);
        self.places.note(&self.rows, self.next - size..self.next);
    }

    /// Number of rows that the last fetch wanted; 1 before the first.
    pub fn asked(&self) -> u32 {
        self.asked.max(1)
    }

    /// Number of rows that the last fetch gave.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns true if a date of the rows that were fetched last was adjusted to the end of its month.
    pub fn is_adjusted(&self) -> bool {
        (self.next - self.size..self.next).any(|row| self.rows.is_adjusted(row))
    }

    /// A row of the last rowset, from 0.
    pub fn rowset(&self, number: usize) -> Values<'_> {
        self.rows.row(self.next - self.size + number)
    }

    /// The next rows, as they come.
    async fn ahead(&mut self, unit: &mut Unit, count: u32) -> Result<usize, Failure> {
        let have = self.rows.len() - self.next;
        if have < count as usize && !self.is_at_end {
            let block = match self.kind {
                Kind::Update => 1,
                Kind::Read => limits::BLOCKS[self.block.min(limits::BLOCKS.len() - 1)],
            };
            self.block += 1;
            let mut kept = Rows::default();
            kept.append(&self.rows, self.next..self.rows.len());
            self.read(unit, if count == 1 { block } else { count - have as u32 }).await?;
            if !kept.is_empty() {
                kept.append(&self.rows, 0..self.rows.len());
                (self.rows, self.next) = (kept, 0);
            }
        }
        Ok(self.takes(count))
    }

    /// Takes up to so many of the rows that are here.
    fn takes(&mut self, count: u32) -> usize {
        let fetched = (count as usize).min(self.rows.len() - self.next);
        self.next += fetched;
        fetched
    }

    /// Before a commit: reads what is left of a held cursor, if it is not much. Then nothing of it is left at the server,
    /// and the unit of work can be prepared.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn keep(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        if !self.is_held || self.is_at_end || self.is_cut || self.is_scrollable || !unit.is_open() {
            return Ok(());
        }
        let mut kept = Rows::default();
        kept.append(&self.rows, self.next..self.rows.len());
        self.read(unit, limits::HELD_ROWS_MAX as u32).await?;
        kept.append(&self.rows, 0..self.rows.len());
        (self.rows, self.next) = (kept, 0);
        if self.kind == Kind::Update {
            // The commit takes its locks and its portal.
            (self.kind, self.is_cut) = (Kind::Read, !self.is_at_end);
        }
        Ok(())
    }

    /// Closes it. The server hears of it with the next request.
    pub fn close(self, unit: &mut Unit) {
        if !self.is_at_end {
            unit.session.close_portal(&self.portal);
        }
    }

    async fn read(&mut self, unit: &mut Unit, rows: u32) -> Result<(), Failure> {
        if self.is_cut {
            return Err(Sqlca::error(-501, b"24501").into());
        }
        if is_declared(self.is_held, self.is_scrollable, self.kind) {
            let answer = self.fetch_words(unit, &format!("FORWARD {rows}")).await?;
            let is_more = answer.part(0).rows.len() == rows as usize;
            self.take_rows(unit, &answer, is_more);
            return Ok(());
        }
        let portal = self.portal.clone();
        let more = Step::More { portal: &portal, rows };
        let leaves = if self.kind == Kind::Update { Leaves::Something } else { Leaves::Nothing };
        let answer = unit.step(more, Isolation::Committed, leaves).await?;
        self.take(unit, answer);
        Ok(())
    }

    async fn fetch_words(&self, unit: &mut Unit, direction: &str) -> Result<Answer, Failure> {
        self.in_words(unit, &format!("FETCH {direction}")).await
    }

    /// Cursors that were declared in words are asked in words (FETCH, MOVE): the protocol would bring their rows as text.
    async fn in_words(&self, unit: &mut Unit, words: &str) -> Result<Answer, Failure> {
        let fetch = Statement::new(format!("{words} FROM {}", self.quoted()), &[]);
        // The columns are known; asking would be a trip more.
        let described = match words.starts_with("FETCH") {
            true => self.described.without_parameters(),
            false => Rc::default(),
        };
        fetch.set_described(Some(described));
        let answer = unit.run(&fetch, &[], 0, Isolation::Committed, Leaves::Nothing).await;
        unit.session.close_statement(&fetch);
        answer
    }

    fn take(&mut self, unit: &mut Unit, answer: Answer) {
        let is_more = answer.part(0).is_suspended;
        self.take_rows(unit, &answer, is_more);
    }

    fn take_rows(&mut self, unit: &mut Unit, answer: &Answer, is_more: bool) {
        self.rows = Rows::default();
        self.rows.append(&answer.rows, answer.part(0).rows);
        self.next = 0;
        // One that can go backwards has more rows behind it.
        self.is_at_end = !is_more && !self.is_scrollable;
        if self.is_at_end {
            unit.session.close_portal(&self.portal);
        }
    }

    fn quoted(&self) -> String {
        quoted(&self.portal)
    }
}

/// Returns true if the cursor is declared by a statement: the protocol's portals are neither held nor scrollable, and
/// a declared cursor cannot lock rows.
fn is_declared(is_held: bool, is_scrollable: bool, kind: Kind) -> bool {
    is_scrollable || is_held && kind == Kind::Read
}

fn declare(portal: &str, query: &Statement, opening: Opening) -> Vec<u8> {
    let scroll = if opening.is_scrollable { "SCROLL" } else { "NO SCROLL" };
    let hold = if opening.is_held { "WITH HOLD" } else { "WITHOUT HOLD" };
    let mut text = format!("DECLARE {} {scroll} CURSOR {hold} FOR ", quoted(portal)).into_bytes();
    text.extend(query.text());
    text
}

fn quoted(portal: &str) -> String {
    format!("\"{}\"", portal.replace('"', ""))
}
