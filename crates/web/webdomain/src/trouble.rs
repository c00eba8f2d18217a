//! Failures of requests.

use areas::Area;
use kernel::dispatcher::Context;
use kernel::exec::{Flow, Parcel};
use kernel::name::Name8;
use kernel::raise::{Abend, Outcome, Raise};
use spec::{cmd, cond};
use web::Answer;

/// Failure of a request.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// WBEP-ERROR-CODE.
    pub what: What,
    /// Status of the answer.
    pub status: u16,
    /// Text of the answer.
    pub text: String,
    /// Text for the log; empty for the client's text.
    pub message: String,
    /// The program that is at fault.
    pub program: Option<Name8>,
    /// Its abend.
    pub abend: Option<Abend>,
    /// Answer of the analyzer: response and reason.
    pub analyzer: (i64, i64),
    /// Answer of the converter.
    pub converter: (i64, i64),
}

/// Places of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// No URI map matches.
    Nowhere = 1,
    /// The URI map or its host is disabled.
    Disabled = 2,
    /// It is reached over TLS only.
    NeedsTls = 3,
    /// The analyzer.
    Analyzer = 4,
    /// The converter.
    Converter = 5,
    /// A program cannot be used.
    Unusable = 6,
    /// A program has abended.
    Abended = 7,
    /// The program has sent nothing.
    NoAnswer = 8,
    /// The task cannot be had.
    NoTask = 9,
}

impl Trouble {
    /// Something that the client reads as it is.
    pub fn new(what: What, status: u16, text: impl Into<String>) -> Self {
        Self {
            what,
            status,
            text: text.into(),
            message: String::new(),
            program: None,
            abend: None,
            analyzer: (0, 0),
            converter: (0, 0),
        }
    }

    /// A program has abended.
    pub fn abended(program: Name8, abend: Abend) -> Self {
        let text = format!("abend {}", abend.code);
        Self { program: Some(program), abend: Some(abend), ..Self::new(What::Abended, 500, text) }
    }

    /// A program cannot be LINKed to.
    pub fn unusable(program: Name8, why: Raise) -> Self {
        let (status, text) = match why {
            Raise::Condition(cond::PGMIDERR, _) => (404, "the program is not there"),
            Raise::Condition(cond::NOTAUTH, _) => (403, "not for this user"),
            _ => return Self::abended(program, why.into()),
        };
        let message = format!("program {program} of a request cannot be used: {why}");
        Self { program: Some(program), message, ..Self::new(What::Unusable, status, text) }
    }

    /// Answer to the client if no program gives another.
    pub fn answer(&self) -> Answer {
        Answer::text(self.status, self.text.as_str())
    }
}

/// LINKs to a program that works for a request.
///
/// # Errors
/// The fault in it.
pub(crate) async fn link(
    context: &mut Context<'_>,
    program: Name8,
    commarea: Option<&Area>,
) -> Result<(), Trouble> {
    match context.try_link(program, commarea, None).await {
        Ok(linked) => linked.map_err(|why| Trouble::unusable(program, why)),
        Err(abend) => Err(Trouble::abended(program, abend)),
    }
}

/// Undoes what a task has changed.
///
/// # Errors
/// An abend of the backout.
pub(crate) async fn back_out(context: &mut Context<'_>) -> Outcome {
    let issued = context.issue(&Parcel::new(cmd::SYNCPOINT_ROLLBACK)).await;
    issued.map(|_: Flow| ()).map_err(|abend| Raise::Abend(abend.code))
}
