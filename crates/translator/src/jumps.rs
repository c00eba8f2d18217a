//! GO TO … DEPENDING ON as the last statement of a WHEN.
//!
//! The hosted compiler takes it for a jump that is always made, and leaves the way out of the EVALUATE away: where no jump is made, the
//! next WHEN's statements run. With a statement behind it the way out is there.

use crate::edits::Edits;
use crate::phrases::is_verb;
use crate::token::Token;
use crate::unit::Unit;

/// The statement that stands behind such a jump.
pub(crate) const NEXT: &str = "CONTINUE";

/// Puts a statement behind each GO TO … DEPENDING ON of a program.
pub(crate) fn close(tokens: &[Token], unit: &Unit, edits: &mut Edits) {
    let Some(from) = unit.procedure else { return };
    let all = &tokens[..unit.tokens.end];
    let mut at = from;
    while at < all.len() {
        match behind(all, at) {
            Some(end) => {
                let next = Token { text: NEXT.into(), ..all[end - 1].clone() };
                edits.insert(end, vec![next]);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Where the GO TO … DEPENDING ON ends that begins here.
fn behind(tokens: &[Token], at: usize) -> Option<usize> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    if !is(at, "GO") {
        return None;
    }
    let mut end = at + 1 + usize::from(is(at + 1, "TO"));
    // Paragraphs, some of them qualified.
    while tokens
        .get(end)
        .is_some_and(|token| !is_verb(token) && !token.is_symbol(".") && !token.is("DEPENDING"))
    {
        end += 1;
    }
    if !is(end, "DEPENDING") {
        return None;
    }
    end += 1 + usize::from(is(end + 1, "ON"));
    // The item, which may be qualified and have subscripts.
    end += 1;
    while is(end, "OF") || is(end, "IN") {
        end += 2;
    }
    if tokens.get(end).is_some_and(|token| token.is_symbol("(")) {
        let mut depth = 0;
        loop {
            let token = tokens.get(end)?;
            depth += i32::from(token.is_symbol("(")) - i32::from(token.is_symbol(")"));
            end += 1;
            if depth == 0 {
                break;
            }
        }
    }
    (end <= tokens.len()).then_some(end)
}
