//! Instructions outside the operating system, counted by Cachegrind.

use std::path::Path;
use std::process::Command;

/// One instruction that copies or clears a thousand bytes would be counted a thousand times: the C library takes those for some 32
/// bytes each, at whatever length.
const NO_STRING_INSTRUCTIONS: &str =
    "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000";

/// A program that is counted while it runs; its arguments are to be added.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command.env("GLIBC_TUNABLES", NO_STRING_INSTRUCTIONS);
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).arg(program);
    command
}

/// What it has counted, from what it says at the end.
pub(crate) fn instructions(said: &str) -> Result<f64, String> {
    let line = said.lines().find(|line| line.contains("refs:")).ok_or_else(|| said.to_owned())?;
    let digits: String = line.rsplit(':').next().unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| said.to_owned())
}

/// Why there is nothing to count.
pub(crate) fn cannot_start(error: &std::io::Error) -> String {
    format!("valgrind, which counts instructions, cannot be started: {error}")
}
