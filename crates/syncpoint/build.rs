//! Gives the binary the name of the commit that it is built from, for `syncpoint --version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Git notes each change of the current commit here.
    if let Some(folder) = git(&["rev-parse", "--absolute-git-dir"]) {
        let log = Path::new(&folder).join("logs/HEAD");
        if log.exists() {
            println!("cargo::rerun-if-changed={}", log.display());
        }
    }
    let commit = git(&["rev-parse", "--short=10", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=COMMIT_OF_BUILD={commit}");
}

/// The answer of git; `None` if the sources are not in a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
