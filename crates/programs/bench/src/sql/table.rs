//! The table of accounts, as the region and the bare client have it.

/// Rows of the table, records of the data set.
pub(super) const ACCOUNTS: u32 = 2_000;
/// Rows that a cursor reads.
pub(super) const ROWS_OF_CURSOR: u32 = 100;

/// The table, as the region's first start makes it.
pub(super) fn script() -> String {
    let rows: String = (0..ACCOUNTS)
        .map(|id| format!("INSERT INTO ACCOUNT VALUES ({id}, 'ACCOUNT {id:08}', 'B001', 1234.56, 0);\n"))
        .collect();
    format!(
        "CREATE TABLE ACCOUNT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(30) NOT NULL, BRANCH CHAR(4) NOT NULL, \
         BALANCE DECIMAL(11, 2) NOT NULL, CHANGES INTEGER NOT NULL);\n{rows}"
    )
}
