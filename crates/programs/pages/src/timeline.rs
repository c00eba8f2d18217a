//! The happenings in the region, in order: outcomes of commands, DISPLAY lines, abends, messages.
//!
//! The region tells it by trace events; one subscriber for the whole process collects them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use spec::{Command, CommandId, Condition};
use tokio::sync::Notify;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A command has come back to its program.
    Outcome(Outcome),
    /// A command has come to this at another region, or on the way there; its outcome follows.
    Shipped(Outcome),
    /// A program's DISPLAY.
    Display(String),
    /// A task ended abnormally: its transaction, the code and the program.
    Abend(String, String, String),
    /// A message of the region's log.
    Message(String),
}

/// The outcome of a command.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The command.
    pub command: &'static Command,
    /// The program that it stands in.
    pub program: String,
    /// Its number in the program.
    pub statement: u16,
    /// RESP.
    pub condition: Condition,
    /// RESP2.
    pub resp2: i64,
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome(outcome) | Self::Shipped(outcome) => outcome.fmt(f),
            Self::Display(line) => f.write_str(line),
            Self::Abend(transaction, code, program) => {
                write!(f, "{transaction} abended {code} in {program}")
            }
            Self::Message(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, condition) = (self.command.name, self.condition);
        match (condition.resp(), self.resp2) {
            (0, _) => write!(f, "{name} NORMAL"),
            (resp, 0) => write!(f, "{name} {}({resp})", condition.name()),
            (resp, resp2) => write!(f, "{name} {}({resp}) {resp2}", condition.name()),
        }
    }
}

/// The collector of this process.
#[derive(Default)]
pub struct Timeline {
    happenings: Mutex<Vec<Happening>>,
    /// Told of each new happening.
    pub news: Notify,
}

impl Timeline {
    /// The timeline; it begins to collect with the first call.
    pub fn of_process() -> &'static Arc<Self> {
        static TIMELINE: OnceLock<Arc<Timeline>> = OnceLock::new();
        TIMELINE.get_or_init(|| {
            let timeline = Arc::new(Self::default());
            let subscriber = tracing_subscriber::registry().with(Collector(Arc::clone(&timeline)));
            // A second subscriber can only be a mistake of the caller, who will find its own timeline empty.
            let _ = tracing::subscriber::set_global_default(subscriber);
            timeline
        })
    }

    /// Everything from one place on.
    pub fn since(&self, place: usize) -> Vec<Happening> {
        self.happenings.lock()[place..].to_vec()
    }

    /// The place behind the last happening.
    pub fn end(&self) -> usize {
        self.happenings.lock().len()
    }

    /// Forgets everything: a new region starts.
    pub fn clear(&self) {
        self.happenings.lock().clear();
    }

    fn push(&self, happening: Happening) {
        self.happenings.lock().push(happening);
        self.news.notify_waiters();
    }
}

/// The target of outcomes of commands.
const OUTCOMES: &str = "EI";
/// The target of DISPLAY lines.
const DISPLAYS: &str = "SYSOUT";

struct Collector(Arc<Timeline>);

impl<S: Subscriber> Layer<S> for Collector {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == OUTCOMES || *metadata.level() <= Level::INFO
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let happening = match event.metadata().target() {
            OUTCOMES if fields.is_shipped => Happening::Shipped(fields.outcome()),
            OUTCOMES => Happening::Outcome(fields.outcome()),
            DISPLAYS => {
                let line = fields.message.split_once(": ").map_or("", |(_, line)| line);
                // A test is a text: what cannot be read shows as a point.
                let line = line.trim_end().replace(|c: char| c.is_control(), ".");
                Happening::Display(line)
            }
            _ => abend(&fields.message).unwrap_or(Happening::Message(fields.message)),
        };
        self.0.push(happening);
    }
}

/// The abend that a message tells.
fn abend(message: &str) -> Option<Happening> {
    let (_, rest) = message.split_once("Transaction ")?;
    let (transaction, rest) = rest.split_once(" failed with abend ")?;
    let (code, rest) = rest.split_once(" in program ")?;
    let (program, _) = rest.split_once('.')?;
    Some(Happening::Abend(transaction.to_owned(), code.trim().to_owned(), program.trim().to_owned()))
}

#[derive(Default)]
struct Fields {
    message: String,
    program: String,
    numbers: Vec<(&'static str, i64)>,
    /// It names another system.
    is_shipped: bool,
}

impl Fields {
    fn number(&self, name: &str) -> i64 {
        self.numbers.iter().find(|(field, _)| *field == name).map_or(0, |(_, number)| *number)
    }

    fn outcome(self) -> Outcome {
        Outcome {
            command: spec::command(CommandId(self.number("command") as u16)),
            statement: self.number("statement") as u16,
            condition: Condition(self.number("resp") as u16),
            resp2: self.number("resp2"),
            program: self.program,
        }
    }
}

impl Visit for Fields {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.numbers.push((field.name(), value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.numbers.push((field.name(), value as i64));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "program" => self.program = format!("{value:?}"),
            "system" => self.is_shipped = true,
            _ => {}
        }
    }
}
