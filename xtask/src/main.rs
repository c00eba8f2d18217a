//! `cargo xtask CHORE`: the project's own chores.
//!
//! `tidy` checks what the house demands of its text and of what it is built with, `compat` writes COMPAT.md and the
//! page of the interface, `materials` the bill of materials of a release. The first two are tests of this crate too, so
//! that `cargo test` says when one of them has to be run.

mod apart;
mod circles;
mod compat;
mod files;
mod interface;
mod keys;
mod layers;
mod libraries;
mod licences;
mod materials;
mod metadata;
mod modules;
mod prose;
mod storeys;
mod tidy;
mod unsafe_code;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let chore = std::env::args().nth(1).unwrap_or_default();
    match chore.as_str() {
        "tidy" => {
            let mut complaints = tidy::complaints(&root());
            complaints.extend(licences::complaints(&root()));
            complaints.extend(apart::complaints(&root()));
            let files = files::all(&root());
            for lower in [prose::lower, circles::lower, words::lower] {
                if let Err(error) = lower(&root(), &files) {
                    complaints.push(format!("a file of counts cannot be written: {error}"));
                }
            }
            complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
            if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        "compat" => match compat::write(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("the pages on compatibility cannot be written: {error}");
                ExitCode::FAILURE
            }
        },
        "materials" => match materials::write(&root()) {
            Ok(path) => {
                println!("{}", path.display());
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("the bill of materials cannot be written: {why}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: cargo xtask tidy | compat | materials");
            ExitCode::from(2)
        }
    }
}

/// The folder of the whole project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").components().collect()
}
