//! A session at terminals, written as a page.
//!
//! In front of each key stands the screen that its user saw; what was typed stands field by field. Passwords are typed into the page as
//! they were at the terminal: record with users of tests.

use std::cell::RefCell;
use std::fmt::Write;

use ebcdic::{Characters, CodePage};
use terminal::Tap;
use tn3270::datastream::{Address, Aid, Capabilities, Command, Field, Inbound, Input, Outbound, Wcc};
use tn3270::screen::Screen;

use crate::limits::PAGE_MAX;
use crate::picture;

/// A blank, and the first of the characters.
const BLANK: u8 = 0x40;

/// Listens to terminals, and writes down what happens at them.
#[derive(Default)]
pub struct Recorder(RefCell<Recording>);

#[derive(Default)]
struct Recording {
    /// The name of each terminal, and its screen; the first one is A.
    terminals: Vec<(String, Screen)>,
    /// Terminals that the page has switched on.
    on: usize,
    text: String,
}

impl Recorder {
    /// The page: its title, the settings below that, and the blocks. The last screens stand at its end.
    pub fn page(&self, title: &str, settings: &[String]) -> String {
        let recording = self.0.borrow();
        let mut text = format!("# {title}\n\n");
        if !settings.is_empty() {
            text.push_str(&(settings.join("\n") + "\n\n"));
        }
        text.push_str(&recording.text);
        for place in 0..recording.terminals.len().min(recording.on) {
            if let Some(block) = recording.screen(place) {
                text.push_str(&block);
            }
        }
        text.truncate(text.trim_end().len());
        text + "\n"
    }
}

impl Tap for Recorder {
    fn begins(&self, terminal: &str, capabilities: &Capabilities) {
        let mut recording = self.0.borrow_mut();
        recording.terminals.retain(|(name, _)| name != terminal);
        let screen = Screen::new(capabilities.clone(), CodePage::Ibm037);
        recording.terminals.push((terminal.to_owned(), screen));
    }

    fn sent(&self, terminal: &str, stream: &[u8]) {
        let mut recording = self.0.borrow_mut();
        if let Some((_, screen)) = recording.terminals.iter_mut().find(|(name, _)| name == terminal) {
            // The terminal itself answers what is asked of it.
            drop(screen.apply(stream));
        }
    }

    fn received(&self, terminal: &str, record: &[u8]) {
        let Ok(inbound) = Inbound::read(record) else { return };
        let mut recording = self.0.borrow_mut();
        let Some(place) = recording.terminals.iter().position(|(name, _)| name == terminal) else { return };
        let size = recording.terminals[place].1.size();
        // What a terminal answers when its buffer is read carries the last key once more.
        if Screen::of_answer(record, size, CodePage::Ibm037).is_none() {
            recording.key(place, &inbound);
        }
    }
}

impl Recording {
    /// Notes that a user has pressed a key that calls the region.
    fn key(&mut self, place: usize, inbound: &Inbound) {
        let Some(name) = name(inbound.aid) else { return };
        if self.text.len() as u64 > PAGE_MAX {
            return;
        }
        if place >= self.on {
            // A key of its own switches a terminal on.
            self.on = place + 1;
            self.text.push_str(&format!("```keys{}\nRESET\n```\n\n", letter(place)));
        }
        let seen = self.screen(place).unwrap_or_default();
        let screen = &mut self.terminals[place].1;
        let typed = typed(screen, inbound);
        self.text.push_str(&seen);
        let letter = letter(place);
        // A string takes what is written to it.
        let _ = write!(self.text, "```keys{letter}\n{typed}{name}\n```\n\n");
        match &inbound.input {
            Input::Fields { cursor, fields } => screen.typed(*cursor, fields),
            Input::Unformatted { cursor, data } => drop(screen.apply(&written(*cursor, data))),
            _ if inbound.aid == Aid::Clear => {
                screen.reset();
                drop(screen.press(Aid::Clear));
            }
            _ => {}
        }
    }

    /// A block with the screen of a terminal; `None` for an empty one, on which there is nothing to see.
    fn screen(&self, place: usize) -> Option<String> {
        let rows = picture::rows(&self.terminals[place].1);
        let is_empty = rows.iter().all(String::is_empty);
        // A row that looks like the end of the block cannot stand in it.
        let fits = !rows.iter().any(|row| row.starts_with("```"));
        (!is_empty && fits).then(|| format!("```screen{}\n{}\n```\n\n", letter(place), rows.join("\n")))
    }
}

/// The word for a terminal behind a fence; none for the first.
fn letter(place: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(place.min(25)).unwrap_or(25));
    if place == 0 { String::new() } else { format!(" {letter}") }
}

/// The words of a block for what was typed before a key.
fn typed(screen: &Screen, inbound: &Inbound) -> String {
    match &inbound.input {
        Input::Fields { cursor, fields } => {
            let words: Vec<String> = fields.iter().filter_map(|field| filled(screen, field)).collect();
            match words.is_empty() {
                true if *cursor != screen.cursor() => format!("\"\"@{} ", place_of(screen, *cursor)),
                true => String::new(),
                false => words.join(" ") + " ",
            }
        }
        Input::Unformatted { data, .. } => match text(data).trim_end() {
            "" => String::new(),
            text => format!("\"{}\" ", quoted(text)),
        },
        Input::None | Input::Structured(_) => String::new(),
    }
}

