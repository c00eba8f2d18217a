//! The shapes of the intermediate form: programs, blocks, operations, places, numbers, tests.
//!
//! Everything that depends on the rules of the language has been decided here: digits and scale of every intermediate
//! result, the category of every MOVE, the order of every evaluation. An interpreter or a compiler has nothing left to decide.

mod anatomy;
mod borrowed;
mod characters;
mod editings;
mod exhibit;
pub mod files;
mod host;
mod json;
mod markup;
mod reals;
mod stored;
mod template;
mod utf8;

use cobol_runtime::floating::Width;
use cobol_runtime::routines::Routine;
pub use cobol_types::Numeric;
use cobol_types::Picture;

pub use anatomy::{Anatomy, Described, PerformText, ProcedureText, Table};
pub use borrowed::{Borrowed, Lender, SWITCHES, SWITCHES_NAME};
pub use characters::{
    Borders, Currency, Encoding, Function, Inspect, NationalText, Reading, Replacement, Tally, TextFunction,
    TextOf, TextReceiver, Unicode, UnicodeFunction, Unstring, UnstringReceiver, Utf8Text, Wanted,
};
pub use editings::Editing;
pub use exhibit::{Exhibit, Exhibited};
pub use host::{Argument, Service, Site, WAIT};
pub use json::{JsonItem, JsonParse, JsonTakes};
pub use markup::{
    Content, DocumentForm, Element, Generate, Language, Written, XmlNext, XmlOptions, XmlPart, XmlRead,
    XmlRegister,
};
pub use reals::{Power, Real, RealFunction};
use serde::{Deserialize, Serialize};
pub use template::Template;
pub use utf8::Utf8Place;

/// Number of characters.
const CHARACTERS: usize = 256;

/// A block of a program, by its place in [`Program::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u32);

/// A whole number of the frame: a return cell, a counter, a flag. No program can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Slot(pub u32);

/// A decimal number of the frame, held within a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Held(pub u32);

/// Segments of storage. The caller that runs the program decides on a segment's base; it is trusted, and no program
/// stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Segment {
    /// WORKING-STORAGE, file records, registers and index-names.
    Working,
    /// LOCAL-STORAGE.
    Local,
    /// A record of the linkage section, by its place in [`Program::linkage`].
    Linkage(u32),
    /// Literals; nothing is stored there.
    Constant,
}

/// A whole number that depends on items: a constant and multiples of numbers, whose decimals are cut off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The part that does not vary.
    pub constant: i64,
    /// The parts that vary, each with its factor.
    pub terms: Vec<(i64, Number)>,
}

/// A run of bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BytePlace {
    /// Segment of the place.
    pub segment: Segment,
    /// The first byte, from the segment's base.
    pub at: Linear,
    /// Number of bytes.
    pub length: Linear,
    /// Demand on a place that varies.
    pub bounds: Bounds,
}

/// Demands on a place whose offset or length varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bounds {
    /// It lies in storage of the task, wherever.
    Task,
    /// It lies between these offsets of its segment: the option SSRANGE.
    Item {
        /// The first byte of the item or table.
        from: u32,
        /// The first byte behind it.
        to: u32,
    },
}

/// Digits of a fixed-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Digits in front of the decimal point.
    pub integers: i32,
    /// Digits behind it; negative where the last ones in front of it are zeros that are not kept.
    pub decimals: i32,
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient; a divisor of zero is a size error.
    Divide,
}

/// A fixed-point number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Number {
    /// `value` × 10 to the power −`scale`.
    Literal {
        /// Its digits, with its sign.
        value: i128,
        /// Number of decimals among them.
        scale: i32,
    },
    /// An item. Invalid digits are a data exception.
    Field(BytePlace, Numeric),
    /// Characters as an unsigned whole number.
    Text(BytePlace),
    /// A numeric-edited item, by its picture in [`Program::pictures`], with the digits of that picture.
    Edited(BytePlace, u32, Shape),
    /// The same of USAGE NATIONAL.
    NationalEdited(BytePlace, u32, Shape),
    /// A number of the frame.
    Held(Held, Shape),
    /// A whole number of the frame.
    Slot(Slot),
    /// A whole number that depends on items.
    Linear(Box<Linear>),
    /// The address of a place: its offset in the storage of the task.
    Address(BytePlace),
    /// With the other sign.
    Negative(Box<Self>),
    /// Without its sign.
    Absolute(Box<Self>),
    /// The number that characters mean, with these digits.
    Read(Reading, Box<Text>, Shape),
    /// An intrinsic function of numbers, with the digits of its value.
    Function(Function, Vec<Self>, Shape),
    /// Which of some texts is the greatest, or the least: ORD-MAX and ORD-MIN.
    PlaceAmong {
        /// ORD-MAX.
        greatest: bool,
        /// The texts.
        texts: Vec<Text>,
    },
    /// ULENGTH and its like.
    Unicode(Box<Unicode>),
    /// A power.
    Power(Box<Power>),
    /// A number of floating point. If it becomes a fixed-point number, it is rounded in the last place of the receiver.
    Real(Box<Real>),
    /// Two numbers to a third, of which only these digits are kept: what is beyond is cut off at both ends.
    Binary(Operator, Box<Self>, Box<Self>, Shape),
}

