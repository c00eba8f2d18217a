//! Names, literals, operands, expressions and conditions.

use std::rc::Rc;

use cobol_source::At;

/// A word that the user wrote, in upper case.
#[derive(Clone, Debug)]
pub struct Name {
    /// The word.
    pub text: Rc<str>,
    /// Place of the name.
    pub at: At,
}

/// The number of a use of a name in a source: what it stands for is kept beside the tree by this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UseId(pub u32);

/// A use of a name: of an item, a file, a paragraph …
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its number.
    pub id: UseId,
    /// The name itself.
    pub name: Name,
    /// The names behind OF or IN, innermost first.
    pub qualifiers: Vec<Name>,
    /// Subscripts in its parentheses.
    pub subscripts: Vec<Subscript>,
    /// `(start:length)`.
    pub modification: Option<Box<Modification>>,
}

/// One subscript.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// ALL, in arguments of functions.
    All(At),
    /// A number, a name, a name with something added or subtracted.
    Value(Expression),
}

/// Reference modification.
#[derive(Clone, Debug)]
pub struct Modification {
    /// The first character, from 1.
    pub start: Expression,
    /// Number of characters; without it, all to the end.
    pub length: Option<Expression>,
}

/// Kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// `'abc'`.
    Text,
    /// `X'C1'`.
    Hexadecimal,
    /// `N'abc'`.
    National,
    /// `NX'0041'`.
    NationalHexadecimal,
    /// `U'abc'`.
    Utf8,
    /// `UX'C3A9'`.
    Utf8Hexadecimal,
    /// `G'..'`.
    DoubleByte,
    /// `Z'abc'`.
    NullTerminated,
    /// `B'01'`, which no Enterprise COBOL has.
    Bits,
    /// `-12.5`.
    Number,
    /// `1.5E3`.
    Float,
}

/// A literal.
#[derive(Clone, Debug)]
pub struct Literal {
    /// Kind of the literal.
    pub kind: LiteralKind,
    /// Without prefix, quotes and doubled quotes; a number with its sign and a decimal point.
    pub text: Rc<str>,
    /// Place of the literal.
    pub at: At,
}

/// A figurative constant.
#[derive(Clone, Debug)]
pub enum Figurative {
    /// ZERO, ZEROS, ZEROES.
    Zero,
    /// SPACE, SPACES.
    Space,
    /// HIGH-VALUE, HIGH-VALUES.
    HighValue,
    /// LOW-VALUE, LOW-VALUES.
    LowValue,
    /// QUOTE, QUOTES.
    Quote,
    /// NULL, NULLS.
    Null,
    /// ALL with a literal.
    All(Literal),
}

/// A function with its arguments.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// LEADING or TRAILING among them (TRIM), ALPHANUMERIC, NATIONAL and other words.
    pub words: Vec<Name>,
    /// `(start:length)` of its result.
    pub modification: Option<Box<Modification>>,
}

/// Operands: anything that may stand where a value is used.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A literal.
    Literal(Literal),
    /// A figurative constant.
    Figurative(Figurative, At),
    /// An item, a register, an index.
    Reference(Reference),
    /// An intrinsic function.
    Function(FunctionCall),
    /// `LENGTH OF x`, also of a literal or a type.
    LengthOf(Box<Self>, At),
    /// `ADDRESS OF x`.
    AddressOf(Reference, At),
    /// `DFHRESP(x)` or `DFHVALUE(x)`.
    Cics {
        /// DFHRESP or DFHVALUE.
        table: Name,
        /// Name in its parentheses.
        name: Name,
    },
    /// TRUE or FALSE.
    Truth(bool, At),
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `**`.
    Power,
}

/// An arithmetic expression; an operand alone is one, too.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A value.
    Operand(Operand),
    /// A sign in front.
    Negative(Box<Self>),
    /// Two of them.
    Binary(Operator, Box<Self>, Box<Self>),
}

/// A relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`.
    Equal,
    /// `<>` or NOT `=`.
    Unequal,
    /// `>`.
    Greater,
    /// `<`.
    Less,
    /// `>=`.
    GreaterOrEqual,
    /// `<=`.
    LessOrEqual,
}

/// A class that characters are tested for.
#[derive(Clone, Debug)]
pub enum Class {
    /// NUMERIC.
    Numeric,
    /// ALPHABETIC.
    Alphabetic,
    /// ALPHABETIC-LOWER.
    AlphabeticLower,
    /// ALPHABETIC-UPPER.
    AlphabeticUpper,
    /// DBCS.
    DoubleByte,
    /// KANJI.
    Kanji,
    /// A name of SPECIAL-NAMES.
    Named(Reference),
}

/// A sign that a number is tested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// POSITIVE.
    Positive,
    /// NEGATIVE.
    Negative,
    /// ZERO.
    Zero,
}

/// A condition, abbreviations not yet written out.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Any of them.
    Or(Vec<Self>),
    /// All of them.
    And(Vec<Self>),
    /// Not this one.
    Not(Box<Self>, At),
    /// In parentheses: abbreviations do not reach out of them.
    Group(Box<Self>),
    /// A comparison; without a subject it takes the one before.
    Relation {
        /// The left side.
        subject: Option<Expression>,
        /// Relation of the comparison, with NOT already in it.
        relation: Relation,
        /// The right side.
        object: Expression,
        /// Place of the operator.
        at: At,
    },
    /// `x IS [NOT] NUMERIC`.
    Class {
        /// Subject of the test.
        subject: Expression,
        /// True if NOT stands there.
        not: bool,
        /// For what.
        class: Class,
    },
    /// `x IS [NOT] POSITIVE`.
    Sign {
        /// Subject of the test.
        subject: Expression,
        /// True if NOT stands there.
        not: bool,
        /// For what.
        sign: Sign,
    },
    /// A condition-name, a switch, or the object of an abbreviated comparison: names decide.
    Bare(Expression),
}

impl Reference {
    /// Place of the name.
    pub fn at(&self) -> At {
        self.name.at
    }

    /// Returns true if it is a name and nothing else.
    pub fn is_plain(&self) -> bool {
        self.subscripts.is_empty() && self.modification.is_none()
    }
}

impl Operand {
    /// Place where it begins.
    pub fn at(&self) -> At {
        match self {
            Self::Literal(literal) => literal.at,
            Self::Figurative(_, at) | Self::LengthOf(_, at) | Self::AddressOf(_, at) | Self::Truth(_, at) => {
                *at
            }
            Self::Reference(reference) => reference.at(),
            Self::Function(call) => call.name.at,
            Self::Cics { table, .. } => table.at,
        }
    }
}

impl Expression {
    /// Place where it begins.
    pub fn at(&self) -> At {
        match self {
            Self::Operand(operand) => operand.at(),
            Self::Negative(inner) => inner.at(),
            Self::Binary(_, left, _) => left.at(),
        }
    }

    /// The operand, if it is nothing else.
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Self::Operand(operand) => Some(operand),
            _ => None,
        }
    }
}
