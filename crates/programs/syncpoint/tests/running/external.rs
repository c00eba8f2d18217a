//! Batch programs that have programs of running regions run: LINK, DFHXCIS, channels; regions that end meanwhile.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::house::{PATIENCE, Region, application, product};

const DEFINITIONS: &str = "
DEFINE PROGRAM(SERVER) GROUP(APP)
DEFINE PROGRAM(ABENDER) GROUP(APP)
DEFINE PROGRAM(WAITER) GROUP(APP)
DEFINE PROGRAM(SHOUTER) GROUP(APP)
DEFINE TRANSACTION(MIRR) GROUP(APP) PROGRAM(DFHMIRS)
DEFINE TRANSACTION(NOMI) GROUP(APP) PROGRAM(SERVER)
DEFINE FILE(NOTES) GROUP(APP) DSNAME(APP.NOTES) ADD(YES) READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(APP.NOTES) INDEXED KEYS(4 0) RECORDSIZE(8 8) LOG(UNDO))\n";

/// Writes a record with the key of its COMMAREA, and says where and as whom it ran.
const SERVER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SERVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NOTE.
           05  N-KEY PIC X(4).
           05  N-TEXT PIC X(4) VALUE 'DONE'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  C-KEY PIC X(4).
           05  C-TRN PIC X(4).
           05  C-START PIC XX.
           05  C-USER PIC X(8).
       PROCEDURE DIVISION.
           MOVE C-KEY TO N-KEY
           EXEC CICS WRITE FILE('NOTES') FROM(NOTE) RIDFLD(N-KEY)
           END-EXEC
           MOVE EIBTRNID TO C-TRN
           EXEC CICS ASSIGN STARTCODE(C-START) USERID(C-USER) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Writes a record, and abends.
const ABENDER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NOTE PIC X(8) VALUE 'LOSTLOST'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('NOTES') FROM(NOTE) RIDFLD(NOTE)
           END-EXEC
           EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC.
";

/// Waits as many seconds as its COMMAREA says, and writes a record.
const WAITER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NOTE PIC X(8) VALUE 'WAITDONE'.
       01  SECS PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  C-SECS PIC 9(4).
           05  FILLER PIC X(14).
       PROCEDURE DIVISION.
           MOVE C-SECS TO SECS
           EXEC CICS DELAY FOR SECONDS(SECS) END-EXEC
           EXEC CICS WRITE FILE('NOTES') FROM(NOTE) RIDFLD(NOTE)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Changes a container of its channel, deletes another one, and makes a third.
const SHOUTER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOUTER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TEXT-1 PIC X(5).
       01  LEN PIC S9(8) COMP VALUE 5.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('WORD') INTO(TEXT-1) FLENGTH(LEN)
           END-EXEC
           INSPECT TEXT-1 CONVERTING 'abcdefghijklmno'
                                  TO 'ABCDEFGHIJKLMNO'
           EXEC CICS PUT CONTAINER('WORD') FROM(TEXT-1) CHAR END-EXEC
           EXEC CICS DELETE CONTAINER('GONE') END-EXEC
           EXEC CICS PUT CONTAINER('NEW') FROM('MADE') FLENGTH(4)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// LINKs as PARM says: program, SYNCONRETURN or not, APPLID, TRANSID, key.
const LINKER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY DFHXCPLO.
       01  AREA-1 VALUE SPACES.
           05  A-KEY PIC X(4).
           05  A-TRN PIC X(4).
           05  A-START PIC XX.
           05  A-USER PIC X(8).
       01  P-PROGRAM PIC X(8).
       01  P-APPLID PIC X(8).
       01  P-TRANSID PIC X(4).
       01  SHOWN-1 PIC -9(4).
       01  SHOWN-2 PIC -9(4).
       LINKAGE SECTION.
       01  PARM.
           05  FILLER PIC S9(4) COMP.
           05  P-TEXT PIC X(40).
       01  MESSAGE-1 PIC X(60).
       PROCEDURE DIVISION USING PARM.
           UNSTRING P-TEXT DELIMITED BY ','
               INTO P-PROGRAM P-APPLID P-TRANSID A-KEY
           EXEC CICS LINK PROGRAM(P-PROGRAM) COMMAREA(AREA-1)
                LENGTH(LENGTH OF AREA-1) SYNCONRETURN
                TRANSID(P-TRANSID) APPLID(P-APPLID)
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           MOVE EXEC-RESP TO SHOWN-1
           MOVE EXEC-RESP2 TO SHOWN-2
           DISPLAY SHOWN-1 SHOWN-2 ' ' EXEC-ABCODE ' ' AREA-1
           IF EXEC-MSG-LEN > 0
               SET ADDRESS OF MESSAGE-1 TO EXEC-MSG-PTR
               DISPLAY MESSAGE-1(1:EXEC-MSG-LEN)
           END-IF
           GOBACK.
