//! Hexadecimal constants that are text: their bytes are EBCDIC to their author, and programs here hold ASCII.
//!
//! The meaning of a byte is unknown in general, but a constant that holds the code of an EBCDIC character and
//! stands beside an item of characters is a character. X'00', other codes below the blank, and what stands beside a number in binary mean
//! the same everywhere.

use std::sync::Arc;

use diagnostics::Diagnostic;

use crate::data::Items;
use crate::messages::Messages;
use crate::token::{Kind, Token, phrase};
use crate::unit::Unit;
use cobol_source::{native_byte, supplied};

/// Warns of the constants of one program.
pub(crate) fn check(tokens: &[Token], unit: &Unit, items: &Items, messages: &mut Messages) {
    let procedure = unit.procedure.unwrap_or(unit.tokens.end);
    let mut in_command = false;
    for at in unit.tokens.clone() {
        in_command = (in_command || phrase(tokens, at, &["EXEC", "CICS"])) && !tokens[at].is("END-EXEC");
        let Some(bytes) = bytes(&tokens[at]).filter(|_| !in_command) else { continue };
        let is_same = bytes.iter().all(|byte| native_byte(*byte) == *byte);
        if is_same || is_ours(messages, &tokens[at]) || is_routine(tokens, at) {
            continue;
        }
        let meeting = match at < procedure {
            true => described(&tokens[procedure..unit.tokens.end], items, at),
            false => met(tokens, unit, at).map_or(Meeting::Text(String::new()), |name| stated(items, name)),
        };
        let name = match meeting {
            Meeting::Nothing => continue,
            Meeting::Attribute if !bytes.iter().any(|byte| COLLIDING.contains(byte)) => continue,
            Meeting::Attribute => String::new(),
            Meeting::Text(name) => name,
        };
        messages.add(tokens[at].at, message(tokens, at, &bytes, &name));
    }
}

/// Returns true if a token stands in a copybook that every region supplies.
fn is_ours(messages: &Messages, token: &Token) -> bool {
    let member = messages.frames.member(token.at.frame);
    member.is_some_and(|member| supplied(&member.name).is_some_and(|own| Arc::ptr_eq(&own, member)))
}

/// Returns true if a literal names the routine of a CALL, as X'F4' does: it is a number, and no text.
fn is_routine(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].is("CALL"))
}

/// Attribute bytes whose hexadecimal spelling is another attribute's character here.
const COLLIDING: [u8; 2] = [0x40, 0x4d];