/// A receiver of a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receiver {
    /// Place of the number.
    pub place: BytePlace,
    /// Form of the number.
    pub form: Form,
    /// Half away from zero, where decimals are lost; else they are cut off.
    pub rounded: bool,
}

/// Storage forms of a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// As a number.
    Number(Numeric),
    /// As floating point.
    Floating(Width),
    /// Edited, by a picture in [`Program::pictures`].
    Edited {
        /// The picture.
        picture: u32,
        /// BLANK WHEN ZERO.
        blank_when_zero: bool,
    },
    /// The same in national characters.
    NationalEdited {
        /// The picture.
        picture: u32,
        /// BLANK WHEN ZERO.
        blank_when_zero: bool,
    },
}

/// Characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Text {
    /// As they lie in storage.
    Place(BytePlace),
    /// Repeated as often as needed: a figurative constant, ALL. The place is one of constants, and is not empty.
    Repeated(BytePlace),
    /// A whole number without its sign in so many digits.
    Digits(Number, u32),
    /// The digits of a zoned or packed item without its sign, whatever lies there: what is no digit stays what it is.
    Unsigned(BytePlace, Numeric),
    /// Characters that an intrinsic function makes of others.
    Function(Box<TextFunction>),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `>=`
    GreaterOrEqual,
    /// `<=`
    LessOrEqual,
}

/// A class of characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Class {
    /// Digits only.
    Digits,
    /// Letters and spaces.
    Letters,
    /// Small letters and spaces.
    Lower,
    /// Capitals and spaces.
    Upper,
    /// A class of SPECIAL-NAMES: its characters.
    Named(#[serde(with = "stored::table")] Box<[bool; CHARACTERS]>),
}

/// Conditions of branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Test {
    /// Two numbers by their values.
    Numbers(Relation, Number, Number),
    /// Characters, the shorter one padded with spaces.
    Texts(Relation, Text, Text),
    /// National characters, the shorter one padded with national spaces.
    Nationals(Relation, Text, Text),
    /// UTF-8, by its bytes, the shorter one padded with spaces.
    Utf8s(Relation, Text, Text),
    /// True if every character is of a class.
    Class(Text, Class),
    /// True if an item holds valid digits and a valid sign.
    Numeric(BytePlace, Numeric),
    /// True if a whole number of the frame is greater than zero.
    Positive(Slot),
}

/// Places where DISPLAY shows the sign of a number that shares a byte with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signs {
    /// In the last digit.
    Within,
    /// In front.
    Separate,
}

/// Items that DISPLAY shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shown {
    /// Characters as they lie in storage.
    Text(BytePlace),
    /// Characters that a function makes of others.
    Function(Box<TextFunction>),
    /// A number as zoned digits, with its sign in the last one, or in front of them: the option DISPSIGN(SEP).
    Number(BytePlace, Numeric, Signs),
    /// A whole number with so many digits.
    Whole(Number, u32),
    /// Floating point, with its power of ten.
    Floating(Real, Width),
}

