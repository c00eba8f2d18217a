//! SQLite in this process, with the table that the region's tasks read: everything prepared, one transaction.

use rusqlite::{Connection, params};

use super::table::{ROWS_OF_CURSOR, script};
use super::units::keys;
use crate::clock::spent;

/// The columns of a row as the COBOL program has them.
type Account = (String, String, f64, i64);

/// A database in memory.
pub(super) struct Database(Connection);

impl Database {
    /// Fills the table, and begins a transaction that stays open.
    pub fn new() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&format!("BEGIN;\n{}COMMIT;\nBEGIN;", script()))?;
        Ok(Self(connection))
    }

    /// Microseconds of each of so many pieces of work, and how they ended.
    pub fn spent(
        &self,
        count: usize,
        work: fn(&Self, u32) -> rusqlite::Result<()>,
    ) -> (f64, rusqlite::Result<()>) {
        let mut ended = Ok(());
        let seconds = spent(|| ended = keys(count).try_for_each(|id| work(self, id)));
        (seconds * 1e6 / count as f64, ended)
    }

    /// One SELECT by key.
    pub fn select(&self, id: u32) -> rusqlite::Result<()> {
        let text = "SELECT name, branch, balance, changes FROM account WHERE id = ?1";
        let mut statement = self.0.prepare_cached(text)?;
        let account: Account = statement.query_row(params![id], |row| row.try_into())?;
        std::hint::black_box(account);
        Ok(())
    }

    /// As many rows as a cursor reads.
    pub fn rows(&self, id: u32) -> rusqlite::Result<()> {
        let text =
            "SELECT name, branch, balance, changes FROM account WHERE id >= ?1 AND id < ?2 ORDER BY id";
        let mut statement = self.0.prepare_cached(text)?;
        for row in statement.query_map(params![id, id + ROWS_OF_CURSOR], |row| Account::try_from(row))? {
            std::hint::black_box(row?);
        }
        Ok(())
    }
}
