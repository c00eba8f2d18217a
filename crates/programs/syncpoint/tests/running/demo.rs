//! `syncpoint demo`: the bank comes out of the binary alone, and runs on where it was left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tn3270::datastream::Aid;

use crate::house::{Region, product};

fn demo(folder: &Path) -> Region {
    let mut command = product();
    // There is nothing of the sources here, and no program to help.
    command.args(["demo", "bank", "--listen", "127.0.0.1:0"]).current_dir(folder).env("PATH", "");
    Region::greeted(command).unwrap_or_else(|said| panic!("the demo does not start:\n{said}"))
}

fn signs_on(region: &Region) -> crate::terminal::Terminal {
    let mut terminal = region.terminal();
    terminal.sees("HARBOUR SAVINGS BANK");
    terminal.start("BK00");
    terminal.sees("Harbour Savings Bank");
    terminal.type_text("TELLER1");
    terminal.press(Aid::Enter);
    terminal.sees("assword");
    terminal
}

#[test]
fn the_bank_comes_out_of_the_binary_and_shows_its_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = demo(folder.path());
    let terminal = signs_on(&region);
    region.end(terminal);
    // Files that the user has changed stay, and so do the data.
    let notes = folder.path().join("bank/README.md");
    fs::write(&notes, "mine").expect("written");
    let region = demo(folder.path());
    let terminal = signs_on(&region);
    region.end(terminal);
    assert_eq!(fs::read_to_string(notes).expect("read"), "mine");
}

#[test]
fn what_is_unpacked_is_the_sample_and_a_folder_of_others_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let unpacked = |name: &str| {
        let mut command = product();
        command.args(["demo", name, "--unpack"]).current_dir(folder.path()).stdout(Stdio::null());
        command.output().expect("syncpoint starts")
    };
    assert!(unpacked("bank").status.success());
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/bank");
    let (own, sample) = (files(&folder.path().join("bank")), files(&sample));
    assert!(own.len() > 40 && own == sample, "{own:?}\n{sample:?}");
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("made");
    fs::write(other.join("letter.txt"), "mine").expect("written");
    let refused = unpacked("other");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("other is not empty"), "{told}");
    assert_eq!(fs::read_dir(&other).expect("there").count(), 1);
}

/// The files below a folder with their bytes; what a region has left there is not one of them.
fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let listed =
        Command::new("find").arg(root).args(["-name", ".*", "-prune", "-o", "-type", "f", "-print"]).output();
    let listed = String::from_utf8(listed.expect("find").stdout).expect("names");
    let file = |name: &str| {
        let path = Path::new(name);
        (path.strip_prefix(root).expect("below it").to_owned(), fs::read(path).expect("a file"))
    };
    let mut files: Vec<_> = listed.lines().map(file).collect();
    files.sort();
    files
}
