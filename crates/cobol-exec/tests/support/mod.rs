//! What the tests share: members in memory.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol_exec::Library;
use diagnostics::Source;

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
