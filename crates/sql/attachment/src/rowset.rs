//! Statements about several rows: how many the program wants, whichever engine has them.

use db2::package::{Count, Cursor as Declared, Orientation, Statement as Source};
use sql::To;
use sql::codes::Sqlca;

use crate::arguments::Inputs;

/// Rows of one FETCH, and of one INSERT, at most.
const ROWS_MAX: i64 = 32_767;

/// The rows that a FETCH wants.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) cursor: u16,
    pub(crate) orientation: Orientation,
    pub(crate) is_rowset: bool,
    pub(crate) rows: Option<Count>,
}

impl Wanted {
    /// Its direction; `None`: the program says a number that is none.
    pub(crate) fn direction(&self, inputs: &Inputs) -> Option<To> {
        Some(match self.orientation {
            Orientation::Next => To::Next,
            Orientation::Prior => To::Prior,
            Orientation::First => To::First,
            Orientation::Last => To::Last,
            Orientation::Current => To::Current,
            Orientation::Before => To::Before,
            Orientation::After => To::After,
            Orientation::Absolute(count) => To::Absolute(inputs.count(count)?),
            Orientation::Relative(count) => To::Relative(inputs.count(count)?),
        })
    }

    /// The number of rows wanted in a rowset: at most as many as the arrays have elements. `asked` is that of the FETCH before.
    ///
    /// # Errors
    /// -246: there are not so many elements.
    pub(crate) fn count(
        &self,
        inputs: &Inputs,
        source: &Source,
        (declared, asked): (&Declared, u32),
    ) -> Result<u32, Sqlca> {
        let rows = match self.rows {
            Some(rows) => inputs.count(rows).unwrap_or_default(),
            None => asked.into(),
        };
        let most = source.targets.iter().map(|target| target.array.map_or(1, |array| array.count));
        let most = most.min().map_or(ROWS_MAX, i64::from).min(ROWS_MAX);
        if (1..=most).contains(&rows) {
            return Ok(rows as u32);
        }
        let sqlca = Sqlca::error(-246, b"42873").token(&declared.name);
        Err(sqlca.token(rows.to_string()).token(most.to_string()))
    }
}

/// The code of a rowset that has fewer rows than were wanted.
pub(crate) fn ended(sqlca: Sqlca, declared: &Declared, to: To, fetched: usize, wanted: usize) -> Sqlca {
    let sqlca = match (to, fetched) {
        _ if fetched == wanted => sqlca,
        (To::Prior, 1..) => {
            Sqlca { code: 20_237, state: *b"02504", tokens: vec![declared.name.clone()], ..sqlca }
        }
        _ => Sqlca { warnings: sqlca.warnings, ..Sqlca::not_found() },
    };
    sqlca.counting(fetched as u64)
}

/// The number of array elements that a change is about: no more than each array has.
///
/// # Errors
/// -246: there are not so many.
pub(crate) fn elements(source: &Source, inputs: &Inputs, rows: Count) -> Result<u32, Sqlca> {
    let rows = inputs.count(rows).unwrap_or_default();
    let arrays = source.inputs.iter().filter_map(|input| input.array);
    let most = arrays.map(|array| i64::from(array.count)).min().unwrap_or(ROWS_MAX).min(ROWS_MAX);
    if (1..=most).contains(&rows) {
        return Ok(rows as u32);
    }
    Err(Sqlca::error(-246, b"42873").token(rows.to_string()).token(most.to_string()))
}
