//! Time and processor time of a TCB, at the price of one reading of a cheap clock for each begin and end of a dispatch.
//!
//! The thread's own clock costs a system call, several times what the cheap one does. What a thread takes between two
//! readings of the cheap clock is its processor time, unless it lost its processor in between; and that takes much longer
//! than a task normally runs. So a short gap between two readings is believed, and behind a long one the thread's clock is
//! read. All readings of a thread are one sequence: each goes on where the last one was, so that
//! what is measured from reading to reading never adds up to more than the thread had.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

/// A gap between two readings up to this long is believed to have had the processor all the time.
const SHORT_NS: u64 = 50_000;

thread_local! {
    static LAST: Cell<Reading> = const { Cell::new(Reading { at: 0, processor: 0 }) };
}

/// The time, and the processor time of the thread by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Nanoseconds of the cheap clock.
    pub at: u64,
    /// Nanoseconds of processor time.
    pub processor: u64,
}

impl Reading {
    /// Now.
    #[inline]
    pub fn now() -> Self {
        let (last, at) = (LAST.get(), now());
        let gap = at.saturating_sub(last.at);
        if gap > SHORT_NS {
            return Self::exact();
        }
        let reading = Self { at, processor: last.processor + gap };
        LAST.set(reading);
        reading
    }

    /// Now, by the thread's own clock.
    #[inline(never)]
    fn exact() -> Self {
        let processor = processor_time().max(LAST.get().processor);
        let reading = Self { at: now(), processor };
        LAST.set(reading);
        reading
    }

    /// Now, of a thread that has rested since its last reading.
    pub fn rested() -> Self {
        let (last, at) = (LAST.get(), now());
        if at.saturating_sub(last.at) > SHORT_NS {
            return Self::exact();
        }
        let reading = Self { at, processor: last.processor };
        LAST.set(reading);
        reading
    }

    /// Nanoseconds of processor time since an earlier reading of the thread.
    #[inline]
    pub fn since(self, earlier: Self) -> u64 {
        self.processor.saturating_sub(earlier.processor).min(self.at.saturating_sub(earlier.at))
    }
}

/// Nanoseconds that a clock shows.
fn read(clock: ClockId) -> u64 {
    const SECOND_NS: u64 = 1_000_000_000;
    clock_gettime(clock).map_or(0, |time| time.tv_sec() as u64 * SECOND_NS + time.tv_nsec() as u64)
}

/// Nanoseconds of the cheap clock, which only ever goes forward.
#[inline]
pub fn now() -> u64 {
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
        let begun = Reading::now();
        work(2_000_000);
        std::thread::sleep(Duration::from_millis(30));
        let ended = Reading::now();
        assert!(ended.at - begun.at >= 32_000_000);
        let processor = ended.since(begun);
        assert!((2_000_000 - SHORT_NS..20_000_000).contains(&processor), "{processor}");
    }

    #[test]
    fn a_long_dispatch_behind_many_short_rests_has_its_processor_time() {
        let (first, mut counted) = (processor_time(), 0);
        let mut resumed = Reading::now();
        for _ in 0..2_000 {
            work(5_000);
            let ended = Reading::now();
            counted += ended.since(resumed);
            // It rests for less than what is believed.
            std::thread::park_timeout(Duration::from_nanos(1));
            resumed = Reading::rested();
        }
        work(20_000_000);
        let long = Reading::now().since(resumed);
        let all = processor_time() - first;
        assert!(long >= 20_000_000 - SHORT_NS, "{long}");
        assert!(counted + long <= all + SHORT_NS, "{counted} and {long} of {all}");
    }

    #[test]
    fn two_who_measure_one_dispatch_have_the_same_and_no_more_than_the_thread() {
        let thread = processor_time();
        let (outer, inner) = (Reading::now(), Reading::now());
        work(1_000_000);
        std::thread::sleep(Duration::from_millis(5));
        let (inner, outer) = (Reading::now().since(inner), Reading::now().since(outer));
        let thread = processor_time() - thread + SHORT_NS;
        assert!(inner <= outer && outer <= thread, "{inner} {outer} of {thread}");
        assert!(inner >= 1_000_000 - SHORT_NS, "{inner}");
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
            let begun = Reading::now();
            work(200_000);
            sum += Reading::now().since(begun);
        }
        let thread = processor_time() - thread;
        assert!(sum <= thread + SHORT_NS && sum * 10 >= thread * 9, "{sum} of {thread}");
    }
}
