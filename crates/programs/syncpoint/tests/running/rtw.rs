//! The sample `rtw`: its seven transactions find what their numbers say, alone and beside each other.

use std::fs;
use std::path::Path;

use crate::bank::{copy, repository};
use crate::house::{FREE_PORT, Region, product, share_programs};
use crate::with_database::WithDatabase;

/// Rows that cursors find, and the sum of prices, stocks and invoices among them, for number 123.
const ANSWERS: [(u32, &str); 7] = [
    (3, "396.00"),
    (10, "0.00"),
    (19, "7215.00"),
    (31, "3101.75"),
    (42, "12070.00"),
    (66, "1325.25"),
    (95, "1503.75"),
];

/// A copy of the sample that listens on ports of its own.
fn sample() -> WithDatabase {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&repository().join("samples/rtw"), folder.path());
    listens_anywhere(folder.path());
    share_programs(folder.path(), "rtw-programs");
    WithDatabase::of(folder)
}

fn listens_anywhere(folder: &Path) {
    let file = folder.join("region.toml");
    let text = fs::read_to_string(&file).expect("the configuration");
    let own = "[listen]\ntn3270 = \"127.0.0.1:3270\"\n";
    assert!(text.contains(own));
    fs::write(file, text.replace(own, FREE_PORT)).expect("written");
}

#[test]
fn the_seven_transactions_of_rtw_find_what_their_tables_have() {
    let sample = sample();
    let region = Region::start(sample.path());
    let mut terminal = region.terminal();
    for (number, (rows, sum)) in (1..).zip(ANSWERS) {
        terminal.start(&format!("RTW{number} 00000123"));
        terminal.sees(&format!("RTW{number} number 00000123: rows {rows:04}, sum "));
        terminal.sees(&format!(" {sum}"));
    }
    // Those with effects for the same customers, at two terminals at a time: they wait for each other.
    let mut others: Vec<_> = (0..2).map(|_| region.terminal()).collect();
    for _ in 0..5 {
        for (number, (rows, _)) in (4..=7).zip(&ANSWERS[3..]) {
            for terminal in &mut others {
                terminal.start_and_go(&format!("RTW{number} 00000123"));
            }
            for terminal in &mut others {
                terminal.sees(&format!("RTW{number} number 00000123: rows {rows:04}, sum "));
            }
        }
    }
}

/// More than the threads of a region without a DB2CONN, and more than the sessions that PostgreSQL has by default.
const AT_ONCE: usize = 130;

#[test]
fn more_units_of_work_than_there_are_threads_wait_for_one() {
    let sample = sample();
    let region = Region::start(sample.path());
    let mut terminals: Vec<_> = (0..AT_ONCE).map(|_| region.terminal()).collect();
    for terminal in &mut terminals {
        terminal.start_and_go("RTW3 00000123");
    }
    for terminal in &mut terminals {
        terminal.sees("RTW3 number 00000123: rows 0019, sum ");
    }
}

#[test]
fn level_2_of_sql_shows_each_statement_with_its_text_and_its_code() {
    let sample = sample();
    let file = sample.path().join("region.toml");
    let text = fs::read_to_string(&file).expect("the configuration");
    fs::write(file, text.replace("[sit]\n", "[sit]\nAUXTR = \"ON\"\nSTNTRRI = \"1-2\"\n")).expect("written");
    let region = Region::start(sample.path());
    let mut terminal = region.terminal();
    terminal.start("RTW1 00000123");
    terminal.sees("RTW1 number 00000123: rows 0003");
    drop(terminal);
    region.ends_in_order();
    let mut command = product();
    command.args(["trace", ".", "--tree", "--transaction", "RTW1"]).current_dir(sample.path());
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let statements: Vec<&str> = text.lines().filter(|line| line.contains(" SQL ")).collect();
    assert_eq!(statements.len(), 14, "{text}");
    let first =
        "SELECT NAME, GROUP_CODE INTO :ROW-LONG-NAME, :KEY-GROUP FROM PRODUCT WHERE PROD_NO = :KEY-PRODUCT";
    assert!(statements[0].contains(first) && statements[0].ends_with("SQLCODE 0"), "{}", statements[0]);
    assert!(statements[12].contains("FETCH PRICES") && statements[12].ends_with("SQLCODE 100"), "{text}");
}
