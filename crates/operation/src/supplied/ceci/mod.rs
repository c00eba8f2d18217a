//! CECI has a command carried out that is typed at a terminal; CECS only says whether it is one.
//!
//! A command is shown before it is carried out, and with its response and results after it. It is answered by the handlers
//! that answer programs, over a parcel, in this task: what one command has locked or read, the next finds.

mod screen;

use spec::{Command, Kind, cmd};
use tn3270::datastream::Aid;

use screen::{COMMAND, ROWS, Stage, View, draw};

use super::desk::{Desk, Reply};
use kernel::dispatcher::{Context, NativeWaiting};
use kernel::exec::{Flow, Parcel, issue};
use kernel::raise::{Outcome, Raise};
use kernel::task::Task;

/// CECI.
pub(super) fn execute<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    let task = context.task();
    Box::pin(converse(task, true))
}

/// CECS.
pub(super) fn check<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    let task = context.task();
    Box::pin(converse(task, false))
}

async fn converse(task: &mut Task, executes: bool) -> Outcome<Flow> {
    let mut desk = Desk::of(task)?;
    let text = desk.opening().split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let mut session = Session::new(executes, text.trim());
    loop {
        let rows = session.show(&desk).await?;
        let reply = desk.read().await?;
        match reply.aid {
            Aid::Pf(3 | 15) | Aid::Clear => {
                desk.say("STATUS:  SESSION ENDED").await?;
                return Ok(Flow::Return);
            }
            Aid::Enter => {
                if let Some(flow) = session.enter(&mut desk, &reply).await? {
                    return Ok(flow);
                }
            }
            aid => session.turn(aid, rows),
        }
    }
}

/// What a user of CECI is about.
struct Session {
    executes: bool,
    text: String,
    /// The command, or what is wrong with the text.
    read: Result<Parcel, Vec<String>>,
    eib: bool,
    hexadecimal: bool,
    above: usize,
}

impl Session {
    fn new(executes: bool, text: &str) -> Self {
        let read = Parcel::read(text).and_then(|parcel| match refusal(parcel.command()) {
            Some(why) if executes => Err(vec![why]),
            _ => Ok(parcel),
        });
        Self { executes, text: text.to_owned(), read, eib: false, hexadecimal: false, above: 0 }
    }

    /// Shows where things stand: how many rows there are.
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
            eib: self.eib.then(|| task.level().eib.bytes()),
            hexadecimal: self.hexadecimal,
            above: self.above,
            region: format!("SYSID={} APPLID={}", options.sysid, options.applid),
            character: &|byte| code_page.character(byte),
        };
        let (panel, rows) = draw(&view);
        desk.show(&panel).await?;
        Ok(rows)
    }

    /// ENTER: another command is read, and the one that is there is carried out. One that has been begins again.
    async fn enter(&mut self, desk: &mut Desk<'_>, reply: &Reply) -> Outcome<Option<Flow>> {
        let typed = reply.at(COMMAND).unwrap_or(&self.text).to_owned();
        match &self.read {
            Ok(parcel) if self.executes && typed == self.text && parcel.response().is_none() => {
                let flow = issue(desk.task, parcel).await.map_err(Raise::Abend)?;
                if let Flow::Abend(_) = flow {
                    return Ok(Some(flow));
                }
                self.above = 0;
                if writes_screen(parcel.command()) {
                    // Until a key is pressed it is the command's screen that is seen.
                    desk.read().await?;
                }
            }
            _ => *self = Self::new(self.executes, &typed),
        }
        Ok(None)
    }

    /// Another view, or other rows of it.
    fn turn(&mut self, aid: Aid, rows: usize) {
        match aid {
            Aid::Pf(2 | 14) => self.hexadecimal = !self.hexadecimal,
            Aid::Pf(4 | 16) => (self.eib, self.above) = (!self.eib, 0),
            Aid::Pf(7 | 19) => self.above = self.above.saturating_sub(ROWS),
            Aid::Pf(8 | 20) if self.above + ROWS < rows => self.above += ROWS,
            _ => {}
        }
    }
}

/// Why a command can be carried out in a program only.
fn refusal(command: &Command) -> Option<String> {
    let passes_control = [cmd::LINK, cmd::XCTL, cmd::RETURN].contains(&command.id);
    let is_about_labels = command.group == "exception support"
        || command.options.iter().any(|option| option.kind == Kind::Label);
    (passes_control || is_about_labels)
        .then(|| format!("{} needs a program, and is not carried out here.", command.name))
}

/// Whether the command leaves something on the terminal's screen.
fn writes_screen(command: &Command) -> bool {
    command.name.starts_with("SEND")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_program_is_refused_and_only_checked_by_cecs() {
        for text in
            ["LINK PROGRAM(A)", "RETURN", "PUSH HANDLE", "HANDLE ABEND CANCEL", "IGNORE CONDITION ERROR"]
        {
            let refused = Session::new(true, text).read.expect_err(text);
            assert!(refused[0].ends_with("needs a program, and is not carried out here."), "{refused:?}");
            assert!(Session::new(false, text).read.is_ok(), "{text}");
        }
        assert!(Session::new(true, "ABEND ABCODE(ABCD)").read.is_ok());
    }
}
