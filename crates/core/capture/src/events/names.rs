//! Names of event processing as commands have them.

use policies::event_binding::EVENT_NAME_MAX;

/// A name as INQUIRE gives it.
pub(super) fn padded(name: &str) -> Vec<u8> {
    format!("{name:<EVENT_NAME_MAX$}").into_bytes()
}

/// A name as a program gives it.
pub(super) fn trimmed(name: &[u8]) -> String {
    String::from_utf8_lossy(name.trim_ascii_end()).into_owned()
}
