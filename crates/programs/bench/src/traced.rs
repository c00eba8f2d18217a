//! The auxiliary trace, encrypted beside in clear: tasks that make so many bytes of it in a second.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Options;
use crate::clock::{in_turns, processor_time};
use crate::processes::bytes;
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Bytes of trace in a second, as published, and the seconds of a round.
const RATE: f64 = 30e6;
const SECONDS: f64 = 3.0;
/// Tasks that are attached in one go: some 3 MB of trace.
const BURST: usize = 100;
/// The file of the key, and a key.
const KEY_FILE: &str = "trace.key";
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
const DEFINITIONS: &str = "  DEFINE PROGRAM(TRACED) GROUP(LOAD) CONCURRENCY(THREADSAFE)
  DEFINE TRANSACTION(TRCD) GROUP(LOAD) PROGRAM(TRACED)
";

/// A region whose auxiliary trace is on.
struct Traced {
    site: Site,
    folder: PathBuf,
    /// Bytes and seconds of all rounds.
    made: f64,
    seconds: f64,
}

impl Traced {
    fn start(workshop: &Workshop, state: &str, encrypted: bool) -> Result<Self, String> {
        let data = format!("[data]\nencryption-key-file = \"{KEY_FILE}\"\n");
        let text = include_str!("../programs/workload/region.toml")
            .replace("{PORT}", "0")
            .replace("applid = \"LOAD\"", &format!("applid = \"LOAD\"\nstate = \"{state}\""));
        let text = format!("{text}AUXTR = \"ON\"\n\n{}", if encrypted { &data } else { "" });
        let site = workshop.region_of(&text, 1)?;
        let folder = workshop.path().join(state).join(region::RECORD_FOLDER);
        Ok(Self { site, folder, made: 0.0, seconds: 0.0 })
    }

    /// Microseconds of a task, while the trace grows by [`RATE`].
    fn round(&mut self, seconds: f64) -> f64 {
        let (begun, before, spent) = (Instant::now(), self.written(), processor_time());
        let mut tasks = 0_u32;
        while begun.elapsed().as_secs_f64() < seconds {
            (0..BURST).for_each(|_| self.site.attach("TRCD", None));
            self.site.idle();
            tasks += BURST as u32;
            let due = Duration::from_secs_f64((self.written() - before) as f64 / RATE);
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        self.made += (self.written() - before) as f64;
        self.seconds += begun.elapsed().as_secs_f64();
        (processor_time() - spent) * 1e6 / f64::from(tasks)
    }

    fn written(&self) -> u64 {
        bytes(&self.folder)
    }

    /// Ends the region; megabytes that it has written in a second.
    fn end(self) -> f64 {
        self.site.end();
        self.made / self.seconds / 1e6
    }
}

/// A task with a hundred commands in an encrypted trace beside one whose trace is in clear.
pub(crate) fn encrypted(options: &Options) -> Result<Measured, String> {
    let workshop = Workshop::empty()?;
    workshop.write("TRACED.cbl", include_str!("../programs/traced.cbl"))?;
    workshop.write("workload.csd", DEFINITIONS)?;
    workshop.write(KEY_FILE, KEY)?;
    only_ours(&workshop.path().join(KEY_FILE))?;
    let mut sealed = Traced::start(&workshop, "sealed", true)?;
    let mut clear = Traced::start(&workshop, "clear", false)?;
    let seconds = if options.quick { 0.2 } else { SECONDS };
    let (figure, floor) = in_turns(
        "encrypted-trace",
        options.size(ROUNDS, 1),
        || sealed.round(seconds),
        || clear.round(seconds),
    );
    let note = format!("{:.1} MB a second encrypted, {:.1} in clear", sealed.end(), clear.end());
    Ok(Measured::new(figure, floor).note(note))
}

/// A region takes no key that others may read.
fn only_ours(file: &Path) -> Result<(), String> {
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(file, mode).map_err(|error| format!("{}: {error}", file.display()))
}
