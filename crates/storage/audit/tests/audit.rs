//! Audits that are written, changed from outside, and verified.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use audit::{Audit, AuditFault, Head, Kind, Limits, Record, Turned, export, verify};

const LIMITS: Limits = Limits { file_bytes: 1 << 20, files: 10, forced: false };

fn refusal(number: usize) -> Record {
    Record::new(Kind::Refused).with("user", "ANNA").with("resource", &format!("FILE{number}"))
}

fn written(folder: &Path, records: usize, limits: Limits) -> Head {
    let audit = Audit::open(folder, limits).expect("opened");
    for number in 0..records {
        audit.record(&refusal(number)).expect("recorded");
    }
    audit.head()
}

/// Changes the lines of a file.
fn edit(folder: &Path, file: &str, change: impl FnOnce(&mut Vec<String>)) {
    let path = folder.join(file);
    let mut lines: Vec<String> =
        fs::read_to_string(&path).expect("there").lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
}

#[test]
fn a_chain_goes_on_over_runs_and_its_files_are_the_owners_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("audit");
    let head = written(&folder, 3, LIMITS);
    assert_eq!(head.number, 4);
    let head = written(&folder, 2, Limits { forced: true, ..LIMITS });
    let verified = verify(&folder, Some(&head)).expect("in order");
    assert_eq!((verified.records, verified.first, &verified.head), (7, 1, &head));
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("000001.audit"))), (0o700, 0o600));
    let mut out = Vec::new();
    export(&folder, &mut out).expect("exported");
    let out = String::from_utf8(out).expect("text");
    assert_eq!(out.lines().count(), 7);
    let second: serde_json::Value = serde_json::from_str(out.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!((second["kind"].as_str(), second["resource"].as_str()), (Some("refused"), Some("FILE0")));
}

#[test]
fn whatever_is_done_to_a_line_is_found() {
    type Change = fn(&mut Vec<String>);
    let changes: [(&str, Change, bool); 7] = [
        ("a word", |lines| lines[3] = lines[3].replace("ANNA", "BOB"), false),
        ("a line taken out", |lines| drop(lines.remove(3)), false),
        ("the first line taken out", |lines| drop(lines.remove(0)), false),
        ("two lines change places", |lines| lines.swap(3, 4), false),
        ("a line twice", |lines| lines.insert(3, lines[3].clone()), false),
        ("no record", |lines| lines.insert(2, "hello".to_owned()), false),
        ("the end cut off", |lines| lines.truncate(5), true),
    ];
    for (what, change, only_noted) in changes {
        let folder = tempfile::tempdir().expect("a folder");
        let head = written(folder.path(), 8, LIMITS);
        edit(folder.path(), "000001.audit", change);
        assert!(verify(folder.path(), Some(&head)).is_err(), "{what}");
        assert_eq!(verify(folder.path(), None).is_ok(), only_noted, "{what}");
    }
}

#[test]
fn files_turn_over_and_the_oldest_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { file_bytes: 1_000, files: 3, forced: false };
    let head = written(folder.path(), 60, limits);
    let count = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(count, 3);
    let verified = verify(folder.path(), Some(&head)).expect("in order");
    assert!(verified.first > 1 && verified.head == head, "{verified:?}");
    let newest = fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> = newest.collect();
    files.sort();
    fs::remove_file(&files[1]).expect("removed");
    assert!(matches!(verify(folder.path(), None), Err(AuditFault::FileMissing(path)) if path == files[1]));
    fs::remove_file(&files[0]).expect("removed");
    assert!(matches!(verify(folder.path(), None), Err(AuditFault::FileMissing(path)) if path == files[1]));
}

#[test]
fn a_line_that_a_kill_has_left_unfinished_is_taken_off() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path(), 3, LIMITS);
    let path = folder.path().join("000001.audit");
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, &text[..text.len() - 20]).expect("written");
    written(folder.path(), 1, LIMITS);
    let verified = verify(folder.path(), None).expect("in order");
    assert_eq!(verified.records, 5);
    assert!(fs::read_to_string(&path).expect("there").contains("unfinished-bytes"));
}

#[test]
fn what_was_typed_breaks_no_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let audit = Audit::open(folder.path(), LIMITS).expect("opened");
    let typed = format!("A\r\n{} {{\"n\":99}}\u{1b}[2J{}", "0".repeat(64), "x".repeat(10_000));
    audit.record(&Record::new(Kind::NotSignedOn).with("user", &typed)).expect("recorded");
    audit.record(&refusal(1)).expect("recorded");
    assert_eq!(verify(folder.path(), None).expect("in order").records, 3);
    let text = fs::read_to_string(folder.path().join("000001.audit")).expect("there");
    assert!(!text.contains('\r') && !text.contains('\u{1b}') && text.len() < 2_000);
}

/// The file being written is removed, replaced or cut off from outside: the next record says so, goes where it can be
/// seen, and the chain shows the gap.
#[test]
fn harm_to_the_file_that_is_written_is_noticed_by_the_next_record() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 3] = [
        ("was removed", |path| fs::remove_file(path).expect("removed")),
        ("was replaced", |path| {
            let other = path.with_extension("other");
            fs::copy(path, &other).expect("copied");
            fs::rename(other, path).expect("replaced");
        }),
        ("was cut off", |path| fs::write(path, "").expect("emptied")),
    ];
    for (what, harm) in harms {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = Audit::open(folder.path(), LIMITS).expect("opened");
        assert_eq!(audit.record(&refusal(1)).expect("recorded"), Turned::No);
        let before = audit.head();
        harm(&folder.path().join("000001.audit"));
        let noticed = Turned::Harmed { name: String::from("000001.audit"), harm: what_of(what), end: before };
        assert_eq!(audit.record(&refusal(2)).expect("recorded"), noticed, "{what}");
        assert_eq!(audit.record(&refusal(3)).expect("recorded"), Turned::No, "{what}");
        let visible = fs::read_to_string(folder.path().join("000002.audit")).expect("the next file");
        assert_eq!(visible.lines().count(), 3, "{what}: {visible}");
        assert!(visible.contains(&format!("\"harmed\":\"000001.audit {what}\"")), "{visible}");
        // A copy in its place has all that was written: nothing is missing then.
        assert_eq!(verify(folder.path(), None).is_ok(), what == "was replaced", "{what}");
    }
}

fn what_of(what: &str) -> &'static str {
    ["was removed", "was replaced", "was cut off"].into_iter().find(|known| *known == what).expect("known")
}

#[test]
fn a_file_that_cannot_be_opened_with_its_key_is_left_and_the_next_one_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    sealed::protect(folder.path(), &[7; sealed::KEY], None).expect("protected");
    written(folder.path(), 3, LIMITS);
    let path = folder.path().join("000001.audit");
    assert!(verify(folder.path(), None).is_ok());
    let mut bytes = fs::read(&path).expect("sealed");
    assert!(!bytes.windows(4).any(|window| window == b"ANNA"));
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    fs::write(&path, bytes).expect("damaged");
    let audit = Audit::open(folder.path(), LIMITS).expect("opened");
    assert!(audit.harmed().is_some_and(|why| why.contains("000001.audit")), "{:?}", audit.harmed());
    assert!(verify(folder.path(), None).is_err(), "it is found");
}
