//! Gives the binary the name of the commit that it is built from, for `syncpoint --version`, and the sample bank for
//! `syncpoint demo`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The sample that the binary has.
const DEMO: &str = "../../../samples/bank";

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
    demo();
}

/// Writes the list of the sample's files, each with its bytes, as an expression.
fn demo() {
    println!("cargo::rerun-if-changed={DEMO}");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = here.join(DEMO);
    let mut files = Vec::new();
    find(&root, &mut files);
    files.sort();
    let entry = |path: &PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(path);
        format!("({:?}, include_bytes!({path:?}) as &[u8]),\n", name.display().to_string())
    };
    let list: String = files.iter().map(entry).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("demo.rs");
    if let Err(error) = fs::write(&out, format!("&[\n{list}]")) {
        panic!("{}: {error}", out.display());
    }
}

/// The files of a folder; what a region has left there, in a folder whose name begins with a point, is not one of them.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => panic!("{}: {error}", folder.display()),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_left = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if is_left => {}
            true => find(&path, files),
            false => files.push(path),
        }
    }
}

/// The answer of git; `None` if the sources are not in a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
