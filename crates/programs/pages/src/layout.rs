//! Records described by a copybook, as rows: a line with names of fields, and a line of values for each record.
//!
//! Values stand between bars. A field that no column names has its usual content where a record is made of a row.

use std::path::{Path, PathBuf};

use config::RegionConfig;
use copybook::{Choices, Layout, decode, encode};
use diagnostics::{Source, any_error};

use crate::text::told;

/// Stands before fields that are copied into a record of another name.
const RECORD: &str = "       01  RECORD.\n";
/// Stands between two columns.
const BAR: &str = " | ";

/// The first record that a copybook describes.
///
/// # Errors
/// There is no such copybook, or it describes nothing.
pub fn layout(root: &Path, config: &RegionConfig, name: &str) -> Result<Layout, String> {
    let path = find(root, config, name)?;
    let text = std::fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let parsed = copybook::parse(&Source::new(name, text.as_ref()));
    let parsed = match parsed.layouts.is_empty() {
        true => copybook::parse(&Source::new(name, format!("{RECORD}{text}"))),
        false => parsed,
    };
    if any_error(&parsed.messages) {
        return Err(told(&parsed.messages));
    }
    parsed.layouts.into_iter().next().ok_or_else(|| format!("{name} describes no record"))
}

/// The file of a copybook: a path below the application, or a member of its folders of copybooks.
fn find(root: &Path, config: &RegionConfig, name: &str) -> Result<PathBuf, String> {
    let own = root.join(name);
    if own.is_file() {
        return Ok(own);
    }
    for pattern in &config.sources.copybooks {
        let folder = root.join(&pattern.value);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            path.file_stem().is_some_and(|stem| stem.to_string_lossy().eq_ignore_ascii_case(name))
        };
        if let Some(path) = paths.find(is_it) {
            return Ok(path);
        }
    }
    Err(format!(
        "there is no copybook {name}: name a member of the application's copybooks, or a path below its folder"
    ))
}

/// The records of rows; the first line has the names of the fields.
///
/// # Errors
/// The line, from 0, and what is wrong with it.
pub fn records(layout: &Layout, lines: &[String]) -> Result<Vec<Vec<u8>>, (usize, String)> {
    let Some((names, rows)) = lines.split_first() else { return Ok(Vec::new()) };
    let known = fields(layout).map_err(|what| (0, what))?;
    let names: Vec<&str> = cells(names)
        .into_iter()
        .map(|name| full(&known, name))
        .collect::<Result<_, _>>()
        .map_err(|what| (0, what))?;
    let record = |(at, row): (usize, &String)| {
        let values = cells(row);
        if values.len() != names.len() {
            return Err((at, format!("{} values for {} fields", values.len(), names.len())));
        }
        let given = names.iter().copied().zip(values);
        encode(layout, &Choices::new(), given).map_err(|error| (at, error.to_string()))
    };
    (1..).zip(rows).map(record).collect()
}

/// Records as rows, with the columns that the first of some lines names; all fields where there is none. A value that is written
/// otherwise in the line of its record, and means the same, is written so.
///
/// # Errors
/// A record that does not fit the description, or a field that it lacks.
pub fn rows(layout: &Layout, lines: &[String], records: &[Vec<u8>]) -> Result<Vec<String>, String> {
    let known = fields(layout)?;
    let columns: Vec<&str> = match lines.first() {
        Some(names) => cells(names),
        None if records.is_empty() => return Ok(Vec::new()),
        None => known.iter().map(String::as_str).collect(),
    };
    let names: Vec<&str> = columns.iter().map(|column| full(&known, column)).collect::<Result<_, _>>()?;
    let mut table = vec![columns.iter().map(|&column| column.to_owned()).collect::<Vec<_>>()];
    for (at, record) in (1..).zip(records) {
        let decoded = values(layout, record)?;
        let written = lines.get(at).map(|line| cells(line)).unwrap_or_default();
        let cell = |(column, name): (usize, &&str)| {
            as_written(layout, name, value(&decoded, name), written.get(column).copied())
        };
        table.push(names.iter().enumerate().map(cell).collect());
    }
    Ok(aligned(&table))
}

/// The record of lines `NAME = VALUE`.
///
/// # Errors
/// The line, from 0, and what is wrong with it.
pub fn record(layout: &Layout, lines: &[String]) -> Result<Vec<u8>, (usize, String)> {
    let known = fields(layout).map_err(|what| (0, what))?;
    let mut given = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (name, value) =
            assignment(line).ok_or_else(|| (at, format!("{line}: a field is NAME = VALUE")))?;
        let name = full(&known, name).map_err(|what| (at, what))?;
        // One value at a time: a fault is shown at its line.
        encode(layout, &Choices::new(), [(name, value)]).map_err(|error| (at, error.to_string()))?;
        given.push((name, value));
    }
    encode(layout, &Choices::new(), given).map_err(|error| (0, error.to_string()))
}