/// An operation: what a statement, or part of one, does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    /// Characters, cut or padded with spaces at the right, or at the left where the receiver is JUSTIFIED.
    Move {
        /// Source.
        from: Text,
        /// Destination.
        to: BytePlace,
        /// JUSTIFIED RIGHT.
        right: bool,
    },
    /// National characters, cut or padded with national spaces.
    MoveNational {
        /// Source.
        from: Text,
        /// Destination.
        to: BytePlace,
    },
    /// UTF-8, cut behind a character or padded with spaces.
    MoveUtf8 {
        /// Source.
        from: Text,
        /// Destination.
        to: Utf8Place,
    },
    /// Characters edited by a picture in [`Program::pictures`].
    EditText {
        /// Source.
        from: Text,
        /// Destination.
        to: BytePlace,
        /// The picture.
        picture: u32,
    },
    /// The same of national characters.
    EditNational {
        /// Source.
        from: Text,
        /// Destination.
        to: BytePlace,
        /// The picture.
        picture: u32,
    },
    /// A number, computed once, to receivers from left to right.
    Store {
        /// The number.
        value: Number,
        /// Destinations of the number.
        to: Vec<Receiver>,
        /// Becomes 1 on a size error, whose receivers are left alone. Without it high digits are cut off, and a divisor of
        /// zero is a divide exception.
        error: Option<Slot>,
    },
    /// A number to be used several times within a statement.
    Hold {
        /// Its place in the frame.
        held: Held,
        /// The number.
        value: Number,
        /// The digits that are kept.
        shape: Shape,
        /// As of [`Operation::Store`].
        error: Option<Slot>,
    },
    /// The first bytes of a place over all the rest of it.
    Replicate {
        /// The whole.
        place: BytePlace,
        /// Number of bytes in each.
        unit: u32,
    },
    /// A number to the frame; its decimals are cut off.
    Count {
        /// Destination.
        slot: Slot,
        /// Source.
        value: Number,
    },
    /// A constant to the frame.
    SetSlot(Slot, i64),
    /// From one place of the frame to another.
    CopySlot {
        /// From.
        from: Slot,
        /// To.
        to: Slot,
    },
    /// A constant added to a number of the frame.
    AddSlot(Slot, i64),
    /// The address of a linkage record. Zero is NULL.
    SetAddress {
        /// The record.
        linkage: u32,
        /// The address.
        value: Number,
    },
    /// GO TO without a name that nothing has altered.
    GoNowhere,
    /// STRING.
    String {
        /// The pieces, each up to its delimiter; none takes all of it.
        sources: Vec<(Text, Option<Text>)>,
        /// Destination of the texts, one behind the other; bytes that are not reached stay.
        into: BytePlace,
        /// Position of the next character, from 1.
        pointer: Option<(BytePlace, Numeric)>,
        /// Becomes 1 where a character finds no room.
        overflow: Slot,
    },
    /// UNSTRING.
    Unstring(Box<Unstring>),
    /// INSPECT; one with TALLYING and REPLACING is two.
    Inspect(Box<Inspect>),
    /// Digits to a zoned item, which keeps its sign: what INSPECT of a number with a sign leaves.
    KeepSign {
        /// The digits.
        from: BytePlace,
        /// Destination of the digits.
        to: BytePlace,
        /// Their storage form.
        numeric: Numeric,
    },
    /// STRING, UNSTRING and INSPECT of national characters.
    National(Box<NationalText>),
    /// STRING and UNSTRING of UTF-8.
    Utf8(Box<Utf8Text>),
    /// A routine of other compilers, as CBL_XOR: the operand that it only looks at, and the one that it changes.
    Routine(Routine, Option<BytePlace>, BytePlace),
    /// SORT of a table.
    SortTable {
        /// All its occurrences.
        table: BytePlace,
        /// Bytes from one to the next.
        stride: u32,
        /// By what.
        order: Box<files::SortOrder>,
    },
    /// JSON GENERATE and XML GENERATE.
    Generate(Box<Generate>),
    /// JSON PARSE.
    JsonParse(Box<JsonParse>),
    /// XML PARSE begins, or goes on with another segment.
    XmlRead(Box<XmlRead>),
    /// XML PARSE: the next event.
    XmlNext(Box<XmlNext>),
    /// EXHIBIT CHANGED.
    Exhibit(Box<Exhibit>),
    /// DISPLAY.
    Display {
        /// Items that are shown.
        items: Vec<Shown>,
        /// Without WITH NO ADVANCING.
        advancing: bool,
    },
}

/// An operation with its statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The statement, by its place in [`Program::lines`].
    pub line: u32,
    /// Work of the instruction.
    pub operation: Operation,
}

/// Ways in which control leaves a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leave {
    /// GOBACK, EXIT PROGRAM of one that was CALLed, or the end of its text.
    Return,
    /// STOP RUN.
    StopRun,
}

