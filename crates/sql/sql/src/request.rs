//! Statements that go out in one flush and are answered as one.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::answer::{Answer, Described};
use crate::failure::Failure;
use crate::statement::{Locals, Preparation, Prepared, Statement};
use crate::value::{self, Argument};
use crate::wire::{Format, Outgoing, Parameters};

/// One thing that the server does of a request; each that runs something has a part in the answer.
#[derive(Clone, Copy)]
pub(crate) enum Step<'a> {
    /// Runs a statement without parameters.
    Plain(&'a Statement),
    /// Runs a statement through a portal, up to so many rows (0: all). The portal without a name lasts until the next.
    Run {
        statement: &'a Statement,
        described: &'a Described,
        parameters: &'a Parameters,
        portal: &'a str,
        rows: u32,
    },
    /// Opens a portal, and reads nothing yet; not a part.
    Bind { statement: &'a Statement, described: &'a Described, parameters: &'a Parameters, portal: &'a str },
    /// Goes on with a portal.
    More { portal: &'a str, rows: u32 },
}

impl Step<'_> {
    /// The settings of its statement.
    pub(crate) fn locals(&self) -> Option<&Rc<Locals>> {
        match self {
            Step::Run { statement, .. } | Step::Bind { statement, .. } => statement.locals(),
            Step::Plain(_) | Step::More { .. } => None,
        }
    }
}

/// Sent statements, as far as the answer needs them: those that the request prepares.
#[derive(Default)]
pub(crate) struct Request {
    parses: SmallVec<[Preparation; 2]>,
}

impl Request {
    /// Writes steps with their end.
    pub(crate) fn write(steps: &[Step<'_>], prepared: &mut Prepared, out: &mut Outgoing) -> Self {
        let mut request = Self::default();
        for step in steps {
            match *step {
                Step::Plain(statement) => {
                    request.prepare(statement, prepared, out);
                    out.bind("", statement.name(), &Parameters::default(), &[Format::Binary]);
                    out.execute("", 0);
                }
                Step::Run { statement, described, parameters, portal, rows } => {
                    request.prepare(statement, prepared, out);
                    out.bind(portal, statement.name(), parameters, &described.formats);
                    out.execute(portal, rows);
                }
                Step::Bind { statement, described, parameters, portal } => {
                    request.prepare(statement, prepared, out);
                    out.bind(portal, statement.name(), parameters, &described.formats);
                }
                Step::More { portal, rows } => out.execute(portal, rows),
            }
        }
        out.sync();
        request
    }

    /// Writes steps, and asks for the description of a statement behind them.
    pub(crate) fn describe(
        before: &[Step<'_>],
        statement: &Statement,
        prepared: &mut Prepared,
        out: &mut Outgoing,
    ) -> Self {
        let mut request = Self::default();
        for step in before {
            if let Step::Plain(statement) = *step {
                request.prepare(statement, prepared, out);
                out.bind("", statement.name(), &Parameters::default(), &[Format::Binary]);
                out.execute("", 0);
            }
        }
        request.prepare(statement, prepared, out);
        out.describe_statement(statement.name());
        out.sync();
        request
    }

    fn prepare(&mut self, statement: &Statement, prepared: &mut Prepared, out: &mut Outgoing) {
        if !prepared.has(statement) {
            statement.parse(out);
            self.parses.push(prepared.note(statement, out));
        }
    }

    /// Forgets what was not prepared after all, since something before it failed.
    pub(crate) fn settle(&self, answer: &Answer, prepared: &mut Prepared) {
        for &preparation in self.parses.get(answer.parsed..).unwrap_or_default() {
            prepared.forget(preparation);
        }
    }
}

/// Returns true if a statement that was refused may be run again at once, since only the session's idea of it was out of date.
pub(crate) fn is_stale(failure: &Failure) -> bool {
    match failure {
        Failure::Refused(fault) => {
            matches!(&fault.state, b"26000" | b"42P05")
                || (&fault.state == b"0A000" && fault.message.starts_with("cached plan must not"))
        }
        _ => false,
    }
}

/// Returns true if the server cannot infer a parameter's type, and the program's own type helps.
pub(crate) fn insists(failure: &Failure, statement: &Statement, arguments: &[Argument<'_>]) -> bool {
    failure.is(b"42P18") && {
        let own: SmallVec<[u32; 16]> = arguments.iter().map(|argument| argument.field.own_type()).collect();
        statement.insist(&own)
    }
}

/// The values of a statement's parameters.
pub(crate) fn parameters(
    statement: &Statement,
    described: &Described,
    arguments: &[Argument<'_>],
) -> Result<Parameters, Failure> {
    let constants = statement.constants();
    if constants.len() == 0 {
        return value::parameters(&described.parameters, arguments).map_err(Failure::from);
    }
    let all: SmallVec<[Argument<'_>; 16]> = arguments.iter().copied().chain(constants.arguments()).collect();
    value::parameters(&described.parameters, &all).map_err(Failure::from)
}

/// The description that an answer brings, or why it brings none.
pub(crate) fn described(statement: &Statement, answer: Answer) -> Result<Rc<Described>, Failure> {
    match (answer.fault, answer.described) {
        (Some(fault), _) => Err(Failure::Refused(fault)),
        (None, described) => {
            let described = described.unwrap_or_default();
            statement.set_described(Some(Rc::clone(&described)));
            Ok(described)
        }
    }
}
