//! INSPECT, UNSTRING, and intrinsic functions.

use cobol_runtime::dates::Epoch;
use cobol_runtime::formats::Format;
use cobol_types::Numeric;
use ebcdic::{Characters, CodePage};

use super::Class;
use super::{BytePlace, Linear, Number, Slot, Text, Utf8Place};
use serde::{Deserialize, Serialize};

/// An intrinsic function whose value is characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TextFunction {
    /// TRIM: without spaces at these ends. Of spaces alone nothing is left.
    Trim {
        /// Of what.
        text: Text,
        /// At the beginning.
        leading: bool,
        /// At the end.
        trailing: bool,
    },
    /// A function of one text that needs nothing else.
    Of(TextOf, Text),
    /// CHAR: the character with this number, from 1.
    Character(Number),
    /// NATIONAL-OF: national characters of others.
    National {
        /// Of what.
        text: Text,
        /// Encoding of the source.
        from: Encoding,
    },
    /// DISPLAY-OF: others of national characters.
    Display {
        /// Of what.
        text: Text,
        /// Encoding of the result.
        to: Encoding,
    },
    /// Each character by a table.
    Translated {
        /// Of what.
        text: Text,
        /// Character for each one.
        #[serde(with = "super::stored::table")]
        table: Box<[u8; 256]>,
    },
    /// CONCATENATE.
    Join(Vec<Text>),
    /// SUBSTITUTE: each text of a pair becomes the other.
    Substitute {
        /// In what.
        text: Text,
        /// Characters that are replaced, and their replacements, in turn.
        pairs: Vec<Text>,
    },
    /// MAX and MIN of characters.
    Extreme {
        /// MAX.
        greatest: bool,
        /// Of these.
        texts: Vec<Text>,
    },
    /// HEX-OF.
    Hexadecimal(Text),
    /// HEX-TO-CHAR.
    OfHexadecimal(Text),
    /// BIT-OF.
    Bits(Text),
    /// BIT-TO-CHAR.
    OfBits(Text),
    /// UUID4.
    Unique,
    /// FORMATTED-DATE, FORMATTED-TIME, FORMATTED-DATETIME.
    Formatted {
        /// Format of the number.
        format: Format,
        /// The day; 1 is 1601-01-01.
        day: Option<Number>,
        /// Seconds since midnight.
        seconds: Option<Number>,
        /// Minutes by which they are ahead of UTC.
        offset: Option<Number>,
    },
    /// FORMATTED-CURRENT-DATE of the characters that CURRENT-DATE gives.
    FormattedNow(Format, BytePlace),
    /// USUBSTR: so many characters of Unicode from the one of a number on.
    UnicodePart {
        /// Of what.
        text: Text,
        /// True if it is national; else it is UTF-8.
        national: bool,
        /// The first character, from 1.
        start: Number,
        /// Number of characters.
        length: Number,
    },
    /// The characters of an item of UTF-8.
    Utf8(Utf8Place),
    /// UPPER-CASE and LOWER-CASE of UTF-8.
    Utf8Case {
        /// Of what.
        text: Text,
        /// UPPER-CASE.
        upper: bool,
    },
    /// A number as it is written: its sign if it is below zero, and its digits with a decimal point.
    Plain(Number),
    /// Reference modification of a function. A place outside is out of range.
    Part {
        /// Of what.
        text: Text,
        /// The first character, from 1.
        start: Linear,
        /// Number of characters; `None` for all that follow.
        length: Option<Linear>,
    },
}

/// A function of one text whose value is characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextOf {
    /// UPPER-CASE.
    Upper,
    /// LOWER-CASE.
    Lower,
    /// REVERSE.
    Reverse,
}

impl TextOf {
    /// They, by the names that programs give them.
    const NAMED: [(&str, Self); 3] =
        [("UPPER-CASE", Self::Upper), ("LOWER-CASE", Self::Lower), ("REVERSE", Self::Reverse)];

    /// The function of a name; `None` if it is another kind of function.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(own, _)| *own == name).map(|(_, function)| *function)
    }
}

/// Result of a function of Unicode on a text: its characters are counted whatever bytes they take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unicode {
    /// Which function.
    pub function: UnicodeFunction,
    /// The text.
    pub text: Text,
    /// True if it is national; else it is UTF-8.
    pub national: bool,
}

