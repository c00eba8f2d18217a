//! Cursors: portals of a session, read ahead where nobody can notice.

use std::rc::Rc;

use crate::answer::{Answer, Described, Rows, Values};
use crate::codes::Sqlca;
use crate::failure::Failure;
use crate::limits;
use crate::request::{self, Step};
use crate::statement::Statement;
use crate::unit::{Isolation, Leaves, Unit, Way};
use crate::value::Argument;

/// What a cursor is for.
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
    /// A row was fetched, and it is still there for CURRENT OF.
    is_on_row: bool,
    is_held: bool,
    is_scrollable: bool,
    /// It was kept over a commit without the rows behind those that were read.
    is_cut: bool,
}

/// How a cursor is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// What it is for.
    pub kind: Kind,
    /// WITH HOLD: it stays open over a commit.
    pub is_held: bool,
    /// SCROLL: it can go backwards.
    pub is_scrollable: bool,
    /// How much of others' changes it sees.
    pub isolation: Isolation,
}

impl Cursor {
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
        let cursor = |described, kind| Self {
            portal: portal.to_owned(),
            kind,
            described,
            rows: Rows::default(),
            next: 0,
            block: 0,
            is_at_end: false,
            is_on_row: false,
            is_held: opening.is_held,
            is_scrollable: opening.is_scrollable,
            is_cut: false,
        };
        if is_declared(opening.is_held, opening.is_scrollable, opening.kind) {
            let described = unit.described(query, opening.isolation).await?;
            let declare = Statement::around(declare(portal, query, opening), query);
            let way = Way { portal: "", rows: 0, leaves: Leaves::Something };
            unit.run_so(&declare, arguments, opening.isolation, way).await?;
            return Ok(cursor(described, opening.kind));
        }
        if opening.kind == Kind::Update {
            let described = unit.described(query, opening.isolation).await?;
            let parameters = request::parameters(query, &described, arguments)?;
            let bind =
                Step::Bind { statement: query, described: &described, parameters: &parameters, portal };
            unit.step(bind, opening.isolation, Leaves::Something).await?;
            return Ok(cursor(described, opening.kind));
        }
        let way = Way { portal, rows: limits::BLOCKS[0], leaves: Leaves::Something };
        let answer = unit.run_so(query, arguments, opening.isolation, way).await?;
        let described = unit.described(query, opening.isolation).await?;
        let mut cursor = cursor(described, opening.kind);
        cursor.block = 1;
        cursor.take(unit, answer);
        Ok(cursor)
    }

    /// How its columns are.
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
        if self.is_scrollable {
            // Directions count from the row that the program is on: none may be read ahead.
            return self.fetch_by(unit, "NEXT").await;
        }
        if self.next == self.rows.len() && !self.is_at_end {
            let rows = match self.kind {
                Kind::Update => 1,
                Kind::Read => limits::BLOCKS[self.block.min(limits::BLOCKS.len() - 1)],
            };
            self.block += 1;
            self.read(unit, rows).await?;
        }
        self.is_on_row = self.next < self.rows.len();
        self.next += usize::from(self.is_on_row);
        Ok(self.is_on_row)
    }

    /// The values of the row that was fetched last.
    pub fn row(&self) -> Values<'_> {
        self.rows.row(self.next.wrapping_sub(1))
    }

    /// Fetches up to so many rows at once: the next of them are in [`Cursor::rowset`]. Fewer: there is no more (+100).
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn fetch_rowset(&mut self, unit: &mut Unit, count: u32) -> Result<usize, Failure> {
        let have = self.rows.len() - self.next;
        if have < count as usize && !self.is_at_end {
            let mut kept = Rows::default();
            kept.append(&self.rows, self.next..self.rows.len());
            self.read(unit, count - have as u32).await?;
            kept.append(&self.rows, 0..self.rows.len());
            (self.rows, self.next) = (kept, 0);
        }
        let fetched = (count as usize).min(self.rows.len() - self.next);
        self.next += fetched;
        self.is_on_row = fetched > 0;
        Ok(fetched)
    }

    /// A row of the last rowset of so many rows, from 0.
    pub fn rowset(&self, fetched: usize, number: usize) -> Values<'_> {
        self.rows.row(self.next - fetched + number)
    }

    /// Fetches by a direction of PostgreSQL's: `PRIOR`, `FIRST`, `ABSOLUTE 3` … of a cursor that is scrollable.
    ///
    /// # Errors
    /// See [`Failure`].
    pub async fn fetch_by(&mut self, unit: &mut Unit, direction: &str) -> Result<bool, Failure> {
        let answer = self.fetch_words(unit, direction).await?;
        let part = answer.part(0);
        self.rows = answer.rows;
        self.next = part.rows.start;
        self.is_on_row = !part.rows.is_empty();
        self.next += usize::from(self.is_on_row);
        Ok(self.is_on_row)
    }

    /// What stands behind UPDATE or DELETE so that it concerns the row that was fetched last.
    ///
    /// # Errors
    /// -508: there is no such row; -510: the cursor is for reading.
    pub fn current_of(&self) -> Result<String, Failure> {
        match (self.kind, self.is_on_row) {
            (Kind::Read, _) => Err(Sqlca::error(-510, b"42828").into()),
            (Kind::Update, false) => Err(Sqlca::error(-508, b"24504").into()),
            (Kind::Update, true) => Ok(format!(" WHERE CURRENT OF {}", self.quoted())),
        }
    }

    /// The row is not there any more: it was deleted.
    pub fn leave_row(&mut self) {
        self.is_on_row = false;
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

    /// Cursors that were declared in words are asked in words: the protocol would bring their rows as text.
    async fn fetch_words(&self, unit: &mut Unit, direction: &str) -> Result<Answer, Failure> {
        let fetch = Statement::new(format!("FETCH {direction} FROM {}", self.quoted()), &[]);
        // The columns are known; asking would be a trip more.
        fetch.set_described(Some(self.described.without_parameters()));
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

/// Whether it is declared in words: the protocol's portals are neither held nor scrollable, and words hold nothing that
/// locks rows.
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
