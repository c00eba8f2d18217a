//! A 3270 printer without a socket: the telnet [`Client`] joined to a buffer, and the paper that comes out of it.
//!
//! Bytes from the region go in with [`Printer::receive`]; bytes to send collect in [`Printer::output`]. Each [`Sheet`] waits until it
//! is printed: a definite response is given then.

use std::collections::VecDeque;

use ebcdic::{Characters, CodePage};

use crate::datastream::{Capabilities, Command, Size, orders};
use crate::screen::Screen;
use crate::telnet::{Client, ClientEvent, DeviceType, Functions, Outcome, Reject, Violation, Wish};

/// The type of a printer.
pub const DEVICE: &str = "IBM-3287-1";
/// The width of the platen, where no line length is fixed.
const PLATEN: u16 = 132;
/// Buffers of printers are those of model 2.
const BUFFER: Size = Size::MODEL_2;

/// EBCDIC control characters of print formats.
mod control {
    pub const FORM_FEED: u8 = 0x0C;
    pub const NEW_LINE: u8 = 0x15;
    pub const END_OF_MEDIUM: u8 = 0x19;
}

/// The bit of a write control character that starts the printer, and those of its line length.
const STARTS: u8 = 0x08;
const WIDTH: u8 = 0x30;

/// A piece of paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Printed {
    /// A line, without blanks at its end.
    Line(String),
    /// A new page begins.
    FormFeed,
    /// A job is complete.
    EndOfJob,
}

/// The part of a printer that prints: its buffer, and the lines that come of it.
pub struct Platen {
    buffer: Screen,
    code_page: CodePage,
}

impl Platen {
    /// One with an empty buffer.
    pub fn new(code_page: CodePage) -> Self {
        Self { buffer: buffer(code_page), code_page }
    }

    /// The paper that a 3270 data stream brings: none unless it starts the printer.
    pub fn print(&mut self, stream: &[u8]) -> Vec<Printed> {
        self.text(stream).map_or_else(Vec::new, |text| self.print_scs(&text))
    }

    /// The paper that SCS brings.
    pub fn print_scs(&self, text: &[u8]) -> Vec<Printed> {
        let mut paper = Vec::new();
        let mut line = Vec::new();
        let read = |line: &mut Vec<u8>| {
            let text = Characters::default().text(&self.code_page.to_program(&std::mem::take(line)));
            Printed::Line(text.trim_end().to_owned())
        };
        for byte in text {
            match *byte {
                control::FORM_FEED => paper.push(Printed::FormFeed),
                control::NEW_LINE => paper.push(read(&mut line)),
                control::END_OF_MEDIUM => break,
                other => line.push(other),
            }
        }
        if !line.is_empty() {
            paper.push(read(&mut line));
        }
        paper
    }

    /// The text with format controls that a data stream has it print.
    fn text(&mut self, stream: &[u8]) -> Option<Vec<u8>> {
        let [command, wcc, data @ ..] = stream else { return None };
        if Command::of(*command) == Some(Command::EraseWrite) {
            self.buffer = buffer(self.code_page);
        }
        // A printer that refuses data keeps the part before the error.
        drop(self.buffer.apply(stream));
        let starts = wcc & STARTS != 0;
        let width = match wcc & WIDTH {
            0x10 => 40,
            0x20 => 64,
            0x30 => 80,
            // Characters that format the page, and no buffer addresses: it is printed as it stands.
            _ if orders(stream, 2).all(|order| order.is_ok()) && data.contains(&control::NEW_LINE) => {
                return starts.then(|| data.to_vec());
            }
            _ => PLATEN,
        };
        starts.then(|| self.rows(width))
    }

    /// The buffer in lines of a width, down to the last one that is used.
    fn rows(&self, width: u16) -> Vec<u8> {
        let text: Vec<char> = self.buffer.text().lines().flat_map(wide).collect();
        let rows = text.chunks(width.into()).map(|row| row.iter().collect::<String>());
        let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
        let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        let ended = rows[..used].iter().flat_map(|row| {
            let mut row = self.code_page.encode(row);
            row.push(control::NEW_LINE);
            row
        });
        ended.collect()
    }
}

fn buffer(code_page: CodePage) -> Screen {
    Screen::new(Capabilities::unqueried(BUFFER), code_page)
}

