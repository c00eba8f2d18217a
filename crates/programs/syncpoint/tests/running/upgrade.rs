//! States that older versions have left: this version starts on them with everything there. Those of a newer version are not touched.
//!
//! Each archive in `tests/running/states` is the folder of an application with its state. It is never made again: it is what its version
//! wrote. `STATES_BY=syncpoint`, a path, has that version make its own, under the name of the version: one is added with each release
//! that changes what is kept.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::data::Data;
use crate::house::{FREE_PORT, Region, application};
use crate::terminal::Terminal;

/// Leaves something of everything that a region keeps.
const FILLS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FILLS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WORK.
           05  WORK-KEY            PIC X(04) VALUE 'ONLY'.
           05  WORK-VALUE          PIC X(06) VALUE 'RECORD'.
       01  ATTRIBUTES              PIC X(14) VALUE 'PROGRAM(LOOKS)'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('WORK') FROM(WORK)
                     RIDFLD(WORK-KEY)
           END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECQ') FROM('LOGGED') END-EXEC
           EXEC CICS WRITEQ TD QUEUE('KEEP') FROM('PASSED') END-EXEC
           EXEC CICS START TRANSID('LATE') FROM('WAITED')
                     AFTER HOURS(99) REQID('LATER') PROTECT
           END-EXEC
           EXEC CICS CREATE TRANSACTION('MADE')
                     ATTRIBUTES(ATTRIBUTES) ATTRLEN(14)
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           EXEC CICS SEND TEXT FROM('FILLED') LENGTH(6) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Shows what is there. What was read of a queue of transient data, and the START, are not there a second time.
const LOOKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WORK.
           05  WORK-KEY            PIC X(04).
           05  WORK-VALUE          PIC X(06).
       01  ANSWER.
           05  FILLER              PIC X(06) VALUE 'FILE '.
           05  IN-FILE             PIC X(06) VALUE SPACES.
           05  FILLER              PIC X(04) VALUE ' TS '.
           05  IN-TS               PIC X(06) VALUE SPACES.
           05  FILLER              PIC X(04) VALUE ' TD '.
           05  IN-TD               PIC X(06) VALUE SPACES.
           05  FILLER              PIC X(07) VALUE ' START '.
           05  IN-START            PIC X(06) VALUE SPACES.
           05  FILLER              PIC X(07) VALUE ' DOUBT '.
           05  IN-DOUBT            PIC 9(03).
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('WORK') INTO(WORK) RIDFLD('ONLY')
                     RESP(WS-RESP)
           END-EXEC
           MOVE WORK-VALUE         TO IN-FILE
           EXEC CICS READQ TS QUEUE('RECQ') INTO(IN-TS) ITEM(1)
                     RESP(WS-RESP)
           END-EXEC
           EXEC CICS READQ TD QUEUE('KEEP') INTO(IN-TD) RESP(WS-RESP)
           END-EXEC
           EXEC CICS CANCEL REQID('LATER') RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 'WAITED'        TO IN-START
           ELSE
              EXEC CICS READQ TS QUEUE('RECLATE') INTO(IN-START)
                        ITEM(1) RESP(WS-RESP)
              END-EXEC
           END-IF
           EXEC CICS READ FILE('WORK') INTO(WORK) RIDFLD('TORN')
                     UPDATE RESP(WS-RESP)
           END-EXEC
           MOVE WS-RESP            TO IN-DOUBT
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Is started when its time has come, which may be before anybody looks.
const LATE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LATE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-VALUE                PIC X(06).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-VALUE) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECLATE') FROM(WS-VALUE)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(FILL) GROUP(OLDER) PROGRAM(FILLS)
DEFINE PROGRAM(FILLS) GROUP(OLDER)
DEFINE TRANSACTION(LOOK) GROUP(OLDER) PROGRAM(LOOKS)
DEFINE PROGRAM(LOOKS) GROUP(OLDER)
DEFINE TRANSACTION(LATE) GROUP(OLDER) PROGRAM(LATE)
DEFINE PROGRAM(LATE) GROUP(OLDER)
DEFINE TDQUEUE(KEEP) GROUP(OLDER) TYPE(INTRA) RECOVSTATUS(LOGICAL)
DEFINE TSMODEL(RECOV) GROUP(OLDER) PREFIX(REC) RECOVERY(YES)
DEFINE FILE(WORK) GROUP(OLDER) DSNAME(OLDER.WORK)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";
const DATA_SETS: &str = " DEFINE CLUSTER (NAME(OLDER.WORK) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";
/// A definition that an operator has made for good.
const DEFINED: &str = "DEFINE TRANSACTION(MORE) GROUP(OLDER) PROGRAM(LOOKS)";
const PASSWORD: &str = "harbour9";

/// Ends of the run that has left a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    InOrder,
    Killed,
}

const ENDS: [(End, &str); 2] = [(End::InOrder, "ended"), (End::Killed, "killed")];

fn states() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/running/states")
}

/// Runs a command that must go well.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Has a version leave a state, and packs it.
fn make(syncpoint: &str) {
    let version = run(Command::new(syncpoint).arg("--version"));
    let version = version.split_whitespace().nth(1).expect("a version").to_owned();
    fs::create_dir_all(states()).expect("a folder");
    for (end, name) in ENDS {
        let folder = filled(syncpoint, end);
        let archive = states().join(format!("{version}-{name}.tar.gz"));
        let mut tar = Command::new("tar");
        tar.args(["--create", "--gzip", "--owner=0", "--group=0", "--file"]);
        run(tar.arg(&archive).arg("--directory").arg(folder.path()).arg("."));
    }
}

