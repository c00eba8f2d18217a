//! The state of a JVM: its own words, and those of the operating system about its process.

use std::fs;
use std::time::Duration;

use crate::wire::Reader;

/// Characters of the name of a collector.
const POLICY_MAX: usize = 32;

/// Collections of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Collections {
    pub count: u64,
    /// Nanoseconds that they have lasted.
    pub time: u64,
    /// Bytes that they have freed.
    pub freed: u64,
}

/// A JVM's own words, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vitals {
    pub heap: u64,
    pub heap_initial: u64,
    /// 0: it has no limit.
    pub heap_max: u64,
    pub heap_peak: u64,
    /// Bytes in use behind the last collection.
    pub occupancy: u64,
    pub policy: String,
    pub minor: Collections,
    pub major: Collections,
    pub code_used: u64,
    pub code: u64,
    pub classes_used: u64,
    pub classes: u64,
}

impl Collections {
    /// Adds those of another JVM.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.time = self.time.saturating_add(other.time);
        self.freed = self.freed.saturating_add(other.freed);
    }
}

impl Vitals {
    /// Reads a message; `None` if it is none.
    pub fn read(body: &mut Reader<'_>) -> Option<Self> {
        let mut vitals = Self {
            heap: number(body)?,
            heap_initial: number(body)?,
            heap_max: number(body)?,
            heap_peak: number(body)?,
            occupancy: number(body)?,
            policy: body.text()?.chars().filter(|c| !c.is_control()).take(POLICY_MAX).collect(),
            ..Self::default()
        };
        vitals.minor = collections(body)?;
        vitals.major = collections(body)?;
        (vitals.code_used, vitals.code) = (number(body)?, number(body)?);
        (vitals.classes_used, vitals.classes) = (number(body)?, number(body)?);
        body.is_at_end().then_some(vitals)
    }
}

fn number(body: &mut Reader<'_>) -> Option<u64> {
    u64::try_from(body.i64()?).ok()
}

fn collections(body: &mut Reader<'_>) -> Option<Collections> {
    let (count, milliseconds, freed) = (number(body)?, number(body)?, number(body)?);
    Some(Collections { count, time: milliseconds.saturating_mul(1_000_000), freed })
}

/// The figures of a process that the operating system has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Process {
    /// Bytes in real storage.
    pub resident: u64,
    /// The same, of which what it shares with others counts by its share.
    pub share: u64,
    /// Bytes that no other process has.
    pub private: u64,
    pub threads: u64,
    /// Nanoseconds of processor time.
    pub processor: u64,
}

impl Process {
    /// Those of a process; `None` if it has ended.
    pub fn of(pid: u32) -> Option<Self> {
        let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
        let mut process = Self::of_memory(&read("smaps_rollup")?);
        let stat = read("stat")?;
        // The name of the program may have blanks and parentheses in it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |place: usize| fields.get(place)?.parse::<u64>().ok();
        process.processor = (field(11)? + field(12)?).saturating_mul(TICK.as_nanos() as u64);
        process.threads = field(17)?;
        Some(process)
    }

    /// Bytes of a process in real storage; `None` if it has ended. Much cheaper than the rest.
    pub fn resident(pid: u32) -> Option<u64> {
        Some(bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS"))
    }

    fn of_memory(rollup: &str) -> Self {
        let of = |name| bytes(rollup, name);
        let private = of("Private_Clean") + of("Private_Dirty");
        Self { resident: of("Rss"), share: of("Pss"), private, ..Self::default() }
    }
}

/// The bytes in a line of a file in /proc, which has them in kilobytes; 0 without the line.
fn bytes(file: &str, name: &str) -> u64 {
    let rest = file.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kilobytes = rest.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default().saturating_mul(1 << 10)
}

/// The unit of processor time in /proc, which has been the same on every Linux for decades.
const TICK: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Writer;

    #[test]
    fn a_message_has_all_figures_and_nothing_else() {
        let body = (1..=5).fold(Writer::default(), |body, number| body.i64(number));
        let body = (6..=15).fold(body.text("G1\n"), |body, number| body.i64(number)).0;
        let vitals = Vitals::read(&mut Reader(&body)).expect("vitals");
        assert_eq!((vitals.heap, vitals.occupancy, vitals.policy.as_str()), (1, 5, "G1"));
        assert_eq!(vitals.minor, Collections { count: 6, time: 7_000_000, freed: 8 });
        assert_eq!((vitals.major.freed, vitals.code_used, vitals.classes), (11, 12, 15));
        for length in 0..body.len() {
            assert_eq!(Vitals::read(&mut Reader(&body[..length])), None, "{length} bytes of it");
        }
    }

    #[test]
    fn a_process_has_memory_and_threads() {
        let own = Process::of(std::process::id()).expect("this process");
        assert!(own.resident >= own.share && own.share >= own.private && own.private > 0, "{own:?}");
        assert!(own.threads > 0);
        assert!(Process::resident(std::process::id()).is_some_and(|resident| resident > 0));
        assert_eq!(Process::of(u32::MAX), None);
    }
}
