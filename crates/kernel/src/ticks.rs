//! Time and processor time of a TCB, at the price of one or two readings of a cheap clock for each dispatch.
//!
//! The thread's own clock costs a system call, several times what the cheap one does. What a task takes between two
//! readings of the cheap clock is its processor time, unless the thread lost its processor in between; and that takes
//! much longer than a task normally runs. So a short dispatch is believed, and a long one is measured by the thread's
//! clock, from an anchor that is never older than [`FRESH_NS`]. What is uncertain of a long dispatch is less than that.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

/// A dispatch up to this long is believed to have had the processor all the time.
const SHORT_NS: u64 = 50_000;
/// Age of an anchor at which it is read again when a dispatch begins.
const FRESH_NS: u64 = 50_000;

thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor { at: 0, processor: 0 }) };
}

/// The two clocks of a thread, read together.
#[derive(Clone, Copy)]
struct Anchor {
    at: u64,
    processor: u64,
}

impl Anchor {
    fn read() -> Self {
        let processor = processor_time();
        Self { at: now(), processor }
    }
}

/// Nanoseconds that a clock shows.
fn read(clock: ClockId) -> u64 {
    const SECOND_NS: u64 = 1_000_000_000;
    clock_gettime(clock).map_or(0, |time| time.tv_sec() as u64 * SECOND_NS + time.tv_nsec() as u64)
}

/// Nanoseconds of the cheap clock, which only ever goes forward.
#[inline]
pub(crate) fn now() -> u64 {
    read(ClockId::CLOCK_MONOTONIC)
}

/// A wall clock that was read longer ago than this is read again: it may have been set since.
const WALL_FRESH_NS: u64 = 1_000_000_000;
/// When the wall clock was read last, and how far it was ahead of [`now`] then, in microseconds.
static WALL_READ: AtomicU64 = AtomicU64::new(u64::MAX);
static WALL_AHEAD_US: AtomicU64 = AtomicU64::new(0);

/// Microseconds from 1970 to a moment of [`now`] that has just been.
pub(super) fn wall_us(at: u64) -> u64 {
    let read = WALL_READ.load(Ordering::Acquire);
    if read == u64::MAX || at.saturating_sub(read) > WALL_FRESH_NS {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let ahead = u64::try_from(wall).unwrap_or_default().saturating_sub(now() / 1_000);
        WALL_AHEAD_US.store(ahead, Ordering::Relaxed);
        WALL_READ.store(at, Ordering::Release);
    }
    WALL_AHEAD_US.load(Ordering::Relaxed) + at / 1_000
}

/// Nanoseconds of processor time of this thread.
pub(super) fn processor_time() -> u64 {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// The processor time of a thread, for others to read: this one's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadClock(ClockId);

impl ThreadClock {
    pub fn of_this_thread() -> Self {
        // How Linux numbers the clocks of threads (`pthread_getcpuclockid`): the thread's number, and in the last bits a clock of
        // one thread that counts what the scheduler has given it.
        const OF_A_THREAD: i32 = 0b110;
        Self(ClockId::from_raw(!nix::unistd::gettid().as_raw() << 3 | OF_A_THREAD))
    }

    /// So much; none of a thread that is gone.
    pub fn read(self) -> Duration {
        Duration::from_nanos(read(self.0))
    }
}

/// Reads both clocks of the thread, which has rested: the time.
pub(super) fn anchored() -> u64 {
    let anchor = Anchor::read();
    ANCHOR.set(anchor);
    anchor.at
}

/// A dispatch begins: when.
pub(super) fn begin() -> u64 {
    let now = now();
    if now.saturating_sub(ANCHOR.get().at) <= FRESH_NS {
        return now;
    }
    let anchor = Anchor::read();
    ANCHOR.set(anchor);
    anchor.at
}

/// A dispatch ends: when, and its processor time.
pub(super) fn end(begun: u64) -> (u64, u64) {
    let ended = now();
    let elapsed = ended.saturating_sub(begun);
    if elapsed <= SHORT_NS {
        return (ended, elapsed);
    }
    let old = ANCHOR.get();
    if old.at > begun {
        // Another measurement of the same dispatch has moved the anchor.
        return (ended, elapsed);
    }
    let anchor = Anchor::read();
    ANCHOR.set(anchor);
    let before = old.processor + begun.saturating_sub(old.at);
    (anchor.at, anchor.processor.saturating_sub(before).min(anchor.at.saturating_sub(begun)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(for_ns: u64) {
        let until = processor_time() + for_ns;
        while processor_time() < until {}
    }

    #[test]
    fn another_thread_reads_the_processor_time_of_this_one() {
        let clock = ThreadClock::of_this_thread();
        work(5_000_000);
        let before = Duration::from_nanos(processor_time());
        let read = std::thread::spawn(move || clock.read()).join().expect("it has not failed");
        assert!(read >= before && read <= Duration::from_nanos(processor_time()), "{before:?} {read:?}");
    }

    #[test]
    fn a_long_dispatch_has_the_processor_time_that_it_took_not_the_time_that_passed() {
        let begun = begin();
        work(2_000_000);
        std::thread::sleep(Duration::from_millis(30));
        let (ended, processor) = end(begun);
        assert!(ended - begun >= 32_000_000);
        assert!((2_000_000 - FRESH_NS..20_000_000).contains(&processor), "{processor}");
    }

    #[test]
    fn the_wall_clock_is_that_of_the_machine() {
        let machine = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros() as u64;
        assert!(wall_us(now()).abs_diff(machine) < 1_000_000);
    }

    #[test]
    fn dispatches_one_behind_the_other_have_the_thread_s_time_in_all() {
        let thread = processor_time();
        let mut sum = 0;
        for _ in 0..100 {
            let begun = begin();
            work(200_000);
            sum += end(begun).1;
        }
        let thread = processor_time() - thread;
        assert!(sum <= thread + FRESH_NS && sum * 10 >= thread * 9, "{sum} of {thread}");
    }
}
