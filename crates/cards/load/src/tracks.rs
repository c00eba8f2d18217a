//! Files of track 2 lines: one file is one terminal, one line one card that is presented there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use card::digits::Digits;
use card::pan::{BIN_LENGTH, Pan};
use card::track2::Track2;
use diagnostics::{Diagnostic, Source, TextPlace};

/// Terminals at most.
pub const TERMINALS_MAX: usize = 10_000;
/// The extension of a file of track 2 lines.
pub const EXTENSION: &str = "trk";
/// Digits of the account in a card number that is made here: with BIN and check digit, 16.
const ACCOUNT_LENGTH: usize = 7;

/// The cards of one terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackFile {
    /// The file's name without its extension.
    pub terminal: String,
    /// Its lines.
    pub tracks: Vec<Track2>,
}

/// Reads all files of a folder that end with [`EXTENSION`], in the order of their names, at most `terminals_max`.
pub fn read(folder: &Path, terminals_max: usize) -> Result<Vec<TrackFile>, Vec<Diagnostic>> {
    let mut paths = list(folder).map_err(|error| vec![unreadable(folder, &error)])?;
    paths.sort();
    paths.truncate(terminals_max.min(TERMINALS_MAX));
    if paths.is_empty() {
        let message = format!("{} holds no track 2 files", folder.display());
        let help = format!("a terminal is a file with the ending .{EXTENSION}; each line is a card");
        return Err(vec![Diagnostic::error("SPLD001", message).help(help)]);
    }
    let (mut files, mut messages) = (Vec::new(), Vec::new());
    for path in paths {
        match read_file(&path) {
            Ok(file) => files.push(file),
            Err(errors) => messages.extend(errors),
        }
    }
    if messages.is_empty() { Ok(files) } else { Err(messages) }
}

/// Reads one file.
pub fn read_file(path: &Path) -> Result<TrackFile, Vec<Diagnostic>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(path, text),
        Err(error) => Err(vec![unreadable(path, &error)]),
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == EXTENSION)).collect())
}

/// The cards of one file. Empty lines and lines that begin with # are passed over.
fn parse(path: &Path, text: String) -> Result<TrackFile, Vec<Diagnostic>> {
    let terminal = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let source = Source::new(path.display().to_string(), text);
    let (mut tracks, mut messages) = (Vec::new(), Vec::new());
    for (number, line) in source.text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match Track2::parse(line.trim_end()) {
            Ok(track) => tracks.push(track),
            Err(error) => messages.push(
                Diagnostic::error("SPLD002", "this line is no track 2")
                    .at(TextPlace::new(&source, number + 1, error.at + 1, 1))
                    .label(error.to_string())
                    .help("write a line as ;4999990000000015=27122011234567890123?"),
            ),
        }
    }
    if tracks.is_empty() && messages.is_empty() {
        messages.push(Diagnostic::error("SPLD003", format!("{} has no card", source.name)));
    }
    if messages.is_empty() { Ok(TrackFile { terminal, tracks }) } else { Err(messages) }
}

/// The content of the files to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// BIN and sub-BIN of all cards.
    pub bin: Digits<BIN_LENGTH>,
    /// Cards, all terminals together.
    pub cards: usize,
    /// Files.
    pub terminals: usize,
    /// The expiry date of all cards, YYMM.
    pub expiry: Digits<4>,
    /// The service code of all cards.
    pub service_code: Digits<3>,
}

/// Makes the folder and its files: accounts count up from 0 and are dealt out to the terminals like cards to players.
pub fn make(folder: &Path, wanted: &Wanted) -> Result<(), Vec<Diagnostic>> {
    let fail = |message: String| Err(vec![Diagnostic::error("SPLD004", message)]);
    let accounts_max = 10_usize.pow(ACCOUNT_LENGTH as u32);
    if wanted.cards == 0 || wanted.cards > accounts_max {
        return fail(format!("from 1 to {accounts_max} cards can be made, not {}", wanted.cards));
    }
    let terminals_max = TERMINALS_MAX.min(wanted.cards);
    if wanted.terminals == 0 || wanted.terminals > terminals_max {
        return fail(format!("from 1 to {terminals_max} terminals can have them, not {}", wanted.terminals));
    }
    fs::create_dir_all(folder).map_err(|error| vec![unwritable(folder, &error)])?;
    for terminal in 0..wanted.terminals {
        let lines = (terminal..wanted.cards).step_by(wanted.terminals).map(|account| line(wanted, account));
        let text: String = lines.collect::<Option<_>>().unwrap_or_default();
        let path = folder.join(format!("t{terminal:05}.{EXTENSION}"));
        fs::write(&path, text).map_err(|error| vec![unwritable(&path, &error)])?;
    }
    Ok(())
}

/// The card number of an account.
pub(crate) fn pan(wanted: &Wanted, account: usize) -> Option<Pan> {
    Pan::with_check_digit(&format!("{}{account:0ACCOUNT_LENGTH$}", wanted.bin)).ok()
}

fn line(wanted: &Wanted, account: usize) -> Option<String> {
    let pan = pan(wanted, account)?;
    let room = "0".repeat(Track2::room_behind(&pan));
    let track = Track2::new(pan, wanted.expiry, wanted.service_code, &room).ok()?;
    Some(format!("{}\n", track.with_sentinels()))
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error("SPLD005", format!("{} cannot be read: {error}", path.display()))
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error("SPLD006", format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Wanted {
        Wanted {
            bin: Digits::parse("49999901").expect("8 digits"),
            cards: 5,
            terminals: 2,
            expiry: Digits::parse("3012").expect("4 digits"),
            service_code: Digits::parse("201").expect("3 digits"),
        }
    }

    #[test]
    fn files_that_were_made_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path(), &wanted()).expect("made");
        let files = read(folder.path(), TERMINALS_MAX).expect("read");
        let shape: Vec<_> = files.iter().map(|file| (file.terminal.as_str(), file.tracks.len())).collect();
        assert_eq!(shape, [("t00000", 3), ("t00001", 2)]);
        let pan = &files[1].tracks[0].pan;
        assert_eq!((pan.bin(), pan.check_digit_is_right()), ("49999901", true));
        assert_eq!(read(folder.path(), 1).expect("read").len(), 1);
    }

    #[test]
    fn a_bad_line_is_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path(), 1).expect_err("empty")[0].code, "SPLD001");
        fs::write(folder.path().join("a.trk"), "# cards\n\n;4999990000000015=2713201?\n").expect("written");
        let messages = read(folder.path(), 1).expect_err("a month 13");
        assert_eq!(messages[0].place.as_ref().map(|place| (place.line, place.column)), Some((3, 19)));
    }

    #[test]
    fn more_than_there_can_be_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for wanted in [Wanted { cards: 10_000_001, ..wanted() }, Wanted { terminals: 6, ..wanted() }] {
            assert_eq!(make(folder.path(), &wanted).expect_err("too many")[0].code, "SPLD004");
        }
    }
}
