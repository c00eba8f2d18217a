//! Source lines in fixed and free reference format.
//!
//! A fixed line has a sequence number in columns 1 to 6, an indicator in column 7, text in columns 8 to 72 and an
//! identification after it. Tabs count to the next tab stop.

use std::borrow::Cow;

/// The division of the lines of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Fixed, unless the text begins as only a free one can.
    #[default]
    Detect,
    /// Columns mean something.
    Fixed,
    /// They do not.
    Free,
}

/// The role of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Text,
    /// A comment or an empty line.
    Nothing,
    /// It goes on where the line before it ended.
    Continuation,
    /// Text, but only in debugging mode.
    Debugging,
    /// `>>…` or `$…`: an order to the compiler.
    Directive,
    /// Column 7 holds no known indicator.
    Unknown(char),
}

/// A line with its columns taken apart.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) role: Role,
    /// The text area.
    pub(crate) text: Cow<'a, str>,
    /// The column in which the text area starts, from 1.
    pub(crate) first_column: usize,
    /// True if text after the margin is no sequence number.
    pub(crate) cut: bool,
}

const INDICATOR: usize = 7;
/// The text area's first column.
pub const AREA_A: usize = 8;
/// Statements start here; headers and paragraph names before it.
pub const AREA_B: usize = 12;
/// The text area's last column.
pub const MARGIN: usize = 72;

/// Takes a line apart. The text area of a fixed line is padded to the margin only by [`Line::padded`].
pub(crate) fn read(line: &str, free: bool, tab_width: usize) -> Line<'_> {
    let line = expand_tabs(line, tab_width);
    if free { free_line(line) } else { fixed_line(line) }
}

impl Line<'_> {
    /// Returns the number of blanks that a literal gets if it is not closed on this line: those up to the margin.
    pub(crate) fn padding(&self) -> usize {
        (MARGIN + 1 - AREA_A).saturating_sub(self.text.chars().count())
    }
}

