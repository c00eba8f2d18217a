//! Several writers, an editor and killed processes: nothing is lost, and nothing is half there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::Duration;

use csd::{Csd, Given, request};
use jcl::Tokens;
use repository::{Exchanged, Refused, Repository, Step, exchange};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Signal, getpid, kill_process};

/// The step behind which a child process ends, and its folder.
const CHILD: &str = "REPOSITORY_TEST_CHILD";
/// Definitions of each writer, and notes of the editor.
const EACH: usize = 25;
const STEPS: [Step; 6] =
    [Step::Created, Step::Begun, Step::Written, Step::Forced, Step::Exchanged, Step::Removed];
const OLD: &str = "* old\nDEFINE PROGRAM(P) GROUP(G)\n";
const NEW: &str = "* old\nDEFINE PROGRAM(P) GROUP(G)\nDEFINE PROGRAM(Q) GROUP(G)\n";

fn repository(root: &Path) -> Repository {
    Repository::new(root, vec!["*.csd".to_owned()], Tokens::new())
}

fn change(repository: &Repository, text: &str) -> Result<Option<String>, Refused> {
    let command = request(text, Given::Anywhere).expect("legal").command().expect("a change");
    Ok(repository.change(&command.expect("whole"), "TEST")?.text)
}

fn child(test: &str, given: &str) -> Process {
    let mut process = Process::new(std::env::current_exe().expect("this program"));
    process
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, given)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    process
}

/// The process that ends itself behind a step.
#[test]
fn ends_behind_a_step() {
    let Ok(given) = std::env::var(CHILD) else { return };
    let (step, path) = given.split_once(' ').expect("two words");
    let mut ends = |now: Step| {
        if format!("{now:?}") == step {
            kill_process(getpid(), Signal::KILL).expect("killed");
        }
    };
    exchange(Path::new(path), Some(OLD.as_bytes()), NEW.as_bytes(), &mut ends).expect("a file system");
}

/// The process that defines programs until it is killed.
#[test]
fn defines_until_it_is_killed() {
    let Ok(given) = std::env::var(CHILD) else { return };
    let (name, root) = given.split_once(' ').expect("two words");
    for number in 0.. {
        change(&repository(Path::new(root)), &format!("DEFINE PROGRAM({name}{number:03}) GROUP(KILLED)"))
            .expect("defined");
    }
}

#[test]
fn a_process_killed_between_two_steps_leaves_the_old_text_or_the_new_one() {
    for (at, step) in STEPS.into_iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("g.csd");
        fs::write(&path, OLD).expect("written");
        let status =
            child("ends_behind_a_step", &format!("{step:?} {}", path.display())).status().expect("ran");
        assert!(!status.success(), "{step:?}: it was killed");
        let left = fs::read_to_string(&path).expect("there");
        assert_eq!(left, if at < 4 { OLD } else { NEW }, "{step:?}");
        let changed = change(&repository(folder.path()), "DEFINE PROGRAM(R) GROUP(G)").expect("goes on");
        assert_eq!(changed.as_deref(), Some("g.csd"));
        let names: Vec<_> =
            fs::read_dir(folder.path()).expect("read").flatten().map(|e| e.file_name()).collect();
        assert_eq!(names, ["g.csd"], "{step:?}: nothing is left beside");
        assert_eq!(fs::read_to_string(&path).expect("there"), format!("{left}DEFINE PROGRAM(R) GROUP(G)\n"));
    }
}

#[test]
fn what_an_editor_saves_in_between_stays() {
    let editor = "* mine\n";
    for at in STEPS.into_iter().take(4) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("g.csd");
        fs::write(&path, OLD).expect("written");
        let mut saves = |now: Step| {
            if now == at {
                fs::write(&path, editor).expect("saved");
            }
        };
        let done = exchange(&path, Some(OLD.as_bytes()), NEW.as_bytes(), &mut saves).expect("a file system");
        assert_eq!(done, Exchanged::SavedByAnother, "{at:?}");
        assert_eq!(fs::read_to_string(&path).expect("there"), editor, "{at:?}");
    }
}

