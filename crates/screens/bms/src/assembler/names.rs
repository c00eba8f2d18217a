//! Names of statements.

use super::letters::span;
use super::report::Report;
use super::statement::Statement;

/// The name of a statement, reported if it cannot be one; cut where it is too long.
pub fn checked_name(statement: &Statement, what: &str, max: usize, report: &mut Report) -> Option<String> {
    let mut name = statement.name()?;
    let place = span(statement.name.as_deref()?);
    if name.chars().count() > max {
        report.name_too_long(&name, what, max, place);
        name = name.chars().take(max).collect();
    }
    let national = |char: char| matches!(char, '$' | '#' | '@');
    let starts = name.starts_with(|char: char| char.is_ascii_alphabetic() || national(char));
    let goes_on =
        name.chars().all(|char| char.is_ascii_alphanumeric() || national(char) || matches!(char, '-' | '_'));
    if !starts || !goes_on {
        report.name_malformed(&name, place);
    }
    Some(name)
}
