//! Actions of statements.

use serde::{Deserialize, Serialize};

/// Action of a statement. Cursors are numbers in [`Package::cursors`](super::Package::cursors), from 0; "inputs",
/// "targets" and "text" are the [`Statement`](super::Statement)'s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// SELECT INTO, SET :h = …, VALUES … INTO: run the text, one row into the targets. None is +100, a second one −811.
    Row,
    /// INSERT, UPDATE, DELETE, MERGE: run the text; SQLERRD(3) is the number of rows.
    Change(Change),
    /// The same once for each element of the inputs that are arrays (`FOR n ROWS`): other inputs have one value for all.
    ChangeRows {
        /// Which.
        change: Change,
        /// Number of rows.
        rows: Count,
        /// ATOMIC: all or none; NOT ATOMIC CONTINUE ON SQLEXCEPTION: each by itself.
        atomic: bool,
    },
    /// UPDATE or DELETE WHERE CURRENT OF: the text ends in front of WHERE, which the caller adds.
    Positioned {
        /// [`Change::Update`] or [`Change::Delete`].
        change: Change,
        /// Of which cursor.
        cursor: u16,
        /// FOR ROW n OF ROWSET; `None`: all of the rowset, or the row.
        row: Option<Count>,
    },
    /// OPEN: the text is the query, the inputs are its host variables. For a prepared statement the text is empty, and
    /// what `using` says goes to its markers.
    Open {
        /// Which.
        cursor: u16,
        /// Values for the markers of a prepared query.
        using: Using,
    },
    /// FETCH: one row, or a rowset, into the targets.
    Fetch {
        /// From which.
        cursor: u16,
        /// Which row or rowset.
        orientation: Orientation,
        /// NEXT ROWSET and its like: into arrays.
        is_rowset: bool,
        /// FOR n ROWS; `None`: as many as the last FETCH wanted.
        rows: Option<Count>,
        /// Destination of the row, if not the targets: INTO DESCRIPTOR.
        into: Using,
    },
    /// CLOSE.
    Close {
        /// Which.
        cursor: u16,
    },
    /// PREPARE: the first input is the statement's text, in Db2's words, for [`crate::dynamic`].
    Prepare {
        /// The name that the program gives it, in upper case.
        name: String,
        /// INTO: the SQLDA that DESCRIBE would fill, as in [`Using::Descriptor`].
        into: Option<u16>,
        /// ATTRIBUTES: the input that has them, for [`crate::attributes`].
        attributes: Option<u16>,
    },
    /// EXECUTE of a prepared statement: `using` goes to its markers.
    Execute {
        /// Its name, in upper case.
        name: String,
        /// Values for its markers.
        using: Using,
        /// FOR n ROWS: once for each element of the inputs that are arrays.
        rows: Option<Count>,
    },
    /// EXECUTE IMMEDIATE: the first input is the text, as for [`Action::Prepare`].
    ExecuteImmediate,
    /// DESCRIBE: fills an SQLDA.
    Describe {
        /// Of what.
        what: DescribeWhat,
        /// The area: a parameter of the CALL as in [`Using::Descriptor`].
        into: u16,
    },
    /// SAVEPOINT.
    Savepoint {
        /// Its name, in upper case.
        name: String,
        /// UNIQUE: it is an error (−881) if there is one of the name.
        unique: bool,
    },
    /// RELEASE SAVEPOINT.
    ReleaseSavepoint {
        /// Its name, in upper case.
        name: String,
    },
    /// ROLLBACK TO SAVEPOINT: the last, or that of a name in upper case.
    RollbackTo {
        /// Its name, in upper case.
        name: Option<String>,
    },
    /// COMMIT: −925 in a region.
    Commit,
    /// ROLLBACK: −926 in a region.
    Rollback,
    /// LOCK TABLE: run the text.
    Lock,
    /// GET DIAGNOSTICS: of the statement before, into the targets: one item for each.
    Diagnostics(Vec<DiagnosticItem>),
    /// CALL of a procedure: run the text. Which arguments are OUT is the procedure's to say: their variables get a value.
    Call {
        /// The procedure's name, in upper case, with its schema if it has one.
        procedure: String,
        /// For each argument the input that is just this, from 0; `None` for a constant or an expression.
        arguments: Vec<Option<u16>>,
    },
    /// CONNECT TO, CONNECT RESET: without effect, and refused (−752) where a unit of work is open.
    Connect,
    /// CONNECT that only asks, SET CONNECTION, RELEASE of a connection: accepted, without effect.
    Connection,
    /// SET CURRENT SCHEMA, SQLID, PATH, PACKAGESET, DEGREE …
    SetRegister {
        /// Its name in upper case, without CURRENT: `SCHEMA`, `SQLID`, `DEGREE`. The value is the first input, or the
        /// text is an expression `SELECT …` that gives it.
        name: String,
    },
    /// CREATE, ALTER, DROP, COMMENT, LABEL and the like: run these texts in order; empty if PostgreSQL needs nothing.
    /// SQLCODE 0.
    Define(Vec<super::Text>),
    /// GRANT, REVOKE: accepted; the text is what PostgreSQL would take.
    Grant,
}

