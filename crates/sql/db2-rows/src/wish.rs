//! Wishes of readers: isolation, rows for a change, rows that are passed over.

/// Isolation of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// UR: waits for no other unit of work, and keeps nothing. It sees what is committed: what is not lies with its unit of work.
    Uncommitted,
    /// CS: waits while another unit of work has the row, and keeps it no longer than it stands on it.
    CursorStability,
    /// RS: keeps what it gives out.
    ReadStability,
    /// RR: keeps what it has looked at, and the range.
    RepeatableRead,
}

/// A reader's wish for the rows that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Its isolation.
    pub isolation: Isolation,
    /// It takes rows for itself, to change them.
    pub for_update: bool,
    /// It passes over rows that it would have to wait for.
    pub skips_locked: bool,
    /// With cursor stability: no other unit of work changes the row on which it stands (CURRENTDATA YES).
    pub keeps_current: bool,
}

impl Wish {
    /// A reader with this isolation, who wants no more.
    pub fn reads(isolation: Isolation) -> Self {
        Self { isolation, for_update: false, skips_locked: false, keeps_current: false }
    }

    /// A reader who wants to change what it reads.
    pub fn updates(isolation: Isolation) -> Self {
        Self { for_update: true, ..Self::reads(isolation) }
    }

    /// Returns true if rows are kept to the end of the unit of work.
    pub(crate) fn keeps(&self) -> bool {
        matches!(self.isolation, Isolation::ReadStability | Isolation::RepeatableRead)
    }

    /// Returns true if a row is held while the reader stands on it.
    pub(crate) fn holds(&self) -> bool {
        self.for_update
            || self.keeps()
            || (self.keeps_current && self.isolation == Isolation::CursorStability)
    }
}
