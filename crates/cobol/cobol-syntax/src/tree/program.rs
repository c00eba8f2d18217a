//! Programs and their procedure divisions.

use cobol_source::At;

use super::{Data, Environment, Literal, Name, Reference, Statement};

/// One program of a source.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name behind PROGRAM-ID.
    pub name: Name,
    /// INITIAL.
    pub initial: bool,
    /// RECURSIVE.
    pub recursive: bool,
    /// COMMON.
    pub common: bool,
    /// The environment division.
    pub environment: Environment,
    /// The data division.
    pub data: Data,
    /// The procedure division, if it has one.
    pub procedure: Option<Procedure>,
    /// The programs that it contains.
    pub contained: Vec<Self>,
}

/// A procedure division.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Place of its header.
    pub at: At,
    /// USING.
    pub using: Vec<Parameter>,
    /// RETURNING.
    pub returning: Option<Reference>,
    /// The sections between DECLARATIVES and END DECLARATIVES.
    pub declaratives: Vec<Section>,
    /// The others. Text before the first header is a section without a name.
    pub sections: Vec<Section>,
}

/// One parameter of a program or an entry.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// BY VALUE.
    pub by_value: bool,
    /// The item of the linkage section.
    pub item: Reference,
}

/// A section.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name, if it has a header.
    pub name: Option<Name>,
    /// Its segment number.
    pub segment: Option<Literal>,
    /// Its paragraphs. Text before the first header is a paragraph without a name.
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph.
#[derive(Clone, Debug)]
pub struct Paragraph {
    /// Its name, if it has a header.
    pub name: Option<Name>,
    /// Its sentences.
    pub sentences: Vec<Sentence>,
}

/// The statements up to a full stop.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Place of the full stop, or of the word that ended it.
    pub end: At,
}
