//! The copybooks of one translation: finds each member and notes what was used.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, any_error};
use translator::Library;

use crate::record::{Copied, CopiedFile};
use crate::sources::{Found, Sources};
use crate::stamp::Stamp;
use crate::text;

/// Answers a program's COPY statements from the application's folders.
pub(crate) struct CopyLibrary<'a> {
    sources: &'a Sources,
    used: RefCell<Vec<Copied>>,
    messages: RefCell<Vec<Diagnostic>>,
}

impl<'a> CopyLibrary<'a> {
    pub(crate) fn new(sources: &'a Sources) -> Self {
        Self { sources, used: RefCell::default(), messages: RefCell::default() }
    }

    /// What was used, and what was wrong with the maps among it.
    pub(crate) fn into_parts(self) -> (Vec<Copied>, Vec<Diagnostic>) {
        (self.used.into_inner(), self.messages.into_inner())
    }

    fn note(&self, member: &str, file: Option<CopiedFile>) {
        let mut used = self.used.borrow_mut();
        if !used.iter().any(|copied| copied.member == member) {
            used.push(Copied { member: member.to_owned(), file });
        }
    }

    fn text_of(&self, found: &Found) -> Option<(Arc<Source>, Stamp)> {
        let (stamp, content) = Stamp::take(found.path()).ok()?;
        let name = self.sources.name(found.path());
        let source = Source::new(name, text::decode(content));
        match found {
            Found::Copybook(_) => Some((source, stamp)),
            Found::Map(path) => Some((self.symbolic_map(path, &source)?, stamp)),
        }
    }

    /// The symbolic maps of a map's source; what is wrong with the map is told with the program that copies it.
    fn symbolic_map(&self, path: &Path, map: &Arc<Source>) -> Option<Arc<Source>> {
        let assembly = bms::assemble(map);
        let broken = any_error(&assembly.messages);
        self.messages.borrow_mut().extend(assembly.messages);
        let name = format!("{} (symbolic map)", self.sources.name(path));
        let text: String = assembly.mapsets.iter().map(bms::copybook).collect();
        (!broken).then(|| Source::new(name, text))
    }
}

impl Library for CopyLibrary<'_> {
    fn member(&self, name: &str, _library: Option<&str>) -> Option<Arc<Source>> {
        let member = name.to_ascii_uppercase();
        let Some(found) = self.sources.copied(&member) else {
            self.note(&member, None);
            return None;
        };
        let (source, stamp) = self.text_of(&found)?;
        self.note(&member, Some(CopiedFile { found, stamp }));
        Some(source)
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.sources.copybooks.names();
        names.extend(self.sources.maps.names());
        names
    }
}
