//! A region of one test, with the people at its terminals.

use std::future::poll_fn;
use std::path::PathBuf;
use std::task::Poll;
use std::time::Duration;

use config::RegionConfig;
use ebcdic::CodePage;
use kernel::dispatcher::Dispatcher;
use kernel::name::Name8;
use kernel::task::WaitKind;
use kernel::terminals::Terminals;
use region::{Running, Startup};
use terminal::{Pilot, PilotError};
use tn3270::datastream::{Address, Capabilities, CharacterSet, Size};
use tn3270::screen::{Keyboard, Screen};
use tn3270::telnet::{DeviceType, Function, Functions, Wish};
use tokio::net::TcpStream;

use crate::printer::Printer;
use crate::script::{Act, Local};
use crate::text::told;
use crate::timeline::Timeline;

/// The longest wait of a test for anything.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between looks at a state without an event, such as the end of a task.
const TICK: Duration = Duration::from_millis(2);
/// A region in which nothing has happened for so long will do nothing more by itself.
const QUIET: Duration = Duration::from_millis(150);
/// Tasks that have waited for so long without any news wait for something that takes its time, such as a long SQL statement.
const LONG: Duration = Duration::from_secs(2);

/// A running region and its terminals.
pub struct House {
    /// The region.
    pub running: Running,
    /// The folder of the region's data.
    pub state: PathBuf,
    /// The application's folder.
    pub root: PathBuf,
    /// Its configuration.
    pub config: RegionConfig,
    terminals: Vec<At>,
    printers: Vec<Printer>,
}

/// A user at a terminal.
struct At {
    name: String,
    pilot: Option<Pilot<TcpStream>>,
}

impl House {
    /// Starts a region. Call it within a `LocalSet`.
    ///
    /// # Errors
    /// The reason that it does not start.
    pub async fn start(startup: Startup<'_>) -> Result<Self, String> {
        let (state, root) = (startup.state.to_owned(), startup.root.to_owned());
        let config = startup.config.clone();
        let (running, _) = startup.start().await.map_err(|messages| told(&messages))?;
        Ok(Self { running, state, root, config, terminals: Vec::new(), printers: Vec::new() })
    }

    /// Ends the region; tasks that still run are cut off.
    pub async fn end(mut self) {
        self.terminals.clear();
        self.printers.clear();
        for task in Dispatcher::of(&self.running.region).tasks() {
            task.force_purge();
        }
        self.running.shut_down().await;
    }

    /// Ends the region as a crash would: no part of it writes data for the next start.
    pub async fn crash(mut self) {
        self.terminals.clear();
        self.printers.clear();
        self.running.crash().await;
    }

    /// The screen of a terminal.
    pub fn screen(&self, name: &str) -> Option<&Screen> {
        self.terminals.iter().find(|at| at.name == name)?.pilot.as_ref().map(Pilot::screen)
    }

    /// The printer of a network name, if it is switched on.
    pub(crate) fn printer(&self, lu: &str) -> Option<&Printer> {
        self.printers.iter().find(|printer| printer.lu() == lu)
    }

    /// A printer is switched on or off, or behaves as the words of a block say.
    ///
    /// # Errors
    /// The word that means nothing, or the connection that is not made.
    pub(crate) async fn switch_printer(&mut self, words: &[String]) -> Result<(), String> {
        let Some((lu, moods)) = words.split_first() else { return Err(String::from("which printer?")) };
        if moods.iter().any(|word| word == "off") {
            self.printers.retain(|printer| printer.lu() != lu);
            return Ok(());
        }
        if self.printer(lu).is_none() {
            let address = self.running.addresses("tn3270").first().copied().ok_or("there is no port")?;
            let printer = Printer::switch_on(lu, address).await.map_err(|error| error.to_string())?;
            self.printers.push(printer);
        }
        for word in moods {
            if !self.printer(lu).is_some_and(|printer| printer.behave(word)) {
                return Err(format!("what is {word}?"));
            }
        }
        Ok(())
    }

    /// Returns true if no task does anything now: none runs, or each waits for input or another task.
    pub fn is_calm(&self) -> bool {
        let waits = |kind| {
            matches!(
                kind,
                WaitKind::TERMINAL
                    | WaitKind::INTERVAL
                    | WaitKind::ENQUEUE
                    | WaitKind::RECORD_LOCK
                    | WaitKind::RECORD_ENQUEUE
                    | WaitKind::RECORD_SERVER
                    | WaitKind::FILE
                    | WaitKind::TEMPORARY_STORAGE
                    | WaitKind::TRANSIENT_DATA
                    | WaitKind::SOCKET_WORK
                    | WaitKind::SOCKET
            ) || kind.is_for_somebody()
        };
        Dispatcher::of(&self.running.region).tasks().iter().all(|task| task.waits_for().is_some_and(waits))
    }

