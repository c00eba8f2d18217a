//! The maps of a real application: our symbolic maps must lie as those that were shipped with it.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bms::{assemble, copybook, symbolic_length};
use diagnostics::Source;

/// Offset and length of every named item.
type Layout = BTreeMap<String, (usize, usize)>;

#[test]
fn shipped_symbolic_maps_and_ours_agree_in_every_offset_and_length() {
    let Some(root) = common::carddemo() else { return };
    let sources = files(&root, "bms");
    assert!(!sources.is_empty(), "no maps under {}", root.display());
    for path in sources {
        let source = Source::new(path.display().to_string(), read(&path));
        let assembly = assemble(&source);
        let said: String = assembly.messages.iter().map(|message| format!("{message}\n")).collect();
        assert!(!diagnostics::any_error(&assembly.messages), "{said}");
        for mapset in &assembly.mapsets {
            let ours = layout(&copybook(mapset));
            let shipped = layout(&read(&shipped(&path)));
            assert_eq!(ours, shipped, "{}", path.display());
            for map in &mapset.maps {
                let record = ours[&format!("{}I", map.name)];
                assert_eq!(symbolic_length(map), record.1, "{}", map.name);
            }
        }
    }
}

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The copybook shipped for a map.
fn shipped(map: &Path) -> PathBuf {
    let stem = map.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let folder = map.parent().and_then(Path::parent).map(|app| app.join("cpy-bms")).unwrap_or_default();
    let found =
        files(&folder, "cpy").into_iter().find(|path| path.file_stem().is_some_and(|name| *name == *stem));
    found.unwrap_or_else(|| panic!("no copybook for {}", map.display()))
}

/// Every file below a folder with an extension, whatever its case.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case(extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The layout of a copybook made of group items, displays and halfwords: all that symbolic maps are made of.
fn layout(copybook: &str) -> Layout {
    let text: String = copybook
        .lines()
        .filter(|line| line.chars().nth(6).is_none_or(|mark| mark != '*'))
        .map(|line| line.chars().skip(6).take(66).collect::<String>() + " ")
        .collect();
    let mut layout = Layout::new();
    let mut offset = 0;
    let mut record = String::new();
    for entry in text.split(". ").map(str::split_whitespace) {
        let words: Vec<&str> = entry.collect();
        let [level, name, clauses @ ..] = words.as_slice() else { continue };
        if *level == "01" {
            record = (*name).to_owned();
            offset = 0;
        }
        if let Some(at) = clauses.iter().position(|word| *word == "REDEFINES")
            && *level != "01"
        {
            offset -= layout[clauses[at + 1]].1;
        }
        let length = match clauses.iter().position(|word| word.starts_with("PIC")) {
            Some(_) if clauses.contains(&"COMP") => 2,
            Some(at) => width(clauses[at + 1]),
            None => 0,
        };
        if length > 0 && *name != "FILLER" {
            layout.insert((*name).to_owned(), (offset, length));
        }
        offset += length;
        layout.insert(record.clone(), (0, offset));
    }
    layout
}

fn width(picture: &str) -> usize {
    let (symbols, count) = match picture.split_once('(') {
        Some((symbol, count)) => (symbol.len() - 1, count.trim_end_matches(')').parse().expect("a number")),
        None => (picture.len(), 0),
    };
    symbols + count
}