/// The bytes of a hexadecimal literal.
fn bytes(token: &Token) -> Option<Vec<u8>> {
    let digits = token.text.strip_prefix(['X', 'x']).filter(|_| token.kind == Kind::Literal)?;
    let digits = digits.get(1..digits.len().checked_sub(1)?)?;
    let pairs = (0..digits.len()).step_by(2).map(|at| digits.get(at..at + 2));
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

/// Partner of a constant.
enum Meeting {
    /// A number in binary, or nothing at all.
    Nothing,
    /// An attribute of a map, which may be written in hexadecimal.
    Attribute,
    /// Text: the name of the item, if it has one.
    Text(String),
}

/// Partner of a statement's constant, in an item of that name.
fn stated(items: &Items, name: String) -> Meeting {
    match items.named(&name) {
        Some(item) if !items.is_text(item) => Meeting::Nothing,
        _ if is_attribute(items, &name) => Meeting::Attribute,
        _ => Meeting::Text(name),
    }
}

/// Partner of a description's value, as the statements of the program use its item.
fn described(statements: &[Token], items: &Items, at: usize) -> Meeting {
    let Some(item) = items.list.iter().rposition(|item| item.token < at) else { return Meeting::Nothing };
    if !items.is_text(item) {
        return Meeting::Nothing;
    }
    let name = items.list[item].name.clone().unwrap_or_default();
    let uses =
        |name: &str| (0..statements.len()).filter(move |at| statements[*at].is(name)).collect::<Vec<_>>();
    let groups = items.above(item).skip(1).filter_map(|group| items.list[group].name.as_deref());
    let mut groups =
        groups.map(|group| (uses(group), items.list.iter().any(|i| i.redefines.as_deref() == Some(group))));
    // As a qualifier, a group's name stands for no bytes of its own.
    let is_whole = |at: &usize| !(*at > 0 && statements[at - 1].is_any(&["OF", "IN"]));
    if groups.any(|(uses, redefined)| redefined || uses.iter().any(is_whole)) {
        return Meeting::Text(name);
    }
    let uses = if name.is_empty() { Vec::new() } else { uses(&name) };
    let is_moved_to_attribute = |at: &usize| {
        let to = statements[*at..].iter().take(SENTENCE).position(|token| token.is("TO"));
        let moved = *at > 0 && statements[at - 1].is("MOVE");
        let target = to.filter(|_| moved).and_then(|to| statements.get(at + to + 1));
        target.is_some_and(|target| is_attribute(items, &target.upper()))
    };
    match () {
        () if uses.is_empty() => Meeting::Nothing,
        () if uses.iter().all(is_moved_to_attribute) => Meeting::Attribute,
        () => Meeting::Text(name),
    }
}

/// Greatest distance between a name and the TO of its MOVE.
const SENTENCE: usize = 6;

/// The first word of the identifier that a literal of a statement is moved to or compared with.
fn met(tokens: &[Token], unit: &Unit, at: usize) -> Option<String> {
    const BETWEEN: [&str; 11] =
        ["NOT", "EQUAL", "EQUALS", "TO", "IS", "GREATER", "LESS", "THAN", "OR", "THRU", "THROUGH"];
    let between =
        |token: &Token| token.is_any(&BETWEEN) || ["=", "<", ">"].iter().any(|sign| token.is_symbol(sign));
    let is_value = |token: &Token| token.kind == Kind::Literal;
    let behind = || {
        let next = tokens[at + 1..].iter().find(|token| !between(token))?;
        (next.kind == Kind::Word && between(tokens.get(at + 1)?)).then(|| next.upper())
    };
    if tokens[at - 1].is("MOVE") {
        return behind();
    }
    let start = unit.procedure.unwrap_or(0);
    let mut back = at - 1;
    if tokens[back].is_any(&["WHEN", "THRU", "THROUGH"]) {
        let evaluate = tokens[start..at].iter().rposition(|token| token.is("EVALUATE"))? + start;
        return Some(tokens[evaluate + 1].upper()).filter(|word| word != "TRUE");
    }
    if !between(&tokens[back]) {
        return behind();
    }
    while back > start && (between(&tokens[back]) || is_value(&tokens[back])) {
        back -= 1;
    }
    Some(tokens[first_word(tokens, back)].upper())
}

/// First token of the identifier that ends at a token.
fn first_word(tokens: &[Token], mut at: usize) -> usize {
    loop {
        while tokens[at].is_symbol(")") {
            let open = tokens[..at].iter().rposition(|token| token.is_symbol("("));
            at = open.map_or(0, |open| open.saturating_sub(1));
        }
        if at < 2 || !tokens[at - 1].is_any(&["OF", "IN"]) {
            return at;
        }
        at -= 2;
    }
}

/// Returns true if a name is that of an attribute in a symbolic map: the fields of the same stem are there, too.
fn is_attribute(items: &Items, name: &str) -> bool {
    let Some(stem) = name.strip_suffix(['A', 'C', 'P', 'H', 'V']) else { return false };
    let has = |letter: char| items.named(&format!("{stem}{letter}")).is_some();
    has('L') && (has('I') || has('O'))
}

fn message(tokens: &[Token], at: usize, bytes: &[u8], name: &str) -> Diagnostic {
    let there: String = bytes.iter().map(|byte| shown(native_byte(*byte))).collect();
    let here: String = bytes.iter().map(|byte| shown(*byte)).collect();
    let literal = tokens[at].text.to_ascii_uppercase();
    let text = format!("{literal} is {} on z/OS, and '{here}' here", in_words(bytes, &there));
    Diagnostic::warning("SPTR080", text)
        .label("text in hexadecimal is EBCDIC")
        .help(instead(bytes, &there, name))
}

fn shown(byte: u8) -> char {
    if byte.is_ascii_control() || (0x80..0xa0).contains(&byte) { '.' } else { char::from(byte) }
}

fn in_words(bytes: &[u8], there: &str) -> String {
    match bytes {
        [0x40] => "a blank".into(),
        [0x7d] => "a quote".into(),
        _ => format!("'{there}'"),
    }
}

/// Text that is right instead.
fn instead(bytes: &[u8], there: &str, name: &str) -> String {
    let constant = |table: &'static str| {
        let value = format!("{:02X}", bytes[0]);
        let row = table.lines().skip(1).map(|line| line.split('\t'));
        row.filter_map(|mut row| Some((row.next()?, row.next()?)))
            .find(|(_, found)| bytes.len() == 1 && *found == value)
            .map(|(name, _)| name)
    };
    let is_supplied = |table: &str| table.lines().any(|line| line.split('\t').next() == Some(name));
    match () {
        () if is_supplied(spec::tables::AIDS) || is_supplied(spec::tables::BMSCA) => {
            "take this copy out: a region supplies DFHAID and DFHBMSCA, with the values that hold here".into()
        }
        () if name == "EIBAID" => match constant(spec::tables::AIDS) {
            Some(constant) => format!("compare with {constant} of COPY DFHAID"),
            None => "compare with a constant of COPY DFHAID".into(),
        },
        () if bytes.iter().all(|byte| *byte == 0x40) => "write SPACE".into(),
        () if bytes.iter().all(|byte| native_byte(*byte).is_ascii_graphic() || *byte == 0x40) => {
            format!("write '{}'", there.replace('\'', "''"))
        }
        () => "write what is text as characters, or in the codes of ISO 8859-1".into(),
    }
}
