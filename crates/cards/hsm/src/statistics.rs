//! The counts of commands.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use crate::behaviour::DeviceFault;
use crate::error::ErrorCode;

/// Counts of everything that happened since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Connections that got a place.
    pub accepted: u64,
    /// Connections that were refused for want of a place.
    pub refused: u64,
    /// Connections at present.
    pub connections: usize,
    /// The most at a time.
    pub connections_peak: usize,
    /// Frames too short to hold a command, after which the connection was closed.
    pub malformed: u64,
    /// Commands by their code and the error code they got.
    pub commands: BTreeMap<(String, ErrorCode), u64>,
    /// Processor time of this process while it served.
    pub processor: Duration,
    /// Faults that were made on purpose.
    pub faults: BTreeMap<DeviceFault, u64>,
}

impl Statistics {
    pub(crate) fn connected(&mut self) {
        self.accepted += 1;
        self.connections += 1;
        self.connections_peak = self.connections_peak.max(self.connections);
    }

    pub(crate) fn disconnected(&mut self) {
        self.connections -= 1;
    }

    pub(crate) fn command(&mut self, code: [u8; 2], error: ErrorCode) {
        // Unknown codes are counted together: a client must not be able to grow the table.
        let code =
            if error == ErrorCode::Disabled { "other".into() } else { String::from_utf8_lossy(&code).into() };
        *self.commands.entry((code, error)).or_default() += 1;
    }

    pub(crate) fn fault(&mut self, fault: DeviceFault) {
        *self.faults.entry(fault).or_default() += 1;
    }
}

/// Processor time that this process has used.
pub(crate) fn processor_time() -> Duration {
    // Every Linux has this clock.
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accepted, refused, connections_peak, malformed, .. } = self;
        writeln!(f, "connections  {accepted} accepted, {connections_peak} at a time, {refused} refused")?;
        for ((code, error), count) in &self.commands {
            writeln!(f, "{code:11}  {count:9} × {} {}", error.code(), error.meaning())?;
        }
        for (fault, count) in &self.faults {
            writeln!(f, "fault        {count:9} × {fault:?}")?;
        }
        if *malformed > 0 {
            writeln!(f, "malformed    {malformed:9} frames")?;
        }
        let all: u64 = self.commands.values().sum();
        let seconds = self.processor.as_secs_f64();
        writeln!(f, "processor    {seconds:.3} s, {:.1} µs a command", seconds / all.max(1) as f64 * 1e6)
    }
}
