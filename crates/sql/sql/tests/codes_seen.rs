//! Every code that a program can see was seen by a test: in a page of `tests/literate/sql`, among the cases of
//! `real/states.rs`, in pages and tests of the region's own tables, in another test that is named here, or it cannot come up, for the reason that stands here.

use std::fs;
use std::path::Path;

/// Seen in tests of another kind, by their names in `crates`.
const ELSEWHERE: &[(i32, &str)] = &[
    (
        -904,
        "programs/syncpoint/tests/running/sql_faults.rs: a_table_whose_disk_is_full_fails_the_statement_alone",
    ),
    (
        -551,
        "programs/syncpoint/tests/running/sql_faults.rs: a_server_over_tls_takes_the_right_password_and_refuses_another",
    ),
    (
        -552,
        "programs/syncpoint/tests/running/sql_faults.rs: a_server_over_tls_takes_the_right_password_and_refuses_another",
    ),
    (-302, "sql/sql/tests/real/columns.rs: too_large_for_the_column"),
    (-301, "sql/sql/src/value/put.rs: a value whose type does not suit at all"),
    (
        -924,
        "programs/syncpoint/tests/running/sql_faults.rs: a_server_that_is_stopped_and_started_again_is_connected_again",
    ),
];

/// Codes that have a text, because a program may ask DSNTIAR for it, and cannot come up.
const NEVER: &[(i32, &str)] = &[
    (-952, "a statement that is cancelled is -905"),
    (-950, "a database that is not there is no connection: -923"),
    (-922, "a role that may not connect is no connection: -923"),
    (-818, "a statement travels with the module that was translated with it"),
    (-503, "PostgreSQL lets a cursor change every column of its row (COMPAT)"),
    (-119, "PostgreSQL objects to the column before it looks at HAVING: -122 (COMPAT)"),
];

/// Folders of pages and tests that see codes: over PostgreSQL, and over the region's own tables.
const FOLDERS: [&str; 5] = [
    "../../../tests/literate/sql",
    "../../../tests/literate/sql-region",
    "../db2-syntax/tests",
    "../db2-run/tests/statements",
    "../attachment/tests/own",
];

#[test]
fn every_code_of_the_texts_is_seen_or_cannot_come_up() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = FOLDERS.iter().flat_map(|folder| fs::read_dir(here.join(folder)).expect("pages"));
    let pages = pages.map(|page| page.expect("a page").path()).filter(|path| path.is_file());
    let mut seen: Vec<String> = pages.map(|page| read(&page)).collect();
    seen.push(read(&here.join("tests/real/states.rs")));
    let listed = |code: i32| ELSEWHERE.iter().chain(NEVER).any(|(known, _)| *known == code);
    for (code, test) in ELSEWHERE {
        let (file, name) = test.split_once(": ").expect("a file and a test");
        let text = read(&here.join("../..").join(file));
        assert!(name.contains(' ') || text.contains(name), "{code}: {test} is not there");
    }
    let texts = read(&here.join("src/codes/texts.rs"));
    let codes =
        texts.lines().filter_map(|line| line.trim().strip_prefix('(')?.split_once(", \"")?.0.parse().ok());
    let unseen: Vec<i32> =
        codes.filter(|code| !listed(*code) && !seen.iter().any(|text| shows(text, *code))).collect();
    assert!(unseen.is_empty(), "no test sees {unseen:?}");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns true if a text has a code, with zeros before it or without; a negative one also as a program shows it, with its sign in
/// the last digit.
fn shows(text: &str, code: i32) -> bool {
    let (sign, digits) = (if code < 0 { '-' } else { '+' }, code.unsigned_abs().to_string());
    let is_written = text.match_indices(&digits).any(|(at, _)| {
        let before = text[..at].trim_end_matches('0');
        let is_whole = !text[at + digits.len()..].starts_with(|c: char| c.is_ascii_digit());
        is_whole && (before.ends_with(sign) || code >= 0 && before.ends_with(char::is_whitespace))
    });
    let shown = format!("{:09}", code.unsigned_abs() / 10);
    let last = char::from(b"}JKLMNOPQR"[code.unsigned_abs() as usize % 10]);
    is_written || code < 0 && text.contains(&format!("{shown}{last}"))
}

#[test]
fn a_code_is_seen_as_it_is_written_and_as_programs_show_it() {
    assert!(shows("SQLCODE -805", -805) && shows("-0000000805", -805) && shows("000000080N", -805));
    assert!(!shows("000000080K", -805) && !shows("-8051", -805) && !shows("805", -805));
}
