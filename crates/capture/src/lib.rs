//! Event processing: SIGNAL EVENT, and files that get the captured events.
//!
//! In scope: the command, the specifications of the wanted events, and the form in which an event is written.
//!
//! Out of scope: `region.toml` (crate `config` reads it, `region` brings its specifications), and any other
//! way of emitting events than files.

mod command;
mod file;
mod specification;

use std::sync::OnceLock;

use kernel::catalog::Domain;
use kernel::region::Region;

pub use specification::{Shape, Specification};

/// Longest name of an event.
pub const EVENT_NAME_MAX: usize = 32;
/// Bytes that FROM may have.
const EVENT_BYTES_MAX: usize = 32_763;
/// Bytes of a file of events, before the next one begins.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Bytes of the events of a file that wait for the ends of their units of work; those beyond are lost.
const WAITING_BYTES_MAX: usize = 64 << 20;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[command::HANDLERS],
    begin: |parts, _| parts.put(Capture::default()),
    ..Domain::named("capture")
};

/// The events that a region captures.
#[derive(Default)]
pub struct Capture(OnceLock<Vec<Specification>>);

impl Capture {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Begins to capture these events. Once for a region: later calls have no effect.
    pub fn begin(&self, specifications: Vec<Specification>) {
        let _ = self.0.set(specifications);
    }

    /// Returns true if events of a name are captured.
    pub fn wants(&self, event: &str) -> bool {
        self.wanting(event.as_bytes()).next().is_some()
    }

    /// Emits an event of the region itself at once, to every file that wants events of its name.
    pub fn emit(&self, event: &str, line: &serde_json::Value) {
        let line = line.to_string();
        self.wanting(event.as_bytes()).for_each(|specification| specification.file.emit(&line));
    }

    /// Those that want an event.
    fn wanting(&self, event: &[u8]) -> impl Iterator<Item = &Specification> {
        self.0.get().into_iter().flatten().filter(move |specification| specification.wants(event))
    }
}
