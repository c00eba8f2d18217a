//! Chance and misfortune.

use std::io;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

/// The power of a machine: a sequence of chances, how much work is left before it fails, and other troubles.
pub struct Power {
    state: Mutex<State>,
    /// Rung when a slow write begins, and when it may end.
    slow: Condvar,
}

struct State {
    chance: u64,
    /// Bytes that can still be written.
    left: Option<u64>,
    off: bool,
    /// Number of times that it was restored after it had failed.
    life: u64,
    /// The disk has no room for new files.
    full: bool,
    /// Calls that change a disk so far, …
    calls: u64,
    /// … and those that find no room.
    no_space: Option<NoSpace>,
    /// One of so many reads fails; 0: none.
    read_errors: u64,
    /// The next write to the log goes to a wrong place.
    misdirect: bool,
    /// One did.
    misdirected: bool,
    slow: Slow,
}

/// Which calls that change a disk find no room.
#[derive(Clone, Copy, Debug)]
pub enum NoSpace {
    /// The one with this number, from 1.
    At(u64),
    /// Those from this number on.
    From(u64),
}

/// Stages of a slow write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slow {
    /// Writes are as fast as ever.
    No,
    /// The next one will be slow.
    Next,
    /// It waits.
    Waiting,
}

impl Power {
    pub(super) fn new(seed: u64) -> Arc<Self> {
        // Neighbouring seeds shall not begin alike.
        let chance = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let state = State {
            chance,
            left: None,
            off: false,
            life: 0,
            full: false,
            calls: 0,
            no_space: None,
            read_errors: 0,
            misdirect: false,
            misdirected: false,
            slow: Slow::No,
        };
        Arc::new(Self { state: Mutex::new(state), slow: Condvar::new() })
    }

    /// A number below `bound`, which is not 0.
    pub fn chance(&self, bound: u64) -> u64 {
        let mut state = self.state.lock();
        state.chance ^= state.chance << 13;
        state.chance ^= state.chance >> 7;
        state.chance ^= state.chance << 17;
        (state.chance >> 11) % bound
    }

    /// Lets the power fail after so many more bytes are written.
    pub fn fails_after(&self, bytes: u64) {
        self.state.lock().left = Some(bytes);
    }

    /// Returns true if it has failed.
    pub fn is_off(&self) -> bool {
        self.state.lock().off
    }

    /// Power again, for as long as it lasts, and no other troubles.
    pub fn restore(&self) {
        let mut state = self.state.lock();
        state.life += u64::from(state.off);
        (state.off, state.left) = (false, None);
        (state.full, state.no_space, state.read_errors, state.misdirect) = (false, None, 0, false);
    }

    /// Number of times that it was restored after it had failed.
    pub(super) fn life(&self) -> u64 {
        self.state.lock().life
    }

    /// Says whether the disk has room for new files.
    pub fn set_disk_full(&self, full: bool) {
        self.state.lock().full = full;
    }

    /// Lets calls that change a disk find no room. They are counted from the machine's beginning.
    pub fn set_no_space(&self, which: Option<NoSpace>) {
        self.state.lock().no_space = which;
    }

    /// Number of calls that have changed a disk so far.
    pub fn calls(&self) -> u64 {
        self.state.lock().calls
    }

    /// Lets one of so many reads fail; 0: none.
    pub fn set_read_errors(&self, one_of: u64) {
        self.state.lock().read_errors = one_of;
    }

    /// Lets the next write to the log go to a wrong place, without a word.
    pub fn misdirect_next_write(&self) {
        self.state.lock().misdirect = true;
    }

    /// Returns true if a write ever went to a wrong place.
    pub fn was_misdirected(&self) -> bool {
        self.state.lock().misdirected
    }

    /// Lets the next write to the log wait for [`Self::end_slow_write`].
    pub fn slow_next_write(&self) {
        self.state.lock().slow = Slow::Next;
    }

    /// Waits until a write waits, or `is_over` says that none will.
    pub fn await_slow_write(&self, is_over: impl Fn() -> bool) -> bool {
        const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(1);
        let mut state = self.state.lock();
        while state.slow == Slow::Next && !is_over() {
            self.slow.wait_for(&mut state, LOOK_AGAIN);
        }
        state.slow == Slow::Waiting
    }

    /// Lets the write that waits go on, and all others.
    pub fn end_slow_write(&self) {
        self.state.lock().slow = Slow::No;
        self.slow.notify_all();
    }

    /// A write to the log takes its time.
    pub(super) fn take_time(&self) {
        let mut state = self.state.lock();
        if state.slow == Slow::Next {
            state.slow = Slow::Waiting;
            self.slow.notify_all();
            while state.slow == Slow::Waiting {
                self.slow.wait(&mut state);
            }
        }
    }

    /// Returns true if this write goes to a wrong place.
    pub(super) fn takes_wrong_place(&self) -> bool {
        let mut state = self.state.lock();
        state.misdirected |= state.misdirect;
        std::mem::take(&mut state.misdirect)
    }

    /// Begins a call that makes a new file, or something else that takes room.
    pub(super) fn begin_change(&self, makes_file: bool) -> io::Result<()> {
        self.check()?;
        let mut state = self.state.lock();
        state.calls += 1;
        let no_space = match state.no_space {
            None => false,
            Some(NoSpace::At(call)) => state.calls == call,
            Some(NoSpace::From(call)) => state.calls >= call,
        };
        if no_space || makes_file && state.full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Begins a read.
    pub(super) fn begin_read(&self) -> io::Result<()> {
        self.check()?;
        let one_of = self.state.lock().read_errors;
        if one_of > 0 && self.chance(one_of) == 0 { Err(io::Error::other(READ_ERROR)) } else { Ok(()) }
    }

    /// Returns true if the power lasts for a write of `bytes`.
    pub(super) fn lasts(&self, bytes: u64) -> bool {
        self.state.lock().left.is_none_or(|left| left >= bytes)
    }

    /// Uses power for a write of `bytes`. False if it fails meanwhile: then it is off, and chance says what was done.
    pub(super) fn spend(&self, bytes: u64) -> bool {
        let mut state = self.state.lock();
        match state.left {
            Some(left) if left < bytes => {
                state.off = true;
                false
            }
            Some(left) => {
                state.left = Some(left - bytes);
                true
            }
            None => true,
        }
    }

    /// An error if it is off.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.is_off() { Err(power_cut()) } else { Ok(()) }
    }
}

/// Text of a read error.
pub const READ_ERROR: &str = "a sector cannot be read";

pub(super) fn power_cut() -> io::Error {
    io::Error::other("the power failed")
}
