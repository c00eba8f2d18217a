//! Semantic tokens: what each word of a document is.

use cobol_check::NameTarget;
use cobol_source::{Kind, Token};
use cobol_syntax::Executor;
use toolchain::Draft;

use crate::analysis::Spot;
use crate::text::{Range, range_of, units};
use crate::view::View;

/// The legend, in the order of [`Colour`].
pub const LEGEND: [&str; 7] = ["keyword", "string", "number", "comment", "variable", "function", "macro"];

/// Kinds of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A reserved word.
    Keyword,
    /// A literal.
    Literal,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// An item or a file.
    Item,
    /// A section or paragraph.
    Procedure,
    /// A word of EXEC … END-EXEC.
    Command,
}

/// The words of a document in their order.
pub fn colours(view: &View<'_>) -> Vec<(Range, Colour)> {
    let name = view.name();
    let mut found = Vec::new();
    for draft in &view.analysis.drafts {
        of_draft(view, draft, &name, &mut found);
    }
    for line in 0..view.lines.count() {
        let text = view.line(line);
        if view.layout.is_comment(text) {
            found.push((range_of(text, line + 1, 1, 0), Colour::Comment));
        }
    }
    found.retain(|(range, _)| range.start < range.end);
    found.sort_by_key(|(range, _)| *range);
    // A client takes no words that overlap.
    let mut last = crate::text::Position::default();
    found.retain(|(range, _)| {
        let is_behind = range.start >= last;
        if is_behind {
            last = range.end;
        }
        is_behind
    });
    found
}

fn of_draft(view: &View<'_>, draft: &Draft, name: &str, found: &mut Vec<(Range, Colour)>) {
    let index = view.analysis.index();
    let file = index.file(name);
    let mut within = vec![None; draft.checked.tokens.len()];
    for block in &draft.checked.blocks {
        within[block.range.clone()].fill(Some(block.executor));
    }
    let mut frame = None;
    for (at, token) in draft.checked.tokens.iter().enumerate() {
        let is_here = match frame {
            Some((known, is_here)) if known == token.at.frame => is_here,
            _ => {
                let is_here = draft.checked.frames().source_name(token.at.frame) == name;
                frame = Some((token.at.frame, is_here));
                is_here
            }
        };
        if !is_here {
            continue;
        }
        let place = draft.checked.frames().origin(token.at).place;
        let line = view.line(place.line.saturating_sub(1));
        let spot = file.map(|file| Spot { file, line: place.line, column: place.column });
        let symbol = spot.and_then(|spot| index.at(spot)).filter(|one| Some(one.spot) == spot);
        let colour = match symbol.map(|one| index.symbols[one.symbol].target) {
            Some(NameTarget::Procedure(_)) => Some(Colour::Procedure),
            Some(_) => Some(Colour::Item),
            None => colour(token, within[at]),
        };
        let written: String = line.chars().skip(place.column - 1).take(place.length).collect();
        // A word from REPLACING has the place of another.
        if let Some(colour) =
            colour.filter(|_| token.kind != Kind::Word || written.eq_ignore_ascii_case(&token.text))
        {
            let mut range = range_of(line, place.line, place.column, place.length.max(1));
            range.end.unit = range.end.unit.min(units(line));
            found.push((range, colour));
        }
    }
}

fn colour(token: &Token, within: Option<Executor>) -> Option<Colour> {
    match token.kind {
        Kind::Literal | Kind::Broken => Some(Colour::Literal),
        Kind::Word if token.is_number() => Some(Colour::Number),
        Kind::Word if within.is_some() => Some(Colour::Command),
        Kind::Word if cobol_syntax::is_reserved(&token.upper()) => Some(Colour::Keyword),
        _ => None,
    }
}
