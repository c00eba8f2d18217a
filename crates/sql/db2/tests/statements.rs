//! Statements as programs have them, and what becomes of each: `data/statements.sql`, `data/statements.txt`.

mod support;

use expect_test::expect_file;

/// Every statement with what it is and PostgreSQL's words for it, to be read side by side.
#[test]
fn statements_are_rewritten() {
    let mut out = String::new();
    for line in include_str!("data/statements.sql").lines() {
        match line.strip_prefix("# ") {
            Some(heading) => out += &format!("\n# {heading}\n\n"),
            None => out += &format!("{line}\n{}", support::show(line)),
        }
    }
    expect_file!["data/statements.txt"].assert_eq(&out);
}

#[test]
fn there_are_enough_of_them() {
    let statements = include_str!("data/statements.sql").lines().filter(|line| !line.starts_with('#'));
    assert!(statements.count() >= 150);
}