";

/// A channel: containers are put, moved, passed, looked at, and deleted.
const CHANNEL: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHANNEL1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY DFHXCPLO.
       01  WORD-1 PIC X(5) VALUE 'hello'.
       01  LEN PIC S9(8) COMP.
       01  TOKEN PIC S9(8) COMP.
       01  CNAME PIC X(16).
       01  COUNT-1 PIC S9(8) COMP.
       01  SHOWN-1 PIC 9(4).
       01  SHOWN-2 PIC 9(4).
       PROCEDURE DIVISION.
           EXEC CICS PUT CONTAINER('FIRST') CHANNEL('TALK')
                FROM(WORD-1) CHAR RETCODE(EXCI-EXEC-RETURN-CODE)
           END-EXEC
           PERFORM SHOW
           EXEC CICS MOVE CONTAINER('FIRST') AS('WORD') CHANNEL('TALK')
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           EXEC CICS PUT CONTAINER('GONE') CHANNEL('TALK') FROM('X')
                FLENGTH(1) RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           EXEC CICS LINK PROGRAM('SHOUTER') CHANNEL('TALK')
                SYNCONRETURN RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           MOVE 5 TO LEN
           EXEC CICS GET CONTAINER('WORD') CHANNEL('TALK') INTO(WORD-1)
                FLENGTH(LEN) RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           DISPLAY WORD-1
           EXEC CICS GET CONTAINER('GONE') CHANNEL('TALK') INTO(WORD-1)
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           EXEC CICS STARTBROWSE CONTAINER CHANNEL('TALK')
                BROWSETOKEN(TOKEN) RETCODE(EXCI-EXEC-RETURN-CODE)
                END-EXEC
           PERFORM 3 TIMES
             EXEC CICS GETNEXT CONTAINER(CNAME) BROWSETOKEN(TOKEN)
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
             PERFORM SHOW
             DISPLAY CNAME
           END-PERFORM
           EXEC CICS QUERY CHANNEL('TALK') CONTAINERCNT(COUNT-1)
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           MOVE COUNT-1 TO SHOWN-1
           DISPLAY SHOWN-1
           EXEC CICS DELETE CONTAINER('WORD') CHANNEL('TALK')
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           EXEC CICS DELETE CHANNEL('TALK')
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           EXEC CICS QUERY CHANNEL('TALK') CONTAINERCNT(COUNT-1)
                RETCODE(EXCI-EXEC-RETURN-CODE) END-EXEC
           PERFORM SHOW
           GOBACK.
       SHOW.
           MOVE EXEC-RESP TO SHOWN-1
           MOVE EXEC-RESP2 TO SHOWN-2
           DISPLAY SHOWN-1 ' ' SHOWN-2.
";

