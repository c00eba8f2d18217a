//! Processor time of other processes: PostgreSQL's, whose backends come and go. And this one's memory.

/// Processor time of processes and all that they have started, in seconds. Processes that have ended since count with the one
/// that has started them.
pub(crate) fn time_of(servers: &[u32]) -> f64 {
    let all = servers.iter().flat_map(|pid| descendants(*pid).into_iter().chain([*pid]));
    let mut pids: Vec<u32> = all.collect();
    pids.sort_unstable();
    pids.dedup();
    pids.iter().filter_map(|pid| Some(process_time(*pid)? + time_of_ended(*pid))).sum()
}

/// The fields of a process behind its name: state, parent and so on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Fields of a process behind its name: its parent; the time of children that have ended, in their own code and in the system's.
const PARENT: usize = 1;
const ENDED: [usize; 2] = [13, 14];
/// Linux shows these times in hundredths of a second.
const TICKS: f64 = 100.0;

/// Seconds of children that have ended, and that the process has waited for.
fn time_of_ended(pid: u32) -> f64 {
    let stat = stat(pid).unwrap_or_default();
    let ticks = ENDED.iter().filter_map(|field| stat.get(*field)?.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

/// Nanoseconds on the processor, the first word of schedstat.
fn process_time(pid: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let ns: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e9)
}

/// The processes that a process has started, and those have, and so on.
pub(crate) fn descendants(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<(u32, u32)> = entries
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, stat(pid)?.get(PARENT)?.parse().ok()?))
        })
        .collect();
    let mut found = vec![of];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}

/// Bytes of all files of a folder; one that is not there has none.
pub(crate) fn bytes(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;

/// Bytes of memory that this process has.
pub(crate) fn resident() -> Result<usize, String> {
    let statm = std::fs::read_to_string("/proc/self/statm").map_err(|error| format!("/proc: {error}"))?;
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.map(|pages| pages * PAGE).ok_or_else(|| format!("/proc/self/statm: {statm}"))
}
