//! The process, as the operating system knows it.

use std::fs;

use ::metrics::{Family, Kind, Value};
use kernel::meters::process_ns;

/// Figures of the process; what the operating system does not tell is left out.
pub(super) fn families() -> Vec<Family> {
    let processor = Family::new("process_cpu_seconds", Kind::Counter, "processor time of the process");
    let memory = Family::new("process_resident_memory_bytes", Kind::Gauge, "memory of the process");
    let files = Family::new("process_open_fds", Kind::Gauge, "descriptors that are open");
    let told = [
        Some(processor.with(Value::Number(process_ns() as f64 / 1e9))),
        resident_bytes().map(|bytes| memory.with(Value::Count(bytes))),
        descriptors().map(|count| files.with(Value::Count(count))),
    ];
    told.into_iter().flatten().collect()
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The one with which they are counted is not among them.
fn descriptors() -> Option<u64> {
    Some((fs::read_dir("/proc/self/fd").ok()?.count() as u64).saturating_sub(1))
}
