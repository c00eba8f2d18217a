//! Dumps and the auxiliary trace, which are files of the state folder.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ::console::{Answered, Refused};
use instruments::{TraceFilter, TraceForm, TraceReport};
use serde_json::{Value, json};

/// Dumps that a list shows, and those of them whose first line is read.
const DUMPS_MAX: usize = 500;
const TITLES_MAX: usize = 100;
/// Bytes of a dump's first line.
const TITLE_MAX: u64 = 300;
/// Files of the trace that are looked at, the last ones, and entries at most.
const TRACE_FILES_MAX: usize = 4;
const TRACE_ENTRIES_MAX: usize = 20_000;

/// The names of files of a folder that begin and end so, in their order.
fn names(folder: &Path, begin: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(begin) && name.ends_with(end))
        .collect();
    names.sort_unstable();
    names
}

/// The dumps, the latest first.
pub(super) fn dumps(folder: &Path) -> Answered {
    let names = names(folder, "dump-", ".txt").into_iter().rev().take(DUMPS_MAX);
    let one = |(at, name): (usize, String)| {
        let path = folder.join(&name);
        let file = fs::metadata(&path).ok()?;
        let written = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let title = if at < TITLES_MAX { title(&path) } else { String::new() };
        Some(json!({ "name": name, "at": written.as_secs(), "bytes": file.len(), "title": title }))
    };
    let dumps: Vec<Value> = names.enumerate().filter_map(one).collect();
    Ok(json!({ "dumps": dumps }))
}

/// The first line of a dump.
fn title(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = sealed::File::open(path).and_then(|file| file.take(TITLE_MAX).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(if read.is_ok() { &bytes } else { b"" }).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

/// The text of a dump. Only a name of the list is one.
pub(super) fn dump(folder: &Path, name: &str) -> Answered {
    let known = names(folder, "dump-", ".txt").into_iter().find(|known| known == name);
    let path = folder.join(known.ok_or(Refused::NotFound)?);
    let bytes =
        sealed::read(&path).map_err(|error| Refused::Bad(format!("The dump cannot be read: {error}.")))?;
    Ok(json!({ "text": String::from_utf8_lossy(&bytes) }))
}

/// The calls of traced tasks, or of one, as `syncpoint trace --tree` shows them.
pub(super) fn trace(folder: &Path, task: Option<u64>) -> Answered {
    let filter = TraceFilter { task, ..TraceFilter::default() };
    let mut report = TraceReport::new(TraceForm::Tree, filter, TRACE_ENTRIES_MAX);
    let names = names(folder, "trace-", ".rec");
    let last: Vec<PathBuf> =
        names[names.len().saturating_sub(TRACE_FILES_MAX)..].iter().map(|name| folder.join(name)).collect();
    for path in &last {
        let bytes = sealed::read(path);
        let bytes = bytes.map_err(|error| Refused::Bad(format!("The trace cannot be read: {error}.")))?;
        // The end of the file that is being written may not be there yet.
        let _ = report.add(&bytes);
    }
    Ok(json!({ "text": report.text() }))
}
