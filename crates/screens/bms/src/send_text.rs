//! SEND TEXT: words into lines, lines into pages.
//!
//! Each line of the screen starts with an attribute character that looks like a blank; the text takes the rest. Words
//! are not broken unless they are longer than a line, and a new-line character ends a line. Text that does not fit on
//! one screen becomes several data streams, to be sent one after the other.

use tn3270::datastream::Size;

use crate::attribute::FieldAttribute;
use crate::display::{Display, Erase, SendError};
use crate::map::Control;
use crate::stream::{BLANK, Stream, checked_cursor};

/// Characters of a program that end a line: line feed, EBCDIC's new line as a program character, and DFHBMPNL.
const NEW_LINES: [u8; 3] = [b'\n', 0x85, 0x15];
/// The attribute before every line.
const LINE_ATTRIBUTE: FieldAttribute = FieldAttribute::PROTECTED;

/// Options of SEND TEXT.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions<'o> {
    /// ERASE and its kin.
    pub erase: Erase,
    /// Device controls.
    pub control: Control,
    /// The cursor's position, from 0; without it the cursor follows the text.
    pub cursor: Option<u16>,
    /// Text above every page.
    pub header: Option<Heading<'o>>,
    /// Text below every page.
    pub trailer: Option<Heading<'o>>,
    /// The start of the text on the first page.
    pub justify: TextJustify,
}

/// The place at which text starts on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextJustify {
    /// On the first line below the header (JUSFIRST).
    #[default]
    First,
    /// On this line of the screen, from 1 (JUSTIFY(n)).
    Line(u16),
    /// As low as it fits (JUSLAST).
    Last,
}

/// A header or trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heading<'h> {
    /// Its text.
    pub text: &'h [u8],
    /// The character that is replaced by the page number in it.
    pub page_mark: Option<u8>,
}

impl<'h> Heading<'h> {
    /// Length of the prefix of a HEADER or TRAILER area before its text: halfword length, page mark, one byte unused.
    const PREFIX: usize = 4;

    /// The heading in a program's HEADER or TRAILER area; `None` if the area is shorter than it says.
    pub fn from_area(area: &'h [u8]) -> Option<Self> {
        let (prefix, text) = area.split_at_checked(Self::PREFIX)?;
        let length = usize::from(u16::from_be_bytes([prefix[0], prefix[1]]));
        let page_mark = Some(prefix[2]).filter(|mark| !matches!(mark, 0 | b' '));
        Some(Self { text: text.get(..length)?, page_mark })
    }

    /// Its lines on a page: each run of page marks is replaced by the page's number, as wide as the run.
    fn lines(self, page: usize, width: usize) -> Vec<Vec<u8>> {
        let Some(mark) = self.page_mark else { return break_lines(self.text, width) };
        let mut text = self.text.to_vec();
        if let Some(start) = text.iter().position(|character| *character == mark) {
            let run = text[start..].iter().take_while(|character| **character == mark).count();
            let number = format!("{page:>run$}");
            text[start..start + run].copy_from_slice(&number.as_bytes()[number.len() - run..]);
        }
        break_lines(&text, width)
    }
}

/// The data streams of a text: one for each page, at least one.
pub fn send_text(text: &[u8], options: &TextOptions, display: &Display) -> Result<Vec<Vec<u8>>, SendError> {
    let screen = display.screen.after(options.erase).size();
    let width = usize::from(screen.columns).saturating_sub(1);
    if width == 0 {
        return Err(SendError::Unaddressable(screen));
    }
    let pages = pages(break_lines(text, width), options, screen, width)?;
    let cursor = options.cursor.map(|position| checked_cursor(position, screen)).transpose()?;
    pages.into_iter().map(|page| page.stream(options, cursor, display)).collect()
}

/// One screen of lines.
struct TextPage {
    /// Lines by their number on the screen, from 0.
    lines: Vec<(usize, Vec<u8>)>,
    /// Which of them is the last of the text itself.
    text_end: usize,
}