/// An application in which a version has run until it ended so.
fn filled(syncpoint: &str, end: End) -> TempDir {
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("older.csd", DEFINITIONS),
        ("older.idcams", DATA_SETS),
        ("programs/FILLS.cbl", FILLS),
        ("programs/LOOKS.cbl", LOOKS),
        ("programs/LATE.cbl", LATE),
    ]);
    let here = |words: &[&str]| {
        let mut command = Command::new(syncpoint);
        command.args(words).current_dir(folder.path());
        command
    };
    let secret = folder.path().join("secret");
    fs::write(&secret, PASSWORD.to_owned() + "\n").expect("written");
    let mut user = here(&["user", "add", ".", "ANN", "--rights", "run,inquire,operate"]);
    run(user.stdin(fs::File::open(&secret).expect("there")));
    fs::remove_file(&secret).expect("removed");
    run(&mut here(&["csd", ".", DEFINED]));
    let region = Region::by(Command::new(syncpoint), folder.path());
    let mut terminal = signed_on(&region);
    terminal.start("FILL");
    terminal.sees("FILLED");
    match end {
        End::InOrder => region.end(terminal),
        End::Killed => {
            region.signal("KILL");
            assert_eq!(region.ended().0.signal(), Some(9));
        }
    }
    Data::open(folder.path()).leave_in_doubt("OLDER.WORK", "TORNDECIDE");
    // Programs are compiled again, and a log is no state.
    let _ = fs::remove_dir_all(folder.path().join(".syncpoint/programs"));
    folder
}

fn signed_on(region: &Region) -> Terminal {
    let mut terminal = region.terminal();
    terminal.start(&format!("CESN USERID=ANN,PS={PASSWORD}"));
    terminal.sees("DFHCE3549");
    terminal
}

/// The states that versions have left, unpacked.
fn left() -> Vec<(String, TempDir)> {
    let archives = fs::read_dir(states()).expect("states of versions").flatten().map(|entry| entry.path());
    let unpacked = |archive: PathBuf| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tar = Command::new("tar");
        run(tar
            .args(["--extract", "--no-same-owner", "--file"])
            .arg(&archive)
            .arg("--directory")
            .arg(folder.path()));
        (archive.file_name().expect("a name").to_string_lossy().into_owned(), folder)
    };
    archives.filter(|path| path.extension().is_some_and(|ending| ending == "gz")).map(unpacked).collect()
}

/// All that lies below a folder, with the bytes of each file.
fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let listed = run(Command::new("find").arg(folder).args(["-type", "f"]));
    let mut files: Vec<_> = listed.lines().map(PathBuf::from).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

#[test]
fn what_older_versions_have_left_is_there() {
    if let Ok(syncpoint) = std::env::var("STATES_BY") {
        make(&syncpoint);
    }
    let states = left();
    assert!(states.len() >= ENDS.len(), "there are none");
    for (name, folder) in states {
        let (end, _) = ENDS.into_iter().find(|(_, word)| name.contains(word)).expect("an end");
        let region = Region::start(folder.path());
        let kind = if end == End::InOrder { "warm" } else { "emergency" };
        region.logs(&format!(
            "the start is {kind}; recovered: 1 TS queues, 1 TD queues, 1 STARTs, 0 statuses, 1 units of work in doubt"
        ));
        let mut terminal = signed_on(&region);
        // What was defined for good, and what was created, lead to the same program.
        let (defined, then) = if end == End::InOrder { ("MADE", "MORE") } else { ("MORE", "LOOK") };
        terminal.start(defined);
        terminal.sees("FILE");
        let shown = terminal.shows();
        let all = "FILE  RECORD TS LOGGED TD PASSED START ";
        assert!(shown.contains(all) && shown.contains("DOUBT 100"), "{name}:\n{shown}\n{}", region.log());
        if !shown.contains("START WAITED") {
            terminal.until(then, "START WAITED");
        }
        let unit = cemt(folder.path(), "INQUIRE UOW");
        let unit =
            unit.lines().find(|line| line.contains(" Ind ")).unwrap_or_else(|| panic!("{name}: {unit}"));
        let id = unit.split_once("Uow(").and_then(|(_, rest)| rest.split_once(')')).expect("its number").0;
        cemt(folder.path(), &format!("SET UOW({id}) COMMIT"));
        terminal.until(then, "DOUBT 000");
        region.end(terminal);
        assert_eq!(Data::open(folder.path()).records("OLDER.WORK"), ["ONLYRECORD", "TORNDECIDE"], "{name}");
    }
}

fn cemt(folder: &Path, command: &str) -> String {
    let mut cemt = crate::house::product();
    run(cemt.args(["cemt", ".", command]).current_dir(folder).stdin(Stdio::null()))
}

#[test]
fn what_a_newer_version_has_left_is_refused_and_not_touched() {
    for (name, folder) in left() {
        let format = folder.path().join(".syncpoint/data/format");
        let own = fs::read_to_string(&format).expect("a format");
        let newer = own.trim_end().trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned() + "3";
        fs::write(&format, newer.clone() + "\n").expect("written");
        let before = bytes(folder.path());
        let said = Region::refused(folder.path());
        assert!(said.contains(&newer) && said.contains("docs/backup.md"), "{name}: {said}");
        // A lock without a holder is no data.
        let is_data = |(path, _): &(PathBuf, Vec<u8>)| !path.ends_with("lock");
        let (before, after): (Vec<_>, Vec<_>) = (
            before.into_iter().filter(is_data).collect(),
            bytes(folder.path()).into_iter().filter(is_data).collect(),
        );
        let names =
            |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after), "{name}");
        assert!(before == after, "{name}: something has changed");
        // Its own version goes on with it.
        fs::write(&format, own).expect("written");
        let region = Region::start(folder.path());
        let terminal = region.terminal();
        region.end(terminal);
    }
}