fn free_line(line: Cow<'_, str>) -> Line<'_> {
    let start = line.trim_start();
    let role = match start.get(..2) {
        _ if start.is_empty() => Role::Nothing,
        Some("*>") => Role::Nothing,
        Some(">>") => return debugging_or_directive(line, 1),
        _ if start.starts_with('$') => Role::Directive,
        _ => Role::Text,
    };
    Line { role, text: line, first_column: 1, cut: false }
}

/// `>>D` marks a debugging line; anything else after `>>` is a directive.
fn debugging_or_directive(line: Cow<'_, str>, first_column: usize) -> Line<'_> {
    let at = line.find(">>").unwrap_or(0);
    let debugging = line[at + 2..].starts_with(['D', 'd']) && line[at + 3..].starts_with(' ');
    if !debugging {
        return Line { role: Role::Directive, text: line, first_column, cut: false };
    }
    let text = Cow::Owned(line[at + 3..].to_string());
    Line { role: Role::Debugging, text, first_column: first_column + at + 3, cut: false }
}

fn fixed_line(line: Cow<'_, str>) -> Line<'_> {
    if line.trim_start().starts_with(">>") && !line.starts_with("       ") {
        return debugging_or_directive(line, 1);
    }
    let indicator = line.chars().nth(INDICATOR - 1).unwrap_or(' ');
    let behind = columns(Cow::Borrowed(&line), MARGIN + 1, usize::MAX);
    let cut = behind.contains(|c: char| !c.is_ascii_digit() && c != ' ');
    let text = columns(line, AREA_A, MARGIN);
    let empty = text.trim().is_empty();
    let role = match indicator {
        '*' | '/' => Role::Nothing,
        _ if text.trim_start().starts_with(">>") => Role::Directive,
        '$' => Role::Directive,
        '-' => Role::Continuation,
        'D' | 'd' => Role::Debugging,
        _ if empty => Role::Nothing,
        ' ' => Role::Text,
        other => Role::Unknown(other),
    };
    if role == Role::Directive && indicator == '$' {
        return Line { role, text: Cow::Owned(format!("${text}")), first_column: INDICATOR, cut };
    }
    if role == Role::Directive {
        return Line { cut, ..debugging_or_directive(text, AREA_A) };
    }
    Line { role, text, first_column: AREA_A, cut }
}

/// The given columns of a line, from 1, both included.
fn columns(line: Cow<'_, str>, first: usize, last: usize) -> Cow<'_, str> {
    let offset = |column: usize| match line.is_ascii() {
        true => column.min(line.len()),
        false => line.char_indices().nth(column).map_or(line.len(), |(at, _)| at),
    };
    let (from, to) = (offset(first - 1), offset(last));
    match line {
        Cow::Borrowed(line) => Cow::Borrowed(&line[from..to]),
        Cow::Owned(line) => Cow::Owned(line[from..to].to_string()),
    }
}

fn expand_tabs(line: &str, tab_width: usize) -> Cow<'_, str> {
    if !line.contains('\t') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 4 * tab_width);
    let mut column = 0;
    for c in line.chars() {
        let width = if c == '\t' { tab_width - column % tab_width } else { 1 };
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', width));
        } else {
            out.push(c);
        }
        column += width;
    }
    Cow::Owned(out)
}

/// Columns from one tab stop to the next: the usual width, unless with it the first header of the text begins before its
/// area and with eight columns it does not.
pub fn tab_width(text: &str, usual: usize) -> usize {
    let is_header = |line: &&str| {
        let word = line.trim_start().split([' ', '.', '\t']).next().unwrap_or("").to_ascii_uppercase();
        HEADERS.contains(&word.as_str())
    };
    let starts = |line: &str, width| {
        let expanded = expand_tabs(line, width);
        expanded.chars().take_while(|c| *c == ' ').count() + 1
    };
    match text.lines().find(is_header).filter(|line| line.starts_with('\t')) {
        Some(line) if starts(line, usual) < AREA_A && starts(line, WIDE_TABS) >= AREA_A => WIDE_TABS,
        _ => usual,
    }
}

/// The width of a tab in terminals and most editors.
const WIDE_TABS: usize = 8;
/// Words with which the text of a program begins.
const HEADERS: [&str; 3] = ["IDENTIFICATION", "ID", "PROGRAM-ID"];

/// Returns true if a text is in free format: its first line of code begins where fixed format has the sequence number
/// or the indicator, and is a division header, a program name or a data description.
pub fn looks_free(text: &str) -> bool {
    let first = text.lines().map(str::trim_end).find(|line| {
        let comment = line.trim_start().starts_with("*>") || line.chars().nth(INDICATOR - 1) == Some('*');
        !line.trim().is_empty() && !comment
    });
    let Some(first) = first.filter(|line| !line.contains('\t')) else { return false };
    let indent = first.len() - first.trim_start().len();
    let word = first.trim_start().split([' ', '.']).next().unwrap_or("").to_ascii_uppercase();
    indent < INDICATOR && HEADERS.contains(&word.as_str())
}

/// Returns true if each line has in column 7 a character that fixed format knows there.
pub(crate) fn could_be_fixed(text: &str, tab_width: usize) -> bool {
    let known = |line: &str| {
        let line = expand_tabs(line, tab_width);
        line.chars().nth(INDICATOR - 1).is_none_or(|c| " *-/Dd$#".contains(c))
    };
    text.lines().all(known)
}

/// The format a directive switches to: `Some(true)` for free.
pub(crate) fn switched(directive: &str) -> Option<bool> {
    let words = directive.to_ascii_uppercase().replace(['(', ')', '"', '\'', '='], " ");
    let words: Vec<&str> = words.split_whitespace().collect();
    let rest = match words.as_slice() {
        [">>SOURCE", rest @ ..] | [">>", "SOURCE", rest @ ..] | ["$SET", rest @ ..] => rest,
        _ => return None,
    };
    let rest: Vec<&str> =
        rest.iter().copied().filter(|w| !["FORMAT", "IS", "SOURCEFORMAT"].contains(w)).collect();
    match rest.as_slice() {
        ["FREE"] => Some(true),
        ["FIXED"] => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, role: Role, text: &str) {
        let read = read(line, false, 4);
        assert_eq!((read.role, &*read.text), (role, text));
    }

    #[test]
    fn a_fixed_line_is_its_columns() {
        check("000100 MOVE A TO B.", Role::Text, "MOVE A TO B.");
        check("000100*MOVE A TO B.", Role::Nothing, "MOVE A TO B.");
        check("      /", Role::Nothing, "");
        check("      -    'abc'", Role::Continuation, "    'abc'");
        check("      D    DISPLAY A", Role::Debugging, "    DISPLAY A");
        check("      X    DISPLAY A", Role::Unknown('X'), "    DISPLAY A");
        check("\t\tMOVE A TO B.", Role::Text, " MOVE A TO B.");
        let long = format!("       {}IDENTITY", "x".repeat(65));
        check(&long, Role::Text, &"x".repeat(65));
    }

    #[test]
    fn an_order_for_the_format_may_begin_in_column_1() {
        check(">>SOURCE FORMAT IS FREE", Role::Directive, ">>SOURCE FORMAT IS FREE");
        check("  >> SOURCE FORMAT FREE", Role::Directive, "  >> SOURCE FORMAT FREE");
    }

    #[test]
    fn tabs_are_as_wide_as_the_first_header_needs() {
        for (text, width) in [
            ("\tIDENTIFICATION DIVISION.\n", 8),
            ("* A comment\n\tID DIVISION.\n", 8),
            ("\t\tIDENTIFICATION DIVISION.\n", 4),
            ("       IDENTIFICATION DIVISION.\n\t\tMOVE A TO B.\n", 4),
        ] {
            assert_eq!(tab_width(text, 4), width, "{text}");
        }
    }

    #[test]
    fn a_text_that_starts_too_early_is_free() {
        assert!(looks_free("*> accounts\nIDENTIFICATION DIVISION.\n"));
        assert!(!looks_free("       IDENTIFICATION DIVISION.\n"));
        assert!(!looks_free("000100 IDENTIFICATION DIVISION.\n"));
        assert!(!looks_free(""));
    }

    #[test]
    fn directives_switch_the_format() {
        for (directive, free) in [
            (">>SOURCE FORMAT IS FREE", Some(true)),
            (">> source format fixed", Some(false)),
            ("$SET SOURCEFORMAT\"FREE\"", Some(true)),
            (">>IF X DEFINED", None),
        ] {
            assert_eq!(switched(directive), free, "{directive}");
        }
    }
}
