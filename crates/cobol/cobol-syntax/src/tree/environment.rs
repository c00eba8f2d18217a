//! The environment division.

use cobol_source::At;

use super::{Literal, Name, Operand, Reference};
use cobol_types::{Access, Organization};

/// Content of an environment division.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// WITH DEBUGGING MODE.
    pub debugging: bool,
    /// PROGRAM COLLATING SEQUENCE.
    pub collating: Option<Name>,
    /// The symbols that stand for money in pictures: `CURRENCY SIGN IS text [WITH PICTURE SYMBOL symbol]`.
    pub currencies: Vec<Currency>,
    /// Names of devices and the like: the system's name, the program's.
    pub mnemonics: Vec<Mnemonic>,
    /// ALPHABET.
    pub alphabets: Vec<Alphabet>,
    /// CLASS.
    pub classes: Vec<CharacterClass>,
    /// SYMBOLIC CHARACTERS: each with its place in the collating sequence.
    pub symbolic: Vec<(Name, Literal)>,
    /// REPOSITORY FUNCTION ALL INTRINSIC.
    pub all_functions: bool,
    /// Functions that REPOSITORY names.
    pub functions: Vec<Name>,
    /// SELECT.
    pub files: Vec<Select>,
    /// The files that share an area of records.
    pub same_areas: Vec<SameArea>,
}

/// One CURRENCY SIGN.
#[derive(Clone, Debug)]
pub struct Currency {
    /// Text that is written into the result.
    pub sign: Literal,
    /// Its symbol in pictures, if that is another.
    pub symbol: Option<Literal>,
}

/// A name for something of the system.
#[derive(Clone, Debug)]
pub struct Mnemonic {
    /// CONSOLE, C01, UPSI-0 …
    pub system: Name,
    /// The program's name for it.
    pub name: Option<Name>,
    /// The condition that a switch is on.
    pub on: Option<Name>,
    /// The condition that it is off.
    pub off: Option<Name>,
}

/// An alphabet.
#[derive(Clone, Debug)]
pub struct Alphabet {
    /// Its name.
    pub name: Name,
    /// STANDARD-1, NATIVE, EBCDIC …, where it is one of these.
    pub system: Option<Name>,
    /// Its characters in order.
    pub ranges: Vec<CharacterRange>,
}

/// Characters of an alphabet or a class.
#[derive(Clone, Debug)]
pub struct CharacterRange {
    /// The characters of a literal, or the first.
    pub from: Operand,
    /// THRU: the last.
    pub to: Option<Operand>,
    /// ALSO: they share the place of those before.
    pub also: bool,
}

/// A class of characters.
#[derive(Clone, Debug)]
pub struct CharacterClass {
    /// Its name.
    pub name: Name,
    /// Its characters; a range is two literals.
    pub ranges: Vec<CharacterRange>,
}

/// SAME AREA, SAME RECORD AREA, SAME SORT AREA.
#[derive(Clone, Debug)]
pub struct SameArea {
    /// True if it is RECORD.
    pub record: bool,
    /// The files.
    pub files: Vec<Reference>,
}

/// One SELECT.
#[derive(Clone, Debug)]
pub struct Select {
    /// The file's name.
    pub name: Name,
    /// OPTIONAL.
    pub optional: bool,
    /// Names behind ASSIGN TO.
    pub assign: Vec<Name>,
    /// ORGANIZATION.
    pub organization: Organization,
    /// ACCESS MODE.
    pub access: Access,
    /// RECORD KEY.
    pub record_key: Option<Reference>,
    /// ALTERNATE RECORD KEY, with whether it has DUPLICATES.
    pub alternate_keys: Vec<(Reference, bool)>,
    /// RELATIVE KEY.
    pub relative_key: Option<Reference>,
    /// FILE STATUS, and the one for VSAM.
    pub status: Vec<Reference>,
    /// PASSWORD.
    pub passwords: Vec<Reference>,
    /// Place of the entry.
    pub at: At,
}