/// A function of Unicode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UnicodeFunction {
    /// ULENGTH.
    Length,
    /// UPOS of the character of this number.
    Position(Number),
    /// UWIDTH of the character of this number.
    Width(Number),
    /// USUPPLEMENTARY.
    Supplementary,
    /// UVALID.
    Invalid,
}

/// Encodings of characters that are not national.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Encoding {
    /// The program's own.
    Program,
    /// UTF-8.
    Utf8,
    /// A code page of EBCDIC.
    Ebcdic(CodePage),
    /// A number that is known when the program runs; one that is none of these is a fault.
    Numbered(Number),
}

impl Encoding {
    /// The encoding of a number (CCSID), if it is known here.
    pub fn of(number: i64) -> Option<Self> {
        /// UTF-8 by its number.
        const UTF_8: i64 = 1208;
        const PROGRAM: i64 = Characters::Latin1.number() as i64;
        match number {
            UTF_8 => Some(Self::Utf8),
            PROGRAM => Some(Self::Program),
            number => CodePage::parse(&number.to_string()).map(Self::Ebcdic),
        }
    }
}

/// An intrinsic function of numbers whose value is a number. Arguments outside of what the language reference allows are a
/// fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Function {
    /// The greatest whole number that is not above the argument.
    Integer,
    /// Without decimals.
    IntegerPart,
    /// MOD, of whole numbers.
    Mod,
    /// REM.
    Remainder,
    /// MAX.
    Greatest,
    /// MIN.
    Least,
    /// ORD-MAX.
    PlaceOfGreatest,
    /// ORD-MIN.
    PlaceOfLeast,
    /// SIGN.
    Sign,
    /// FACTORIAL, of so much at most.
    Factorial(u8),
    /// MEDIAN.
    Median,
    /// INTEGER-OF-DATE.
    IntegerOfDate(Epoch),
    /// INTEGER-OF-DAY.
    IntegerOfDay(Epoch),
    /// DATE-OF-INTEGER.
    DateOfInteger(Epoch),
    /// DAY-OF-INTEGER.
    DayOfInteger(Epoch),
    /// TEST-DATE-YYYYMMDD.
    TestDate,
    /// TEST-DAY-YYYYDDD.
    TestDay,
    /// YEAR-TO-YYYY of a year, a window, and the present year.
    YearToYyyy,
    /// DATE-TO-YYYYMMDD, likewise.
    DateToYyyymmdd,
    /// DAY-TO-YYYYDDD, likewise.
    DayToYyyyddd,
}

impl Function {
    /// Functions of whole numbers that need nothing else, by the names that programs give them.
    const NAMED: [(&str, Self); 3] =
        [("MOD", Self::Mod), ("TEST-DATE-YYYYMMDD", Self::TestDate), ("TEST-DAY-YYYYDDD", Self::TestDay)];

    /// The function of a name; `None` if it is another kind of function.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(own, _)| *own == name).map(|(_, function)| *function)
    }
}

/// A currency sign, by its place among the program's constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Currency {
    /// Its first byte.
    pub at: u32,
    /// Its length.
    pub length: u32,
}

/// A number that characters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// An unsigned whole number of their digits, as a MOVE takes it.
    Digits,
    /// Number of characters.
    Length,
    /// Number of characters without spaces at the end.
    StoredLength,
    /// ORD.
    Ordinal,
    /// NUMVAL, of so many digits at most.
    Numval(u32),
    /// NUMVAL-C with a currency sign.
    NumvalC(u32, Currency),
    /// TEST-NUMVAL.
    TestNumval(u32),
    /// TEST-NUMVAL-C.
    TestNumvalC(u32, Currency),
    /// TEST-NUMVAL-F.
    TestNumvalF,
    /// INTEGER-OF-FORMATTED-DATE.
    DayOf(Format, Epoch),
    /// SECONDS-FROM-FORMATTED-TIME.
    SecondsOf(Format),
    /// TEST-FORMATTED-DATETIME.
    TestFormatted(Format),
}

/// UNSTRING.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unstring {
    /// The sender.
    pub from: Text,
    /// Its delimiters, with whether several that follow each other are one; none takes as much as each receiver holds.
    pub delimiters: Vec<(Text, bool)>,
    /// The receivers, each found when its turn comes.
    pub into: Vec<UnstringReceiver>,
    /// Position of the next character to be taken, from 1.
    pub pointer: Option<(BytePlace, Numeric)>,
    /// Counts the receivers that took something.
    pub tallying: Option<(BytePlace, Numeric)>,
    /// Becomes 1 where text is left over, or the pointer lies outside.
    pub overflow: Slot,
}