/// Ends of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum End {
    /// On to a block.
    Jump(BlockId),
    /// To one of two.
    Branch {
        /// By what.
        test: Test,
        /// Next block if it holds.
        yes: BlockId,
        /// Next block if it does not.
        no: BlockId,
    },
    /// By a number of the frame: 1 is the first block of the list, what has none goes on to `other`. The end of a
    /// procedure that is performed.
    Switch {
        /// The number.
        slot: Slot,
        /// The blocks.
        targets: Vec<BlockId>,
        /// Next block in all other cases.
        other: BlockId,
    },
    /// The same by any number: GO TO DEPENDING ON.
    Select {
        /// The number.
        value: Number,
        /// The blocks.
        targets: Vec<BlockId>,
        /// Next block in all other cases.
        other: BlockId,
    },
    /// CALL, and EXEC: the host carries it out.
    Host {
        /// The call, by its place in [`Program::sites`].
        site: u32,
        /// Next block behind it.
        next: BlockId,
        /// Next block if the program is not there: ON EXCEPTION.
        failed: Option<BlockId>,
    },
    /// Out of the program.
    Leave(Leave),
}

/// Steps in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
    /// The statement that ends it.
    pub line: u32,
    /// End of the block.
    pub end: End,
}

/// Place of a statement in the user's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The line, from 1.
    pub line: u32,
    /// The copybook that it stands in.
    pub member: Option<String>,
}

/// A record of the linkage section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linkage {
    /// Its name.
    pub name: String,
    /// Its greatest length.
    pub length: u32,
}

/// Place besides its beginning where a program may be entered: ENTRY.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// USING: which records of the linkage section take the arguments, in order.
    pub parameters: Vec<u32>,
}

/// Named storage, for dumps and for tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Segment of the record.
    pub segment: Segment,
    /// Its first byte.
    pub offset: u32,
    /// Its greatest length.
    pub length: u32,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// INITIAL: its WORKING-STORAGE begins again whenever it is entered.
    pub initial: bool,
    /// RECURSIVE: it may be entered again before it is left.
    pub recursive: bool,
    /// The program that contains it, by its place in what [`crate::lower`] gives: only that one calls it, or any other
    /// within that one if it is COMMON.
    pub container: Option<u32>,
    /// COMMON.
    pub common: bool,
    /// Content of its WORKING-STORAGE at the beginning.
    pub working: Template,
    /// Content of its LOCAL-STORAGE at each entry.
    pub local: Template,
    /// The records of its linkage section; behind them what it has of others' storage.
    pub linkage: Vec<Linkage>,
    /// Which of them others lend it.
    pub borrowed: Vec<Borrowed>,
    /// USING: which of these records take the arguments, in order.
    pub parameters: Vec<u32>,
    /// RETURNING: which of them takes what it gives back.
    pub returning: Option<u32>,
    /// Calls of the host whose RETURNING is a number, by their place in [`Program::sites`], and its form: it takes RETURN-CODE of
    /// a program that gives nothing else back.
    pub returned: Vec<(u32, Numeric)>,
    /// Its other entries; the slot 0 says which: 0 is its beginning, 1 the first of these.
    pub entries: Vec<EntryPoint>,
    /// Literals.
    pub constants: Vec<u8>,
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// PROGRAM COLLATING SEQUENCE: the place of each character, where it is not the character itself.
    #[serde(with = "stored::perhaps_table")]
    pub collating: Option<Box<[u8; CHARACTERS]>>,
    /// Pictures that are edited by.
    pub pictures: Vec<Picture>,
    /// Those of them that have a table.
    pub editings: Vec<Editing>,
    /// Number of whole numbers in its frame.
    pub slots: u32,
    /// Number of decimal numbers in its frame.
    pub held: u32,
    /// Its blocks; the first is its beginning. Every cycle has an edge to a block that does not lie behind: there the
    /// program looks at the flag that may stop it.
    pub blocks: Vec<Block>,
    /// The paragraphs that HANDLE names.
    pub labels: Vec<BlockId>,
    /// Calls of the host.
    pub sites: Vec<Site>,
    /// Its files.
    pub files: Vec<files::File>,
    /// Statements.
    pub lines: Vec<Line>,
    /// Place of RETURN-CODE, if it is used: in its own WORKING-STORAGE, or in that of the outermost program around
    /// it.
    pub return_code: Option<(Segment, u32)>,
    /// Records by name.
    pub records: Vec<Record>,
    /// Its author's knowledge of it, for dumps and debuggers.
    pub anatomy: Anatomy,
}