/// A record with other values of the fields that some lines name; one that does not fit the description has the usual content
/// of the others.
pub fn changed(layout: &Layout, record: &[u8], lines: &[String]) -> Vec<u8> {
    let Ok(known) = fields(layout) else { return record.to_vec() };
    let named: Vec<(&str, &str)> = lines
        .iter()
        .filter_map(|line| assignment(line))
        .filter_map(|(name, value)| Some((full(&known, name).ok()?, value)))
        .collect();
    let before = values(layout, record).unwrap_or_default();
    let kept = before.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let all = kept.filter(|(name, _)| !named.iter().any(|(own, _)| own == name)).chain(named.iter().copied());
    encode(layout, &Choices::new(), all).unwrap_or_else(|_| record.to_vec())
}

/// The fields of a record that some lines name, as such lines; all where they name none.
///
/// # Errors
/// The record does not fit the description, or it lacks a field.
pub fn assignments(layout: &Layout, lines: &[String], record: &[u8]) -> Result<Vec<String>, String> {
    let (known, decoded) = (fields(layout)?, values(layout, record)?);
    let named: Vec<(&str, &str)> = lines.iter().filter_map(|line| assignment(line)).collect();
    if named.is_empty() {
        return Ok(decoded
            .iter()
            .map(|(name, value)| format!("{name} = {value}").trim_end().to_owned())
            .collect());
    }
    let line = |(name, written): &(&str, &str)| {
        let whole = full(&known, name)?;
        let value = as_written(layout, whole, value(&decoded, whole), Some(written));
        Ok(format!("{name} = {value}").trim_end().to_owned())
    };
    named.iter().map(line).collect()
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    line.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
}

fn values(layout: &Layout, record: &[u8]) -> Result<Vec<(String, String)>, String> {
    decode(layout, &Choices::new(), record).map_err(|error| error.to_string())
}

fn value<'a>(decoded: &'a [(String, String)], name: &str) -> &'a str {
    decoded.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.trim_end())
}

/// A value as its author has written it, if that means the same.
fn as_written(layout: &Layout, name: &str, value: &str, written: Option<&str>) -> String {
    let means = |written: &str| {
        let record = encode(layout, &Choices::new(), [(name, written)]).ok()?;
        let decoded = values(layout, &record).ok()?;
        Some(self::value(&decoded, name) == value)
    };
    match written {
        Some(written) if means(written) == Some(true) => written.to_owned(),
        _ => value.to_owned(),
    }
}

/// The same lines whatever blanks stand around their values.
pub fn normal(lines: &[String]) -> Vec<String> {
    let table: Vec<Vec<String>> =
        lines.iter().map(|line| cells(line).into_iter().map(str::to_owned).collect()).collect();
    aligned(&table)
}

fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| table.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join(BAR).trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

fn cells(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

/// The names of all fields, each with those of the groups around it.
fn fields(layout: &Layout) -> Result<Vec<String>, String> {
    let blank = encode(layout, &Choices::new(), []).and_then(|blank| decode(layout, &Choices::new(), &blank));
    Ok(blank.map_err(|error| error.to_string())?.into_iter().map(|(name, _)| name).collect())
}

/// The whole name of a field of which the last part may do.
fn full<'a>(known: &'a [String], name: &str) -> Result<&'a str, String> {
    let is_it = |own: &&String| own.eq_ignore_ascii_case(name);
    let ends_so =
        |own: &&String| own.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(name));
    if let Some(own) = known.iter().find(is_it) {
        return Ok(own);
    }
    match known.iter().filter(ends_so).collect::<Vec<_>>()[..] {
        [own] => Ok(own),
        [] => Err(format!("the copybook has no field {name}")),
        _ => Err(format!("the copybook has several fields {name}: name the group, too (GROUP.FIELD)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> Layout {
        let text = "       01 R.\n          05 NUMBER-OF PIC 9(4).\n          05 NAME PIC X(6).\n          05 OWED PIC S9(5)V99 COMP-3.\n";
        copybook::parse(&Source::new("R.cpy", text)).layouts.remove(0)
    }

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn rows_are_records_and_back() {
        let (layout, table) = (described(), lines("NUMBER-OF | NAME | OWED\n0012 | ANN | -3.50"));
        let made = records(&layout, &table).expect("records");
        assert_eq!(made, [b"0012ANN   \x00\x00\x35\x0d"[..].to_vec()]);
        let shown = rows(&layout, &table, &made).expect("rows");
        assert_eq!(normal(&shown), normal(&table), "{shown:?}");
        let other = rows(&layout, &lines("OWED\n4"), &made).expect("rows");
        assert_eq!(other, ["OWED", "-3.50"]);
    }

    #[test]
    fn fields_are_changed_and_shown_line_by_line() {
        let layout = described();
        let made = record(&layout, &lines("NAME = ANN\nOWED = 2")).expect("a record");
        assert_eq!(made, b"0000ANN   \x00\x00\x20\x0c");
        let other = changed(&layout, &made, &lines("OWED = -1.5"));
        let shown = assignments(&layout, &lines("OWED = -1.5\nNAME ="), &other).expect("lines");
        assert_eq!(shown, ["OWED = -1.5", "NAME = ANN"]);
        assert_eq!(record(&layout, &lines("NAME = A\nOWED")).expect_err("no value").0, 1);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let layout = described();
        let wrong = |text| records(&layout, &lines(text)).expect_err("wrong").0;
        assert_eq!(wrong("NONE\n1"), 0);
        assert_eq!(wrong("NAME | OWED\nA | 1\nB"), 2);
        assert_eq!(wrong("OWED\nmuch"), 1);
    }
}
