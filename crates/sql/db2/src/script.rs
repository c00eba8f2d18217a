//! Scripts of statements: as SPUFI, DSNTEP2 and DSNTIAD take them.

use crate::letters::Letters;
use crate::mistake::Mistake;
use crate::package::Spot;

/// A statement of a script.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its text, without the terminator.
    pub letters: Letters,
    /// Place where it begins.
    pub at: Spot,
}

/// Comment that changes the terminator of statements.
const TERMINATOR: &str = "--#SET TERMINATOR";

/// The statements of a script: each ends with `;` or with the character that `--#SET TERMINATOR` names.
///
/// # Errors
/// A quote or a comment that is not closed.
pub fn split(text: &str) -> Result<Vec<Piece>, Mistake> {
    let mut script = Script::default();
    let mut pieces = script.add(text);
    pieces.extend(script.end()?);
    Ok(pieces)
}

/// A script that comes line by line.
#[derive(Debug)]
pub struct Script {
    /// Text without a terminator behind it yet.
    rest: Letters,
    /// Place of the next character.
    next: Spot,
    terminator: char,
}

impl Default for Script {
    fn default() -> Self {
        let next = Spot { source: 0, line: 1, column: 1, width: 1 };
        Self { rest: Letters::default(), next, terminator: ';' }
    }
}

impl Script {
    /// Takes some more of it: the statements that end there.
    pub fn add(&mut self, text: &str) -> Vec<Piece> {
        self.next = self.rest.append(text, self.next);
        let mut splitter = Splitter::new(self);
        // A quote or comment may be closed by what comes later.
        while splitter.at < splitter.all.chars.len() && splitter.step().is_ok() {}
        let Splitter { start, terminator, pieces, .. } = splitter;
        self.rest.chars.drain(..start);
        self.rest.spots.drain(..start);
        self.terminator = terminator;
        pieces
    }

    /// Returns true if a statement has begun that has not ended.
    pub fn is_open(&self) -> bool {
        crate::lexer::lex(&self.rest).map_or(true, |tokens| !tokens.is_empty())
    }

    /// Its end: the last statement, which needs no terminator.
    ///
    /// # Errors
    /// A quote or a comment that is not closed.
    pub fn end(self) -> Result<Option<Piece>, Mistake> {
        let mut splitter = Splitter::new(&self);
        while splitter.at < splitter.all.chars.len() {
            splitter.step()?;
        }
        splitter.end();
        Ok(splitter.pieces.pop())
    }
}

struct Splitter<'l> {
    all: &'l Letters,
    at: usize,
    start: usize,
    terminator: char,
    pieces: Vec<Piece>,
}

impl<'l> Splitter<'l> {
    fn new(script: &'l Script) -> Self {
        Self { all: &script.rest, at: 0, start: 0, terminator: script.terminator, pieces: Vec::new() }
    }

    fn step(&mut self) -> Result<(), Mistake> {
        let c = self.all.chars[self.at];
        let two = self.all.text(self.at, self.at + 2);
        match c {
            _ if c == self.terminator => {
                self.end();
                self.at += 1;
                self.start = self.at;
            }
            '\'' | '"' => {
                self.at = self.behind(
                    self.at + 1,
                    |this, at| this.all.at(at) == Some(c),
                    "this quote is not closed",
                )? + 1;
            }
            _ if two == "--" => self.comment(),
            _ if two == "/*" => {
                let closes = |this: &Self, at: usize| this.all.text(at, at + 2) == "*/";
                self.at = self.behind(self.at + 2, closes, "this comment is not closed")? + 2;
            }
            _ => self.at += 1,
        }
        Ok(())
    }

    /// Place behind the end of a text that begins here.
    fn behind(
        &self,
        from: usize,
        ends: impl Fn(&Self, usize) -> bool,
        message: &str,
    ) -> Result<usize, Mistake> {
        let found = (from..self.all.chars.len()).find(|at| ends(self, *at));
        found.ok_or_else(|| Mistake::new(self.all.spot(self.at, self.at + 1), message))
    }

    fn comment(&mut self) {
        let end = (self.at..self.all.chars.len()).find(|at| self.all.chars[*at] == '\n');
        let end = end.unwrap_or(self.all.chars.len());
        let line = self.all.text(self.at, end);
        let said = line.get(..TERMINATOR.len()).filter(|start| start.eq_ignore_ascii_case(TERMINATOR));
        if said.is_some()
            && let Some(c) = line[TERMINATOR.len()..].trim().chars().next()
        {
            self.terminator = c;
        }
        self.at = end;
    }

    /// Takes what stands since the last terminator, if it is more than blanks and comments.
    fn end(&mut self) {
        let range = self.start..self.at;
        let letters =
            Letters { chars: self.all.chars[range.clone()].to_vec(), spots: self.all.spots[range].to_vec() };
        let tokens = crate::lexer::lex(&letters).unwrap_or_default();
        if let Some(first) = tokens.first() {
            self.pieces.push(Piece { at: first.spot, letters });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(u32, String)> {
        let pieces = split(text).expect("statements");
        pieces.iter().map(|piece| (piece.at.line, crate::one_line(&piece.letters))).collect()
    }

    #[test]
    fn comments_and_quotes_hold_no_ends() {
        let text = "-- it's; a comment\nSELECT ';' FROM T;\n\n/* ; */ COMMIT ;\nDROP TABLE T";
        assert_eq!(
            pieces(text),
            [(2, "SELECT ';' FROM T".into()), (4, "COMMIT".into()), (5, "DROP TABLE T".into())]
        );
    }

    #[test]
    fn the_terminator_is_named() {
        let text = "--#SET TERMINATOR #\nCREATE TRIGGER A BEGIN X; Y; END#\n--#SET TERMINATOR ;\nCOMMIT;";
        assert_eq!(pieces(text), [(2, "CREATE TRIGGER A BEGIN X; Y; END".into()), (4, "COMMIT".into())]);
    }

    #[test]
    fn it_comes_line_by_line() {
        let mut script = Script::default();
        let mut lines =
            ["SELECT 'A;", "B' FROM", "T; COMMIT; /* ;", "*/ --#SET TERMINATOR #", "DROP X;", "Y# "].iter();
        let mut add = || script.add(&format!("{}\n", lines.next().expect("a line"))).len();
        assert_eq!([add(), add(), add(), add(), add(), add()], [0, 0, 2, 0, 0, 1]);
        assert!(!script.is_open());
        assert_eq!(script.add("COMMIT").len(), 0);
        assert!(script.is_open());
        let last = script.end().expect("closed").expect("a statement");
        assert_eq!((last.at.line, crate::one_line(&last.letters)), (7, "COMMIT".into()));
    }

    #[test]
    fn what_is_not_closed_is_told() {
        assert!(split("SELECT 'A FROM T;").is_err());
    }
}