/// One pipe: a request that the region's end cuts short, then the pipe opened again until that works.
const PIPES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PIPES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY DFHXCPLO.
       01  USER-TOKEN PIC S9(8) COMP VALUE 0.
       01  PIPE-TOKEN PIC S9(8) COMP VALUE 0.
       01  APPLICATION PIC X(8) VALUE 'PIPES'.
       01  ALLOC-OPTS PIC X VALUE X'00'.
       01  SYNCONRETURN PIC X VALUE X'80'.
       01  PROGRAM-1 PIC X(8) VALUE 'WAITER'.
       01  COMM-LENGTH PIC S9(8) COMP VALUE 18.
       01  AREA-1 PIC X(18) VALUE '0600'.
       01  SHOWN-1 PIC 9(4).
       01  SHOWN-2 PIC 9(4).
       01  TRIES PIC 9(4) VALUE 0.
       01  WAIT-1 PIC 9(4) VALUE 1.
       LINKAGE SECTION.
       01  NULL-PTR USAGE IS POINTER.
       01  PARM.
           05  FILLER PIC S9(4) COMP.
           05  P-TEXT PIC X(4).
       PROCEDURE DIVISION USING PARM.
           MOVE P-TEXT TO AREA-1(1:4)
           SET ADDRESS OF NULL-PTR TO NULLS
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                INIT-USER APPLICATION
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                ALLOCATE-PIPE PIPE-TOKEN NULL-PTR ALLOC-OPTS
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                OPEN-PIPE PIPE-TOKEN
           PERFORM SHOW
           PERFORM REQUEST
           PERFORM SHOW
           IF EXCI-RESPONSE NOT = 0
               MOVE 8 TO EXCI-RESPONSE
               CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE
                    USER-TOKEN CLOSE-PIPE PIPE-TOKEN
               MOVE 8 TO EXCI-RESPONSE
               PERFORM UNTIL EXCI-RESPONSE = 0 OR TRIES > 100
                   CALL 'C$SLEEP' USING WAIT-1
                   CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE
                        USER-TOKEN OPEN-PIPE PIPE-TOKEN
                   IF TRIES = 0 PERFORM SHOW END-IF
                   ADD 1 TO TRIES
               END-PERFORM
               MOVE 'AGAI' TO AREA-1
               MOVE 'SERVER' TO PROGRAM-1
               PERFORM REQUEST
               PERFORM SHOW
           END-IF
           MOVE 0 TO RETURN-CODE
           GOBACK.
       REQUEST.
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                DPL-REQUEST PIPE-TOKEN PROGRAM-1 AREA-1 COMM-LENGTH
                COMM-LENGTH NULL-PTR NULL-PTR NULL-PTR
                EXCI-DPL-RETAREA SYNCONRETURN.
       SHOW.
           MOVE EXCI-RESPONSE TO SHOWN-1
           MOVE EXCI-REASON TO SHOWN-2
           DISPLAY SHOWN-1 ' ' SHOWN-2.
";

