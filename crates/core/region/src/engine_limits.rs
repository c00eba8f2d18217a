//! Limits of the record engine, with those that the configuration sets.

use config::DataLimits;
use records::Limits;

/// The record engine's limits, with those that the configuration sets.
pub(crate) fn limits(config: &DataLimits) -> Limits {
    const MEGABYTE: u64 = 1 << 20;
    let bytes = |megabytes: Option<u32>| megabytes.map(|mb| u64::from(mb) * MEGABYTE);
    let size = |megabytes, default| bytes(megabytes).map_or(default, |bytes| bytes as usize);
    let default = Limits::default();
    let overlay_bytes = size(config.memory_mb, default.overlay_bytes);
    Limits {
        log_bytes: bytes(config.log_mb).unwrap_or(default.log_bytes),
        overlay_bytes,
        // While a checkpoint writes one half, the other can fill.
        checkpoint_bytes: default.checkpoint_bytes.min(overlay_bytes / 2),
        base_bytes: size(config.size_mb, default.base_bytes),
        segment_bytes: bytes(config.unit_mb).unwrap_or(default.segment_bytes),
        locks_per_owner: config.locks.map_or(default.locks_per_owner, |locks| locks as usize),
        ..default
    }
}
