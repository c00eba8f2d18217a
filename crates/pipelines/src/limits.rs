//! Everything that grows has a limit, and every limit has a name.

/// Bytes of a pipeline configuration file.
pub const CONFIGURATION_MAX: usize = 1 << 20;
/// Handlers and header-processing programs of a pipeline.
pub const PROGRAMS_MAX: usize = 256;
/// Binding files that a pickup directory may have.
pub const PICKUP_MAX: usize = 10_000;
