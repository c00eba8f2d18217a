//! Messages in an editor are those of `syncpoint check`, program by program, of samples as they are and with mistakes in them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::client::{Client, uri};

/// File, line and column from 0, code.
type Told = BTreeSet<(String, u64, u64, String)>;

/// Codes of doubts that need definitions and all programs at once: an editor does not tell them.
const OF_THE_WHOLE: &str = "SPRG";

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples").join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder is made");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file is copied");
        }
    }
}

/// Messages of `check` about the sources of an application.
fn checked(root: &Path) -> Told {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output =
        command.args(["check", "--format", "json", "."]).current_dir(root).output().expect("the binary runs");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let messages = found["messages"].as_array().cloned().unwrap_or_default();
    let told = messages.iter().filter_map(|message| {
        let place = &message["place"];
        let file = root.join(place["path"].as_str()?);
        let code = message["code"].as_str()?;
        let is_source =
            file.extension().is_some_and(|one| ["cbl", "cpy", "bms"].iter().any(|own| one == *own));
        let counts = is_source && !code.starts_with(OF_THE_WHOLE);
        let (line, column) = (place["line"].as_u64()?, place["column"].as_u64()?);
        counts.then(|| (uri(&file), line.saturating_sub(1), column.saturating_sub(1), code.to_owned()))
    });
    told.collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|one| one == "cbl" || one == "bms") {
            found.push(path);
        }
    }
    found.sort();
}

/// Messages of the server about them.
fn shown(root: &Path) -> Told {
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut client = Client::new(root);
    for path in &files {
        let bytes = std::fs::read(path).expect("a file");
        client.open(path, &String::from_utf8_lossy(&bytes));
        client.published(path, 1);
    }
    let told = client.diagnostics.iter().flat_map(|(uri, list)| {
        list.iter().filter_map(move |one| {
            let start = &one["range"]["start"];
            let code = one["code"].as_str()?.to_owned();
            Some((uri.clone(), start["line"].as_u64()?, start["character"].as_u64()?, code))
        })
    });
    told.collect()
}

/// Mistakes as they are made while typing.
fn mistakes(root: &Path) {
    let mut files = Vec::new();
    sources(root, &mut files);
    for (number, path) in files.iter().enumerate() {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let text = match number % 4 {
            0 => text.replacen("END-EXEC", "", 1),
            1 => text.replacen("PIC ", "PIC Q", 1),
            2 => text.replacen("MOVE ", "MOVE NO-SUCH-NAME TO ", 1),
            _ => text.replacen("RESP(", "REPS(", 1),
        };
        std::fs::write(path, text).expect("a file is written");
    }
}

fn same(sample: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    copy(&project(sample), &root);
    assert_eq!(shown(&root), checked(&root), "{sample} as it is");
    mistakes(&root);
    let told = checked(&root);
    assert!(told.len() >= 2, "{sample} has mistakes: {told:?}");
    assert_eq!(shown(&root), told, "{sample} with mistakes");
}

#[test]
fn of_the_bank() {
    same("bank");
}

#[test]
fn of_contacts_and_orders() {
    same("contacts");
    same("orders");
}
