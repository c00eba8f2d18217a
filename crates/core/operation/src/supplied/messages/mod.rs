//! Messages from one user to another: CMSG routes them, CSPG shows them at their terminals, CWTO writes to the operator.
//!
//! A message is a START of CSPG at its terminal, so that it waits until no task is there, and may be sent for later. It stands
//! on the last rows: the screen above it and a conversation that it interrupts stay what they are. Out of scope: pages of BMS.

mod options;

use spec::{Condition, cmd, cond, opt};
use tn3270::datastream::Aid;

use options::{Destination, Options, Read, When};

use super::desk::Desk;
use super::panel::Panel;
use ebcdic::Characters;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Content, Flow, Parcel};
use kernel::limits::{HALFWORD_LENGTH_MAX, OPERATOR_TEXT_MAX};
use kernel::raise::{Abend, Outcome, Raise, RaiseCondition};
use kernel::task::WaitKind;
use kernel::terminals::{NextTask, Terminals, tell};

/// The word that ends an input without effect.
const CANCEL: &str = "CANCEL";
const CANCELLED: &str = "TERMINATED BY OPERATOR";
/// Terminals that one message may go to.
const DESTINATIONS_MAX: usize = 1_000;

/// CWTO: a message to the operator, who reads the region's log.
pub(super) fn to_operator<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let mut desk = Desk::of(context.task())?;
        let opening = desk.opening();
        let mut text =
            opening.split_once([' ', ',']).map_or(String::new(), |(_, text)| text.trim().to_owned());
        while text.is_empty() {
            match asked(&mut desk, "ENTER MESSAGE").await? {
                Some(typed) => text = typed,
                None => CANCEL.clone_into(&mut text),
            }
        }
        if is_cancelled(&text) {
            desk.say(CANCELLED).await?;
            return Ok(Flow::Return);
        }
        let from = format!("{}/{} ", desk.task.user.id, desk.terminal.name);
        let message: String = from.chars().chain(text.chars()).take(OPERATOR_TEXT_MAX).collect();
        let mut write = Parcel::new(cmd::WRITE_OPERATOR);
        given(write.give(opt::TEXT, bytes(&message)))?;
        let condition = issued(context, &write).await?;
        let told = match condition {
            cond::NORMAL => "MESSAGE HAS BEEN SENT".to_owned(),
            other => format!("MESSAGE IS NOT SENT: {}", other.name()),
        };
        Desk::of(context.task())?.say(&told).await?;
        Ok(Flow::Return)
    })
}

/// CMSG: a message to terminals.
pub(super) fn route<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let mut desk = Desk::of(context.task())?;
        let opening = desk.opening();
        let mut typed =
            opening.split_once([' ', ',']).map_or(String::new(), |(_, text)| text.trim().to_owned());
        let mut options = Options::default();
        loop {
            let read = if is_cancelled(&typed) { Ok(Read::Cancelled) } else { options.read(&typed) };
            let question = match read {
                Ok(Read::Cancelled) => break Desk::of(context.task())?.say(CANCELLED).await?,
                Ok(Read::Send) => match options.missing() {
                    None => break send(context, &options).await?,
                    Some(missing) => missing.to_owned(),
                },
                Ok(Read::More) => "CONTINUE THE MESSAGE; SEND ENDS IT".to_owned(),
                Err(why) => why,
            };
            let mut desk = Desk::of(context.task())?;
            typed = asked(&mut desk, &question).await?.unwrap_or_else(|| CANCEL.to_owned());
        }
        Ok(Flow::Return)
    })
}

/// CSPG: shows the message that it was started with. A conversation that it has come between goes on.
pub(super) fn show<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let mut retrieve = Parcel::new(cmd::RETRIEVE);
        given(retrieve.room(opt::INTO, HALFWORD_LENGTH_MAX))?;
        let condition = issued(context, &retrieve).await?;
        let desk = Desk::of(context.task())?;
        match retrieve.content(opt::INTO) {
            Some(Content::Bytes(message)) if condition == cond::NORMAL => {
                let text = Characters::default().text(&message);
                let told = tell(&desk.task.region, &desk.terminal, &text);
                desk.task.wait(WaitKind::TERMINAL, told).await?;
                let transaction = desk.terminal.next_transaction();
                let commarea = context.commarea()?;
                let task = context.task();
                task.next = NextTask {
                    transaction,
                    commarea,
                    channel: task.level().channel.clone(),
                    ..NextTask::default()
                };
            }
            _ => desk.say("CSPG SHOWS MESSAGES OF CMSG; THERE ARE NO PAGES OF BMS").await?,
        }
        Ok(Flow::Return)
    })
}

