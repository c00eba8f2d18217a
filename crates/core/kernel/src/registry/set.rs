//! Shared parts of all SET commands.

use std::fmt;
use std::ops::RangeInclusive;

use spec::{OptionId, cond};

use super::Manager;
use crate::exec::{Call, Waiting};
use crate::raise::{Outcome, RaiseCondition};

/// One thing that SET can change of a resource.
pub struct Setting<T: 'static> {
    /// The option that gives the value.
    pub option: OptionId,
    /// The values that it takes.
    pub takes: Takes,
    /// RESP2 of INVREQ for any other value.
    pub resp2: i32,
    /// Its effect.
    pub set: Set<T>,
}

/// The values of a setting.
pub enum Takes {
    /// One of these CVDAs; each has a keyword of its own.
    OneOf(&'static [(&'static str, OptionId)]),
    /// A number.
    Number(RangeInclusive<i64>),
    /// Characters.
    Text,
}

/// A value that was given for a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A CVDA by its name.
    Cvda(&'static str),
    /// A number in its range.
    Number(i64),
    /// Characters.
    Text(Vec<u8>),
}

/// Options of one command.
pub type Changes<'a> = &'a [(OptionId, Given)];

/// Effects of a setting.
pub enum Set<T: 'static> {
    /// At once.
    Now(fn(&Manager, &T, &Given) -> Outcome),
    /// It may wait.
    Waits(for<'a> fn(&'a Manager, &'a T, &'a Given) -> Waiting<'a>),
    /// The same, and something else that was given says how.
    Among(for<'a> fn(&'a Manager, &'a T, &'a Given, Changes<'a>) -> Waiting<'a>),
    /// It says how another is done.
    No,
}

impl Given {
    /// Returns true if it is this CVDA.
    pub fn is(&self, name: &str) -> bool {
        matches!(self, Self::Cvda(given) if *given == name)
    }

    /// The number; 0 if it is none.
    pub fn number(&self) -> i64 {
        if let Self::Number(number) = self { *number } else { 0 }
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cvda(name) => f.write_str(name),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(String::from_utf8_lossy(text).trim_end()),
        }
    }
}

impl Takes {
    /// The value that a command gives: by value, or as a keyword of its own.
    pub(super) fn given(&self, call: &Call<'_>, option: OptionId, resp2: i32) -> Outcome<Option<Given>> {
        let refuse = || cond::INVREQ.raise(resp2);
        match self {
            Self::OneOf(choices) => {
                let Some(number) = call.number(option)? else {
                    let keyword = choices.iter().find(|(_, keyword)| call.keyword(*keyword));
                    return Ok(keyword.map(|(name, _)| Given::Cvda(name)));
                };
                let is = |name: &str| spec::cvda(name).is_some_and(|n| i64::from(n) == number);
                let chosen = choices.iter().find(|(name, _)| is(name)).ok_or_else(refuse)?;
                Ok(Some(Given::Cvda(chosen.0)))
            }
            Self::Number(range) => match call.number(option)? {
                Some(number) if !range.contains(&number) => Err(refuse()),
                number => Ok(number.map(Given::Number)),
            },
            Self::Text => Ok(call.bytes(option)?.map(|bytes| Given::Text(bytes.to_vec()))),
        }
    }
}
