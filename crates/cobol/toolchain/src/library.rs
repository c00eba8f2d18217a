//! The copybooks of one source: finds each member, reads it once, and notes what was used.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cobol_source::Library;
use diagnostics::{Diagnostic, Source, any_error};

use crate::deck::{self, Kind};
use crate::record::{Copied, CopiedFile};
use crate::sources::{Found, Sources};
use crate::stamp::Stamp;
use crate::unsaved::Unsaved;
use crate::{codes, shadow, text};

/// Answers a program's COPY statements from the application's folders.
pub(crate) struct CopyLibrary<'a> {
    sources: &'a Sources,
    /// Texts that stand for files.
    unsaved: Option<&'a Unsaved>,
    used: RefCell<Vec<Copied>>,
    /// The texts of what was used, which `cobol-exec` and `cobol-check` both ask for.
    texts: RefCell<HashMap<Asked, Option<Arc<Source>>>>,
    messages: RefCell<Vec<Diagnostic>>,
}

/// A member and the library that COPY names for it.
type Asked = (String, Option<String>);

impl<'a> CopyLibrary<'a> {
    pub(crate) fn new(sources: &'a Sources) -> Self {
        let (used, texts, messages) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { sources, unsaved: None, used, texts, messages }
    }

    /// The same where texts of an editor stand for files.
    pub(crate) fn with_unsaved(sources: &'a Sources, unsaved: &'a Unsaved) -> Self {
        Self { unsaved: Some(unsaved), ..Self::new(sources) }
    }

    /// Members that were used, and mistakes in the maps among them.
    pub(crate) fn into_parts(self) -> (Vec<Copied>, Vec<Diagnostic>) {
        (self.used.into_inner(), self.messages.into_inner())
    }

    /// Finds a member that was not asked for before.
    fn find(&self, (member, library): &Asked) -> Option<Arc<Source>> {
        let found = self.sources.copied(member, library.as_deref());
        let read = found.map(|found| {
            let (source, stamp) = self.text_of(member, &found);
            // A program that is not compiled leaves no record; without a stamp there is nothing to compare.
            (source, stamp.map(|stamp| CopiedFile { found, stamp }))
        });
        let (source, file) = read.unzip();
        let file = file.flatten();
        self.used.borrow_mut().push(Copied { member: member.clone(), library: library.clone(), file });
        source
    }

    /// A member's text. If it cannot be had, this reports it and returns an empty text: the program is not compiled
    /// then, and "not found" would send its owner to look in the wrong place.
    fn text_of(&self, member: &str, found: &Found) -> (Arc<Source>, Option<Stamp>) {
        let name = self.sources.name(found.path());
        match self.content(found.path()) {
            Ok((stamp, content)) => {
                let source = Source::new(name, content);
                let text = match found {
                    Found::Copybook(_) => {
                        let (text, message) = shadow::judge(member, source);
                        self.messages.borrow_mut().extend(message);
                        text
                    }
                    Found::Map(path) => {
                        self.symbolic_map(member, path, &deck::member(Kind::Map, member, &source))
                    }
                };
                (text, stamp)
            }
            Err(error) => {
                let message = format!("{name}, which COPY {member} needs, cannot be read: {error}");
                self.messages.borrow_mut().push(Diagnostic::error(codes::UNREADABLE, message));
                (Source::new(name, ""), None)
            }
        }
    }

    /// A file's text: as an editor has it, else as it is on disk.
    fn content(&self, path: &Path) -> io::Result<(Option<Stamp>, String)> {
        if let Some(text) = self.unsaved.and_then(|unsaved| unsaved.get(path)) {
            return Ok((None, text.to_owned()));
        }
        let (stamp, content) = Stamp::take(path)?;
        Ok((Some(stamp), text::decode(content)))
    }

    /// The symbolic maps of a map's source, or nothing where it does not assemble. Of several mapsets, one of which is called as
    /// the member is, that one alone.
    fn symbolic_map(&self, member: &str, path: &Path, map: &Arc<Source>) -> Arc<Source> {
        let assembly = bms::assemble(map);
        let broken = any_error(&assembly.messages);
        self.messages.borrow_mut().extend(assembly.messages);
        let name = format!("{} (symbolic map)", self.sources.name(path));
        let maps = if broken { &[][..] } else { &assembly.mapsets };
        let own = maps.iter().position(|mapset| mapset.name == member);
        let maps = own.map_or(maps, |own| &maps[own..=own]);
        Source::new(name, maps.iter().map(bms::copybook).collect::<String>())
    }
}

impl Library for CopyLibrary<'_> {
    fn member(&self, name: &str, library: Option<&str>) -> Option<Arc<Source>> {
        let asked = (name.to_ascii_uppercase(), library.map(str::to_owned));
        if let Some(known) = self.texts.borrow().get(&asked) {
            return known.clone();
        }
        let source = self.find(&asked);
        self.texts.borrow_mut().insert(asked, source.clone());
        source
    }

    fn names(&self) -> Vec<String> {
        let programs = self.sources.programs.names();
        let mut names = self.sources.copybooks.names();
        // Programs often stand in the same folder, and no source copies one.
        names.retain(|name| programs.binary_search(name).is_err());
        names.extend(self.sources.maps.names());
        names
    }
}
