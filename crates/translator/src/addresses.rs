//! Numbers over pointers: fullwords in binary that redefine a pointer, or are redefined by one.
//!
//! Programs calculate with addresses by them. A pointer has eight bytes here, the processor's own, so such a number becomes one
//! of eight bytes in the same form: what is added to it is added to the address.

use std::collections::BTreeSet;

use crate::data::{Items, Usage};
use crate::edits::Edits;
use crate::token::Token;

/// Bytes of a pointer on z/OS, and of the numbers that are laid over one there.
const FULLWORD: usize = 4;

/// Widens such numbers of a program.
pub(crate) fn widen(tokens: &[Token], items: &Items, edits: &mut Edits) {
    let mut numbers = BTreeSet::new();
    for (at, item) in items.list.iter().enumerate() {
        // The item that is redefined stands in front of it, under the same group.
        let redefined = item.redefines.as_deref().and_then(|name| {
            let before = items.list[..at].iter().rposition(|other| other.name.as_deref() == Some(name));
            before.filter(|before| items.list[*before].parent == item.parent)
        });
        let Some(redefined) = redefined else { continue };
        for (pointer, number) in [(redefined, at), (at, redefined)] {
            if let (Some(_), Some(number)) = (address(items, pointer), fullword(items, number)) {
                numbers.insert(number);
            }
        }
    }
    for number in numbers {
        rewrite(tokens, items, number, edits);
    }
}

/// The pointer that an item is, or that is all there is in a group.
fn address(items: &Items, item: usize) -> Option<usize> {
    alone(items, item).filter(|at| items.usage(*at) == Usage::Pointer)
}

/// The fullword that an item is, or that is all there is in a group.
fn fullword(items: &Items, item: usize) -> Option<usize> {
    let is_fullword = |at: &usize| {
        items.usage(*at) == Usage::Binary && items.length(*at) == FULLWORD && items.places(*at) == 0
    };
    alone(items, item).filter(is_fullword)
}

/// The elementary item that fills an item, and is there once.
fn alone(items: &Items, item: usize) -> Option<usize> {
    if items.list[item].occurs.is_some() {
        return None;
    }
    if !items.list[item].is_group {
        return Some(item);
    }
    let mut parts = items.parts(item);
    let only = parts.next()?;
    if parts.next().is_some() { None } else { alone(items, only) }
}

/// Gives an item eighteen digits in the processor's own form.
fn rewrite(tokens: &[Token], items: &Items, item: usize, edits: &mut Edits) {
    let from = items.list[item].token;
    let end = tokens[from..].iter().position(Token::is_period).map_or(tokens.len(), |length| from + length);
    let Some(picture) = (from..end).find(|at| tokens[*at].is_any(&["PIC", "PICTURE"])) else { return };
    let first = picture + 1 + usize::from(tokens[picture + 1].is("IS"));
    let glued = tokens[first + 1..end].iter().take_while(|token| token.is_glued()).count();
    let sign = if tokens[first].upper().starts_with('S') { "S" } else { "" };
    let at = tokens[first].at;
    edits.replace(first..first + 1 + glued, vec![Token::made(format!("{sign}9(18)"), at)]);
    const BINARY: [&str; 5] = ["COMP", "COMP-4", "BINARY", "COMPUTATIONAL", "COMPUTATIONAL-4"];
    if let Some(usage) = (from..end).find(|at| tokens[*at].is_any(&BINARY)) {
        edits.replace(usage..usage + 1, vec![Token { text: "COMP-5".into(), ..tokens[usage].clone() }]);
    } else if !(from..end).any(|at| tokens[at].is_any(&["COMP-5", "COMPUTATIONAL-5"])) {
        // A group above says COMP.
        edits.insert(end, vec![Token::made("USAGE COMP-5", at)]);
    }
}