/// Starts CSPG at each terminal, and says what came of it.
async fn send(context: &mut Context<'_>, options: &Options) -> Outcome {
    let desk = Desk::of(context.task())?;
    let sender = format!("{} AT {}", desk.task.user.id, desk.terminal.name);
    let terminals = terminals(&desk, options);
    let message = options.message(&sender);
    let (mut routed, mut failed) = (0, Vec::new());
    for terminal in terminals {
        let mut start = Parcel::new(cmd::START);
        given(start.give(opt::TRANSID, Content::text("CSPG")))?;
        given(start.give(opt::TERMID, Content::text(&terminal)))?;
        given(start.give(opt::FROM, bytes(&message)))?;
        match options.when {
            When::Now => {}
            When::At(time) => given(start.give(opt::TIME, Content::Number(time)))?,
            When::After(interval) => given(start.give(opt::INTERVAL, Content::Number(interval)))?,
        }
        match issued(context, &start).await? {
            cond::NORMAL => routed += 1,
            condition => failed.push(format!("{terminal} {}", condition.name())),
        }
    }
    let told = match (routed, failed.as_slice()) {
        (0, []) => "MESSAGE IS NOT ROUTED: NO TERMINAL IS THERE".to_owned(),
        (_, []) => "MESSAGE HAS BEEN ROUTED".to_owned(),
        (0, failed) => format!("MESSAGE IS NOT ROUTED: {}", failed.join(", ")),
        (_, failed) => format!("MESSAGE HAS BEEN ROUTED, BUT NOT TO {}", failed.join(", ")),
    };
    Desk::of(context.task())?.say(&told).await
}

/// The names of the terminals that are meant, each once.
fn terminals(desk: &Desk<'_>, options: &Options) -> Vec<String> {
    let displays: Vec<_> =
        Terminals::of(&desk.task.region).list().into_iter().filter(|t| !t.is_printer()).collect();
    let mut names: Vec<String> = Vec::new();
    for destination in &options.route {
        match destination {
            Destination::All => names.extend(displays.iter().map(|terminal| terminal.name.to_string())),
            Destination::Terminal(name) => names.push(name.clone()),
            Destination::User { id, at } => {
                let is_meant = |name: &str| at.as_ref().is_none_or(|at| at == name);
                let theirs =
                    displays.iter().filter(|terminal| terminal.user().id.to_string().trim_end() == id);
                names.extend(theirs.map(|terminal| terminal.name.to_string()).filter(|name| is_meant(name)));
            }
        }
    }
    for name in &mut names {
        name.truncate(name.trim_end().len());
    }
    names.sort();
    names.dedup();
    names.retain(|name| !options.except.contains(name));
    names.truncate(DESTINATIONS_MAX);
    names
}

/// Asks for a line; `None` if the user leaves. An empty one is asked for again.
async fn asked(desk: &mut Desk<'_>, question: &str) -> Outcome<Option<String>> {
    const ENTRY: super::panel::PanelPlace = (2, 2);
    let mut told = question;
    loop {
        let length = usize::from(desk.size().columns.saturating_sub(2));
        let mut panel = Panel::default();
        panel.bright((1, 2), told).entry(ENTRY, length, "").cursor(ENTRY);
        desk.show(&panel).await?;
        let reply = desk.read().await?;
        match reply.at(ENTRY) {
            _ if matches!(reply.aid, Aid::Clear | Aid::Pf(3 | 15)) => return Ok(None),
            Some(text) if !text.is_empty() => return Ok(Some(text.to_owned())),
            _ => told = "NO INPUT - REENTER",
        }
    }
}

fn is_cancelled(text: &str) -> bool {
    text.trim_end().to_ascii_uppercase().ends_with(CANCEL)
}

fn bytes(text: &str) -> Content {
    Content::Bytes(Characters::default().bytes(text))
}

/// Has a command answered.
async fn issued(context: &mut Context<'_>, parcel: &Parcel) -> Outcome<Condition> {
    match context.issue(parcel).await {
        Ok(_) => Ok(parcel.response().map_or(cond::ERROR, |(condition, _)| condition)),
        Err(Abend { code, .. }) => Err(Raise::Abend(code)),
    }
}

/// An option of our own commands fits its record.
fn given<E>(given: Result<(), E>) -> Outcome {
    given.map_err(|_| cond::INVREQ.raise(0))
}