    /// Waits until something happens, or for a tick: whether something did.
    pub async fn news(&mut self) -> bool {
        let timeline = Timeline::of_process();
        let before = timeline.end();
        let screens = self.terminals.iter_mut().filter_map(|at| at.pilot.as_mut());
        let mut screens: Vec<_> = screens
            .map(|pilot| {
                let writes = pilot.screen().writes();
                Box::pin(pilot.wait("change", move |emulator| emulator.screen().writes() > writes))
            })
            .collect();
        let any_screen = poll_fn(|context| {
            let mut ready = false;
            // One whose connection has ended has no news any more.
            screens.retain_mut(|screen| {
                let polled = screen.as_mut().poll(context);
                ready |= matches!(polled, Poll::Ready(Ok(())));
                polled.is_pending()
            });
            if ready { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = any_screen => true,
            () = timeline.news.notified() => true,
            () = tokio::time::sleep(TICK) => timeline.end() > before,
        }
    }

    /// Returns true if every task waits, for whatever it may be.
    fn all_wait(&self) -> bool {
        Dispatcher::of(&self.running.region).tasks().iter().all(|task| task.waits_for().is_some())
    }

    /// Waits until the region has been calm and quiet for a while.
    pub async fn quiet(&mut self) {
        self.rests(QUIET, Self::is_calm).await;
    }

    /// Waits until no task does anything.
    pub async fn calm(&mut self) {
        let begin = tokio::time::Instant::now();
        while !self.is_calm() && begin.elapsed() < PATIENCE {
            self.news().await;
        }
    }

    /// Waits until every task has waited for a while, for whatever it may be, without any news.
    async fn silence(&mut self) {
        self.rests(LONG, Self::all_wait).await;
    }

    /// Waits until the region rests, without any news, for so long.
    async fn rests(&mut self, time: Duration, does_rest: impl Fn(&Self) -> bool) {
        let begin = tokio::time::Instant::now();
        let mut last = begin;
        while last.elapsed() < time && begin.elapsed() < PATIENCE {
            if self.news().await || !does_rest(self) {
                last = tokio::time::Instant::now();
            }
        }
    }

    /// Waits until no task is attached at a terminal, and none runs elsewhere.
    pub async fn free(&mut self, name: &str) {
        let begin = tokio::time::Instant::now();
        let netname = Name8::from(netname(name).as_str());
        loop {
            let terminals = Terminals::of(&self.running.region).list();
            let busy = terminals.iter().any(|t| t.netname == netname && t.task().is_some());
            if !busy && self.is_calm() || begin.elapsed() > PATIENCE {
                return;
            }
            self.news().await;
        }
    }

    /// Performs an act of a user at a terminal; the first time, it is switched on.
    ///
    /// # Errors
    /// The step that did not go, with the screen.
    pub async fn act(&mut self, name: &str, act: &Act) -> Result<(), PilotError> {
        match act {
            Act::Idle => {
                self.quiet().await;
                return Ok(());
            }
            Act::Silence => {
                self.silence().await;
                return Ok(());
            }
            _ => {}
        }
        let pilot = self.pilot(name).await?;
        pilot
            .wait("free keyboard", |emulator| emulator.screen().keyboard() != Keyboard::SystemLocked)
            .await?;
        match act {
            Act::Type(text) => pilot.type_text(text)?,
            Act::Fill(text) => {
                pilot.screen_mut().erase_end_of_field()?;
                pilot.type_text(text)?;
            }
            Act::Cursor(row, column) => {
                let address = Address::at(pilot.screen().size(), *row, *column);
                pilot.screen_mut().move_cursor(address);
            }
            Act::Local(key) => press_local(pilot.screen_mut(), *key)?,
            Act::Press(aid) => pilot.press_and_go(*aid).await?,
            Act::Wait(text) => pilot.wait_text(text).await?,
            Act::Disconnect => self.terminals.retain(|at| at.name != name),
            Act::Idle | Act::Silence => {}
        }
        Ok(())
    }

    /// The person at a terminal.
    async fn pilot(&mut self, name: &str) -> Result<&mut Pilot<TcpStream>, PilotError> {
        let at = match self.terminals.iter().position(|at| at.name == name) {
            Some(at) => at,
            None => {
                self.terminals.push(At { name: name.to_owned(), pilot: None });
                self.terminals.len() - 1
            }
        };
        let place = &mut self.terminals[at].pilot;
        if place.is_none() {
            let address =
                self.running.addresses("tn3270").first().copied().ok_or(std::io::ErrorKind::AddrNotAvailable);
            let stream = TcpStream::connect(address.map_err(std::io::Error::from)?).await?;
            let mut pilot = Pilot::new(stream, wish(name), capabilities(), CodePage::Ibm037, PATIENCE);
            pilot.wait("first screen", |emulator| emulator.screen().keyboard() == Keyboard::Unlocked).await?;
            *place = Some(pilot);
        }
        place.as_mut().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotConnected).into())
    }
}

fn press_local(screen: &mut Screen, key: Local) -> Result<(), tn3270::screen::Refused> {
    match key {
        Local::Tab => screen.tab(),
        Local::BackTab => screen.back_tab(),
        Local::Home => screen.home(),
        Local::NewLine => screen.new_line(),
        Local::Reset => screen.reset(),
        Local::EraseEof => screen.erase_end_of_field()?,
        Local::Delete => screen.delete()?,
    }
    Ok(())
}

/// The network name of a terminal that a test calls A.
fn netname(name: &str) -> String {
    format!("TERM{name}")
}

fn wish(name: &str) -> Wish {
    let functions = [Function::BindImage, Function::Responses, Function::SystemRequest];
    Wish {
        device: DeviceType::new("IBM-3279-2-E"),
        lu: Some(netname(name)),
        functions: Some(Functions::of(&functions)),
    }
}

/// A terminal with 24 rows, colours and highlighting.
fn capabilities() -> Capabilities {
    Capabilities {
        colour: true,
        highlight: true,
        character_set: Some(CharacterSet { set: 697, page: 37 }),
        ..Capabilities::unqueried(Size::MODEL_2)
    }
}
