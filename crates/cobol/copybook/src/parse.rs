//! A copybook from its text.

use std::sync::Arc;

use cobol_data::{Area, Built, DataOptions, Money};
use cobol_source::Messages;
use cobol_syntax::tree::DataEntry;
use diagnostics::{Diagnostic, Severity, Source};

use crate::build::layouts;
use crate::layout::{Form, Layout};

/// Columns from one tab stop to the next.
const TAB_WIDTH: usize = 4;
/// Digits of a number, at most: a record may be that of a program with ARITH(EXTEND).
const DIGITS_MAX: usize = 31;
/// The length of a pointer in programs that GnuCOBOL compiles.
const GNUCOBOL_POINTER: usize = 8;
/// The message about a PICTURE that cannot be read.
const NO_PICTURE: &str = "SPDD015";

/// The contents of a copybook.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Its records, in order.
    pub layouts: Vec<Layout>,
    /// Errors, warnings and notes about it.
    pub messages: Vec<Diagnostic>,
}

/// Reads data descriptions in fixed or free format, laid out as on z/OS. COPY statements must have been expanded.
pub fn parse(source: &Arc<Source>) -> Parsed {
    parse_as(source, Form::Zos)
}

/// The same, laid out by the rules of a form.
pub fn parse_as(source: &Arc<Source>, form: Form) -> Parsed {
    let words = cobol_source::words(source, TAB_WIDTH);
    let cobol_syntax::Descriptions { mut entries, mut messages } = cobol_syntax::parse_descriptions(words);
    let redefined = prepare(&mut entries);
    let built = built(&entries, form);
    report(&built, &mut messages);
    let mut layouts = layouts(&built, form, &mut messages);
    for (layout, redefined) in layouts.iter_mut().zip(redefined) {
        layout.root.redefines = redefined;
    }
    Parsed { layouts, messages: messages.list }
}

/// Makes whole records of the entries: those before the first level 01 or 77 become one unnamed record, and each record begins
/// at its own first byte, whatever it redefines in a program: the names of these, for each record.
fn prepare(entries: &mut Vec<DataEntry>) -> Vec<Option<String>> {
    let is_top = |entry: &DataEntry| matches!(entry.level, 1 | 77);
    if let Some(first) = entries.first().filter(|first| !is_top(first)) {
        entries.insert(0, DataEntry::empty(1, first.at));
    }
    let tops = entries.iter_mut().filter(|entry| is_top(entry));
    tops.map(|entry| entry.redefines.take().map(|redefined| redefined.name.text.to_string())).collect()
}

fn built(entries: &[DataEntry], form: Form) -> Built {
    let with = |decimal_comma: bool| {
        let money = Money { decimal_comma, ..Money::default() };
        let gnucobol = form == Form::Gnucobol;
        let pointer_length = if gnucobol { GNUCOBOL_POINTER } else { DataOptions::default().pointer_length };
        let options = DataOptions {
            money,
            pointer_length,
            digits_max: DIGITS_MAX,
            align_to_length: gnucobol,
            ..DataOptions::default()
        };
        cobol_data::build(&[(Area::Linkage, entries)], &options)
    };
    let bad_pictures =
        |built: &Built| built.complaints.iter().filter(|complaint| complaint.code == NO_PICTURE).count();
    // The program says DECIMAL-POINT IS COMMA, the copybook does not: its pictures show it.
    let built = with(false);
    match bad_pictures(&built) {
        0 => built,
        bad => Some(with(true)).filter(|other| bad_pictures(other) < bad).unwrap_or(built),
    }
}

fn report(built: &Built, messages: &mut Messages) {
    for complaint in &built.complaints {
        let message = match complaint.severity {
            Severity::Error => Diagnostic::error(complaint.code, complaint.message.clone()),
            Severity::Warning => Diagnostic::warning(complaint.code, complaint.message.clone()),
            Severity::Note => Diagnostic::new(Severity::Note, complaint.code, complaint.message.clone()),
        };
        messages.add(complaint.at, message.help(complaint.help));
    }
}
