//! Common parts of the benchmarks of this folder: numbers of a command line, and the machine on which they run.

use std::str::FromStr;

/// A number above zero.
pub(crate) fn positive<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number > T::default());
    number.ok_or_else(|| format!("{text} is no number above zero"))
}

/// Numbers above zero with commas between them.
pub(crate) fn list<T: FromStr + PartialOrd + Default>(text: &str) -> Result<Vec<T>, String> {
    text.split(',').map(positive).collect()
}

/// A sentence about the machine: a figure without it says little.
pub(crate) fn machine() -> String {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!(
        "All processes share one machine: {processors} processors ({}).\n",
        model.map_or("of an unknown kind", |(_, model)| model)
    )
}

/// The heading of a process's column. A table lives as long as this program.
pub(crate) fn heading(name: &str) -> &'static str {
    name.to_owned().leak()
}