fn pages(
    lines: Vec<Vec<u8>>,
    options: &TextOptions,
    screen: Size,
    width: usize,
) -> Result<Vec<TextPage>, SendError> {
    let height = usize::from(screen.rows);
    let mut rest = lines.into_iter().peekable();
    let mut pages = Vec::new();
    while pages.is_empty() || rest.peek().is_some() {
        let heading = |heading: Option<Heading>| {
            heading.map_or_else(Vec::new, |heading| heading.lines(pages.len() + 1, width))
        };
        let (header, trailer) = (heading(options.header), heading(options.trailer));
        let top = header.len();
        let bottom = height.checked_sub(trailer.len()).filter(|bottom| *bottom > top);
        let bottom = bottom.ok_or(SendError::NoRoomForText)?;
        let start = match options.justify {
            TextJustify::Line(line) if pages.is_empty() => {
                usize::from(line).saturating_sub(1).clamp(top, bottom - 1)
            }
            TextJustify::Last => bottom.saturating_sub(rest.len()).max(top),
            _ => top,
        };
        let mut page: Vec<_> = header.into_iter().enumerate().collect();
        page.extend((start..bottom).zip(rest.by_ref().take(bottom - start)));
        let text_end = page.len().saturating_sub(1);
        page.extend((bottom..).zip(trailer));
        pages.push(TextPage { lines: page, text_end });
    }
    Ok(pages)
}

impl TextPage {
    fn stream(
        self,
        options: &TextOptions,
        cursor: Option<usize>,
        display: &Display,
    ) -> Result<Vec<u8>, SendError> {
        let screen = display.screen.after(options.erase).size();
        let columns = usize::from(screen.columns);
        // If nothing was erased, blanks cover the old text.
        let length = if options.erase.is_whole() { 0 } else { columns - 1 };
        let mut stream = Stream::write(options.erase, options.control, display.screen)?;
        let ebcdic = display.code_page.from_program_table();
        for (line, text) in &self.lines {
            stream.go_to(line * columns);
            stream.start_field(LINE_ATTRIBUTE, &[]);
            let covering = length.saturating_sub(text.len());
            let text = text.iter().map(|character| ebcdic[usize::from(*character)]);
            stream.characters(text.chain(std::iter::repeat_n(BLANK, covering)));
        }
        let end = self.lines.get(self.text_end).map_or(0, |(line, text)| line * columns + 1 + text.len());
        stream.cursor(cursor.unwrap_or(end));
        Ok(stream.finish())
    }
}

/// Breaks a text into lines of at most `width` characters, which is not 0.
fn break_lines(text: &[u8], width: usize) -> Vec<Vec<u8>> {
    let mut lines = Lines { done: Vec::new(), line: Vec::new(), width };
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if NEW_LINES.contains(first) {
            lines.end();
            rest = after;
            continue;
        }
        let blank = *first == b' ';
        let same = |character: &u8| (*character == b' ') == blank && !NEW_LINES.contains(character);
        let length = rest.iter().take_while(|character| same(character)).count();
        let (run, after) = rest.split_at(length);
        if blank {
            lines.blanks(length)
        } else {
            lines.word(run)
        }
        rest = after;
    }
    if !lines.line.is_empty() || lines.done.is_empty() {
        lines.end();
    }
    lines.done
}

struct Lines {
    done: Vec<Vec<u8>>,
    line: Vec<u8>,
    width: usize,
}

impl Lines {
    fn end(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
    }

    fn room(&self) -> usize {
        self.width - self.line.len()
    }

    fn word(&mut self, word: &[u8]) {
        if word.len() > self.room() && !self.line.is_empty() {
            self.end();
        }
        let mut parts = word.chunks(self.width).peekable();
        while let Some(part) = parts.next() {
            self.line.extend(part);
            if parts.peek().is_some() {
                self.end();
            }
        }
    }

    /// Blanks are copied like other characters, except a single one for which the line has no room.
    fn blanks(&mut self, mut count: usize) {
        if count == 1 && self.room() == 0 {
            self.end();
            return;
        }
        while count > 0 {
            if self.room() == 0 {
                self.end();
            }
            let now = count.min(self.room());
            self.line.extend(std::iter::repeat_n(b' ', now));
            count -= now;
        }
    }
}