/// A statement on national characters: all of its texts and receivers are national, and it counts them, not bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "operations hold it in a box")]
pub enum NationalText {
    /// STRING, as [`super::Operation::String`] has it.
    String {
        /// The pieces, each up to its delimiter; none takes all of it.
        sources: Vec<(Text, Option<Text>)>,
        /// Destination of the texts.
        into: BytePlace,
        /// Position of the next character, from 1.
        pointer: Option<(BytePlace, Numeric)>,
        /// Becomes 1 where a character finds no room.
        overflow: Slot,
    },
    /// UNSTRING.
    Unstring(Unstring),
    /// INSPECT.
    Inspect(Inspect),
}

/// A statement on UTF-8: all of its texts and receivers are UTF-8, and it counts characters, not bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "operations hold it in a box")]
pub enum Utf8Text {
    /// STRING, as [`super::Operation::String`] has it.
    String {
        /// The pieces, each up to its delimiter; none takes all of it.
        sources: Vec<(Text, Option<Text>)>,
        /// Destination: so many characters.
        into: Utf8Place,
        /// Position of the next character, from 1.
        pointer: Option<(BytePlace, Numeric)>,
        /// Becomes 1 where a character finds no room.
        overflow: Slot,
    },
    /// UNSTRING.
    Unstring(Unstring),
}

/// A receiver of UNSTRING.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnstringReceiver {
    /// Destination of the text.
    pub to: TextReceiver,
    /// Number of characters that it takes without delimiters; `None` for as many as its place has bytes.
    pub digits: Option<u32>,
    /// DELIMITER IN.
    pub delimiter: Option<TextReceiver>,
    /// COUNT IN.
    pub count: Option<(BytePlace, Numeric)>,
}

/// Destinations of characters that are known only when the program runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TextReceiver {
    /// As characters, as [`Operation::Move`] has it.
    Characters {
        /// Destination.
        place: BytePlace,
        /// JUSTIFIED RIGHT.
        right: bool,
    },
    /// As UTF-8.
    Utf8(Utf8Place),
    /// As an unsigned whole number.
    Number(BytePlace, Numeric),
}

impl TextReceiver {
    /// Place of its item.
    pub fn place(&self) -> &BytePlace {
        match self {
            Self::Characters { place, .. } | Self::Number(place, _) => place,
            Self::Utf8(to) => &to.place,
        }
    }
}

/// INSPECT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "operations hold it in a box")]
pub enum Inspect {
    /// TALLYING.
    Tally {
        /// Text that is looked at.
        text: Text,
        /// Phrases that count.
        phrases: Vec<Tally>,
        /// The counters.
        counters: Vec<(BytePlace, Numeric)>,
    },
    /// REPLACING.
    Replace {
        /// Place that is changed.
        place: BytePlace,
        /// Phrases that replace.
        phrases: Vec<Replacement>,
    },
    /// CONVERTING.
    Convert {
        /// Place that is changed.
        place: BytePlace,
        /// These characters …
        from: Text,
        /// … become these.
        to: Text,
        /// Borders of the search.
        borders: Borders,
    },
}

/// BEFORE INITIAL and AFTER INITIAL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Borders {
    /// It ends in front of the first of these.
    pub before: Option<Text>,
    /// It begins behind the first of these.
    pub after: Option<Text>,
}

/// Characters that a phrase of INSPECT looks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Wanted {
    /// CHARACTERS.
    Characters,
    /// ALL.
    All(Text),
    /// LEADING.
    Leading(Text),
    /// FIRST.
    First(Text),
}

/// A phrase of TALLYING.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Its counter, by its place in the counters of the statement.
    pub counter: u32,
    /// Characters that it counts.
    pub wanted: Wanted,
    /// Borders of the search.
    pub borders: Borders,
}

/// A phrase of REPLACING.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// Characters that it replaces.
    pub wanted: Wanted,
    /// By what; a figurative constant is as long as what it replaces.
    pub by: Text,
    /// Borders of the search.
    pub borders: Borders,
}

impl Class {
    /// Returns true if all of some characters are of the class.
    pub fn has(&self, text: &[u8]) -> bool {
        match self {
            Self::Digits => text.iter().all(u8::is_ascii_digit),
            Self::Letters => text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b' '),
            Self::Lower => text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' '),
            Self::Upper => text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b' '),
            Self::Named(members) => text.iter().all(|byte| members[usize::from(*byte)]),
        }
    }
}
