//! CEDA, CEDB and CEDC: the texts of definitions at a terminal. CEDB does not install, CEDC only looks.
//!
//! A command is what `syncpoint csd` and EXEC CICS CSD take, too: `definitions::requests` carries it out, `screen` shows what came of it, and what is
//! typed over becomes an ALTER.

mod attributes;
mod screen;

use csd::{Given, request};
use spec::cond;
use tn3270::datastream::Aid;

use screen::{COMMAND, Drawn, Spot, draw};

use super::desk::{Desk, Reply};
use crate::definitions::requests::{Answer, Message, Rights, View, carry_out};
use crate::outside::{self, Operated};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::registry::Manager;
use kernel::task::Task;

/// CEDA, CEDB or CEDC, by the name of its transaction.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        if task.terminal().is_none() {
            return without_terminal(task).await;
        }
        let rights = rights(task);
        let mut desk = Desk::of(task)?;
        let text = desk.opening();
        let mut session = Session::new(rights);
        session.obey(desk.task, own(&text)).await?;
        loop {
            let drawn = session.show(&desk).await?;
            let reply = desk.read().await?;
            match reply.aid {
                Aid::Pf(3 | 12 | 15 | 24) | Aid::Clear => {
                    desk.say(&format!("{} SESSION ENDED", rights.name)).await?;
                    return Ok(Flow::Return);
                }
                Aid::Enter => session.enter(&desk, &drawn, &reply).await?,
                key => session.turn(key, &drawn),
            }
        }
    })
}

/// The verbs of a transaction.
fn rights(task: &Task) -> Rights {
    match task.transaction.name.to_string().as_str() {
        "CEDB" => Rights { name: "CEDB", changes: true, installs: false },
        "CEDC" => Rights { name: "CEDC", changes: false, installs: false },
        _ => Rights { name: "CEDA", changes: true, installs: true },
    }
}

/// The command without the name of the transaction.
fn own(text: &str) -> &str {
    let text = text.trim();
    match text.get(..4) {
        Some(name) if ["CEDA", "CEDB", "CEDC"].contains(&name.to_ascii_uppercase().as_str()) => {
            text[4..].trim()
        }
        _ => text,
    }
}

/// One command that comes with its task, and its answer as text in the task's channel.
async fn without_terminal(task: &mut Task) -> Outcome<Flow> {
    let level = task.level_mut();
    let text = level.input_message.take().unwrap_or_default();
    let channel = level.channel.clone().ok_or_else(|| cond::NOTALLOC.raise(0))?;
    let text = task.characters().text(&text);
    let mut session = Session::new(rights(task));
    session.obey(task, own(&text)).await?;
    let Answer { messages, result, succeeded, .. } = &session.answer;
    let mut lines: String = messages.iter().map(|Message(level, text)| format!("{level} {text}\n")).collect();
    lines.push_str(&format!("{result}\n"));
    outside::answer(&channel, &Operated { text: lines, errors: usize::from(!succeeded) });
    Ok(Flow::Return)
}

/// A view in place of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aside {
    Help,
    Messages,
}

/// The state of a session.
struct Session {
    rights: Rights,
    command: String,
    answer: Answer,
    aside: Option<Aside>,
    above: usize,
}

impl Session {
    fn new(rights: Rights) -> Self {
        Self { rights, command: String::new(), answer: Answer::choices(rights), aside: None, above: 0 }
    }

    async fn obey(&mut self, task: &Task, text: &str) -> Outcome {
        (self.above, self.aside, self.command) = (0, None, text.to_owned());
        self.answer = answer(task, self.rights, text).await?;
        Ok(())
    }

    async fn show(&self, desk: &Desk<'_>) -> Outcome<Drawn> {
        let options = &desk.task.region.options;
        let names = format!("SYSID={} APPLID={}", options.sysid, options.applid);
        let drawn = draw(self.rights.name, &self.command, &self.answer, self.aside, self.above, &names);
        desk.show(&drawn.panel).await?;
        Ok(drawn)
    }

    /// The keys that turn pages, and those of help and messages.
    fn turn(&mut self, key: Aid, drawn: &Drawn) {
        let page = screen::ROWS;
        match key {
            Aid::Pf(8 | 11 | 20 | 23) if self.above + page < drawn.rows => self.above += page,
            Aid::Pf(7 | 10 | 19 | 22) => self.above = self.above.saturating_sub(page),
            Aid::Pf(1 | 13) => (self.aside, self.above) = (Some(Aside::Help), 0),
            Aid::Pf(9 | 21) => (self.aside, self.above) = (Some(Aside::Messages), 0),
            _ => {}
        }
    }

    /// ENTER: another command, values typed over, or commands beside resources.
    async fn enter(&mut self, desk: &Desk<'_>, drawn: &Drawn, reply: &Reply) -> Outcome {
        if let Some(text) = reply.at(COMMAND) {
            let text = text.to_owned();
            return self.obey(desk.task, own(&text)).await;
        }
        if self.aside.take().is_some() {
            self.above = 0;
            return Ok(());
        }
        let typed = |spot: &&(super::panel::PanelPlace, Spot)| reply.at(spot.0).is_some();
        let typed: Vec<_> = drawn.spots.iter().filter(typed).collect();
        if let View::Panel { definition, .. } = &self.answer.view {
            let new = typed.iter().filter_map(|(place, spot)| {
                let Spot::Attribute(name, shown) = spot else { return None };
                let value = reply.at(*place)?;
                (value != shown).then(|| format!(" {name}({})", csd::quoted_if_needed(value)))
            });
            let new: String = new.collect();
            if !new.is_empty() {
                let of =
                    format!("ALTER {}({}) GROUP({})", definition.resource, definition.name, definition.group);
                let above = self.above;
                let shown = self.answer.view.clone();
                self.answer = answer(desk.task, self.rights, &format!("{of}{new}")).await?;
                self.above = above;
                if !self.answer.succeeded {
                    self.answer.view = shown;
                    "ALTER UNSUCCESSFUL".clone_into(&mut self.answer.result);
                }
            }
            return Ok(());
        }
        for (place, spot) in typed {
            let (Spot::Line(at), Some(text)) = (spot, reply.at(*place)) else { continue };
            self.beside(desk, *at, text).await?;
        }
        Ok(())
    }

    /// A command beside a resource of a list.
    async fn beside(&mut self, desk: &Desk<'_>, at: usize, text: &str) -> Outcome {
        let View::Rows(rows) = &mut self.answer.view else { return Ok(()) };
        let Some(row) = rows.get_mut(at).filter(|_| !text.is_empty() && text != "=") else { return Ok(()) };
        let command = format!("{text} {}", row.names());
        let done = answer(desk.task, self.rights, &command).await?;
        row.note = if done.succeeded { "*".to_owned() } else { String::from("**") };
        if matches!(done.view, View::Panel { .. }) {
            (self.answer, self.above, self.command) = (done, 0, command);
            return Ok(());
        }
        self.answer.messages.extend(done.messages);
        self.answer.result = done.result;
        Ok(())
    }
}

/// The answer to a command.
async fn answer(task: &Task, rights: Rights, text: &str) -> Outcome<Answer> {
    if text.is_empty() {
        return Ok(Answer::choices(rights));
    }
    match request(text, Given::Online) {
        Ok(asked) => carry_out(&Manager::of(task), rights, &asked, None).await,
        Err(messages) => Ok(Answer::not_read(rights, &messages)),
    }
}
