//! The border to `translator` and `bms`: what the rest of this crate asks of them.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::artifact::Listing;
use crate::lines::LineMap;

/// Answers COPY members by name.
pub(crate) trait Library {
    fn member(&self, name: &str, library: Option<&str>) -> Option<Arc<Source>>;
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A program for the compiler.
pub(crate) struct Translated {
    /// `None` if a message is an error.
    pub(crate) cobol: Option<String>,
    pub(crate) listing: Listing,
    pub(crate) messages: Vec<Diagnostic>,
    /// Compiler flags that the program's own cards ask for.
    pub(crate) flags: Vec<&'static str>,
}

pub(crate) fn translate(source: &Arc<Source>, library: &dyn Library) -> Translated {
    let mut lines = LineMap::default();
    let mut text = String::new();
    let mut generated = 0;
    let mut put = |source: &Source, number: usize, line: &str| {
        generated += 1;
        lines.push(generated, &source.name, number as u32);
        text += line;
        text.push('\n');
    };
    for (number, line) in (1..).zip(source.text.lines()) {
        let copied = line.trim().strip_prefix("COPY ").map(|name| name.trim_end_matches('.'));
        match copied.and_then(|name| library.member(name, None)) {
            Some(copied) => {
                (1..).zip(copied.text.lines()).for_each(|(number, line)| put(&copied, number, line));
            }
            None => put(source, number, line),
        }
    }
    Translated {
        cobol: Some(text),
        listing: Listing { entry: String::new(), statements: Vec::new(), lines },
        messages: Vec::new(),
        flags: Vec::new(),
    }
}
