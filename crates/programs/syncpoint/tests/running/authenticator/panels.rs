//! Customer service, by real terminal emulators: `tests/authenticator/walk_through.py` on what terminals have left in the
//! Validation Log.

use std::fs;
use std::path::Path;
use std::process::Command;

use load::tracks;

use super::house::{Hsm, Issuer, Wanted};
use crate::bank::{needs, repository};
use crate::data::Data;

/// Messages of the one terminal, of its one card: four pages.
const MESSAGES: &str = "40";

/// Returns the number of messages with an outcome, by a run's report.
fn count(said: &str, outcome: &str) -> u32 {
    let of = |line: &str| -> Option<u32> {
        let (before, _) = line.split_once(&format!(" × {outcome}"))?;
        before.split_whitespace().last()?.parse().ok()
    };
    said.lines().filter_map(of).sum()
}

/// Returns the file with a text, if any file that a region has written for people to read has it.
fn written(folder: &Path, text: &str) -> Option<String> {
    fs::read_dir(folder).expect("a folder").flatten().find_map(|entry| {
        let path = entry.path();
        // What the data sets and the programs are made of is for no reader.
        if path.is_dir() {
            return if entry.file_name() == "data" { None } else { written(&path, text) };
        }
        let bytes = fs::read(&path).expect("a file");
        bytes.windows(text.len()).any(|part| part == text.as_bytes()).then(|| path.display().to_string())
    })
}

#[test]
fn the_history_of_a_card_is_searched_filtered_paged_and_shown() {
    needs(&["s3270", "python3"]);
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { cards: 1, terminals: 1, ..Wanted::with(&[&hsm]) });
    let card = tracks::read_file(&issuer.tracks().join("t00000.trk")).expect("a card").tracks[0].pan.clone();
    let service = issuer.open();
    let mut operator = service.region.terminal();
    let messages = ["--messages", MESSAGES, "--mix", "wrong=20,replayed=20"];
    let load = || issuer.load(&service, &messages).ended().1;

    operator.start("ALOG");
    operator.sees("The Validation Log is off.");
    operator.start("ALOG ON");
    operator.sees("The Validation Log is on.");
    let said = load();
    operator.start("ALOG OFF");
    operator.sees("The Validation Log is off.");
    load();

    let outcomes = [("0", "00 authentic"), ("4", "05 wrong code"), ("8", "63 replayed counter")];
    let counts = outcomes.map(|(code, outcome)| format!("{code}={}", count(&said, outcome)));
    let walked = Command::new("python3")
        .arg(repository().join("tests/authenticator/walk_through.py"))
        .args([&service.region.address.to_string(), card.digits()])
        .args(&counts)
        .output()
        .expect("Python starts");
    let walk = String::from_utf8_lossy(&walked.stdout) + String::from_utf8_lossy(&walked.stderr);
    assert!(walked.status.success(), "{walk}\nThe region's log:\n{}", service.region.log());

    let log = service.region.ends_in_order();
    assert!(!log.contains(card.digits()), "the whole card number is in the log:\n{log}");
    let state = issuer.application().join(".syncpoint");
    assert_eq!(written(&state, card.digits()), None, "the whole card number is there");
    let logged = Data::open(&issuer.application()).records("AUTH.LOG").len().to_string();
    assert_eq!(logged, MESSAGES, "nothing is logged after ALOG OFF");
}
