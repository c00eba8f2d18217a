//! Addresses in a task's storage.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use areas::Area;
use serde::{Deserialize, Serialize};

/// Bytes of a pointer as programs have it.
pub const POINTER_LENGTH: usize = size_of::<usize>();

/// A place in the storage that a task's programs see: in an argument, an area, a pointer.
///
/// It is an address of an area, or one of the task's window. So no caller calculates with it, and only those that look
/// it up or make it ([`Self::of_host`], [`Self::in_host`]) know what it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StorageAddress(usize);

/// Set in addresses of a window: no address of the process has it.
const IN_WINDOW: usize = 1 << 62;
/// Set in addresses of nothing: no address of the process, of an area or of a window has it.
const OF_NOTHING: usize = 1 << 63;
/// Bytes between two of them.
const APART: usize = 256;

impl StorageAddress {
    /// Value of a pointer that points nowhere.
    pub const NULL: Self = Self(0);

    /// Value of a pointer without such an area, as published.
    pub const NO_AREA: Self = Self(0xff00_0000);

    /// An address of the process.
    #[inline]
    pub const fn of_host(address: usize) -> Self {
        Self(address)
    }

    /// It as an address of the process.
    #[inline]
    pub(crate) const fn in_host(self) -> usize {
        self.0
    }

    /// An address that a program has given, in its task's window.
    pub const fn of_window(at: u32) -> Self {
        if at == 0 { Self::NULL } else { Self(IN_WINDOW | at as usize) }
    }

    /// It as programs of its task have it; `None` for an address of the process.
    pub(crate) const fn in_window(self) -> Option<u32> {
        if self.0 & IN_WINDOW == 0 { None } else { Some(self.0 as u32) }
    }

    /// An address that nothing else has, and at which there are no bytes: it stands for what is shown in a window alone.
    pub(crate) fn of_nothing() -> Self {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        Self(OF_NOTHING | LAST.fetch_add(APART, Ordering::Relaxed) & !(OF_NOTHING | IN_WINDOW))
    }

    /// Returns true if there are no bytes at it but in a window.
    pub(crate) const fn is_of_nothing(self) -> bool {
        self.0 & OF_NOTHING != 0
    }

    /// Start of an area.
    #[inline]
    pub fn of(area: &Area) -> Self {
        Self(area.address())
    }

    /// The address in a program's pointer.
    pub fn from_pointer(pointer: [u8; POINTER_LENGTH]) -> Self {
        Self(usize::from_ne_bytes(pointer))
    }

    /// It as a program's pointer.
    pub fn to_pointer(self) -> [u8; POINTER_LENGTH] {
        self.0.to_ne_bytes()
    }

    /// Number of bytes that it lies behind another one; `None` if it lies in front of it.
    pub(crate) fn distance_from(self, start: Self) -> Option<usize> {
        self.0.checked_sub(start.0)
    }

    /// So many bytes behind it; `None` beyond all storage.
    pub fn behind(self, bytes: usize) -> Option<Self> {
        self.0.checked_add(bytes).map(Self)
    }
}

/// It in hexadecimal: an area's own address, or the one that its window has.
impl fmt::Display for StorageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "X'{:08X}'", self.0 & !IN_WINDOW)
    }
}

impl fmt::Debug for StorageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "X'{:016X}'", self.0)
    }
}
