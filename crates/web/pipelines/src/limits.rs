//! Everything that grows has a limit, and every limit has a name.

/// Bytes of a pipeline configuration file.
pub const CONFIGURATION_MAX: usize = 1 << 20;
/// Handlers and header-processing programs of a pipeline.
pub const PROGRAMS_MAX: usize = 256;
/// Binding files that a pickup directory may have.
pub const PICKUP_MAX: usize = 10_000;
/// Subcodes of a fault.
pub const SUBCODES_MAX: usize = 16;
/// Languages of a fault's reason beside its own.
pub const FAULT_LANGUAGES_MAX: usize = 64;
/// Parts of a message with attachments, and attachments of one that goes out.
pub const PARTS_MAX: usize = 256;
