//! From lines to statements: columns, continuation, comments.
//!
//! A statement starts in column 1 (its name) or after a blank (its operation), ends in column 71, and goes on in
//! column 16 of the next line when column 72 holds any mark. Operands end at the first blank outside quotes; after a
//! comma the rest of the line is a remark and the operands go on in the continuation line.

use super::letters::{Letter, text};
use super::report::Report;

/// The column (from 1) of the continuation mark.
const MARK_COLUMN: usize = 72;
/// The column (from 1) in which a continuation line's text starts.
const CONTINUE_COLUMN: usize = 16;

/// One statement: name, operation and operands, not yet understood.
#[derive(Clone, Debug)]
pub struct Statement {
    pub name: Option<Vec<Letter>>,
    pub operation: Vec<Letter>,
    pub operands: Vec<Letter>,
}

impl Statement {
    /// The operation in upper case.
    pub fn operation(&self) -> String {
        text(&self.operation).to_uppercase()
    }

    /// The name in upper case.
    pub fn name(&self) -> Option<String> {
        self.name.as_deref().map(|name| text(name).to_uppercase())
    }
}

/// Every statement of a source, in order.
pub fn statements(source: &str, report: &mut Report) -> Vec<Statement> {
    let lines: Vec<Line> =
        source.lines().enumerate().map(|(index, text)| Line::new(index + 1, text)).collect();
    let mut found = Vec::new();
    let mut rest = lines.as_slice();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if !first.is_comment() && !first.is_blank() {
            found.extend(statement(first, &mut rest, report));
        }
    }
    found
}

/// One line: columns 1 to 71, and whether column 72 holds a mark.
struct Line {
    number: usize,
    text: Vec<char>,
    marked: bool,
}

impl Line {
    fn new(number: usize, text: &str) -> Self {
        let mut text: Vec<char> = text.chars().collect();
        let marked = text.get(MARK_COLUMN - 1).is_some_and(|mark| !mark.is_whitespace());
        text.truncate(MARK_COLUMN - 1);
        Self { number, text, marked }
    }

    fn is_comment(&self) -> bool {
        matches!(self.text.as_slice(), ['*', ..] | ['.', '*', ..])
    }

    fn is_blank(&self) -> bool {
        self.text.iter().all(|char| char.is_whitespace())
    }

    /// The text from a column (from 1) on.
    fn letters(&self, column: usize) -> impl Iterator<Item = Letter> {
        self.text.iter().enumerate().skip(column - 1).map(|(index, char)| Letter {
            char: *char,
            line: self.number,
            column: index + 1,
        })
    }

    /// Returns true if text is in the columns where a continuation line has blanks.
    fn starts_early(&self) -> bool {
        self.text.iter().take(CONTINUE_COLUMN - 1).any(|char| !char.is_whitespace())
    }

    /// The column (from 1) in which a continuation line's text starts, if that is too far right.
    fn starts_late(&self) -> Option<usize> {
        let starts = self.text.iter().position(|char| !char.is_whitespace())? + 1;
        (starts > CONTINUE_COLUMN).then_some(starts)
    }

    /// Returns true if text reaches up to the mark, which may then be text as well.
    fn is_full(&self) -> bool {
        self.text.get(MARK_COLUMN - 2).is_some_and(|char| !char.is_whitespace())
    }

    /// Returns true if the line looks like the continuation of a line that lacks its mark.
    fn looks_continued(&self) -> bool {
        let starts = self.text.iter().position(|char| !char.is_whitespace());
        starts.is_some_and(|at| at + 1 >= CONTINUE_COLUMN) && !self.is_comment()
    }
}

/// Reads one statement whose first line is given; takes its continuation lines.
fn statement(first: &Line, rest: &mut &[Line], report: &mut Report) -> Option<Statement> {
    let mut head = first.letters(1).peekable();
    let named = head.peek().is_some_and(|letter| !letter.char.is_whitespace());
    let name = named.then(|| word(&mut head));
    skip_blanks(&mut head);
    let operation = word(&mut head);
    skip_blanks(&mut head);
    let mut reader = Operands::default();
    reader.line(head);

    let mut line = first;
    loop {
        let Some((next, after)) = rest.split_first() else {
            if line.marked {
                report.nothing_continues(line.number);
            }
            break;
        };
        let forgotten = !line.marked && reader.wants_more() && next.looks_continued();
        if !line.marked && !forgotten {
            reader.end(report);
            break;
        }
        if forgotten {
            report.mark_missing(line.number);
        }
        if next.starts_early() && line.is_full() {
            report.line_too_long(line.number);
            break;
        }
        *rest = after;
        if next.starts_early() {
            report.continued_too_early(next.number);
        }
        let mut column = CONTINUE_COLUMN;
        if reader.after_comma()
            && !reader.quoted
            && let Some(late) = next.starts_late()
        {
            report.continued_too_late(next.number, late);
            column = late;
        }
        reader.line(next.letters(column));
        line = next;
    }
    if reader.quoted {
        report.quote_open(reader.letters.last().copied());
    }
    (!operation.is_empty()).then_some(Statement { name, operation, operands: reader.letters })
}

fn word(letters: &mut impl Iterator<Item = Letter>) -> Vec<Letter> {
    letters.take_while(|letter| !letter.char.is_whitespace()).collect()
}

fn skip_blanks(letters: &mut std::iter::Peekable<impl Iterator<Item = Letter>>) {
    while letters.next_if(|letter| letter.char.is_whitespace()).is_some() {}
}

/// Gathers the operands of a statement over its lines and leaves the remarks out.
#[derive(Default)]
struct Operands {
    letters: Vec<Letter>,
    quoted: bool,
    /// A blank ended the operands; the rest is a remark.
    ended: bool,
}

impl Operands {
    fn line(&mut self, letters: impl Iterator<Item = Letter>) {
        for letter in letters {
            if self.ended {
                return;
            }
            match letter.char {
                '\'' => self.quoted = !self.quoted,
                blank if blank.is_whitespace() && !self.quoted => {
                    self.ended = !self.after_comma();
                    return;
                }
                _ => {}
            }
            self.letters.push(letter);
        }
    }

    fn after_comma(&self) -> bool {
        self.letters.last().is_some_and(|letter| letter.char == ',')
    }

    /// The statement ends here although nothing says that it goes on.
    fn end(&self, report: &mut Report) {
        if self.after_comma()
            && !self.quoted
            && let Some(comma) = self.letters.last()
        {
            report.comma_dangles(*comma);
        }
    }

    /// Returns true if more operands must follow those read so far.
    fn wants_more(&self) -> bool {
        self.after_comma() || self.quoted
    }
}
