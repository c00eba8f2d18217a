//! A `printer` block: a 3270 printer of a network name, and what stands on its paper since the last such block.
//!
//! The printer is switched on by its first block. It takes both the 3270 data stream and SCS, as they are published, and shows a
//! form feed and the end of a job as lines of their own. A word behind the name says how it behaves from here on: `jams`
//! (somebody is needed before it prints on), `mended`, `refuses`, `silent` (it never answers), `vanishes` (it goes when the next page comes),
//! `off`.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use ebcdic::{Characters, CodePage};
use tn3270::datastream::{Capabilities, Command, Size, orders};
use tn3270::screen::Screen;
use tn3270::telnet::{Client, ClientEvent, DeviceType, Functions, Outcome, Wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

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

/// Reasons of a negative response.
mod reason {
    pub const INTERVENTION_REQUIRED: u8 = 1;
    pub const OPERATION_CHECK: u8 = 2;
}

/// A printer's behaviour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Prints,
    Jams,
    Refuses,
    Silent,
    Vanishes,
}

/// A printer that is switched on.
pub struct Printer {
    lu: String,
    paper: Rc<RefCell<Vec<String>>>,
    mood: Rc<Cell<Mood>>,
    mended: Rc<Notify>,
    runs: JoinHandle<()>,
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.runs.abort();
    }
}

impl Printer {
    /// Switches one on. Call it within a `LocalSet`.
    ///
    /// # Errors
    /// There is no connection.
    pub async fn switch_on(lu: &str, address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        let (paper, mood, mended) = (Rc::default(), Rc::<Cell<Mood>>::default(), Rc::new(Notify::new()));
        let works = Works {
            stream,
            client: Client::new(Wish {
                device: DeviceType::new("IBM-3287-1"),
                lu: Some(lu.to_owned()),
                functions: Some(Functions::PRINTER),
            }),
            buffer: buffer(),
            paper: Rc::clone(&paper),
            mood: Rc::clone(&mood),
        };
        let runs = tokio::task::spawn_local(works.run(Rc::clone(&mended)));
        Ok(Self { lu: lu.to_owned(), paper, mood, mended, runs })
    }

    /// Its network name.
    pub fn lu(&self) -> &str {
        &self.lu
    }

    /// Behaves as a word says from here on. Returns false if the word says nothing of it.
    pub fn behave(&self, word: &str) -> bool {
        self.mood.set(match word {
            "jams" => Mood::Jams,
            "mended" => {
                self.mended.notify_one();
                Mood::Prints
            }
            "refuses" => Mood::Refuses,
            "silent" => Mood::Silent,
            "vanishes" => Mood::Vanishes,
            _ => return false,
        });
        true
    }

    /// The lines on its paper.
    pub fn paper(&self) -> Vec<String> {
        self.paper.borrow().clone()
    }

    /// Takes the paper away.
    pub fn tear_off(&self) {
        self.paper.borrow_mut().clear();
    }
}

fn buffer() -> Screen {
    Screen::new(Capabilities::unqueried(BUFFER), CodePage::Ibm037)
}

/// The inside of a printer.
struct Works {
    stream: TcpStream,
    client: Client,
    buffer: Screen,
    paper: Rc<RefCell<Vec<String>>>,
    mood: Rc<Cell<Mood>>,
}

impl Works {
    async fn run(mut self, mended: Rc<Notify>) {
        let mut bytes = [0; 4_096];
        loop {
            let read = tokio::select! {
                read = self.stream.read(&mut bytes) => read,
                () = mended.notified() => {
                    self.client.clear_error();
                    Ok(0)
                }
            };
            let received = match read {
                Ok(len) if len > 0 => self.client.receive(&bytes[..len]).is_ok(),
                // Nothing came, but what is to be said: the region's end shows when nothing can be.
                Ok(_) => !self.client.output().is_empty(),
                Err(_) => false,
            };
            if !received || !self.take_events() {
                return;
            }
            let output = std::mem::take(self.client.output());
            if self.stream.write_all(&output).await.is_err() {
                return;
            }
        }
    }

    /// Takes what has come. Returns false if the printer vanishes.
    fn take_events(&mut self) -> bool {
        while let Some(event) = self.client.event() {
            let (data, respond, is_scs) = match event {
                ClientEvent::Record { data, respond } => (data, respond, false),
                ClientEvent::Scs { data, respond } => (data, respond, true),
                ClientEvent::EndOfJob => {
                    self.paper.borrow_mut().push(String::from("<end of job>"));
                    continue;
                }
                _ => continue,
            };
            let outcome = match self.mood.get() {
                Mood::Vanishes => return false,
                Mood::Silent => continue,
                Mood::Jams => Outcome::Negative(reason::INTERVENTION_REQUIRED),
                Mood::Refuses => Outcome::Negative(reason::OPERATION_CHECK),
                Mood::Prints => {
                    let text = if is_scs { Some(data) } else { self.printed(&data) };
                    self.paper.borrow_mut().extend(text.iter().flat_map(|text| lines(text)));
                    Outcome::Positive
                }
            };
            if let Some(sequence) = respond {
                self.client.respond(sequence, outcome);
            }
        }
        true
    }

    /// The text that a data stream has it print: `None` unless it starts the printer.
    fn printed(&mut self, stream: &[u8]) -> Option<Vec<u8>> {
        let [command, wcc, data @ ..] = stream else { return None };
        if Command::of(*command) == Some(Command::EraseWrite) {
            self.buffer = buffer();
        }
        drop(self.buffer.apply(stream));
        let starts = wcc & 0x08 != 0;
        let width = match wcc & 0x30 {
            0x10 => 40,
            0x20 => 64,
            0x30 => 80,
            // Characters that format the page, and no buffer addresses: it is printed as it stands.
            _ if orders(stream, 2).all(|order| order.is_ok()) && data.contains(&control::NEW_LINE) => {
                return starts.then(|| data.to_vec());
            }
            _ => PLATEN,
        };
        starts.then(|| {
            let text: Vec<char> = self.buffer.text().lines().flat_map(wide).collect();
            let rows = text.chunks(width.into()).map(|row| row.iter().collect::<String>());
            let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
            let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
            let ended = rows[..used].iter().flat_map(|row| {
                let mut row = CodePage::Ibm037.encode(row);
                row.push(control::NEW_LINE);
                row
            });
            ended.collect()
        })
    }
}

/// A row of the buffer in its full width.
fn wide(row: &str) -> impl Iterator<Item = char> {
    let missing = usize::from(BUFFER.columns).saturating_sub(row.chars().count());
    row.chars().chain(std::iter::repeat_n(' ', missing))
}

/// Text with format controls as lines of paper.
fn lines(text: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let read = |line: &mut Vec<u8>| {
        Characters::default().text(&CodePage::Ibm037.to_program(&std::mem::take(line))).trim_end().to_owned()
    };
    for byte in text {
        match *byte {
            control::FORM_FEED => lines.push(String::from("<form feed>")),
            control::NEW_LINE => lines.push(read(&mut line)),
            control::END_OF_MEDIUM => break,
            other => line.push(other),
        }
    }
    if !line.is_empty() {
        lines.push(read(&mut line));
    }
    lines
}