/// The users and their rights.
const USERS: &str = "
[[user]]
userid = \"JOBBER\"
rights = [\"run\"]
starts-as = [\"NIGHT\"]
[[user]]
userid = \"NIGHT\"
rights = [\"run\"]
[[user]]
userid = \"IDLER\"
rights = []
starts-as = [\"NIGHT\"]
";

/// One DPL_Request on behalf of the user that PARM names.
const AS_USER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASUSER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY DFHXCPLO.
       01  USER-TOKEN PIC S9(8) COMP VALUE 0.
       01  PIPE-TOKEN PIC S9(8) COMP VALUE 0.
       01  APPLICATION PIC X(8) VALUE 'ASUSER'.
       01  SYNCONRETURN PIC X VALUE X'80'.
       01  TARGET-PROGRAM PIC X(8) VALUE 'SERVER'.
       01  TARGET-TRANSID PIC X(4) VALUE 'MIRR'.
       01  COMM-LENGTH PIC S9(8) COMP VALUE 18.
       01  AREA-1 VALUE SPACES.
           05  A-KEY PIC X(10).
           05  A-USER PIC X(8).
       01  SHOWN-1 PIC 9(4).
       LINKAGE SECTION.
       01  NULL-PTR USAGE IS POINTER.
       01  PARM.
           05  FILLER PIC S9(4) COMP.
           05  P-USER PIC X(8).
       PROCEDURE DIVISION USING PARM.
           SET ADDRESS OF NULL-PTR TO NULLS
           MOVE P-USER TO A-KEY
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                INIT-USER APPLICATION
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                ALLOCATE-PIPE PIPE-TOKEN
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                OPEN-PIPE PIPE-TOKEN
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                DPL-REQUEST PIPE-TOKEN TARGET-PROGRAM AREA-1 COMM-LENGTH
                COMM-LENGTH TARGET-TRANSID NULL-PTR P-USER
                EXCI-DPL-RETAREA SYNCONRETURN
           MOVE EXCI-REASON TO SHOWN-1
           DISPLAY SHOWN-1 ' ' A-USER
           MOVE 0 TO RETURN-CODE
           GOBACK.
";

/// Opens pipes until one is refused, and says how many are open, and the reason.
const MANY: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MANY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY DFHXCPLO.
       01  USER-TOKEN PIC S9(8) COMP VALUE 0.
       01  PIPE-TOKEN PIC S9(8) COMP VALUE 0.
       01  APPLICATION PIC X(8) VALUE 'MANY'.
       01  OPEN-1 PIC 9(4) VALUE 0.
       01  SHOWN-1 PIC 9(4).
       PROCEDURE DIVISION.
           CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                INIT-USER APPLICATION
           PERFORM UNTIL EXCI-RESPONSE NOT = 0 OR OPEN-1 = 99
             CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                  ALLOCATE-PIPE PIPE-TOKEN
             CALL 'DFHXCIS' USING VERSION-1 EXCI-RETURN-CODE USER-TOKEN
                  OPEN-PIPE PIPE-TOKEN
             IF EXCI-RESPONSE = 0 ADD 1 TO OPEN-1 END-IF
           END-PERFORM
           MOVE EXCI-REASON TO SHOWN-1
           DISPLAY OPEN-1 ' ' SHOWN-1
           MOVE 0 TO RETURN-CODE
           GOBACK.
";

/// Commands that are none outside of a region.
const REFUSED: [(&str, &str, &str); 4] = [
    ("NOREG1", "EXEC CICS READQ TS QUEUE('Q') INTO(AREA-1) END-EXEC", "READQ TS outside of a region"),
    (
        "NOREG2",
        "EXEC CICS LINK PROGRAM('SERVER') SYNCONRETURN END-EXEC",
        "LINK without RETCODE, which it needs outside of a region",
    ),
    (
        "NOREG3",
        "EXEC CICS LINK PROGRAM('SERVER') SYSID('REGB')\n           RETCODE(AREA-1) END-EXEC",
        "SYSID of LINK outside of a region",
    ),
    (
        "NOREG4",
        "EXEC CICS LINK PROGRAM('SERVER') SYNCONRETURN\n           RETCODE(SMALL) END-EXEC",
        "RETCODE of LINK has 19 bytes, and 20 are needed",
    ),
];

/// An application whose region has an APPLID.
fn app(applid: &str, more: &str) -> TempDir {
    let region = format!("applid = \"{applid}\"\n{more}[listen]\ntn3270 = \"127.0.0.1:0\"\n");
    let folder = application(&[
        ("region.toml", &region),
        ("app.csd", DEFINITIONS),
        ("app.idcams", DATA_SETS),
        ("programs/SERVER.cbl", SERVER),
        ("programs/ABENDER.cbl", ABENDER),
        ("programs/WAITER.cbl", WAITER),
        ("programs/SHOUTER.cbl", SHOUTER),
        ("programs/LINKER.cbl", LINKER),
        ("programs/CHANNEL1.cbl", CHANNEL),
        ("programs/PIPES.cbl", PIPES),
        ("programs/ASUSER.cbl", AS_USER),
        ("programs/MANY.cbl", MANY),
        ("users.toml", USERS),
    ]);
    crate::house::share_programs(folder.path(), "external");
    folder
}

fn batch(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = product();
    command.arg("batch").args(arguments).current_dir(folder).env("NO_COLOR", "1");
    command
}

/// Output of a batch program, and its messages.
fn ran(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = batch(folder, arguments).output().expect("it ends");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Output of one LINK.
fn linked(folder: &Path, parm: &str, more: &[&str]) -> String {
    let (shown, messages) = ran(folder, &[&["LINKER", "--parm", parm], more].concat());
    assert!(messages.contains("LINKER ended with return code 0"), "{messages}");
    shown.trim_end().to_owned()
}

/// The keys of the records.
fn notes(folder: &Path) -> Vec<String> {
    let output = product().args(["data", "show", "APP.NOTES"]).current_dir(folder).output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of = |line: &str| ["ONE1", "TWO2", "LOST", "WAIT", "AGAI"].into_iter().find(|key| line.contains(key));
    // A record is shown as characters, and as bytes beside them.
    let mut keys: Vec<String> = text.lines().filter_map(of).map(str::to_owned).collect();
    keys.dedup();
    keys
}

/// Returns the text that an operator's command shows.
fn cemt(folder: &Path, command: &str) -> String {
    let output = product().args(["cemt", ".", command]).current_dir(folder).output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until a mirror task is there.
fn until_mirror(folder: &Path) {
    let begun = Instant::now();
    loop {
        if cemt(folder, "INQUIRE TASK").contains("CSMI") {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "no mirror task");
    }
}

#[test]
fn a_link_runs_a_program_of_the_region_in_a_unit_of_work_of_its_own() {
    let folder = app("REGA", "");
    let folder = folder.path();
    // No region runs: the way is tried again as published, and the reason is that.
    assert_eq!(linked(folder, "SERVER,REGA,MIRR,ONE1", &[]), " 0088 0203      ONE1");
    let region = Region::start(folder);
    assert_eq!(linked(folder, "SERVER,REGA,MIRR,ONE1", &[]), " 0000 0000      ONE1MIRRDSCICSUSER");
    assert_eq!(linked(folder, "ABENDER,,CSMI,LOST", &[]), " 0088 0422 OOPS LOST");
    assert_eq!(notes(folder), ["ONE1"], "what has abended is backed out");
    assert_eq!(linked(folder, "NOTHERE,REGA,MIRR,X", &[]), " 0027 0001      X");
    assert_eq!(linked(folder, "SERVER,ELSE,MIRR,X", &[]), " 0088 0203      X");
    let refused = "transaction NOMI";
    assert!(
        linked(folder, "SERVER,,NOMI,X", &[]).contains(&format!("the program of {refused} is not DFHMIRS"))
    );
    let unknown = linked(folder, "SERVER,,CSMI,X", &["--user", "NOBODY"]);
    assert_eq!(unknown, " 0088 0414      X                 \nthere is no user NOBODY");
    // Both at once, each with a session of its own.
    let both = ["TWO2", "WAIT"].map(|key| {
        let parm = format!("SERVER,REGA,MIRR,{key}");
        batch(folder, &["LINKER", "--parm", &parm]).stdout(Stdio::piped()).spawn().expect("it starts")
    });
    for program in both {
        let output = program.wait_with_output().expect("it ends");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(" 0000 0000"));
    }
    assert_eq!(notes(folder), ["ONE1", "TWO2", "WAIT"]);
    region.signal("INT");
    assert!(region.ended().0.success());
}

#[test]
fn a_job_acts_for_another_user_as_its_surrogate_and_with_no_more_rights() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    let asked =
        |as_user: &str, job: &str| ran(folder.path(), &["ASUSER", "--parm", as_user, "--user", job]).0;
    assert_eq!(asked("NIGHT", "JOBBER"), "0000 NIGHT   \n");
    assert_eq!(asked("JOBBER", "JOBBER"), "0000 JOBBER  \n");
    for (as_user, job, reason) in [
        ("JOBBER", "NIGHT", "0423"),
        ("IDLER", "JOBBER", "0423"),
        // Neither the user nor the job has more rights than the other one.
        ("IDLER", "IDLER", "0414"),
        ("NIGHT", "IDLER", "0414"),
        ("        ", "JOBBER", "0407"),
    ] {
        assert_eq!(asked(as_user, job), format!("{reason}         \n"), "{as_user} by {job}");
    }
    region.ends_in_order();
}

#[test]
fn pipes_leave_places_for_operators_and_are_given_back_with_their_program() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    assert_eq!(ran(folder.path(), &["MANY"]).0, "0048 0202\n");
    // A session ends when the region sees that its program has gone.
    let begun = Instant::now();
    while ran(folder.path(), &["MANY"]).0 != "0048 0202\n" {
        assert!(begun.elapsed() < PATIENCE, "places are not given back");
    }
    region.ends_in_order();
}

#[test]
fn a_channel_goes_to_the_region_and_back() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    let (shown, messages) = ran(folder.path(), &["CHANNEL1"]);
    let wanted = "0000 0000\n0000 0000\n0000 0000\n0000 0000\nHELLO\n0110 0010\n0000 0000\nWORD            \n\
                  0000 0000\nNEW             \n0083 0002\nNEW             \n0002\n0000 0000\n0000 0000\n0122 0002\n";
    assert_eq!(shown, wanted, "{messages}");
    region.ends_in_order();
}

#[test]
fn what_is_no_command_of_a_batch_program_ends_it_before_anything_is_done() {
    let folder = app("REGA", "");
    for (name, command, wanted) in REFUSED {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       \
             WORKING-STORAGE SECTION.\n       01  AREA-1 PIC X(20).\n       01  SMALL PIC X(19).\n       \
             PROCEDURE DIVISION.\n           {command}\n           GOBACK.\n"
        );
        std::fs::write(folder.path().join(format!("programs/{name}.cbl")), text).expect("written");
        let (_, messages) = ran(folder.path(), &[name]);
        assert!(messages.contains(&format!("{name} ended with abend AEY9: {wanted}")), "{messages}");
    }
}

/// A batch program whose request the region is at.
fn waiting(folder: &Path, seconds: &str) -> (Child, BufReader<impl Read>) {
    let mut command = batch(folder, &["PIPES", "--parm", seconds]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    assert_eq!(line, "0000 0000\n", "the pipe is open");
    until_mirror(folder);
    (child, output)
}

#[test]
fn a_region_that_dies_under_a_request_is_told_and_the_pipe_is_opened_again() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    let (mut child, mut output) = waiting(folder.path(), "0600");
    region.signal("KILL");
    drop(region);
    let mut lines = String::new();
    output.read_line(&mut lines).expect("the request is over");
    output.read_line(&mut lines).expect("no region is there");
    assert_eq!(lines, "0016 0616\n0008 0203\n");
    let region = Region::start(folder.path());
    lines.clear();
    output.read_to_string(&mut lines).expect("it ends");
    child.wait().expect("it ends");
    assert_eq!(lines, "0000 0000\n");
    assert_eq!(notes(folder.path()), ["AGAI"], "what the dead region did is backed out");
    region.ends_in_order();
}

#[test]
fn a_region_that_ends_in_order_answers_what_it_is_at_and_does_not_wait_for_open_pipes() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    let (mut child, mut output) = waiting(folder.path(), "0003");
    region.ends_in_order();
    let mut lines = String::new();
    output.read_to_string(&mut lines).expect("it ends");
    child.wait().expect("it ends");
    assert_eq!(lines, "0000 0000\n");
    assert_eq!(notes(folder.path()), ["WAIT"]);
}

