//! EXEC … END-EXEC: its words and their parentheses.

use std::ops::Range;

use diagnostics::Diagnostic;

use crate::messages::Messages;
use crate::origin::At;
use crate::token::{Kind, Token};

/// A word of a command with its argument.
#[derive(Clone, Debug)]
pub struct Item {
    /// Upper case.
    pub name: String,
    /// Its place.
    pub at: At,
    /// The words in the parentheses, if there are any.
    pub argument: Option<Vec<Token>>,
}

/// The executor of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executor {
    /// EXEC CICS.
    Cics,
    /// EXEC SQL.
    Sql,
    /// DLI and others.
    Other,
}

/// One EXEC … END-EXEC.
#[derive(Clone, Debug)]
pub struct Block {
    /// The word after EXEC.
    pub executor: Executor,
    /// Its text words, EXEC and END-EXEC among them.
    pub range: Range<usize>,
    /// The place of its first words.
    pub at: At,
    /// Its words after EXEC CICS; empty if they could not be read, which was reported.
    pub items: Vec<Item>,
}

/// Reads the block that starts at `at`, if one does.
pub fn read(tokens: &[Token], at: usize, messages: &mut Messages) -> Option<Block> {
    if !tokens[at].is_any(&["EXEC", "EXECUTE"]) {
        return None;
    }
    let executor = match tokens.get(at + 1)? {
        t if t.is("CICS") => Executor::Cics,
        t if t.is("SQL") => Executor::Sql,
        t if t.kind == Kind::Word => Executor::Other,
        _ => return None,
    };
    let place = tokens[at].at.to(tokens[at + 1].at);
    let (end, closed) = find_end(tokens, at + 2, executor);
    if !closed {
        let help =
            messages.cut_or(place, tokens[end - 1].at, "write END-EXEC behind the command's last option");
        let message =
            Diagnostic::error("SPTR020", "this EXEC has no END-EXEC").label("starts here").help(help);
        messages.add(place, message);
    }
    let items = match executor {
        Executor::Cics if closed => read_items(&tokens[at + 2..end], messages).unwrap_or_default(),
        _ => Vec::new(),
    };
    if executor == Executor::Cics && closed && end == at + 2 {
        messages.add(place, Diagnostic::error("SPTR021", "EXEC CICS without a command"));
    }
    Some(Block { executor, range: at..end + usize::from(closed), at: place, items })
}

/// Returns the end of the block, and true if END-EXEC ends it.
fn find_end(tokens: &[Token], from: usize, executor: Executor) -> (usize, bool) {
    for at in from..tokens.len() {
        if tokens[at].is("END-EXEC") {
            return (at, true);
        }
        // SQL text may hold full stops; a command never does.
        let sentence = tokens[at].is_period() && executor == Executor::Cics;
        let other = tokens[at].is_any(&["EXEC", "EXECUTE"])
            && tokens.get(at + 1).is_some_and(|t| t.is_any(&["CICS", "SQL", "DLI"]));
        if sentence || other {
            return (at, false);
        }
    }
    (tokens.len(), false)
}

fn read_items(tokens: &[Token], messages: &mut Messages) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if token.is_symbol(",") || token.is_symbol(";") {
            continue;
        }
        if token.kind != Kind::Word {
            let message = Diagnostic::error("SPTR022", format!("{} is not an option", token.text))
                .label("expected an option's name")
                .help("values stand in the parentheses of an option, as in FILE('ACCTDAT')");
            messages.add(token.at, message);
            return None;
        }
        let mut argument = None;
        if let Some(open) = tokens.get(at).filter(|t| t.is_symbol("(")) {
            let Some(close) = closing(&tokens[at..]) else {
                let message = Diagnostic::error(
                    "SPTR023",
                    format!("the parenthesis of {} is not closed", token.upper()),
                )
                .label("opened here")
                .help(messages.cut_or(
                    open.at,
                    tokens.last().unwrap_or(open).at,
                    "write ) behind the value",
                ));
                messages.add(open.at, message);
                return None;
            };
            let inside = tokens[at + 1..at + close].to_vec();
            at += close + 1;
            // HANDLE AID CLEAR() is HANDLE AID CLEAR: nothing is done about the key from there on.
            let handle = items.first().is_some_and(|verb: &Item| verb.name == "HANDLE");
            argument = Some(inside).filter(|inside| !(handle && inside.is_empty()));
        }
        items.push(Item { name: token.upper(), at: token.at, argument });
    }
    Some(items)
}

/// The place of the parenthesis that closes the one at the start.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        depth += usize::from(token.is_symbol("("));
        if token.is_symbol(")") {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
