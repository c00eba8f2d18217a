//! CRTE SYSID=name: whatever is typed runs in another region, until CANCEL.

use std::sync::Arc;

use domains::commands::terminals::receive_input;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::{Name, TransactionName};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::NextTask;
use kernel::terminals::{Terminal, empty_screen, tell};
use spec::cond;
use tn3270::datastream::Aid;

use super::dynamic::text;
use super::message::Begins;
use super::relay::{Going, pass_to};
use super::route::RoutePlace;
use crate::partner::Status;
use crate::systems::Systems;

/// The program of CRTE.
pub(super) const PROGRAM: &str = "DFHRTE";

/// The program.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let terminal = context.terminal().cloned().ok_or_else(|| cond::NOTALLOC.raise(0))?;
        let typed = match context.task().take_input_message() {
            Some(message) => message,
            None => terminal.take_input().map(|input| text(context, &input)).unwrap_or_default(),
        };
        let applid = context.region.options.applid;
        let Some(system) = system(&typed) else {
            say(context, &terminal, &format!("DFHRT4415 {applid} SYSID is missing: CRTE SYSID=name.")).await;
            return Ok(Flow::Return);
        };
        if let Err(why) = is_there(context, system) {
            say(context, &terminal, &format!("DFHRT4416 {applid} {why}")).await;
            return Ok(Flow::Return);
        }
        let text = format!("DFHRT4401 {applid} ROUTING SESSION TO SYSTEM {system} STARTED. CANCEL ends it.");
        say(context, &terminal, &text).await;
        session(context, &terminal, system).await?;
        let text = format!("DFHRT4402 {applid} ROUTING SESSION TO SYSTEM {system} ENDED.");
        say(context, &terminal, &text).await;
        Ok(Flow::Return)
    })
}

/// Routes what is typed, until CANCEL.
async fn session(context: &mut Context<'_>, terminal: &Arc<Terminal>, system: Name<4>) -> Outcome {
    let mut next = NextTask::default();
    loop {
        let input = if next.immediate { None } else { Some(receive_input(context.task(), terminal).await?) };
        if let Some(input) = &input {
            if word(&text(context, input), 0).eq_ignore_ascii_case(b"CANCEL") {
                return Ok(());
            }
            if next.transaction.is_none() && input.aid == Aid::Clear {
                write(context, terminal, empty_screen()).await?;
                continue;
            }
        }
        let named =
            || input.as_ref().map(|input| TransactionName::new(word(&text(context, input), 0)).upper());
        let transaction = next.transaction.or_else(named).unwrap_or_default();
        let going = Going {
            begins: Begins::Terminal,
            input,
            commarea: next.commarea,
            channel: next.channel.map(|channel| channel.to_bytes()),
            input_message: next.input_message,
        };
        next =
            pass_to(context, terminal, RoutePlace { system, transaction }, going, next.transaction).await?;
        if terminal.is_gone() {
            return Err(Raise::abend("ATNI"));
        }
    }
}

/// The system that the input names.
fn system(typed: &[u8]) -> Option<Name<4>> {
    let typed = typed.to_ascii_uppercase();
    let at = typed.windows(5).position(|window| window == b"SYSID")? + 5;
    let name = word(&typed[at..], 0);
    (!name.is_empty() && name.len() <= 4).then(|| Name::new(name))
}

/// A word of a text, by its number.
fn word(text: &[u8], number: usize) -> &[u8] {
    let mut words = text.split(|byte| b" ,()=\0".contains(byte)).filter(|word| !word.is_empty());
    words.nth(number).unwrap_or_default()
}

/// Looks whether a system is there.
///
/// # Errors
/// It is not, and why.
fn is_there(context: &Context<'_>, system: Name<4>) -> Result<(), String> {
    match Systems::of(&context.region).of_system(system) {
        None => Err(format!("System {system} is not defined.")),
        Some(partner) if partner.state.lock().status != Status::Acquired => {
            Err(format!("The link to system {system} is not there."))
        }
        Some(_) => Ok(()),
    }
}

async fn write(context: &mut Context<'_>, terminal: &Terminal, stream: Vec<u8>) -> Outcome {
    let control = Arc::clone(&context.control);
    let sent = control.wait(kernel::task::WaitKind::TERMINAL, terminal.send(stream)).await?;
    if sent { Ok(()) } else { Err(Raise::abend("ATNI")) }
}

/// Clears the screen, and says something there.
async fn say(context: &mut Context<'_>, terminal: &Terminal, what: &str) {
    // A terminal that is gone is noticed when something is read.
    let _ = write(context, terminal, empty_screen()).await;
    tell(&context.region, terminal, what).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_stands_behind_sysid() {
        for (typed, expected) in [
            ("CRTE SYSID=REGB", Some("REGB")),
            ("crte sysid(regb)", Some("REGB")),
            ("CRTE SYSID=RB,TRPROF=DFHCICSS", Some("RB")),
            ("CRTE SYSID=TOOLONG", None),
            ("CRTE", None),
            ("CRTE SYSID=", None),
        ] {
            assert_eq!(system(typed.as_bytes()), expected.map(Name::from), "{typed}");
        }
    }
}
