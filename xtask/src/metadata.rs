//! Facts from cargo about the packages with which the project is built: they are on the machine, and no network is
//! used.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The machine that the project is built for: deny.toml says the same.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The packages of the lock file that are built for that machine, and who uses whom.
pub(crate) fn read(root: &Path) -> Result<Value, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", TARGET]);
    let output = command.current_dir(root).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// A text of a package; empty if it has none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
