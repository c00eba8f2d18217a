//! The encryption key of the data changes: while the region runs, when it is killed meanwhile, and where none runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, Region, application, asked_for, product};

/// Regions that are killed while their key changes.
const KILLS: u64 = 3;
const RECORDS: usize = 20_000;
const DEFINE: &str = " DEFINE CLUSTER (NAME(KEYS.MANY) INDEXED KEYS(6 0) RECORDSIZE(60 60))\n REPRO INFILE(IN) OUTDATASET(KEYS.MANY)\n";
/// Something that must not be found on the disk.
const SECRET: &str = "NOBODY SHALL READ THIS";

/// A region.toml that names these keys, by the numbers of their files.
fn names(folder: &Path, now: u64, former: Option<u64>) {
    let former = former.map_or(String::new(), |key| format!("former-encryption-key-file = \"{key}.key\"\n"));
    let text = format!("{FREE_PORT}[data]\nencryption-key-file = \"{now}.key\"\n{former}");
    fs::write(folder.join("region.toml"), text).expect("written");
}

/// A key file of this number.
fn make_key(folder: &Path, number: u64) {
    let path = folder.join(format!("{number}.key"));
    fs::write(&path, format!("{number:064x}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("rights");
}

/// Runs a command.
fn syncpoint(folder: &Path, arguments: &[&str]) -> Output {
    product().args(arguments).current_dir(folder).output().expect("syncpoint starts")
}

fn well(folder: &Path, arguments: &[&str]) -> String {
    let output = syncpoint(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An application with many records, encrypted with key 1, and no region.
fn house() -> TempDir {
    let folder = application(&[("region.toml", FREE_PORT), ("define.idcams.txt", DEFINE)]);
    let records: String = (0..RECORDS).map(|number| format!("{number:06}{SECRET:*<54}\n")).collect();
    fs::write(folder.path().join("many.txt"), records).expect("written");
    make_key(folder.path(), 1);
    names(folder.path(), 1, None);
    well(folder.path(), &["idcams", "--input", "define.idcams.txt", "--dd", "IN=many.txt,lines"]);
    folder
}

/// Checks that all records are there and unchanged.
fn all_is_there(folder: &Path) {
    let out = folder.join("out.txt");
    well(folder, &["idcams", "--input", "out.idcams.txt", "--dd", "OUT=out.txt,lines"]);
    let same = fs::read(&out).expect("read") == fs::read(folder.join("many.txt")).expect("read");
    assert!(same, "records are missing, or are not what they were");
    let base = fs::read(folder.join(".syncpoint/data/base/data.mdb")).expect("read");
    assert!(!base.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
}

#[test]
fn the_key_changes_while_the_region_runs_and_a_killed_region_goes_on() {
    let folder = house();
    let folder = folder.path();
    fs::write(folder.join("out.idcams.txt"), " REPRO INDATASET(KEYS.MANY) OUTFILE(OUT)\n").expect("written");
    let mut chance = Chance::asked_for();
    let mut key = 1;
    for _ in 0..asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS) {
        let region = Region::start(folder);
        make_key(folder, key + 1);
        names(folder, key + 1, None);
        let refused = syncpoint(folder, &["key", "rotate"]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("former-encryption-key-file"));
        names(folder, key + 1, Some(key));
        let rotating = product().args(["key", "rotate"]).current_dir(folder).spawn();
        let mut rotating = rotating.expect("syncpoint starts");
        std::thread::sleep(Duration::from_millis(chance.below(600)));
        drop(region);
        let ended = rotating.wait().expect("it ends").success();
        key += 1;
        // In force or not: the region starts, and it is in force and used for all then.
        let region = Region::start(folder);
        well(folder, &["key", "rotate"]);
        println!("the region was killed {} the end", if ended { "after" } else { "before" });
        all_is_there(folder);
        region.signal("INT");
        assert!(region.ended().0.success());
        names(folder, key, None);
        all_is_there(folder);
        names(folder, key - 1, None);
        assert!(Region::refused(folder).contains("the key is not the one that the data were written with"));
        names(folder, key, None);
    }
    let audit = well(folder, &["audit", "export"]);
    assert!(audit.contains("KEY ROTATE"), "{audit}");
    // Where no region runs.
    make_key(folder, key + 1);
    names(folder, key + 1, Some(key));
    let said = well(folder, &["key", "rotate"]);
    assert!(said.contains("take former-encryption-key-… out"), "{said}");
    names(folder, key + 1, None);
    all_is_there(folder);
}

/// A marked text goes through every door of an application with a key.
const DOORS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DOORS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 REC PIC X(60) VALUE '%MARK%'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('KEPT') FROM(REC) RIDFLD('4')
               LENGTH(60) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECQ') FROM(REC) LENGTH(60)
               END-EXEC
           EXEC CICS WRITEQ TS QUEUE('AUXQ') FROM(REC) LENGTH(60)
               AUXILIARY END-EXEC
           EXEC CICS WRITEQ TD QUEUE('LOGI') FROM(REC) LENGTH(60)
               END-EXEC
           EXEC CICS WRITEQ TD QUEUE('PLAI') FROM(REC) LENGTH(60)
               END-EXEC
           EXEC CICS WRITEQ TD QUEUE('CSSL') FROM(REC) LENGTH(60)
               END-EXEC
           EXEC CICS WRITE JOURNALNAME('DFHJ07') JTYPEID('AA')
               FROM(REC) FLENGTH(60) WAIT END-EXEC
           EXEC CICS START TRANSID('DOOR') FROM(REC) LENGTH(60)
               PROTECT AFTER HOURS(1) END-EXEC
           EXEC CICS SIGNAL EVENT('DONE') FROM(REC) FROMLENGTH(60)
               END-EXEC
           EXEC CICS WRITE OPERATOR TEXT(REC) TEXTLENGTH(60)
               END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           DISPLAY REC
           EXEC CICS LINK PROGRAM('CALLED') COMMAREA(REC) LENGTH(60)
               END-EXEC
           EXEC CICS ABEND ABCODE('DUMP') END-EXEC.
";
/// Has the marked text in its COMMAREA, and keeps it in a queue in memory.
const CALLED: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLED.
       DATA DIVISION.
       LINKAGE SECTION.
       01 DFHCOMMAREA PIC X(60).
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('MAINQ') FROM(DFHCOMMAREA)
               LENGTH(60) MAIN END-EXEC
           EXEC CICS RETURN END-EXEC.
";
/// Has a temporary data set read and written by the job's own process and by the region, and printed by it.
const DOOR_JOB: &str = "\
//J JOB
//A EXEC PGM=IEBGENER
//SYSIN DD DUMMY
//SYSPRINT DD DUMMY
//SYSUT1 DD DSN=DOOR.SEQ,DISP=SHR
//SYSUT2 DD DSN=&&T,DISP=(,PASS),RECFM=FB,LRECL=80
//B EXEC PGM=IDCAMS
//I DD DSN=&&T,DISP=(OLD,PASS)
//P DD SYSOUT=*
//SYSPRINT DD DUMMY
//SYSIN DD *
  REPRO INFILE(I) OUTDATASET(DOOR.COPY)
  REPRO INFILE(I) OUTFILE(P)
/*
//C EXEC PGM=SORT
//SORTIN DD DSN=&&T,DISP=(OLD,DELETE)
//SORTOUT DD SYSOUT=*
//SYSIN DD *
 SORT FIELDS=(1,10,CH,A)
/*
";
const DOOR_CSD: &str = "\
DEFINE FILE(KEPT) GROUP(T) DSNAME(DOOR.KEPT) ADD(YES) READ(YES) RECOVERY(BACKOUTONLY)
DEFINE TSMODEL(RECOV) GROUP(T) PREFIX(REC) RECOVERY(YES)
DEFINE TDQUEUE(LOGI) GROUP(T) TYPE(INTRA) RECOVSTATUS(LOGICAL)
DEFINE TDQUEUE(PLAI) GROUP(T) TYPE(INTRA)
DEFINE TRANSACTION(DOOR) GROUP(T) PROGRAM(DOORS)
DEFINE PROGRAM(DOORS) GROUP(T)
DEFINE PROGRAM(CALLED) GROUP(T)
";
const DOOR_DATA: &str = "\
 DEFINE CLUSTER (NAME(DOOR.KEPT) INDEXED KEYS(1 0) RECORDSIZE(60 60))
 DEFINE GDG (NAME(DOOR.GROUP) LIMIT(3))
";
const MARKED: &str = "4929137205561178 MARKED";

/// Files in a folder and below it that show a text.
fn showing(folder: &Path, text: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if entry.file_type().expect("a kind").is_dir() {
            // Compiled programs have the constants of their sources.
            if !path.ends_with("programs") && !path.ends_with("runtime") {
                showing(&path, text, found);
            }
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(text.len()).any(|window| window == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
}

/// Files in a folder and below it that others than their owner may read or write.
fn not_private(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let file = entry.metadata().expect("a file");
        if file.is_dir() {
            found.extend(not_private(&entry.path()));
        }
        if !file.is_symlink() && file.permissions().mode() & 0o077 != 0 {
            found.push(format!("{} {:o}", entry.path().display(), file.permissions().mode()));
        }
    }
    found
}

fn door_house() -> TempDir {
    let folder = application(&[
        ("region.toml", ""),
        ("programs/DOORS.cbl", &DOORS.replace("%MARK%", MARKED)),
        ("programs/CALLED.cbl", CALLED),
        ("job.jcl", DOOR_JOB),
        ("KEPT.cpy", "       01 REC.\n          05 K PIC X.\n          05 T PIC X(59).\n"),
        ("in.csv", &format!("K,T\n7,{MARKED}\n")),
        ("door.csd", DOOR_CSD),
        ("door.idcams", DOOR_DATA),
        (
            "copy.idcams.txt",
            " REPRO INFILE(IN) OUTDATASET(DOOR.SEQ)\n REPRO INFILE(IN) OUTDATASET(DOOR.GROUP(+1))\n",
        ),
        ("out.idcams.txt", " REPRO INDATASET(DOOR.SEQ) OUTFILE(OUT)\n"),
        ("marked.txt", &format!("{MARKED}\n").repeat(3)),
    ]);
    make_key(folder.path(), 1);
    fs::write(
        folder.path().join("region.toml"),
        format!(
            "{FREE_PORT}[data]\nencryption-key-file = \"1.key\"\n[debug]\nrecord = \"commands.rec\"\n[sit]\nMN = \"ON\"\n\
             AUXTR = \"ON\"\n\
             MNPER = \"ON\"\n[[event]]\nname = \"DONE\"\nfile = \"done.jsonl\"\n"
        ),
    )
    .expect("written");
    folder
}

#[test]
fn nothing_that_a_user_stores_lies_in_clear() {
    let folder = door_house();
    let folder = folder.path();
    let region = Region::start(folder);
    well(folder, &["idcams", "--input", "copy.idcams.txt", "--dd", "IN=marked.txt,lines"]);
    let ended = syncpoint(folder, &["start", ".", "DOOR", "GO"]);
    assert!(String::from_utf8_lossy(&ended.stderr).contains("DUMP"), "{ended:?}");
    let limits = fs::read_to_string(format!("/proc/{}/limits", region.process())).expect("its limits");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a limit");
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "a core file would show it: {core}");
    well(folder, &["data", "import", "DOOR.KEPT", "--copybook", "KEPT.cpy", "--from", "in.csv"]);
    let printed = well(folder, &["batch", "--jcl", "job.jcl"]);
    assert_eq!(printed.matches(MARKED).count(), 6, "{printed}");
    well(folder, &["backup", ".", "whole.backup"]);
    region.signal("INT");
    assert!(region.ended().0.success());
    let state = folder.join(".syncpoint");
    let mut found = Vec::new();
    showing(&state, MARKED, &mut found);
    assert_eq!(found, Vec::<String>::new());
    showing(&state.join("instruments"), "WRITEQ TS", &mut found);
    assert_eq!(found, Vec::<String>::new(), "the trace");
    assert!(well(folder, &["trace", "."]).contains("WRITEQ TS"));
    assert_eq!(not_private(&state), Vec::<String>::new());
    let recorded = folder.join("commands.rec");
    assert!(!fs::read(&recorded).expect("a recording").windows(6).any(|window| window == b"MARKED"));
    assert_eq!(fs::metadata(&recorded).expect("a recording").permissions().mode() & 0o077, 0);
    assert!(well(folder, &["key", "show", "commands.rec"]).contains(MARKED));
    let backup = fs::read(folder.join("whole.backup")).expect("a backup");
    assert!(!backup.windows(MARKED.len()).any(|window| window == MARKED.as_bytes()), "the backup shows it");
    // Each of them was written, and can be read with the key.
    let shown = |of: &str| {
        let folder = fs::read_dir(state.join(of)).unwrap_or_else(|_| panic!("{of} was not written"));
        let file = folder.flatten().map(|entry| entry.path()).find(|path| path.is_file()).expect("a file");
        well(&state, &["key", "show", &file.display().to_string()])
    };
    for of in ["sequential", "journals", "dumps", "messages", "events"] {
        assert!(shown(of).contains(MARKED), "{of}: {}", shown(of));
    }
    let journal =
        fs::read_dir(state.join("journals")).expect("journals").flatten().next().expect("one").path();
    assert!(well(&state, &["journal", &journal.display().to_string()]).contains(MARKED));
    assert!(well(folder, &["report", "summary", "."]).contains("DOOR"));
    well(folder, &["audit", "verify"]);
    // Another state, from the backup.
    well(folder, &["restore", "whole.backup", ".", "--data", "again"]);
    let read = ["idcams", "--input", "out.idcams.txt", "--dd", "OUT=out.txt,lines", "--data", "again"];
    well(folder, &read);
    assert_eq!(
        fs::read(folder.join("out.txt")).expect("read"),
        fs::read(folder.join("marked.txt")).expect("read")
    );
    // Another key.
    make_key(folder, 2);
    let named = fs::read_to_string(folder.join("region.toml")).expect("read");
    let both = named.replace("\"1.key\"", "\"2.key\"\nformer-encryption-key-file = \"1.key\"");
    fs::write(folder.join("region.toml"), both).expect("written");
    well(folder, &["key", "rotate"]);
    fs::write(folder.join("region.toml"), named.replace("1.key", "2.key")).expect("written");
    well(folder, &["idcams", "--input", "out.idcams.txt", "--dd", "OUT=out.txt,lines"]);
    assert_eq!(
        fs::read(folder.join("out.txt")).expect("read"),
        fs::read(folder.join("marked.txt")).expect("read")
    );
}

/// Without the key nothing that is sealed is read, and nothing is written in clear beside it: the message says why.
#[test]
fn without_the_right_key_nothing_is_read_and_nothing_written_in_clear() {
    let folder = door_house();
    let folder = folder.path();
    let region = Region::start(folder);
    well(folder, &["idcams", "--input", "copy.idcams.txt", "--dd", "IN=marked.txt,lines"]);
    let toml = fs::read_to_string(folder.join("region.toml")).expect("read");
    make_key(folder, 2);
    let put = "//J JOB\n//A EXEC PGM=IEBGENER\n//SYSIN DD DUMMY\n//SYSUT1 DD *\n4929137205561178 MARKED\n/*\n\
               //SYSUT2 DD DSN=DOOR.NEW,DISP=(,CATLG),RECFM=FB,LRECL=80\n";
    for (key, why) in [
        ("\"2.key\"", "the key that is named is not the one for it"),
        ("\"none.key\"", "the key file none.key cannot be read"),
    ] {
        fs::write(folder.join("region.toml"), toml.replace("\"1.key\"", key)).expect("written");
        fs::write(
            folder.join("put.jcl"),
            put.replace("NEW", if why.contains("none") { "TWO" } else { "ONE" }),
        )
        .expect("written");
        for command in [
            vec!["key", "show", ".syncpoint/sequential/DOOR.SEQ"],
            vec!["key", "show", "commands.rec"],
            vec!["batch", "--jcl", "job.jcl"],
            vec!["batch", "--jcl", "put.jcl"],
        ] {
            let output = syncpoint(folder, &command);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(why), "{command:?} with {key}: {said}");
        }
    }
    let mut found = Vec::new();
    showing(&folder.join(".syncpoint"), MARKED, &mut found);
    assert_eq!(found, Vec::<String>::new());
    fs::write(folder.join("region.toml"), toml).expect("written");
    fs::write(folder.join("put.jcl"), put).expect("written");
    well(folder, &["batch", "--jcl", "put.jcl"]);
    region.signal("TERM");
    assert!(region.ended().0.success());
    // What a killed job has left goes with the next start.
    let left = folder.join(".syncpoint/temporary/1-0");
    fs::create_dir_all(&left).expect("a folder");
    fs::write(left.join("T"), "left").expect("written");
    well(folder, &["batch", "--jcl", "job.jcl"]);
    assert!(!left.exists());
}
