//! The third page of CETR: the tracing of transactions and terminals.

use super::{Said, chosen};
use crate::supplied::desk::Reply;
use crate::supplied::panel::{Panel, PanelPlace};
use kernel::diagnostics::{Trace, Tracing};
use kernel::name::{TerminalName, TransactionName};
use kernel::registry::Manager;
use kernel::terminals::Terminals;
use kernel::transactions::Transactions;

const TRANSACTION: PanelPlace = (5, 28);
const OF_TRANSACTION: PanelPlace = (6, 28);
const TERMINAL: PanelPlace = (9, 28);
const OF_TERMINAL: PanelPlace = (10, 28);
/// Letters of a name, and of a word.
const NAME: usize = 4;
const WORD: usize = 10;

/// A terminal may be traced in the first two ways alone.
const WAYS: [(&str, usize, Tracing); 3] = [
    ("STANDARD", 2, Tracing::Standard),
    ("SPECIAL", 2, Tracing::Special),
    ("SUPPRESSED", 2, Tracing::Suppressed),
];

fn word(tracing: Tracing) -> &'static str {
    WAYS.iter().find(|(.., known)| *known == tracing).map_or("", |(name, ..)| name)
}

pub(super) fn show(panel: &mut Panel, by: &Manager, said: &Said) {
    let trace = Trace::of(&by.region);
    let [transaction, terminal] = &said.named;
    let shown = |name: &str, tracing: Tracing| if name.is_empty() { "" } else { word(tracing) };
    panel
        .text((3, 2), "TYPE A NAME TO SEE HOW IT IS TRACED, AND A STATUS TO CHANGE THAT")
        .text((5, 2), "TRANSACTION ID       ===>")
        .entry(TRANSACTION, NAME, transaction)
        .text((6, 2), "TRANSACTION STATUS   ===>")
        .entry(OF_TRANSACTION, WORD, shown(transaction, trace.transaction(transaction.as_str().into())))
        .text((6, 44), "STANDARD, SPECIAL, SUPPRESSED")
        .text((9, 2), "TERMINAL ID          ===>")
        .entry(TERMINAL, NAME, terminal)
        .text((10, 2), "TERMINAL STATUS      ===>")
        .entry(OF_TERMINAL, WORD, shown(terminal, trace.terminal(terminal.as_str().into())))
        .text((10, 44), "STANDARD, SPECIAL")
        .cursor(TRANSACTION);
}

/// A name that was not typed again is the one that stands there.
pub(super) fn change(by: &Manager, reply: &Reply, before: Said) -> Said {
    let [transaction, terminal] = before.named;
    let name = |place, stands: String| reply.at(place).map_or(stands, str::to_owned);
    let named = [name(TRANSACTION, transaction), name(TERMINAL, terminal)];
    match changed(by, reply, &named) {
        Ok(message) => Said { message: message.to_owned(), named },
        Err(message) => Said { message, ..Said::default() },
    }
}

/// The way that a field names; `None` if nothing was typed there.
fn way(reply: &Reply, place: PanelPlace, ways: &[(&str, usize, Tracing)]) -> Result<Option<Tracing>, String> {
    let Some(word) = reply.at(place).filter(|word| !word.is_empty()) else { return Ok(None) };
    chosen(word, ways).map(Some).ok_or_else(|| format!("'{word}' IS NO STATUS: NOTHING WAS CHANGED"))
}

fn changed(
    by: &Manager,
    reply: &Reply,
    [transaction, terminal]: &[String; 2],
) -> Result<&'static str, String> {
    let of_transaction = way(reply, OF_TRANSACTION, &WAYS)?;
    let of_terminal = way(reply, OF_TERMINAL, &WAYS[..2])?;
    let transaction_name = TransactionName::from(transaction.as_str());
    let terminal_name = TerminalName::from(terminal.as_str());
    if !transaction.is_empty() && Transactions::of(&by.region).get(transaction_name).is_none() {
        return Err(format!("TRANSACTION {transaction} IS NOT DEFINED"));
    }
    if !terminal.is_empty() && Terminals::of(&by.region).get(terminal_name).is_none() {
        return Err(format!("TERMINAL {terminal} IS NOT THERE"));
    }
    let trace = Trace::of(&by.region);
    let mut message = "";
    if let Some(tracing) = of_transaction.filter(|_| !transaction.is_empty()) {
        if !trace.set_transaction(&by.region, transaction_name, tracing) {
            return Err("TOO MANY TRANSACTIONS DIFFER FROM THE STANDARD".to_owned());
        }
        by.has_changed("CETR TRANSACTION", transaction.as_bytes(), word(tracing).to_owned());
        message = "DONE";
    }
    if let Some(tracing) = of_terminal.filter(|_| !terminal.is_empty()) {
        if !trace.set_terminal(&by.region, terminal_name, tracing) {
            return Err("TOO MANY TERMINALS DIFFER FROM THE STANDARD".to_owned());
        }
        by.has_changed("CETR TERMINAL", terminal.as_bytes(), word(tracing).to_owned());
        message = "DONE";
    }
    Ok(message)
}