#[test]
fn a_purged_request_has_the_abend_and_backs_out() {
    let folder = app("REGA", "");
    let region = Region::start(folder.path());
    let mut child = batch(folder.path(), &["LINKER", "--parm", "WAITER,REGA,CSMI,0600"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    until_mirror(folder.path());
    let tasks = cemt(folder.path(), "INQUIRE TASK");
    let line = tasks.lines().find(|line| line.contains("CSMI")).expect("the mirror task");
    let number: String =
        line.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let jobs = cemt(folder.path(), "INQUIRE EXCI");
    assert!(
        jobs.contains("LINKER - ") && jobs.contains(&format!("({})", number.trim_start_matches('0'))),
        "{jobs}"
    );
    cemt(folder.path(), &format!("SET TASK({number}) PURGE"));
    let output = child.wait_with_output().expect("it ends");
    assert!(!cemt(folder.path(), "INQUIRE EXCI").contains("LINKER"), "it has ended");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.starts_with(" 0088 0422 AKCS 0600"), "{shown}\n{tasks}");
    assert_eq!(notes(folder.path()), Vec::<String>::new());
    region.logs("failed with abend AKCS");
}

#[test]
fn a_job_reaches_another_region_of_the_machine_by_its_applid() {
    let links = tempfile::tempdir().expect("a folder");
    let more = format!("[links]\nfolder = \"{}\"\n[sit]\nISC = \"YES\"\n", links.path().display());
    let (one, other) = (app("REGA", &more), app("REGB", &more));
    let region = Region::start(other.path());
    // The job's own region does not run.
    assert_eq!(linked(one.path(), "SERVER,REGB,MIRR,ONE1", &[]), " 0000 0000      ONE1MIRRDSCICSUSER");
    assert_eq!((notes(other.path()), notes(one.path())), (vec![String::from("ONE1")], Vec::new()));
    for applid in ["REGA", "../REGB", "REGC", ""] {
        let parm = format!("SERVER,{applid},MIRR,X");
        assert_eq!(linked(one.path(), &parm, &[]), " 0088 0203      X", "{applid}");
    }
    region.ends_in_order();
    assert_eq!(linked(one.path(), "SERVER,REGB,MIRR,ONE1", &[]), " 0088 0203      ONE1");
    assert!(std::fs::symlink_metadata(links.path().join("REGB.state")).is_err(), "it is found no more");
}
