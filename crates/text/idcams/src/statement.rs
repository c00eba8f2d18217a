//! Steps and statements: commands with the conditions around them.

use diagnostics::TextPlace;

use crate::Command;

/// The commands of one IDCAMS step, or of a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the step; none for a text of its own.
    pub name: Option<String>,
    /// Its statements in order.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A command; it sets LASTCC, and MAXCC if that is lower.
    Command(Box<Command>),
    /// IF … THEN … ELSE.
    If {
        /// Condition of the IF.
        condition: Condition,
        /// Statements that run if it holds; empty for a null command.
        then: Vec<Self>,
        /// Statements that run if it does not.
        otherwise: Vec<Self>,
        /// Place of the statement.
        place: TextPlace,
    },
    /// SET MAXCC or SET LASTCC.
    Set {
        /// Which code.
        code: Code,
        /// Its new value.
        value: u32,
        /// Place of the statement.
        place: TextPlace,
    },
    /// CANCEL: the step ends here.
    Cancel(TextPlace),
}

/// A condition code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The code of the command before.
    Last,
    /// The greatest code so far.
    Max,
}

/// LASTCC or MAXCC compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Which code.
    pub code: Code,
    /// Relation of the comparison.
    pub relation: Relation,
    /// With what.
    pub value: u32,
}

impl Condition {
    /// Returns true if the condition holds.
    pub fn holds(&self, last: u32, max: u32) -> bool {
        let code = match self.code {
            Code::Last => last,
            Code::Max => max,
        };
        match self.relation {
            Relation::Equal => code == self.value,
            Relation::NotEqual => code != self.value,
            Relation::Less => code < self.value,
            Relation::LessOrEqual => code <= self.value,
            Relation::Greater => code > self.value,
            Relation::GreaterOrEqual => code >= self.value,
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says its name")]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    /// The relation of a sign or a word.
    pub(crate) fn named(text: &str) -> Option<Self> {
        Some(match text {
            "=" | "EQ" => Self::Equal,
            "¬=" | "^=" | "<>" | "NE" => Self::NotEqual,
            "<" | "LT" => Self::Less,
            "<=" | "LE" => Self::LessOrEqual,
            ">" | "GT" => Self::Greater,
            ">=" | "GE" => Self::GreaterOrEqual,
            _ => return None,
        })
    }
}
