//! Characters with their places in the source.

/// A character with its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    pub char: char,
    pub line: usize,
    pub column: usize,
}

/// A place in the source: the first character, and the number of characters on the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub line: usize,
    pub column: usize,
    pub length: usize,
}

/// The characters of some letters.
pub fn text(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.char).collect()
}

/// The place of some letters; those on further lines are left out.
pub fn span(letters: &[Letter]) -> Span {
    let Some(first) = letters.first() else { return Span { line: 1, column: 1, length: 0 } };
    let length = letters.iter().take_while(|letter| letter.line == first.line).count();
    Span { line: first.line, column: first.column, length }
}
