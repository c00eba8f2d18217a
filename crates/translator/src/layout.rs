//! Text words to source lines for the compiler, and the map back.
//!
//! The text is in free format. A word goes on a new line where its source line is another than that of the word before
//! it; so each line comes from one line of the user's, and the map is one entry a line.

use crate::origin::{At, FrameId, Frames, Origin};
use crate::token::{Kind, Lay, Token};

/// From lines of the translated text to lines of the user's.
#[derive(Clone, Debug, Default)]
pub struct LineMap {
    frames: Frames,
    /// For each line of the text.
    lines: Vec<At>,
}

impl LineMap {
    /// Where a line of the translated text (from 1) comes from: the place goes to the end of the user's line.
    pub fn origin(&self, line: usize) -> Option<Origin> {
        let at = self.lines.get(line.checked_sub(2)?)?;
        Some(self.frames.origin(At { width: 0, ..*at }))
    }

    /// What the margin has cut off near the user's line, and that line's number: why a word may be missing there.
    pub(crate) fn cut_off(&self, line: usize) -> Option<(u32, String)> {
        self.frames.cut_off(*self.lines.get(line.checked_sub(2)?)?)
    }

    /// How many lines the translated text has.
    pub fn line_count(&self) -> usize {
        self.lines.len() + 1
    }

    pub(crate) fn attach(mut self, frames: Frames) -> Self {
        self.frames = frames;
        self
    }
}

/// First line of every text: the rest is free. It stands in the columns that fixed format reads, so that no option of
/// the compiler is needed.
const HEADER: &str = "       >>SOURCE FORMAT IS FREE\n";
/// The compiler cuts lines of free format at 512 bytes.
const LINE_MAX: usize = 500;
/// Where supplied lines start.
const INDENT: usize = 11;

/// Writes the words.
pub(crate) fn write(tokens: &[Token]) -> (String, LineMap) {
    let mut writer =
        Writer { text: String::with_capacity(tokens.len() * 9), lines: Vec::new(), start: 0, last: None };
    writer.text.push_str(HEADER);
    writer.start = writer.text.len();
    for token in tokens {
        writer.put(token);
    }
    writer.end_line();
    (writer.text, LineMap { frames: Frames::default(), lines: writer.lines })
}

struct Writer {
    text: String,
    lines: Vec<At>,
    /// Where the current line starts.
    start: usize,
    /// Where the word before this one came from, if it is on this line.
    last: Option<(FrameId, u32)>,
}

impl Writer {
    fn put(&mut self, token: &Token) {
        let source_line = (token.at.frame, token.at.line);
        // A supplied sentence is complete.
        let ends_line = token.kind == Kind::Made && token.text.ends_with('.');
        let full = self.text.len() - self.start + token.text.len() > LINE_MAX;
        let gap = match token.lay {
            Lay::Gap(gap) if self.last == Some(source_line) && !full => Some(usize::from(gap)),
            _ => None,
        };
        match gap {
            Some(gap) => self.text.extend(std::iter::repeat_n(' ', gap)),
            None => self.new_line(token),
        }
        self.text.push_str(&token.text);
        self.last = (!ends_line).then_some(source_line);
    }

    fn new_line(&mut self, token: &Token) {
        self.end_line();
        self.lines.push(token.at);
        let indent = match token.kind {
            Kind::Made => INDENT,
            _ => usize::from(token.at.column).saturating_sub(1).min(LINE_MAX / 2),
        };
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    fn end_line(&mut self) {
        if self.text.len() > self.start {
            self.text.push('\n');
            self.start = self.text.len();
        }
    }
}
