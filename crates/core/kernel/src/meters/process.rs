//! The processor time of the process and of its threads, as the operating system counts it.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds that a clock shows.
pub(super) fn processor_time(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock).map(std::time::Duration::from).ok()?;
    u64::try_from(time.as_nanos()).ok()
}

/// The clock of a thread's processor time, by the number that Linux has for it: its low bits say that it counts a
/// thread, and what.
pub(super) fn clock_of(thread: u64) -> ClockId {
    const OF_A_THREAD: i32 = 4;
    const SCHEDULED: i32 = 2;
    ClockId::from_raw((!(thread as i32) << 3) | OF_A_THREAD | SCHEDULED)
}

/// Nanoseconds of processor time of the process.
pub fn process_ns() -> u64 {
    processor_time(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default()
}

/// The threads of the process: number, name, nanoseconds of processor time. One that ends meanwhile is left out.
pub fn threads() -> Vec<(u64, (String, u64))> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let thread = |entry: std::fs::DirEntry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        let name = std::fs::read_to_string(entry.path().join("comm")).ok()?;
        Some((number, (name.trim_end().to_owned(), processor_time(clock_of(number))?)))
    };
    tasks.filter_map(thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_found_by_its_name_and_the_threads_have_no_more_than_the_process() {
        let (works, working) = std::sync::mpsc::channel();
        let (done, ends) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name(String::from("a-worker")).spawn(move || {
            let mine = clock_of(u64::try_from(nix::unistd::gettid().as_raw()).expect("positive"));
            while processor_time(mine).is_some_and(|time| time < 2_000_000) {}
            let _ = works.send(());
            let _ = ends.recv();
        });
        working.recv().expect("it works");
        let found = threads();
        let sum: u64 = found.iter().map(|(_, (_, processor))| processor).sum();
        assert!(found.iter().any(|(_, (name, processor))| name == "a-worker" && *processor >= 2_000_000));
        assert!(sum <= process_ns());
        drop(done);
        thread.expect("it starts").join().expect("it ends");
    }
}
