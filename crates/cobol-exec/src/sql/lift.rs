//! Takes the blocks of EXEC SQL out of a source's text words.

use diagnostics::Diagnostic;

use crate::messages::Messages;
use crate::origin::At;
use crate::token::{Token, phrase};

/// One EXEC SQL … END-EXEC.
#[derive(Debug)]
pub(crate) struct Block {
    /// Its words behind EXEC SQL.
    pub(crate) tokens: Vec<Token>,
    /// Where EXEC SQL stands.
    pub(crate) at: At,
    /// The place in the remaining words at which it stood: in front of this one.
    pub(crate) place: usize,
    /// It stands among the statements of a program, and not in front of them.
    pub(crate) in_procedure: bool,
}

/// Takes all blocks out.
pub(crate) fn lift(tokens: Vec<Token>, messages: &mut Messages) -> (Vec<Token>, Vec<Block>) {
    if !(0..tokens.len()).any(|at| starts(&tokens, at)) {
        return (tokens, Vec::new());
    }
    let mut rest = Vec::with_capacity(tokens.len());
    let mut blocks = Vec::new();
    let mut in_procedure = false;
    let mut at = 0;
    while at < tokens.len() {
        if phrase(&tokens, at + 1, &["DIVISION"]) {
            in_procedure = tokens[at].is("PROCEDURE");
        } else if tokens[at].is("PROGRAM-ID") {
            in_procedure = false;
        }
        if !starts(&tokens, at) {
            rest.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let place = tokens[at].at.to(tokens[at + 1].at);
        let end = end(&tokens, at + 2);
        let closed = tokens.get(end).is_some_and(|token| token.is("END-EXEC"));
        if !closed {
            let last = tokens[end - 1].at;
            let help = messages.cut_or(place, last, "write END-EXEC behind the statement");
            let message = Diagnostic::error("SPTR020", "this EXEC has no END-EXEC");
            messages.add(place, message.label("starts here").help(help));
        }
        let next = end + usize::from(closed);
        let stop = tokens.get(next).is_some_and(Token::is_period);
        if closed {
            blocks.push(Block {
                tokens: tokens[at + 2..end].to_vec(),
                at: place,
                place: rest.len(),
                in_procedure,
            });
        }
        // In front of the statements nothing of it remains.
        at = next + usize::from(stop && !in_procedure);
    }
    (rest, blocks)
}

fn starts(tokens: &[Token], at: usize) -> bool {
    tokens[at].is_any(&["EXEC", "EXECUTE"]) && tokens.get(at + 1).is_some_and(|next| next.is("SQL"))
}

/// Where the END-EXEC of a block stands, or what shows that there is none.
fn end(tokens: &[Token], from: usize) -> usize {
    let ends = |at: &usize| {
        let other = tokens[*at].is_any(&["EXEC", "EXECUTE"])
            && tokens.get(at + 1).is_some_and(|next| next.is_any(&["CICS", "SQL", "DLI"]));
        tokens[*at].is("END-EXEC") || other
    };
    (from..tokens.len()).find(ends).unwrap_or(tokens.len())
}
