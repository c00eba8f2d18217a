//! Shared parts of the tests: members in memory.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol_check::Checked;
use cobol_exec::Read;
use cobol_source::Library;
use diagnostics::{Severity, Source};

/// Members by upper-case name.
pub struct Members(BTreeMap<String, Arc<Source>>);

impl Members {
    /// Members with their texts.
    pub fn new<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(members.into_iter().map(|(name, text)| (name.to_uppercase(), Source::new(name, text))).collect())
    }
}

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        self.0.get(&name.to_uppercase()).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// The EXEC blocks of a source, with what is wrong with its text in front of what is wrong with them.
pub fn read(source: &Arc<Source>, library: &Members, unbuilt: Severity) -> Read {
    both(source, library, unbuilt).1
}

/// The same with the checked source.
pub fn both(source: &Arc<Source>, library: &Members, unbuilt: Severity) -> (Checked, Read) {
    let checked = cobol_check::check(source, library, &cobol_check::Options::default());
    let mut read = cobol_exec::read(&checked, unbuilt);
    let text = checked.messages.iter().filter(|message| message.code.starts_with("SPTR"));
    read.messages = text.cloned().chain(read.messages).collect();
    (checked, read)
}
