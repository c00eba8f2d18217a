//! Ends of a command other than NORMAL.
//!
//! A *condition* is a normal outcome that the program may handle; an *abend* ends the task, with backout. Engine errors
//! (of records, of the COBOL host) never reach a program as themselves: each domain maps its own to one of these two.

use std::fmt;

use spec::Condition;

/// A transaction abend code, as in `ASRA`.
pub type AbendCode = crate::name::Name<4>;

/// A command's outcome other than NORMAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// A condition, with RESP2.
    Condition(Condition, i32),
    /// The task ends abnormally, unless the program has an exit for it.
    Abend(AbendCode),
}

/// An abend on its way to an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abend {
    /// Its code.
    pub code: AbendCode,
    /// Past every exit.
    pub cancel: bool,
    /// With a dump.
    pub dump: bool,
}

impl From<AbendCode> for Abend {
    fn from(code: AbendCode) -> Self {
        Self { code, cancel: false, dump: true }
    }
}

impl From<Raise> for Abend {
    fn from(raise: Raise) -> Self {
        match raise {
            Raise::Abend(code) => code.into(),
            Raise::Condition(condition, _) => {
                AbendCode::from(condition.default_abend().unwrap_or("AEIA")).into()
            }
        }
    }
}

/// Result of a command.
pub type Outcome<T = ()> = Result<T, Raise>;

impl Raise {
    /// An abend by its code.
    pub fn abend(code: &str) -> Self {
        Self::Abend(AbendCode::from(code))
    }
}

/// `cond::NOTFND.raise(80)`: a condition with its RESP2.
pub trait RaiseCondition {
    /// The condition as an outcome.
    fn raise(self, resp2: i32) -> Raise;
}

impl RaiseCondition for Condition {
    fn raise(self, resp2: i32) -> Raise {
        Raise::Condition(self, resp2)
    }
}

/// A bad address in a command's argument is the program's fault, as it would be in the program itself.
impl From<areas::StorageFault> for Raise {
    fn from(_: areas::StorageFault) -> Self {
        Self::abend("ASRA")
    }
}

impl fmt::Display for Raise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition(condition, 0) => write!(f, "{}", condition.name()),
            Self::Condition(condition, resp2) => write!(f, "{} RESP2({resp2})", condition.name()),
            Self::Abend(code) => write!(f, "abend {code}"),
        }
    }
}
