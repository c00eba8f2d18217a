//! Simulated 3270 terminals with think time: each presses ENTER in its turn, and sees whether its task has done its work.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use card::answer::Answer;
use ebcdic::CodePage;
use load::kind::{Kind, Outcome};
use load::report::Report;
use terminal::{Pilot, PilotError};
use tn3270::datastream::{Aid, Capabilities, Size};
use tn3270::screen::Keyboard;
use tn3270::telnet::{DeviceType, Wish};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use crate::clock::processor_time;

/// The longest wait for a screen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The input with which a terminal starts a task.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    /// ENTER alone: the transaction is a pseudo-conversation.
    Enter,
    /// CLEAR, a text by the terminal's number and that of its task, ENTER.
    Typed(fn(usize, usize) -> String),
}

/// Terminals that are connected, each at the first screen of a transaction.
pub(crate) struct Terminals {
    pilots: Vec<Pilot<TcpStream>>,
    /// The text of a screen whose task has done its work.
    done: &'static str,
    input: Input,
}

impl Terminals {
    /// Connects so many of them to regions in turn, and types the text that starts a transaction at each.
    pub async fn connect(
        regions: &[SocketAddr],
        count: usize,
        first: &str,
        [ready, done]: [&'static str; 2],
    ) -> Result<Self, String> {
        let mut pilots = Vec::new();
        for (number, address) in (0..count).zip(regions.iter().cycle()) {
            let pilot = start(*address, first, ready).await;
            pilots.push(pilot.map_err(|error| format!("terminal {number}: {error}"))?);
        }
        Ok(Self { pilots, done, input: Input::Enter })
    }

    /// The same with another input for each task.
    pub fn with_input(self, input: Input) -> Self {
        Self { input, ..self }
    }

    /// Has them press ENTER at a rate, all together, until `see` has seen enough: it sees the report once a second.
    pub async fn press(&mut self, rate: f64, mut see: impl FnMut(&Report) -> bool) -> Result<(), String> {
        let shared = Rc::new(RefCell::new(Report { wanted_rate: Some(rate), ..Report::default() }));
        let ends = Rc::new(RefCell::new(false));
        let think = Duration::from_secs_f64(self.pilots.len() as f64 / rate);
        let (begun, processor) = (Instant::now(), processor_time());
        let count = self.pilots.len() as f64;
        let mut tasks = JoinSet::new();
        for (number, mut pilot) in self.pilots.drain(..).enumerate() {
            let (shared, ends) = (Rc::clone(&shared), Rc::clone(&ends));
            let (done, input) = (self.done, self.input);
            let mut due = begun + think.mul_f64(number as f64 / count);
            tasks.spawn_local(async move {
                for turn in 0.. {
                    if *ends.borrow() {
                        break;
                    }
                    sleep_until(due).await;
                    let typed = match input {
                        Input::Enter => None,
                        Input::Typed(text) => Some(text(number, turn)),
                    };
                    let response = task(&mut pilot, typed, done).await?;
                    note(&mut shared.borrow_mut(), response);
                    // One that is late presses at once, and thinks again.
                    due = (due + think).max(Instant::now());
                }
                Ok::<_, String>(pilot)
            });
        }
        let mut ticks = interval(Duration::from_secs(1));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                ended = tasks.join_next() => match ended {
                    Some(Ok(Ok(pilot))) => self.pilots.push(pilot),
                    Some(Ok(Err(error))) => return Err(error),
                    Some(Err(error)) => return Err(error.to_string()),
                    None => return Ok(()),
                },
                _ = ticks.tick() => {
                    let mut report = shared.borrow_mut();
                    report.elapsed = begun.elapsed();
                    report.processor = Duration::from_secs_f64(processor_time() - processor);
                    if see(&report) {
                        *ends.borrow_mut() = true;
                    }
                }
            }
        }
    }
}

/// One task of a terminal; the time that it took. A screen of which the wanted words are missing is an error.
async fn task(pilot: &mut Pilot<TcpStream>, typed: Option<String>, done: &str) -> Result<Duration, String> {
    let failed = |error: PilotError| format!("a terminal has no screen: {error}");
    if let Some(text) = typed {
        pilot.press(Aid::Clear).await.map_err(failed)?;
        pilot.type_text(&text).map_err(failed)?;
    }
    let pressed = Instant::now();
    pilot.press(Aid::Enter).await.map_err(failed)?;
    let response = pressed.elapsed();
    let screen = pilot.screen().text();
    match screen.contains(done) {
        true => Ok(response),
        false => Err(format!("a task has not done its work; the screen shows:\n{}", screen.trim_end())),
    }
}

/// Counts a task.
fn note(report: &mut Report, response: Duration) {
    report.finished += 1;
    *report.outcomes.entry((Kind::Valid, Outcome::Answered(Answer::Authentic))).or_default() += 1;
    report.response.add(u64::try_from(response.as_micros()).unwrap_or(u64::MAX));
}

async fn start(address: SocketAddr, first: &str, ready: &str) -> Result<Pilot<TcpStream>, PilotError> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let wish = Wish { device: DeviceType::new("IBM-3278-2-E"), lu: None, functions: None };
    let capabilities = Capabilities::unqueried(Size::MODEL_2);
    let mut pilot = Pilot::new(stream, wish, capabilities, CodePage::Ibm037, PATIENCE);
    pilot.wait("first screen", |emulator| emulator.screen().keyboard() == Keyboard::Unlocked).await?;
    pilot.press(Aid::Clear).await?;
    pilot.type_text(first)?;
    pilot.press_and_go(Aid::Enter).await?;
    pilot.wait_text(ready).await?;
    Ok(pilot)
}