/// The stream that puts what was typed onto a screen without fields: it stays there until the region erases it.
fn written(cursor: Address, data: &[u8]) -> Vec<u8> {
    let mut stream = Outbound::write(Command::Write, Wcc::default());
    // What is no character would be an order.
    let characters: Vec<u8> = data.iter().map(|byte| if *byte < BLANK { BLANK } else { *byte }).collect();
    stream.set_buffer_address(Address(0)).raw(&characters);
    stream.set_buffer_address(cursor).insert_cursor();
    stream.finish()
}

/// The words that fill a field, if that changes it.
fn filled(screen: &Screen, field: &Field) -> Option<String> {
    let place = place_of(screen, field.address);
    let (row, column) = row_column(screen, field.address);
    let before = screen.field_at(row, column).map(|own| screen.field_text(own)).unwrap_or_default();
    let text = text(&field.data);
    (text.trim_end() != before.trim_end()).then(|| format!("fill \"{}\"@{place}", quoted(&text)))
}

/// A text as it stands between quotation marks.
fn quoted(text: &str) -> String {
    text.trim_end().replace('"', "\\\"")
}

fn row_column(screen: &Screen, address: Address) -> (u16, u16) {
    let columns = screen.size().columns.max(1);
    (address.0 / columns + 1, address.0 % columns + 1)
}

fn place_of(screen: &Screen, address: Address) -> String {
    let (row, column) = row_column(screen, address);
    format!("{row},{column}")
}

fn text(data: &[u8]) -> String {
    Characters::default().text(&CodePage::Ibm037.to_program(data)).replace('\0', "")
}

/// The word for a key in a block.
fn name(aid: Aid) -> Option<String> {
    match aid {
        Aid::Enter => Some(String::from("ENTER")),
        Aid::Clear => Some(String::from("CLEAR")),
        Aid::Pf(number) => Some(format!("PF{number}")),
        Aid::Pa(number) => Some(format!("PA{number}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tn3270::datastream::Size;

    /// Orders that start fields.
    const PROTECTED: [u8; 2] = [0x1D, 0x60];
    const OPEN: [u8; 2] = [0x1D, 0x40];

    /// A screen with a label and an open field behind it.
    fn stream() -> Vec<u8> {
        let mut stream =
            Outbound::write(Command::EraseWrite, Wcc { restore_keyboard: true, ..Wcc::default() });
        stream.set_buffer_address(Address(0)).raw(&PROTECTED);
        stream.raw(&CodePage::Ibm037.encode("NAME:")).raw(&OPEN);
        stream.set_buffer_address(Address(30)).raw(&PROTECTED);
        stream.finish()
    }

    #[test]
    fn what_was_seen_and_typed_stands_in_the_page() {
        let recorder = Recorder::default();
        recorder.begins("T", &Capabilities::unqueried(Size::MODEL_2));
        recorder.sent("T", &stream());
        let mut record = vec![Aid::Enter.code(), 0x40, 0x4B, 0x11, 0x40, 0xC7];
        record.extend(CodePage::Ibm037.encode("ANN"));
        recorder.received("T", &record);
        let expected = "# Who\n\nclock: now\n\n```keys\nRESET\n```\n\n```screen\n NAME:\n```\n\n```keys\nfill \"ANN\"@1,8 ENTER\n```\n\n```screen\n NAME: ANN\n```\n";
        assert_eq!(recorder.page("Who", &[String::from("clock: now")]), expected);
    }

    #[test]
    fn a_name_typed_on_an_empty_screen_stays_until_the_region_erases_it() {
        let recorder = Recorder::default();
        recorder.begins("T", &Capabilities::unqueried(Size::MODEL_2));
        let mut record = vec![Aid::Enter.code(), 0x40, 0xC4];
        record.extend(CodePage::Ibm037.encode("NOPE"));
        recorder.received("T", &record);
        let mut answer = Outbound::write(Command::Write, Wcc::default());
        answer.set_buffer_address(Address(80)).raw(&CodePage::Ibm037.encode("UNKNOWN"));
        recorder.sent("T", &answer.finish());
        let page = recorder.page("Who", &[]);
        assert!(page.ends_with("```keys\n\"NOPE\" ENTER\n```\n\n```screen\nNOPE\nUNKNOWN\n```\n"), "{page}");
    }

    #[test]
    fn an_answer_to_a_read_of_the_buffer_is_no_key() {
        let recorder = Recorder::default();
        recorder.begins("T", &Capabilities::unqueried(Size::MODEL_2));
        recorder.sent("T", &stream());
        recorder.received("T", &[Aid::Pa(1).code()]);
        let mut screen = Screen::new(Capabilities::unqueried(Size::MODEL_2), CodePage::Ibm037);
        screen.apply(&stream()).expect("a stream");
        screen.press(Aid::Pa(1)).expect("a key");
        let read = Outbound::bare(Command::ReadBuffer);
        recorder.sent("T", &read);
        recorder.received("T", &screen.apply(&read).expect("a command").expect("an answer"));
        assert_eq!(recorder.page("", &[]).matches("PA1").count(), 1);
    }
}
