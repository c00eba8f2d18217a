//! A `printer` block: a 3270 printer of a network name, and what stands on its paper since the last such block.
//!
//! The printer is switched on by its first block. It takes both the 3270 data stream and SCS, as they are published, and shows a
//! form feed and the end of a job as lines of their own. A word behind the name says how it behaves from here on: `jams`
//! (it needs an operator before it prints on), `mended`, `refuses`, `silent` (it never answers), `vanishes` (it goes when the next page
//! comes), `off`.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use ebcdic::CodePage;
use tn3270::printer::{DEVICE, Platen, Printed};
use tn3270::telnet::{Client, ClientEvent, DeviceType, Functions, Outcome, Wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

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
                device: DeviceType::new(DEVICE),
                lu: Some(lu.to_owned()),
                functions: Some(Functions::PRINTER),
            }),
            platen: Platen::new(CodePage::Ibm037),
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

/// The inside of a printer.
struct Works {
    stream: TcpStream,
    client: Client,
    platen: Platen,
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
                    self.paper.borrow_mut().extend(shown(vec![Printed::EndOfJob]));
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
                    let paper = if is_scs { self.platen.print_scs(&data) } else { self.platen.print(&data) };
                    self.paper.borrow_mut().extend(shown(paper));
                    Outcome::Positive
                }
            };
            if let Some(sequence) = respond {
                self.client.respond(sequence, outcome);
            }
        }
        true
    }
}

/// Paper as the block shows it.
fn shown(paper: Vec<Printed>) -> impl Iterator<Item = String> {
    paper.into_iter().map(|piece| match piece {
        Printed::Line(line) => line,
        Printed::FormFeed => String::from("<form feed>"),
        Printed::EndOfJob => String::from("<end of job>"),
    })
}
