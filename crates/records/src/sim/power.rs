//! Chance and misfortune.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

/// The power of a machine: a sequence of chances, and how much work is left before it fails.
pub struct Power(Mutex<State>);

struct State {
    chance: u64,
    /// Bytes that can still be written.
    left: Option<u64>,
    off: bool,
    /// The disk has no room for new files.
    full: bool,
}

impl Power {
    pub(super) fn new(seed: u64) -> Arc<Self> {
        // Neighbouring seeds shall not begin alike.
        let chance = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Arc::new(Self(Mutex::new(State { chance, left: None, off: false, full: false })))
    }

    /// A number below `bound`, which is not 0.
    pub fn chance(&self, bound: u64) -> u64 {
        let mut state = self.0.lock();
        state.chance ^= state.chance << 13;
        state.chance ^= state.chance >> 7;
        state.chance ^= state.chance << 17;
        (state.chance >> 11) % bound
    }

    /// Lets the power fail after so many more bytes are written.
    pub fn fails_after(&self, bytes: u64) {
        self.0.lock().left = Some(bytes);
    }

    /// Whether it has failed.
    pub fn is_off(&self) -> bool {
        self.0.lock().off
    }

    /// Power again, for as long as it lasts.
    pub fn restore(&self) {
        let mut state = self.0.lock();
        (state.off, state.left) = (false, None);
    }

    /// Says whether the disk has room for new files.
    pub fn set_disk_full(&self, full: bool) {
        self.0.lock().full = full;
    }

    /// Whether the disk has no room for new files.
    pub(super) fn is_disk_full(&self) -> bool {
        self.0.lock().full
    }

    /// Uses power for a write of `bytes`. False if it fails meanwhile: then it is off, and chance says what was done.
    pub(super) fn spend(&self, bytes: u64) -> bool {
        let mut state = self.0.lock();
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

pub(super) fn power_cut() -> io::Error {
    io::Error::other("the power failed")
}
