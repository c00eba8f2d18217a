//! CECI has a command carried out that is typed at a terminal; CECS only says whether it is one.
//!
//! A command is shown before it is carried out, and with its response and results after it. It is answered by the
//! handlers that answer programs, over a parcel, in this task: the next command finds the locks and positions of the
//! one before.

mod screen;

use spec::{Command, Kind};
use tn3270::datastream::Aid;

use screen::{Aside, COMMAND, Stage, View, draw};

use super::desk::{Desk, Reply};
use super::frame::Frame;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Flow, Parcel};
use kernel::raise::{Abend, Outcome, Raise};

/// CECI.
pub(super) fn execute<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(converse(context, true))
}

/// CECS.
pub(super) fn check<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(converse(context, false))
}

async fn converse(context: &mut Context<'_>, executes: bool) -> Outcome<Flow> {
    let mut desk = Desk::of(context.task())?;
    let text = desk.opening().split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let mut session = Session::new(executes, text.trim());
    loop {
        let mut desk = Desk::whole(context.task())?;
        let frame = Frame(desk.size());
        let rows = session.show(&desk).await?;
        let reply = desk.read().await?;
        match reply.aid {
            Aid::Pf(3 | 15) | Aid::Clear => {
                desk.say("STATUS:  SESSION ENDED").await?;
                return Ok(Flow::Return);
            }
            Aid::Enter => {
                if let Some(flow) = session.enter(context, &reply).await? {
                    return Ok(flow);
                }
            }
            aid => session.turn(aid, rows, frame.rows()),
        }
    }
}

/// The session of a user of CECI.
struct Session {
    executes: bool,
    text: String,
    /// The command, or the faults of the text.
    read: Result<Parcel, Vec<String>>,
    aside: Option<Aside>,
    hexadecimal: bool,
    above: usize,
}

impl Session {
    fn new(executes: bool, text: &str) -> Self {
        let read = Parcel::read(text).and_then(|parcel| match refusal(parcel.command()) {
            Some(why) if executes => Err(vec![why]),
            _ => Ok(parcel),
        });
        Self { executes, text: text.to_owned(), read, aside: None, hexadecimal: false, above: 0 }
    }

    /// Shows the present state; returns the number of rows.
    async fn show(&self, desk: &Desk<'_>) -> Outcome<usize> {
        let (task, options) = (&desk.task, &desk.task.region.options);
        let code_page = task.region.options.terminal_code_page;
        let view = View {
            text: &self.text,
            stage: match &self.read {
                Err(mistakes) => Stage::Wrong(mistakes),
                Ok(parcel) if !self.executes => Stage::Right(parcel),
                Ok(parcel) => match parcel.response() {
                    Some((condition, resp2)) => Stage::Answered(parcel, condition, resp2),
                    None => Stage::Ready(parcel),
                },
            },
            eib: (self.aside == Some(Aside::Block)).then(|| task.level().eib.bytes()),
            aside: self.aside,
            hexadecimal: self.hexadecimal,
            above: self.above,
            region: format!("SYSID={} APPLID={}", options.sysid, options.applid),
            character: &|byte| code_page.character(byte),
        };
        let (panel, rows) = draw(&view, Frame(desk.size()));
        desk.show(&panel).await?;
        Ok(rows)
    }

    /// ENTER: another command is read, and the one that is there is carried out. One that has been begins again.
    async fn enter(&mut self, context: &mut Context<'_>, reply: &Reply) -> Outcome<Option<Flow>> {
        let typed = reply.at(COMMAND).unwrap_or(&self.text).to_owned();
        if self.aside.take().is_some() && typed == self.text {
            self.above = 0;
            return Ok(None);
        }
        match &self.read {
            Ok(parcel) if self.executes && typed == self.text && parcel.response().is_none() => {
                let terminal = Desk::of(context.task())?.terminal;
                let written = terminal.writes();
                let flow = match context.issue(parcel).await {
                    Ok(flow) => flow,
                    // One of CECI's own command, or of a program to which it has LINKed.
                    Err(Abend { code, .. }) => return Err(Raise::Abend(code)),
                };
                // XCTL and RETURN leave CECI, as they leave a program.
                if !matches!(flow, Flow::On) {
                    return Ok(Some(flow));
                }
                self.above = 0;
                if terminal.writes() != written {
                    // Until a key is pressed it is the screen of the command, or of its program, that is seen.
                    Desk::of(context.task())?.read().await?;
                }
            }
            _ => *self = Self::new(self.executes, &typed),
        }
        Ok(None)
    }

    /// Looks at something in place of the command, or no longer.
    fn look_at(&mut self, aside: Aside) {
        let seen = self.aside == Some(aside);
        (self.aside, self.above) = ((!seen).then_some(aside), 0);
    }

    /// Another view, or other rows of it.
    fn turn(&mut self, aid: Aid, rows: usize, page: usize) {
        match aid {
            Aid::Pf(1 | 13) => self.look_at(Aside::Help),
            Aid::Pf(2 | 14) => self.hexadecimal = !self.hexadecimal,
            Aid::Pf(4 | 16) => self.look_at(Aside::Block),
            Aid::Pf(7 | 10 | 19 | 22) => self.above = self.above.saturating_sub(page),
            Aid::Pf(8 | 11 | 20 | 23) if self.above + page < rows => self.above += page,
            Aid::Pf(9 | 21) => self.look_at(Aside::Messages),
            _ => {}
        }
    }
}

/// The reason why a command can be carried out in a program only.
fn refusal(command: &Command) -> Option<String> {
    let is_about_labels = command.group == "exception support"
        || command.options.iter().any(|option| option.kind == Kind::Label);
    is_about_labels.then(|| format!("{} needs a program, and is not carried out here.", command.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_program_is_refused_and_only_checked_by_cecs() {
        for text in ["PUSH HANDLE", "HANDLE ABEND CANCEL", "IGNORE CONDITION ERROR"] {
            let refused = Session::new(true, text).read.expect_err(text);
            assert!(refused[0].ends_with("needs a program, and is not carried out here."), "{refused:?}");
            assert!(Session::new(false, text).read.is_ok(), "{text}");
        }
        for text in ["ABEND ABCODE(ABCD)", "LINK PROGRAM(A)", "XCTL PROGRAM(A)", "RETURN"] {
            assert!(Session::new(true, text).read.is_ok(), "{text}");
        }
    }
}
