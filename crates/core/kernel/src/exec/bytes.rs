//! Bytes of an argument.

use smallvec::SmallVec;

/// Bytes copied from a program: records and names fit without an allocation.
pub type Bytes = SmallVec<[u8; 64]>;
