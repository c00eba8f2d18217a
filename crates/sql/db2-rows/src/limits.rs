//! The limits of tables. Each has a name, which failures use.

/// Tables of a catalogue.
pub const TABLES: usize = 10_000;
/// Sequences of a catalogue, those of identity columns among them.
pub const SEQUENCES: usize = 10_000;
/// Views of a catalogue, other names of tables among them.
pub const VIEWS: usize = 10_000;
/// Bytes of a view's definition.
pub const VIEW_BYTES: usize = 1 << 20;
/// Columns of a table, as published.
pub const COLUMNS: usize = 750;
/// Indexes of a table.
pub const INDEXES: usize = 64;
/// Columns of an index, as published.
pub const KEY_COLUMNS: usize = 64;
/// Bytes of an index's key: the engine's longest key, without the number of the row behind it.
pub const KEY_BYTES: usize = 1_000;
/// Bytes of a row, as published for the largest pages.
pub const ROW_BYTES: usize = 32_714;
/// Bytes of a name.
pub const NAME_BYTES: usize = 128;
/// Savepoints that a unit of work has at a time.
pub const SAVEPOINTS: usize = 1_000;
/// Bytes that a unit of work keeps to put back what a statement, or all since a savepoint, has changed.
pub const UNDO_BYTES: usize = 64 << 20;
/// Ranges that a unit of work keeps for repeatable reads.
pub const RANGES: usize = 10_000;
/// Rows that one step of filling a new index looks at.
pub const FILL_ROWS: usize = 100;
/// Entries that a cursor reads ahead at most.
pub const AHEAD: usize = 32;
/// Numbers of a sequence that are noted as given out before they are.
pub const NOTED_AHEAD: i64 = 20;
