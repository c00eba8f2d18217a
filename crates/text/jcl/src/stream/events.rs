//! The statements of a source one after the other, with the data that belong to them.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};

use super::model::Data;
use super::operands::operands;
use super::symbols::{Symbols, replaced_in_line};
use super::text::{Lines, Next, Written, text};

/// A statement of a source, with the data of DD statements, or lines that belong to none.
#[derive(Clone)]
pub(super) enum Event {
    Statement(Box<Written>),
    Null,
    Jes(TextPlace, String),
    Loose(Arc<Source>, Range<usize>),
}

/// Collects the statements of a source; data behind DD statements belong to them.
pub(super) fn collect(source: &Arc<Source>, messages: &mut Vec<Diagnostic>) -> Vec<Event> {
    let mut lines = Lines::new(source);
    let mut events = Vec::new();
    while let Some(next) = lines.next(messages) {
        events.push(match next {
            Next::Null => Event::Null,
            Next::Jes(place, word) => Event::Jes(place, word),
            Next::Loose(lines) => Event::Loose(Arc::clone(source), lines),
            Next::Statement(mut written) => {
                if written.operation() == "DD" {
                    let operands = operands(source, &written.operands, written.line);
                    let has = |word: &str| {
                        operands.iter().any(|own| own.keyword.is_empty() && own.value.upper() == word)
                    };
                    let delimiter = operands.iter().find(|own| own.keyword == "DLM");
                    let delimiter = delimiter.map(|own| own.value.plain());
                    let is_data = has("DATA");
                    if has("*") || is_data {
                        let whole = is_data || delimiter.is_some();
                        written.data = Some(lines.data(delimiter.as_deref(), whole));
                    }
                }
                Event::Statement(written)
            }
        });
    }
    events
}

/// Returns true if a procedure uses a symbol.
pub(super) fn mentions(events: &[Event], symbol: &str) -> bool {
    let wanted = format!("&{symbol}");
    events.iter().any(|event| match event {
        Event::Statement(written) => text(&written.operands).to_ascii_uppercase().contains(&wanted),
        _ => false,
    })
}

/// Returns true for PEND.
pub(super) fn is_pend(event: &Event) -> bool {
    matches!(event, Event::Statement(written) if written.operation() == "PEND")
}

/// Returns lines of data; with symbols replaced, if there are any.
pub(super) fn data_of(source: &Arc<Source>, lines: Range<usize>, symbols: Option<&Symbols>) -> Data {
    let own = source.text.lines().skip(lines.start - 1).take(lines.len());
    let own = own.map(|line| line.trim_end_matches(['\r', '\u{1a}']));
    let read =
        own.map(|line| symbols.map_or_else(|| line.to_owned(), |symbols| replaced_in_line(line, symbols)));
    let mut read: Vec<String> = read.collect();
    // What an editor has left behind the last line is no line.
    if lines.end > source.text.lines().count()
        && read.last().is_some_and(String::is_empty)
        && source.text.ends_with('\u{1a}')
    {
        read.pop();
    }
    Data { source: Arc::clone(source), first: lines.start, lines: read }
}
