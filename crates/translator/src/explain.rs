//! What the COBOL compiler says of the translated text, said of the user's own lines.

use diagnostics::{Diagnostic, Place, Severity};

use crate::{Translation, words};

/// The messages of a run of `cobc` on a translation's text, each at the line of the user's that it is about.
///
/// Lines without a place (`in paragraph …`) are left out, and so are warnings about what only the translator wrote.
pub fn explain_cobc_output(translation: &Translation, output: &str) -> Vec<Diagnostic> {
    let mut messages: Vec<Diagnostic> =
        output.lines().filter_map(|line| explain(translation, line)).collect();
    messages.dedup();
    messages
}

/// Warnings that calls of commands bring about by themselves.
const OURS: [&str; 1] = ["duplicate USING BY REFERENCE item"];

/// `file:line: severity: text [-Woption]`
fn explain(translation: &Translation, line: &str) -> Option<Diagnostic> {
    let mut parts = line.splitn(4, ':');
    let (_file, number) = (parts.next()?, parts.next()?);
    let severity = parts.next()?.trim();
    let text = parts.next()?.trim();
    let (severity, code) = match severity {
        "error" => (Severity::Error, "SPTR090"),
        "warning" => (Severity::Warning, "SPTR091"),
        "note" => (Severity::Note, "SPTR092"),
        _ => return None,
    };
    let text = &text.split(" [-W").next().unwrap_or(text).replace(words::PREFIX, "");
    if OURS.iter().any(|ours| text.starts_with(ours)) {
        return None;
    }
    let message = Diagnostic::new(severity, code, text).label("says the COBOL compiler");
    let number: Option<usize> = number.trim().parse().ok();
    let origin = number.and_then(|number| translation.line_map.origin(number));
    Some(match origin {
        Some(mut origin) => {
            narrow(&mut origin.place, text);
            let cut = number.filter(|_| severity == Severity::Error);
            let cut = cut.and_then(|number| translation.line_map.cut_off(number)).map(behind_the_margin);
            let help = cut.or_else(|| symbolic_map(&origin.place, text));
            let message = origin.mark(message);
            match help {
                Some(help) => message.help(help),
                None => message,
            }
        }
        None => message,
    })
}

/// What to do about text that the compiler never saw.
fn behind_the_margin((line, text): (u32, String)) -> String {
    format!(
        "only columns up to 72 are read: `{text}` in line {line} stands behind them and is cut off; go on in a new line"
    )
}

/// What to do about the record of a symbolic map that a command uses without naming it.
fn symbolic_map(place: &Place, text: &str) -> Option<String> {
    let area = text.strip_suffix("' is not defined")?.strip_prefix('\'')?;
    let (map, option) = match (area.strip_suffix('O'), area.strip_suffix('I')) {
        (Some(map), _) => (map, "FROM"),
        (_, Some(map)) => (map, "INTO"),
        _ => return None,
    };
    let named = line(place).contains(&format!("'{map}'"));
    named.then(|| {
        format!("without {option} the command uses {area}, a record of the symbolic map: COPY its mapset, or write {option}(area)")
    })
}

/// The line of a place, in upper case.
fn line(place: &Place) -> String {
    let start = place.source.line_start(place.line);
    place.source.text[start..].lines().next().unwrap_or("").to_ascii_uppercase()
}

/// Narrows a place to the name that the message has in quotes, if the line has it.
fn narrow(place: &mut Place, text: &str) {
    let Some(name) = text.split('\'').nth(1).filter(|name| !name.is_empty()) else { return };
    let line = line(place);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let found = line
        .match_indices(&name.to_ascii_uppercase())
        .map(|(at, _)| at)
        .find(|&at| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part));
    if let Some(at) = found {
        place.column = line[..at].chars().count() + 1;
        place.length = name.chars().count();
    }
}
