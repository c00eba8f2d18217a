//! Event processing: SIGNAL EVENT and files that get its events; event bindings, which capture events at any command, and adapters.
//!
//! Out of scope: `region.toml` (crate `config` reads it, `region` brings its specifications), event bindings as text (`policies`),
//! bundles (`bundles`).

mod command;
pub mod events;
mod file;
pub mod occurrences;
mod specification;

use std::sync::{Arc, OnceLock};

use kernel::catalog::Domain;
use kernel::region::Region;
use kernel::task::Task;

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
    commands: &[command::HANDLERS, events::HANDLERS],
    kinds: events::KINDS,
    transactions: events::TRANSACTIONS,
    begin: |parts, _| {
        parts.put(Capture::default());
        parts.put(events::Events::default());
        parts.put(occurrences::Seen::default());
    },
    follower: Some(&occurrences::FOLLOWER),
    ..Domain::named("capture")
};

/// Prepares a region for event bindings, before its definitions are installed.
pub fn install(region: &Region) {
    domains::statistics::Statistics::of(region).register(Arc::new(events::Teller));
}

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

    /// Passes a line on to the files that want events of a name: when the unit of work commits, or at once. Returns true if one does.
    pub(crate) fn passes_on(
        &self,
        task: &mut Task,
        name: &str,
        line: impl FnOnce() -> serde_json::Value,
    ) -> bool {
        let mut wanting = self.wanting(name.as_bytes()).peekable();
        if wanting.peek().is_none() {
            return false;
        }
        let line = line().to_string();
        wanting.for_each(|specification| specification.passes_on(task, line.clone()));
        true
    }

    /// Those that want an event.
    fn wanting(&self, event: &[u8]) -> impl Iterator<Item = &Specification> {
        self.0.get().into_iter().flatten().filter(move |specification| specification.wants(event))
    }
}
