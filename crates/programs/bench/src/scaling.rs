//! Two TCBs on two processors.

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use kernel::dispatcher::Dispatcher;
use nix::time::ClockId;

use crate::Options;
use crate::clock::progress;
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::tables;

/// The number of turns of one TCB and of two.
const TURNS: usize = 6;
/// Rounds in a turn, after one that counts for nothing. The quickest of all is taken: what other programs do to a round
/// only makes it longer.
const ROUNDS: usize = 3;
/// The least throughput of two TCBs, if that of one is one.
const THROUGHPUT: f64 = 1.8;

/// Tasks that compute, LINK and use containers, on two open TCBs and on one.
pub(crate) fn two_tcbs(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let tasks = options.size(4_000, 20);
    compare("tcb-scaling", options, tasks, |tcbs| {
        let site = workshop.region(tcbs)?;
        Ok((site, |site: &Site| (0..tasks).for_each(|_| site.attach("WORK", None))))
    })
}

/// Transactions on data tables, on two open TCBs and on one.
pub(crate) fn data_tables(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let (tasks, records) = (options.size(10_000, 20), tables::count(options));
    compare("data-table-scaling", options, tasks, |tcbs| {
        let site = tables::loaded(workshop, tcbs, records)?;
        Ok((site, |site: &Site| (0..tasks).for_each(|number| tables::attach(site, number, records))))
    })
}

/// Measures the time of tasks on two TCBs, beside that on one.
///
/// The time runs until the last TCB is done, less the time for which that one wanted a processor and other
/// programs had it: the machine need not be idle, and what TCBs lose by waiting for each other still counts.
fn compare<A: Fn(&Site)>(
    id: &str,
    options: &Options,
    tasks: usize,
    start: impl Fn(u32) -> Result<(Site, A), String>,
) -> Result<Measured, String> {
    let (turns, rounds) = (options.size(TURNS, 1), options.size(ROUNDS, 1));
    // Each region ends before the next one starts: TCBs of both at once would share names.
    let quickest_with = |tcbs: u32| {
        let (site, attach) = start(tcbs)?;
        let mut quickest = f64::INFINITY;
        for round in 0..=rounds {
            let time = time(&site, &attach)? * 1e6 / tasks as f64;
            if round > 0 {
                quickest = quickest.min(time);
            }
        }
        site.end();
        Ok::<_, String>(quickest)
    };
    let (mut alone, mut together) = (f64::INFINITY, f64::INFINITY);
    let (mut bare_alone, mut bare_together) = (f64::INFINITY, f64::INFINITY);
    for turn in 1..=turns {
        progress(&format!("{id}: turn {turn} of {turns}"));
        alone = alone.min(quickest_with(1)?);
        together = together.min(quickest_with(2)?);
        bare_alone = bare_alone.min(bare_threads(1)?);
        bare_together = bare_together.min(bare_threads(2)?);
    }
    progress("");
    let bare = 2.0 * bare_alone / bare_together;
    Ok(Measured::new(together, alone / THROUGHPUT)
        .note(format!("two TCBs do {:.2} times what one does", alone / together))
        .note(format!("on this machine two threads that share nothing do {bare:.2} times what one does")))
}

/// Seconds of its processor that the slowest of some threads takes for a fixed piece of work, all at once. A virtual
/// machine's processors may be halves of one: then no two threads do twice what one does.
fn bare_threads(count: usize) -> Result<f64, String> {
    /// So much that a thread keeps to its own cache.
    const WORDS: usize = 16 * 1024;
    const PASSES: usize = 5_000;
    let begin = Barrier::new(count);
    let work = || {
        let mut words: Vec<u64> = (0..WORDS as u64).collect();
        begin.wait();
        let before = thread_time()?;
        for _ in 0..PASSES {
            words.iter_mut().for_each(|word| *word = word.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        std::hint::black_box(&words);
        Ok::<_, String>((thread_time()? - before).as_secs_f64())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err(String::from("a bare thread failed")))
        };
        threads.into_iter().map(ended).try_fold(0.0, |slowest: f64, ran| ran.map(|ran| slowest.max(ran)))
    })
}

/// Returns the processor time of this thread.
fn thread_time() -> Result<Duration, String> {
    let now = ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_err(|error| format!("a thread's clock: {error}"))?;
    Ok(now.into())
}

/// Seconds until all tasks that are attached have ended. The TCBs begin when all are: who attaches is a thread, too, and
/// would be the third on two processors.
fn time(site: &Site, attach: &impl Fn(&Site)) -> Result<f64, String> {
    let dispatcher = Dispatcher::of(site.region());
    let open = dispatcher.tcb_count() - 1;
    let begin = Arc::new(Barrier::new(open + 1));
    for tcb in 1..=open {
        let begin = Arc::clone(&begin);
        dispatcher.on_tcb(tcb, move || {
            begin.wait();
        });
    }
    attach(site);
    let before = Use::of_open_tcbs()?;
    begin.wait();
    let started = Instant::now();
    site.idle();
    let passed = started.elapsed().as_secs_f64();
    let during = Use::of_open_tcbs()?.into_iter().zip(before).map(|(after, before)| after.since(&before));
    let last = during.max_by(|a, b| (a.ran + a.held_up).total_cmp(&(b.ran + b.held_up)));
    let last = last.ok_or("the region has no open TCB")?;
    Ok(passed - last.held_up)
}

/// A thread's use of the processors, in seconds.
struct Use {
    ran: f64,
    /// Wanted to run and had no processor.
    held_up: f64,
}

impl Use {
    /// Of this process's open TCBs, in the order of their threads.
    fn of_open_tcbs() -> Result<Vec<Self>, String> {
        let failed = |error: std::io::Error| format!("/proc: {error}");
        let mut uses = Vec::new();
        for thread in std::fs::read_dir("/proc/self/task").map_err(failed)? {
            let thread = thread.map_err(failed)?.path();
            if read(&thread.join("comm"))?.starts_with("open-") {
                uses.push(Self::read(&read(&thread.join("schedstat"))?)?);
            }
        }
        Ok(uses)
    }

    fn read(schedstat: &str) -> Result<Self, String> {
        let mut seconds = schedstat.split(' ').map_while(|n| n.parse::<f64>().ok()).map(|ns| ns / 1e9);
        match (seconds.next(), seconds.next()) {
            (Some(ran), Some(held_up)) => Ok(Self { ran, held_up }),
            _ => Err(format!("schedstat: {schedstat}")),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self { ran: self.ran - before.ran, held_up: self.held_up - before.held_up }
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