#[test]
fn a_process_killed_after_an_editor_has_saved_gives_the_editors_text_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.csd");
    let sums = format!("{:08x}-{:08x}", crc(OLD), crc(NEW));
    // The exchange is made, and what came out is the editor's.
    fs::write(&path, NEW).expect("written");
    fs::write(folder.path().join(format!("g.csd.{sums}.changing")), "DEFINE PROGRAM(E) GROUP(G)\n")
        .expect("written");
    change(&repository(folder.path()), "DEFINE PROGRAM(R) GROUP(G)").expect("goes on");
    let text = fs::read_to_string(&path).expect("there");
    assert_eq!(text, "DEFINE PROGRAM(E) GROUP(G)\nDEFINE PROGRAM(R) GROUP(G)\n");
}

fn crc(text: &str) -> u32 {
    // CRC-32, bit by bit: the judge of the names.
    !text.bytes().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (!(sum & 1)).wrapping_add(1)))
    })
}

/// An editor that looks whether its file has changed before it saves, and begins again then.
fn note(path: &Path, number: usize) {
    let mine = path.with_extension("swp");
    loop {
        let read = fs::read_to_string(path).expect("there");
        fs::write(&mine, format!("* note {number}\n{read}")).expect("written");
        renameat_with(CWD, &mine, CWD, path, RenameFlags::EXCHANGE).expect("saved");
        if fs::read_to_string(&mine).expect("there") == read {
            return;
        }
        renameat_with(CWD, &mine, CWD, path, RenameFlags::EXCHANGE).expect("taken back");
    }
}

fn writer(root: PathBuf, name: char) {
    for number in 0..EACH {
        let text = format!("DEFINE PROGRAM({name}{number:03}) GROUP(SHARED)");
        while let Err(refused) = change(&repository(&root), &text) {
            assert!(matches!(refused, Refused::Busy), "{refused}");
        }
    }
}

fn names(csd: &Csd, group: &str) -> Vec<String> {
    let mut names: Vec<String> = csd.group(group).iter().map(|d| d.name.clone()).collect();
    names.sort();
    names
}

#[test]
fn writers_an_editor_and_killed_processes_lose_nothing() {
    let seed = 35;
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_owned();
    let path = root.join("g.csd");
    fs::write(&path, "DEFINE PROGRAM(FIRST) GROUP(SHARED)\n").expect("written");
    thread::scope(|scope| {
        for name in ['A', 'B', 'C'] {
            let root = root.clone();
            scope.spawn(move || writer(root, name));
        }
        scope.spawn(|| (0..EACH).for_each(|number| note(&path, number)));
        for victim in 0..8 {
            let given = format!("V{victim} {}", root.display());
            let mut process = child("defines_until_it_is_killed", &given).spawn().expect("started");
            thread::sleep(Duration::from_millis(random.u64(20..120)));
            process.kill().expect("killed");
            process.wait().expect("ended");
        }
    });
    let csd = repository(&root).read().expect("read");
    let of = |name: char| (0..EACH).map(move |number| format!("{name}{number:03}"));
    let all: Vec<String> = ['A', 'B', 'C'].into_iter().flat_map(of).chain(["FIRST".to_owned()]).collect();
    assert_eq!(names(&csd, "SHARED"), all);
    let text = fs::read_to_string(&path).expect("there");
    (0..EACH).for_each(|n| assert!(text.lines().any(|l| l == format!("* note {n}")), "note {n}"));
    for victim in 0..8 {
        let own = names(&csd, "KILLED").into_iter().filter(|name| name.starts_with(&format!("V{victim}")));
        own.enumerate()
            .for_each(|(at, name)| assert_eq!(name, format!("V{victim}{at:03}"), "none is missing"));
    }
    let parsed = csd::parse(&diagnostics::Source::new("g.csd", text), &Tokens::new());
    assert!(parsed.messages.is_empty(), "{:?}", parsed.messages);
}
