//! Texts, and places in them as editors count: lines from 0, columns in UTF-16 units.

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 0.
    pub line: usize,
    /// UTF-16 units in front of it in its line.
    pub unit: usize,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// Its first place.
    pub start: Position,
    /// The place behind it.
    pub end: Position,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The part that is replaced.
    pub range: Range,
    /// The text that comes there.
    pub text: String,
}

/// The beginnings of a text's lines.
#[derive(Clone, Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of a text.
    pub fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The number of lines; an end of line at the end of the text begins one more.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// A line without its end, from 0; nothing behind the last.
    pub fn line<'a>(&self, text: &'a str, line: usize) -> &'a str {
        let Some(&start) = self.0.get(line) else { return "" };
        let end = self.0.get(line + 1).copied().unwrap_or(text.len());
        let line = text.get(start..end).unwrap_or("");
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// The byte of a place; a place that does not exist is the nearest one that does.
    pub fn offset(&self, text: &str, at: Position) -> usize {
        let Some(&start) = self.0.get(at.line) else { return text.len() };
        let line = self.line(text, at.line);
        start + byte_of_unit(line, at.unit)
    }

    /// The place of a byte.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let line = self.0.partition_point(|start| *start <= offset).saturating_sub(1);
        let within = text.get(self.0[line]..offset).unwrap_or("");
        Position { line, unit: units(within) }
    }

    /// The whole text.
    pub fn whole(&self, text: &str) -> Range {
        Range { start: Position::default(), end: self.position(text, text.len()) }
    }
}

/// UTF-16 units of a text.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The byte of a line in front of which there are so many units; a unit within a character counts as that character's first.
pub fn byte_of_unit(line: &str, unit: usize) -> usize {
    if line.is_ascii() {
        return unit.min(line.len());
    }
    let mut left = unit;
    for (at, c) in line.char_indices() {
        if left < c.len_utf16() {
            return at;
        }
        left -= c.len_utf16();
    }
    line.len()
}

/// Units in front of a character of a line, counted from 0.
pub fn unit_of_character(line: &str, character: usize) -> usize {
    if line.is_ascii() {
        return character.min(line.len());
    }
    line.chars().take(character).map(char::len_utf16).sum()
}

/// The range of some characters of a line: `line` and `column` from 1, as messages have them; no width means the rest of the line.
pub fn range_of(text_line: &str, line: usize, column: usize, width: usize) -> Range {
    let first = column.saturating_sub(1);
    let unit = |character| unit_of_character(text_line, character);
    let end = if width == 0 { units(text_line) } else { unit(first + width) };
    let line = line.saturating_sub(1);
    let start = unit(first);
    Range { start: Position { line, unit: start }, end: Position { line, unit: end.max(start) } }
}

/// A text with a part of it replaced.
pub fn replaced(text: &str, lines: &Lines, range: Range, with: &str) -> String {
    let (start, end) = (lines.offset(text, range.start), lines.offset(text, range.end));
    let (start, end) = (start.min(end), start.max(end));
    [&text[..start], with, &text[end..]].concat()
}

/// Returns true if a character may stand in a COBOL word.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_' || "@#$".contains(c)
}

/// The word around a byte of a line, and where it begins.
pub fn word_at(line: &str, offset: usize) -> (usize, &str) {
    let offset = (0..=offset.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let start = line[..offset].char_indices().rev().take_while(|(_, c)| is_of_word(*c)).last();
    let start = start.map_or(offset, |(at, _)| at);
    let length = line[start..].find(|c| !is_of_word(c)).unwrap_or(line.len() - start);
    (start, &line[start..start + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_utf_16_units() {
        let text = "a\u{e9}\u{1f600}b\r\nsecond";
        let lines = Lines::of(text);
        assert_eq!(lines.line(text, 0), "a\u{e9}\u{1f600}b");
        for (unit, byte) in [(0, 0), (1, 1), (2, 3), (3, 3), (4, 7), (5, 8), (99, 8)] {
            assert_eq!(lines.offset(text, Position { line: 0, unit }), byte, "{unit}");
        }
        assert_eq!(lines.position(text, 7), Position { line: 0, unit: 4 });
        assert_eq!(range_of(lines.line(text, 0), 1, 3, 1).end.unit, 4);
    }

    #[test]
    fn a_place_that_does_not_exist_is_the_nearest_one() {
        let text = "one\ntwo";
        let lines = Lines::of(text);
        assert_eq!(lines.offset(text, Position { line: 9, unit: 0 }), 7);
        assert_eq!(lines.offset(text, Position { line: 0, unit: 9 }), 3);
        let backwards = Range { start: Position { line: 1, unit: 3 }, end: Position::default() };
        assert_eq!(replaced(text, &lines, backwards, "x"), "x");
    }

    #[test]
    fn a_word_is_found_from_any_of_its_characters() {
        for offset in 5..=13 {
            assert_eq!(word_at("MOVE CUST-NAME TO X", offset), (5, "CUST-NAME"), "{offset}");
        }
        assert_eq!(word_at("A + B", 2).1, "");
    }
}