/// Which change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// INSERT … VALUES: no row is no warning.
    InsertValues,
    /// INSERT … SELECT: +100 where it inserts none.
    InsertQuery,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// MERGE.
    Merge,
}

/// A number that a statement says or an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// Said.
    Literal(i32),
    /// The input of this number, from 0: it stands behind those of the text.
    Input(u16),
}

/// Source of the values of markers, or destination of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Using {
    /// The statement's inputs, or its targets.
    Variables,
    /// An SQLDA: this parameter of the CALL behind those [in front](crate::call::IN_FRONT), from 0.
    Descriptor(u16),
    /// Nothing.
    Nothing,
}

/// Which row FETCH takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Orientation {
    /// NEXT: what a cursor without SCROLL has.
    Next,
    /// PRIOR.
    Prior,
    /// FIRST.
    First,
    /// LAST.
    Last,
    /// CURRENT.
    Current,
    /// BEFORE: no row.
    Before,
    /// AFTER: no row.
    After,
    /// ABSOLUTE n, or ROWSET STARTING AT ABSOLUTE n.
    Absolute(Count),
    /// RELATIVE n, likewise.
    Relative(Count),
}

/// Objects that DESCRIBE describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DescribeWhat {
    /// The columns of a prepared statement of this name (upper case).
    Output(String),
    /// The markers of a prepared statement of this name (upper case).
    Input(String),
    /// The columns of an open cursor.
    Cursor(u16),
    /// The columns of the table that the first input names.
    Table,
}

/// Isolation beyond what every statement has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Isolation {
    /// WITH UR.
    UncommittedRead,
    /// WITH CS.
    CursorStability,
    /// WITH RS: repeatable read from BEGIN on.
    ReadStability,
    /// WITH RR: likewise.
    RepeatableRead,
}

/// Item that GET DIAGNOSTICS puts into one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticItem {
    /// CONDITION n; `None`: of the statement.
    pub condition: Option<Count>,
    /// Which item.
    pub item: Diagnostic,
}

/// Items of GET DIAGNOSTICS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Diagnostic {
    /// ROW_COUNT.
    RowCount,
    /// NUMBER: how many conditions.
    Number,
    /// MORE.
    More,
    /// RETURNED_SQLSTATE.
    ReturnedSqlstate,
    /// DB2_RETURNED_SQLCODE.
    ReturnedSqlcode,
    /// MESSAGE_TEXT.
    MessageText,
    /// DB2_ROW_NUMBER.
    RowNumber,
    /// DB2_LAST_ROW: 100 where a rowset was the last.
    LastRow,
    /// Any other, in upper case, and whether it is a text.
    Other(String, bool),
}
