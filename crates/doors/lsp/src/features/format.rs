//! Formatting: columns put in order, and nothing else. A text whose words would change is left as it is.

use std::sync::Arc;

use cobol_source::reference_format::{AREA_A, MARGIN};
use cobol_source::{Kind, words};
use diagnostics::Source;

use crate::layout::Layout;
use crate::text::{Edit, Lines, Position, Range, units};

/// The column of PICTURE clauses, from 1.
const PICTURE_COLUMN: usize = 40;
/// Columns from one tab stop to the next.
const TAB_WIDTH: usize = 4;

/// The changes that put the lines of a text in order, from a first line to a last.
///
/// Blanks at ends of lines go, tabs become blanks, and PICTURE clauses of descriptions stand below each other where there is room.
pub fn format(text: &str, first: usize, last: usize) -> Vec<Edit> {
    let layout = Layout::of(text);
    let lines = Lines::of(text);
    let tab_width = cobol_source::reference_format::tab_width(text, TAB_WIDTH);
    let (mut edits, mut after) = (Vec::new(), String::with_capacity(text.len()));
    for number in 0..lines.count() {
        let line = lines.line(text, number);
        let wanted = (first..=last).contains(&number).then(|| in_order(line, layout, tab_width));
        let wanted = wanted.filter(|wanted| wanted != line);
        after.push_str(wanted.as_deref().unwrap_or(line));
        after.push('\n');
        if let Some(text) = wanted {
            let end = Position { line: number, unit: units(line) };
            edits.push(Edit { range: Range { start: Position { line: number, unit: 0 }, end }, text });
        }
    }
    if same_words(text, &after, tab_width) { edits } else { Vec::new() }
}

/// Returns true if two texts are the same to the compiler.
fn same_words(before: &str, after: &str, tab_width: usize) -> bool {
    let read = |text: &str| {
        let source: Arc<Source> = Source::new("", text);
        let tokens = words(&source, tab_width).tokens;
        tokens
            .into_iter()
            .map(|token| (token.kind, token.text, token.at.line))
            .collect::<Vec<(Kind, _, u32)>>()
    };
    read(before) == read(after)
}

fn in_order(line: &str, layout: Layout, tab_width: usize) -> String {
    let line = expanded(line, tab_width);
    let line = line.trim_end();
    if layout.is_comment(line) {
        return line.to_owned();
    }
    picture(line, layout).unwrap_or_else(|| line.to_owned())
}

fn expanded(line: &str, tab_width: usize) -> String {
    let (mut out, mut column) = (String::with_capacity(line.len()), 0);
    for c in line.chars() {
        let width = if c == '\t' { tab_width - column % tab_width } else { 1 };
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            c => out.push(c),
        }
        column += width;
    }
    out
}

/// A line whose PICTURE clause stands in its column: a description with a name and a clause behind it, without a literal in front.
fn picture(line: &str, layout: Layout) -> Option<String> {
    if !line.is_ascii() {
        return None;
    }
    let start = if layout.free { 0 } else { AREA_A - 1 };
    let (margin, code) = if layout.free { ("", line) } else { line.split_at_checked(start)? };
    let (code, behind) = if layout.free { (code, "") } else { code.split_at(code.len().min(MARGIN - start)) };
    if !layout.free && margin.chars().nth(AREA_A - 2) != Some(' ') {
        return None;
    }
    let mut words = code.split_whitespace();
    let level: u8 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let clause = words.next()?.to_ascii_uppercase();
    if !(1..=77).contains(&level) || !["PIC", "PICTURE"].contains(&clause.as_str()) {
        return None;
    }
    let head_end = code.find(name)? + name.len();
    let (head, rest) = (&code[..head_end], code[head_end..].trim());
    let width = (PICTURE_COLUMN - 1 - start).max(head.len() + 1);
    let code = format!("{head:width$}{rest}");
    let room = if layout.free { usize::MAX } else { MARGIN - start };
    if code.len() > room {
        return None;
    }
    if behind.trim().is_empty() {
        return Some(format!("{margin}{code}"));
    }
    Some(format!("{margin}{code:room$}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let lines = Lines::of(text);
        let mut out = text.to_owned();
        for edit in format(text, 0, usize::MAX).iter().rev() {
            out = crate::text::replaced(&out, &lines, edit.range, &edit.text);
        }
        out
    }

    #[test]
    fn pictures_stand_below_each_other_and_margins_stay() {
        let text = format!(
            "000100 01  A.\n000200     05 B PIC X.   \n{:72}00000300\n",
            "000300     05  LONG-NAME    PIC S9(4) COMP."
        );
        let expected = format!(
            "000100 01  A.\n{:39}PIC X.\n{:72}00000300\n",
            "000200     05 B",
            format!("{:39}PIC S9(4) COMP.", "000300     05  LONG-NAME")
        );
        assert_eq!(formatted(&text), expected);
        assert_eq!(formatted(&expected), expected);
    }

    #[test]
    fn a_text_whose_words_would_change_stays() {
        // The rest of the line would run over the margin.
        let long = format!("       05 A PIC X VALUE '{}'.\n", "x".repeat(45));
        assert_eq!(formatted(&long), long);
        let comment = "      * 05 A PIC X.\n      -    05 A PIC X.\n";
        assert_eq!(formatted(comment), comment);
    }
}