/// A row of the buffer in its full width.
fn wide(row: &str) -> impl Iterator<Item = char> {
    let missing = usize::from(BUFFER.columns).saturating_sub(row.chars().count());
    row.chars().chain(std::iter::repeat_n(' ', missing))
}

/// Paper that is printed at once, and answered then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Its pieces, in their order.
    pub paper: Vec<Printed>,
    respond: Option<u16>,
}

/// A printer at its end of a connection.
pub struct Printer {
    client: Client,
    platen: Platen,
    sheets: VecDeque<Sheet>,
    lu: Option<String>,
    rejected: Option<Reject>,
    text: String,
}

impl Printer {
    /// A printer that was just connected; `lu`: the network name that it wants.
    pub fn new(lu: Option<String>, code_page: CodePage) -> Self {
        let wish = Wish { device: DeviceType::new(DEVICE), lu, functions: Some(Functions::PRINTER) };
        Self {
            client: Client::new(wish),
            platen: Platen::new(code_page),
            sheets: VecDeque::new(),
            lu: None,
            rejected: None,
            text: String::new(),
        }
    }

    /// Takes bytes that arrived.
    ///
    /// # Errors
    /// They are no TN3270.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        self.client.receive(bytes)?;
        while let Some(event) = self.client.event() {
            self.take(event);
        }
        Ok(())
    }

    fn take(&mut self, event: ClientEvent) {
        let (paper, respond) = match event {
            ClientEvent::Record { data, respond } => (self.platen.print(&data), respond),
            ClientEvent::Scs { data, respond } => (self.platen.print_scs(&data), respond),
            ClientEvent::EndOfJob => (vec![Printed::EndOfJob], None),
            ClientEvent::Assigned(lu) => return self.lu = Some(lu),
            ClientEvent::Rejected(reason) => return self.rejected = Some(reason),
            ClientEvent::Text(text) => return self.text.push_str(&text),
            ClientEvent::Bound(_) | ClientEvent::Unbound | ClientEvent::ServiceText(_) => return,
        };
        self.sheets.push_back(Sheet { paper, respond });
    }

    /// The bytes to send: remove from the front those that were sent.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.client.output()
    }

    /// The next sheet; [`Printer::printed`] says that it is on paper.
    pub fn take_sheet(&mut self) -> Option<Sheet> {
        self.sheets.pop_front()
    }

    /// A sheet is printed: the region hears of it, where it wants to.
    pub fn printed(&mut self, sheet: &Sheet) {
        if let Some(sequence) = sheet.respond {
            self.client.respond(sequence, Outcome::Positive);
        }
    }

    /// Its network name, once the region has given it one.
    pub fn lu(&self) -> Option<&str> {
        self.lu.as_deref()
    }

    /// The reason for which the region refuses it.
    pub fn rejected(&self) -> Option<Reject> {
        self.rejected
    }

    /// The text of a region that has begun no session.
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datastream::{Address, Outbound, Wcc};

    fn line(text: &str) -> Printed {
        Printed::Line(text.to_owned())
    }

    fn page(wcc: Wcc) -> Vec<u8> {
        let mut stream = Outbound::write(Command::EraseWrite, wcc);
        stream.set_buffer_address(Address(80)).text(&CodePage::Ibm037.encode("SECOND ROW"));
        stream.finish()
    }

    #[test]
    fn a_page_stays_in_the_buffer_until_the_printer_is_started() {
        let mut platen = Platen::new(CodePage::Ibm037);
        assert_eq!(platen.print(&page(Wcc::default())), []);
        let starts = Wcc { start_printer: true, ..Wcc::default() };
        let paper = platen.print(&page(starts));
        assert!(matches!(&paper[..], [Printed::Line(first)] if first.ends_with("SECOND ROW")), "{paper:?}");
    }

    #[test]
    fn scs_is_lines_and_form_feeds() {
        let platen = Platen::new(CodePage::Ibm037);
        let text = [&[0x0C][..], &CodePage::Ibm037.encode("ONE "), &[0x15], &CodePage::Ibm037.encode("TWO")]
            .concat();
        assert_eq!(platen.print_scs(&text), [Printed::FormFeed, line("ONE"), line("TWO")]);
    }
}