impl Program {
    /// A block with a statement, by its place in [`Self::lines`].
    pub fn block_of(&self, line: u32) -> Option<BlockId> {
        let has = |block: &Block| block.line == line || block.steps.iter().any(|step| step.line == line);
        self.blocks.iter().position(has).map(|place| BlockId(place as u32))
    }
}

/// The record in front of which there is nothing: a program without a COMMAREA may look at it, and sees zeros.
pub const COMMAREA: &str = "DFHCOMMAREA";

impl Program {
    /// The record of the linkage section that may be looked at where it has no address, by its place.
    pub fn commarea(&self) -> Option<usize> {
        self.linkage.iter().position(|linkage| linkage.name == COMMAREA)
    }

    /// Returns true if a segment may be looked at where it has no address: there are zeros, as in low storage. Nothing is stored
    /// there.
    pub fn has_zeros_without_address(&self, segment: Segment) -> bool {
        let Segment::Linkage(index) = segment else { return false };
        self.commarea() == Some(index as usize)
    }
}

impl Linear {
    /// One that does not vary.
    pub fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// Returns true if it never varies.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Adds a multiple of another.
    #[must_use]
    pub fn plus(mut self, factor: i64, other: Self) -> Self {
        self.constant = self.constant.saturating_add(other.constant.saturating_mul(factor));
        self.terms.extend(other.terms.into_iter().map(|(own, number)| (own.saturating_mul(factor), number)));
        self
    }
}

impl From<Number> for Linear {
    fn from(number: Number) -> Self {
        match number {
            Number::Literal { value, scale: 0 } if i64::try_from(value).is_ok() => {
                Self::constant(value as i64)
            }
            Number::Linear(linear) => *linear,
            number => Self { constant: 0, terms: vec![(1, number)] },
        }
    }
}

impl BytePlace {
    /// One that never varies.
    pub fn fixed(segment: Segment, at: u32, length: u32) -> Self {
        Self {
            segment,
            at: Linear::constant(at.into()),
            length: Linear::constant(length.into()),
            bounds: Bounds::Task,
        }
    }

    /// Its offset and length, if they never vary.
    pub fn as_fixed(&self) -> Option<(u32, u32)> {
        let fixed = self.at.is_constant() && self.length.is_constant();
        let (at, length) = (u32::try_from(self.at.constant).ok()?, u32::try_from(self.length.constant).ok()?);
        fixed.then_some((at, length))
    }

    /// Its length, if that never varies.
    pub fn fixed_length(&self) -> Option<u32> {
        self.length.is_constant().then(|| u32::try_from(self.length.constant).ok()).flatten()
    }
}

impl Shape {
    /// All digits.
    pub fn digits(self) -> i32 {
        self.integers + self.decimals
    }
}

impl Number {
    /// A whole number.
    pub fn whole(value: i64) -> Self {
        Self::Literal { value: value.into(), scale: 0 }
    }

    /// Its digits.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Literal { value, scale } => {
                let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as i32 + 1);
                Shape { integers: (digits - scale).max(0), decimals: *scale }
            }
            Self::Field(_, numeric) => {
                Shape { integers: numeric.integers(), decimals: i32::from(numeric.scale) }
            }
            Self::Text(place) => {
                Shape { integers: place.fixed_length().map_or(18, |n| n.min(31) as i32), decimals: 0 }
            }
            Self::Edited(_, _, shape)
            | Self::NationalEdited(_, _, shape)
            | Self::Held(_, shape)
            | Self::Read(.., shape)
            | Self::Function(.., shape)
            | Self::Binary(.., shape) => *shape,
            Self::Power(power) => power.shape,
            Self::Real(_) => Shape { integers: 18, decimals: 0 },
            Self::PlaceAmong { .. }
            | Self::Unicode(_)
            | Self::Slot(_)
            | Self::Linear(_)
            | Self::Address(_) => Shape { integers: 10, decimals: 0 },
            Self::Negative(inner) | Self::Absolute(inner) => inner.shape(),
        }
    }
}

impl Relation {
    /// Relation that holds exactly if this one does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::Greater => Self::LessOrEqual,
            Self::Less => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::LessOrEqual => Self::Greater,
        }
    }

    /// Returns true if it holds of two values that compare so.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Greater => order.is_gt(),
            Self::Less => order.is_lt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::LessOrEqual => order.is_le(),
        }
    }
}
