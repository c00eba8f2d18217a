//! Failures of statements.

use db2_values::Unfit;

/// A failure of a statement: of its values, or of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed<F> {
    /// A value does not suit, or a limit is reached.
    Refused(Refused),
    /// The rows' own failure.
    Rows(F),
}

/// A refusal, as the program sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// SQLCODE.
    pub code: i32,
    /// Db2's SQLSTATE.
    pub state: &'static [u8; 5],
    /// The name of a column, a cursor, a constraint or a limit; empty where there is none.
    pub token: String,
}

impl Refused {
    /// A positioned change whose cursor is on no row.
    pub(crate) fn no_row(cursor: &str) -> Self {
        Self { code: -508, state: b"24504", token: cursor.to_owned() }
    }

    /// A subquery that stands for a value has several rows.
    pub(crate) fn several_rows() -> Self {
        Self { code: -811, state: b"21000", token: String::new() }
    }

    /// A rule of a table that is broken, by its name.
    pub(crate) fn rule(code: i32, name: &str) -> Self {
        let state = match code {
            -161 => b"44000",
            -545 => b"23513",
            -530 => b"23503",
            _ => b"23504",
        };
        Self { code, state, token: name.to_owned() }
    }

    /// A limit that a statement reaches.
    pub(crate) fn limit(name: &str) -> Self {
        Self { code: -904, state: b"57011", token: name.to_owned() }
    }

    /// A row whose bytes are none.
    pub(crate) fn damaged(table: &str) -> Self {
        Self { code: -904, state: b"57011", token: table.to_owned() }
    }

    /// A value that its column does not take; `text`: it was one, for a date or a time.
    pub(crate) fn column(unfit: Unfit, name: &str, text: Option<&str>) -> Self {
        let token = match (unfit.code, text) {
            // The published messages of -404 and -406 name no column.
            (-404 | -406, _) => String::new(),
            (-180 | -181, Some(text)) => text.trim_end().to_owned(),
            _ => name.to_owned(),
        };
        Self { token, ..unfit.into() }
    }
}

impl From<Unfit> for Refused {
    fn from(unfit: Unfit) -> Self {
        Self { code: unfit.code, state: unfit.state, token: String::new() }
    }
}

impl<F> From<Unfit> for Failed<F> {
    fn from(unfit: Unfit) -> Self {
        Self::Refused(unfit.into())
    }
}

impl<F> From<Refused> for Failed<F> {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
