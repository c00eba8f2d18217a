//! A document with everything that is known of it: what answers are made of.

use std::path::{Path, PathBuf};

use toolchain::Unsaved;

use crate::analysis::{Analysis, Occurrence, Spot, Symbol};
use crate::folder::Folder;
use crate::layout::Layout;
use crate::text::{Lines, Position, Range};

/// A document of COBOL and the analysis of the program that it is, or that copies it.
pub struct View<'a> {
    /// The program's analysis.
    pub analysis: &'a Analysis,
    /// The application.
    pub folder: &'a Folder,
    /// Texts that stand for files.
    pub unsaved: &'a Unsaved,
    /// The document's file.
    pub path: &'a Path,
    /// The document's text.
    pub text: &'a str,
    /// Its lines.
    pub lines: &'a Lines,
    /// Its format.
    pub layout: Layout,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// The part.
    pub range: Range,
}

impl<'a> View<'a> {
    /// The document's name in messages.
    pub fn name(&self) -> String {
        self.folder.drafts.name(self.path)
    }

    /// A line of the document, from 0.
    pub fn line(&self, line: usize) -> &'a str {
        self.lines.line(self.text, line)
    }

    /// The byte of its line at which a place is.
    pub fn byte(&self, at: Position) -> usize {
        crate::text::byte_of_unit(self.line(at.line), at.unit)
    }

    /// The word around a place, in capitals.
    pub fn word(&self, at: Position) -> String {
        crate::text::word_at(self.line(at.line), self.byte(at)).1.to_ascii_uppercase()
    }

    /// All its lines.
    pub fn all_lines(&self) -> Vec<&'a str> {
        (0..self.lines.count()).map(|line| self.line(line)).collect()
    }

    /// The place as the analysis counts it.
    pub fn spot(&self, at: Position) -> Option<Spot> {
        let file = self.analysis.index().file(&self.name())?;
        let line = self.line(at.line);
        let column = line.get(..self.byte(at))?.chars().count() + 1;
        Some(Spot { file, line: at.line + 1, column })
    }

    /// The name that is written at a place, and what it stands for.
    pub fn symbol(&self, at: Position) -> Option<(&'a Occurrence, &'a Symbol)> {
        let index = self.analysis.index();
        let found = index.at(self.spot(at)?)?;
        Some((found, &index.symbols[found.symbol]))
    }

    /// The file and range of an occurrence; `None` where it stands in no file.
    pub fn location(&self, one: &Occurrence) -> Option<Location> {
        self.place(one.spot, one.width)
    }

    /// The file and range of some characters.
    pub fn place(&self, spot: Spot, width: usize) -> Option<Location> {
        let file = &self.analysis.index().files[spot.file];
        Some(Location { path: self.file(&file.name)?, range: file.range(spot, width) })
    }

    /// The file of a source; `None` for one that is supplied or made of a map.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        // The text of the document itself may never have been saved.
        let own = || (name == self.name()).then(|| self.path.to_owned());
        self.folder.drafts.path(name).or_else(own)
    }
}
