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

/// Reads the count of instructions from its output at the end.
pub(crate) fn instructions(said: &str) -> Result<f64, String> {
    let line = said.lines().find(|line| line.contains("refs:")).ok_or_else(|| said.to_owned())?;
    let digits: String = line.rsplit(':').next().unwrap_or("").chars().filter(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| said.to_owned())
}

/// Describes the error if valgrind cannot be started.
pub(crate) fn cannot_start(error: &std::io::Error) -> String {
    format!("valgrind, which counts instructions, cannot be started: {error}")
}

/// Returns its output for a program that does nothing.
pub(crate) fn said_of_nothing() -> Result<String, String> {
    let output = command(Path::new("true")).output().map_err(|error| cannot_start(&error))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_instructions_is_found_among_others() {
        let said = "what the program says\n==7== \n==7== I   refs:      1,234,567\n==7== done";
        assert_eq!(instructions(said), Ok(1_234_567.0));
        let older = "==7== I refs: 12";
        assert_eq!(instructions(older), Ok(12.0));
        assert_eq!(instructions("==7== nothing of it"), Err(String::from("==7== nothing of it")));
        assert!(instructions("==7== I refs: none").is_err());
    }
}
