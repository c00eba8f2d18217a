//! The first page of CETR: destinations and flags of the trace.

use super::{Said, chosen};
use crate::supplied::desk::Reply;
use crate::supplied::panel::Panel;
use crate::system::apply_internal;
use domains::statistics::Statistics;
use kernel::diagnostics::{AuxiliaryStatus, Trace};
use kernel::registry::Manager;

/// The column of the choices, and their length.
const CHOICE: u16 = 38;
const LENGTH: usize = 8;
/// The rows of what can be chosen.
const INTERNAL: u16 = 6;
const AUXILIARY: u16 = 8;
const SYSTEM: u16 = 12;
const USER: u16 = 13;

const RUNS: [(&str, usize, bool); 2] = [("STARTED", 3, true), ("STOPPED", 3, false)];
const AUXILIARIES: [(&str, usize, AuxiliaryStatus); 3] = [
    ("STARTED", 3, AuxiliaryStatus::Started),
    ("STOPPED", 3, AuxiliaryStatus::Stopped),
    ("PAUSED", 1, AuxiliaryStatus::Paused),
];
const FLAGS: [(&str, usize, bool); 2] = [("ON", 2, true), ("OFF", 2, false)];

fn word<T: PartialEq>(of: T, choices: &[(&'static str, usize, T)]) -> &'static str {
    choices.iter().find(|(.., choice)| *choice == of).map_or("", |(name, ..)| name)
}

pub(super) fn show(panel: &mut Panel, by: &Manager) {
    let trace = Trace::of(&by.region);
    let bytes: usize = Statistics::of(&by.region).meters().iter().map(|meter| meter.trace.bytes()).sum();
    let auxiliary = trace.auxiliary();
    let data_set = if auxiliary == AuxiliaryStatus::Stopped { "" } else { "A" };
    panel.text((4, 2), &format!("{:<36}{:<12}{}", "ITEM", "CHOICE", "POSSIBLE CHOICES"));
    let flag = |on| word(on, &FLAGS);
    for (row, item, shown, choices) in [
        (INTERNAL, "INTERNAL TRACE STATUS", word(trace.is_internal(), &RUNS), "STARTED, STOPPED"),
        (AUXILIARY, "AUXILIARY TRACE STATUS", word(auxiliary, &AUXILIARIES), "STARTED, STOPPED, PAUSED"),
        (SYSTEM, "MASTER SYSTEM TRACE FLAG", flag(trace.takes_system()), "ON, OFF"),
        (USER, "MASTER USER TRACE FLAG", flag(trace.takes_user()), "ON, OFF"),
    ] {
        panel.text((row, 2), item).entry((row, CHOICE), LENGTH, shown).text((row, 50), choices);
    }
    for (row, item, shown) in [
        (7, "INTERNAL TRACE TABLE SIZE", format!("{} K", bytes / 1024)),
        (9, "AUXILIARY TRACE DATA SET", data_set.to_owned()),
        (10, "AUXILIARY SWITCH STATUS", "ALL".to_owned()),
        (11, "GTF TRACE STATUS", "STOPPED".to_owned()),
    ] {
        panel.text((row, 2), item).text((row, CHOICE), &shown);
    }
    panel.cursor((INTERNAL, CHOICE));
}

pub(super) fn change(by: &Manager, reply: &Reply) -> Said {
    let message = changed(by, reply).err().unwrap_or_else(|| "DONE".to_owned());
    Said { message, ..Said::default() }
}

/// The choice of a row; `None` if nothing was typed there.
fn choice<T: Copy>(reply: &Reply, row: u16, choices: &[(&str, usize, T)]) -> Result<Option<T>, String> {
    let Some(word) = reply.at((row, CHOICE)) else { return Ok(None) };
    chosen(word, choices).map(Some).ok_or_else(|| format!("'{word}' IS NO CHOICE: NOTHING WAS CHANGED"))
}

/// Everything is read first, then all is done.
fn changed(by: &Manager, reply: &Reply) -> Result<(), String> {
    let internal = choice(reply, INTERNAL, &RUNS)?;
    let auxiliary = choice(reply, AUXILIARY, &AUXILIARIES)?;
    let (system, user) = (choice(reply, SYSTEM, &FLAGS)?, choice(reply, USER, &FLAGS)?);
    let trace = Trace::of(&by.region);
    let changes = |what: &str, to: &str| by.has_changed(&format!("CETR {what}"), b"", to.to_owned());
    if auxiliary == Some(AuxiliaryStatus::Paused) && trace.auxiliary() == AuxiliaryStatus::Stopped {
        return Err("THE AUXILIARY TRACE IS STOPPED: IT CANNOT PAUSE".to_owned());
    }
    if let Some(status) = auxiliary.filter(|status| *status != trace.auxiliary()) {
        trace.set_auxiliary(&by.region, status).map_err(|error| {
            tracing::error!(target: "TR", "the auxiliary trace cannot be started: {error}");
            "THE AUXILIARY TRACE CANNOT BE STARTED: SEE THE LOG".to_owned()
        })?;
        changes("AUXILIARY", word(status, &AUXILIARIES));
    }
    if let Some(on) = internal.filter(|on| *on != trace.is_internal()) {
        apply_internal(&by.region, on);
        changes("INTERNAL", word(on, &RUNS));
    }
    if let Some(on) = system.filter(|on| *on != trace.takes_system()) {
        trace.set_system(on);
        changes("SYSTEM", word(on, &FLAGS));
    }
    if let Some(on) = user.filter(|on| *on != trace.takes_user()) {
        trace.set_user(on);
        changes("USER", word(on, &FLAGS));
    }
    Ok(())
}
