//! What several tests need.

#![allow(dead_code, reason = "each test uses its part")]

use std::path::PathBuf;

use bms::{Mapset, assemble};
use diagnostics::Source;

/// Macro statements as a source: a line that ends in `\` goes on in the next one, as column 72 and 16 would have it.
pub fn source(text: &str) -> String {
    let mut lines = String::new();
    let mut continued = false;
    for line in text.lines() {
        let line = if continued { format!("{:15}{}", "", line.trim_start()) } else { line.to_owned() };
        continued = line.ends_with('\\');
        match line.strip_suffix('\\') {
            Some(start) => lines.push_str(&format!("{start:71}X\n")),
            None => lines.push_str(&format!("{line}\n")),
        }
    }
    lines
}

/// The one mapset of a source about which there is nothing to say.
pub fn mapset(text: &str) -> Mapset {
    let assembly = assemble(&Source::new("test.bms", source(text)));
    let said: String = assembly.messages.iter().map(|message| format!("{message}\n")).collect();
    assert!(said.is_empty(), "{said}");
    assembly.mapsets.into_iter().next().expect("the source holds a mapset")
}

/// Where the CardDemo application is checked out; says so and gives none if the environment does not.
pub fn carddemo() -> Option<PathBuf> {
    let path = std::env::var_os("CARDDEMO").map(PathBuf::from);
    if path.is_none() {
        eprintln!("skipped: set CARDDEMO to a checkout of aws-mainframe-modernization-carddemo");
    }
    path
}
