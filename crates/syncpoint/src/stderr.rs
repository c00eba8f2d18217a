//! Standard error of a region whose log is JSON there: each line that the region writes is JSON, messages of the command and
//! panics among them.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

/// The command is one whose standard error a program reads.
static SERVES: AtomicBool = AtomicBool::new(false);
/// Standard error is a log in JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// The target of lines that the command writes itself.
const OWN: &str = "SI";
/// The target of lines that come of a mistake in the region's own code.
const PANIC: &str = "panic";

/// The command runs a region: its standard error is what [`is_json`] says.
pub(crate) fn serves() {
    SERVES.store(true, Ordering::Relaxed);
}

/// Says whether the log is JSON, and goes to standard error. From then on panics are lines of it, too.
pub(crate) fn is_json(is_json: bool) {
    let is_json = is_json && SERVES.load(Ordering::Relaxed);
    if is_json && !IS_JSON.swap(true, Ordering::Relaxed) {
        std::panic::set_hook(Box::new(|panic| write("ERROR", PANIC, &panic.to_string())));
    }
}

/// Writes a text of one or more lines as one line of JSON; false where standard error is for people.
pub(crate) fn line(level: &str, text: &str) -> bool {
    if !IS_JSON.load(Ordering::Relaxed) {
        return false;
    }
    write(level, OWN, text);
    true
}

fn write(level: &str, target: &str, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let now = jiff::Timestamp::now();
    let line = json!({"timestamp": format!("{now:.6}"), "level": level, "fields": {"message": text}, "target": target});
    // Nobody to read it is not an error.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
