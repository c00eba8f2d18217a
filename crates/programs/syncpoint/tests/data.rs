//! IDCAMS, batch programs, jobs and `data` as a person types them. One application serves them all: accounts with packed
//! amounts, a table and a redefined area.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

const COPYBOOK: &str = "       01  ACCOUNT.
           05  ACCT-ID           PIC X(4).
           05  ACCT-BALANCE      PIC S9(5)V99 COMP-3.
           05  ACCT-COUNT        PIC S9(4) COMP.
           05  ACCT-MONTH        PIC 9(3) OCCURS 2.
           05  ACCT-PERSON.
               10  FIRST-NAME    PIC X(4).
               10  LAST-NAME     PIC X(4).
           05  ACCT-FIRM REDEFINES ACCT-PERSON PIC X(8).
";

const DEFINE: &str = "  DEFINE CLUSTER (NAME(BANK.ACCT) INDEXED KEYS(4 0) RECORDSIZE(24 24))
  DEFINE GDG (NAME(BANK.LOG) LIMIT(2) SCRATCH)
";

const CSV: &str =
    "ACCT-ID,ACCT-BALANCE,ACCT-COUNT,ACCT-MONTH(1),ACCT-MONTH(2),ACCT-PERSON.FIRST-NAME,ACCT-PERSON.LAST-NAME
0002,-12.50,3,7,8,ANN,BELL
0001,100.00,-1,1,2,BOB,HILL
";

/// Adds its parameter to every balance and writes a line for each account.
const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDALL.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT ACCOUNTS ASSIGN TO ACCTS ORGANIZATION INDEXED
               ACCESS SEQUENTIAL RECORD KEY ACCT-ID FILE STATUS FS.
           SELECT REPORT-FILE ASSIGN TO RPT FILE STATUS FS2.
       DATA DIVISION.
       FILE SECTION.
       FD  ACCOUNTS.
           COPY ACCOUNT.
       FD  REPORT-FILE.
       01  REPORT-LINE PIC X(20).
       WORKING-STORAGE SECTION.
       01  FS PIC XX.
       01  FS2 PIC XX.
       01  SHOWN PIC -(5)9.99.
       LINKAGE SECTION.
       01  PARM.
           05  PARM-LENGTH PIC S9(4) COMP.
           05  PARM-TEXT PIC X(8).
       PROCEDURE DIVISION USING PARM.
           OPEN I-O ACCOUNTS.
           OPEN OUTPUT REPORT-FILE.
           IF FS NOT = '00' DISPLAY 'OPEN ' FS MOVE 8 TO RETURN-CODE
               GOBACK.
           PERFORM UNTIL FS = '10'
               READ ACCOUNTS
               IF FS = '00'
                   ADD FUNCTION NUMVAL(PARM-TEXT(1:PARM-LENGTH))
                       TO ACCT-BALANCE
                   REWRITE ACCOUNT
                   MOVE ACCT-BALANCE TO SHOWN
                   MOVE SPACES TO REPORT-LINE
                   STRING ACCT-ID ' ' SHOWN DELIMITED BY SIZE
                       INTO REPORT-LINE
                   WRITE REPORT-LINE
               END-IF
           END-PERFORM.
           CLOSE ACCOUNTS REPORT-FILE.
           GOBACK.
";

const JOB: &str = "//ADDJOB   JOB (1),'ADD',CLASS=A
//*
//ADD      EXEC PGM=ADDALL,PARM='5'
//ACCTS    DD DISP=SHR,DSN=BANK.ACCT
//RPT      DD DISP=(NEW,CATLG,DELETE),DSN=BANK.LOG(+1),
//            DCB=(RECFM=FB,LRECL=20)
//SHOW     EXEC PGM=IDCAMS,COND=(4,LT)
//SYSPRINT DD SYSOUT=*
//SYSIN    DD *
  PRINT INDATASET(BANK.LOG(+1)) CHARACTER COUNT(1)
  IF LASTCC = 0 THEN SET MAXCC = 2
/*
//COPY     EXEC PGM=IEBGENER
//SYSUT1   DD *
LINES IN THE JOB
/*
//SYSUT2   DD DISP=(NEW,CATLG),DSN=BANK.LINES,RECFM=F,LRECL=20
//SKIPPED  EXEC PGM=IEFBR14,COND=(2,EQ,SHOW)
";

fn application() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("region.toml", ""),
        ("ACCOUNT.cpy", COPYBOOK),
        ("ADDALL.cbl", PROGRAM),
        ("define.txt", DEFINE),
        ("in.csv", CSV),
        ("add.jcl", JOB),
    ] {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// Checks the output of a command, on both streams, and its exit status. Its folder is called FOLDER.
fn check(folder: &Path, arguments: &[&str], expected: Expect) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    let own = folder.canonicalize().expect("a folder").to_string_lossy().into_owned();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&own, "FOLDER");
    let status = output.status.code().unwrap_or(-1);
    expected.assert_eq(&format!("{}{}status {status}\n", text(&output.stdout), text(&output.stderr)));
}

/// With two accounts in it.
fn filled() -> tempfile::TempDir {
    let folder = application();
    for arguments in [
        &["idcams", "--input", "define.txt"][..],
        &["data", "import", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--from", "in.csv"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        let output = command.args(arguments).current_dir(folder.path()).output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

#[test]
fn records_are_listed_shown_and_taken_out() {
    let folder = filled();
    let path = folder.path();
    check(
        path,
        &["data", "list"],
        expect![[r#"
        KIND          RECORDS  DATA SET
        KSDS                2  BANK.ACCT, up to 24 bytes
        GDG BASE               BANK.LOG
        status 0
    "#]],
    );
    check(
        path,
        &["data", "show", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--count", "1"],
        expect![[r#"
        KEY 0001
          ACCT-ID                 0001
          ACCT-BALANCE            100.00
          ACCT-COUNT              -1
          ACCT-MONTH(1)           1
          ACCT-MONTH(2)           2
          ACCT-PERSON.FIRST-NAME  BOB
          ACCT-PERSON.LAST-NAME   HILL
        status 0
    "#]],
    );
    check(
        path,
        &[
            "data",
            "show",
            "BANK.ACCT",
            "--copybook",
            "ACCOUNT.cpy",
            "--from",
            "0002",
            "--redefined",
            "ACCT-FIRM",
        ],
        expect![[r#"
            KEY 0002
              ACCT-ID        0002
              ACCT-BALANCE   -12.50
              ACCT-COUNT     3
              ACCT-MONTH(1)  7
              ACCT-MONTH(2)  8
              ACCT-FIRM      ANN BELL
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "BANK.ACCT", "--from", "0002"],
        expect![[r#"
        KEY 0002
          RECORD  X'303030320001250D0003303037303038414E4E2042454C4C'
        status 0
    "#]],
    );
    check(
        path,
        &["data", "export", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--to", "out.json"],
        expect![[r#"
            2 records of BANK.ACCT written to out.json
            status 0
        "#]],
    );
    expect![[r#"
        [
        {"ACCT-ID":"0001","ACCT-BALANCE":"100.00","ACCT-COUNT":"-1","ACCT-MONTH(1)":"1","ACCT-MONTH(2)":"2","ACCT-PERSON.FIRST-NAME":"BOB","ACCT-PERSON.LAST-NAME":"HILL"},
        {"ACCT-ID":"0002","ACCT-BALANCE":"-12.50","ACCT-COUNT":"3","ACCT-MONTH(1)":"7","ACCT-MONTH(2)":"8","ACCT-PERSON.FIRST-NAME":"ANN","ACCT-PERSON.LAST-NAME":"BELL"}
        ]
    "#]].assert_eq(&fs::read_to_string(path.join("out.json")).expect("a file"));
    check(
        path,
        &["data", "import", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--from", "out.json", "--replace"],
        expect![[r#"
            IDC0005I records processed: 2
            IDC0001I REPRO ended, condition code 0
            status 0
        "#]],
    );
    check(
        path,
        &["data", "export", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--to", "out.csv"],
        expect![[r#"
            2 records of BANK.ACCT written to out.csv
            status 0
        "#]],
    );
    let mut rows: Vec<&str> = CSV.lines().collect();
    rows.swap(1, 2);
    let back = fs::read_to_string(path.join("out.csv")).expect("a file");
    assert_eq!(back, rows.join("\n") + "\n");
}

#[test]
fn a_program_and_a_job_work_on_the_data() {
    let folder = filled();
    let path = folder.path();
    check(
        path,
        &["batch", "ADDALL", "--parm", "2.5", "--dd", "ACCTS=BANK.ACCT", "--dd", "RPT=*"],
        expect![[r#"
            0001    102.50
            0002    -10.00
            ADDALL ended with return code 0
            status 0
        "#]],
    );
    check(
        path,
        &["batch", "--jcl", "add.jcl"],
        expect![[r#"
            RECORD SEQUENCE NUMBER - 1
            0001    107.50      

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            PROCESSING ENDED AT EOD
            ADD      ended with return code 0
            SHOW     ended with return code 2
            COPY     ended with return code 0
            SKIPPED  was bypassed
            status 2
        "#]],
    );
    check(
        path,
        &["batch", "--jcl", "add.jcl", "--step", "NONE"],
        expect![[r#"
        error[SPCL022]: add.jcl: the job has no step NONE

        status 255
    "#]],
    );
    check(
        path,
        &["batch", "ADDALL", "--dd", "RPT=*"],
        expect![[r#"
        OPEN 96
        ACCTS: file status 96: there is no DD statement of this name
        ADDALL ended with return code 8
        status 8
    "#]],
    );
    check(
        path,
        &["batch", "NOBODY"],
        expect![[r#"
        error[SPTC001]: there is no program NOBODY
         |
         = help: looked in FOLDER

        status 255
    "#]],
    );
    check(
        path,
        &["data", "list"],
        expect![[r#"
        KIND          RECORDS  DATA SET
        KSDS                2  BANK.ACCT, up to 24 bytes
        SEQUENTIAL             BANK.LINES
        GDG BASE               BANK.LOG
        SEQUENTIAL             BANK.LOG.G0001V00
        status 0
    "#]],
    );
}

#[test]
fn before_the_first_start_there_is_what_the_application_defines() {
    let folder = application();
    let path = folder.path();
    let load = "idcams = \"define.txt\"\n[[load]]\ndataset = \"BANK.ACCT\"\nfile = \"one.txt\"\n";
    fs::write(path.join("region.toml"), load).expect("written");
    fs::write(path.join("one.txt"), "0001 and so on\n").expect("written");
    check(
        path,
        &["data", "list"],
        expect![[r#"
        KIND          RECORDS  DATA SET
        KSDS                1  BANK.ACCT, up to 24 bytes
        GDG BASE               BANK.LOG
        status 0
    "#]],
    );
    // From then on it is what commands have made of it.
    fs::write(path.join("delete.txt"), " DELETE BANK.ACCT\n").expect("written");
    check(
        path,
        &["idcams", "--input", "delete.txt"],
        expect![[r#"
        IDC0550I entry (C) BANK.ACCT deleted
        IDC0001I DELETE ended, condition code 0
        IDC0002I IDCAMS ended, greatest condition code 0
        status 0
    "#]],
    );
    check(
        path,
        &["data", "list"],
        expect![[r#"
            KIND          RECORDS  DATA SET
            GDG BASE               BANK.LOG
            status 0
        "#]],
    );
}

#[test]
fn what_is_wrong_with_a_file_or_a_field_is_told() {
    let folder = filled();
    let path = folder.path();
    let import = |text: &str, file: &str, expected| {
        fs::write(path.join(file), text).expect("written");
        let arguments = ["data", "import", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--from", file];
        check(path, &arguments, expected);
    };
    import(
        "ACCT-ID,ACCT-COUNT\n\"0003,1\n",
        "bad.csv",
        expect![[r#"
        error[SPCL003]: bad.csv cannot be read: a quotation mark is not closed

        status 1
    "#]],
    );
    import(
        "[{\"ACCT-ID\": 3}, {\"ACCT-MONTH\": [1, 2]}]",
        "bad.json",
        expect![[r#"
        error[SPCL003]: bad.json cannot be read: item 2 is no object of texts and numbers; a table is T(1), T(2), …

        status 1
    "#]],
    );
    let show = ["data", "show", "BANK.ACCT", "--copybook"];
    check(
        path,
        &[&show[..], &["ACCOUNT.cpy", "--redefined", "FIRM"]].concat(),
        expect![[r#"
        error[SPCL021]: ACCOUNT.cpy has no field FIRM

        status 1
    "#]],
    );
    check(
        path,
        &[&show[..], &["in.csv"]].concat(),
        expect![[r#"
            warning[SPSY016]: ACCT-ID does not start a data description
             --> in.csv:1:1
              |
            1 | ACCT-ID,ACCT-BALANCE,ACCT-COUNT,ACCT-MONTH(1),ACCT-MONTH(2),ACCT-PERSON.FIRST-NAME,ACCT-PERSON.LAST-NAME
              | ^^^^^^^
              |
              = help: a data description starts with a level number: 01 to 49, 66, 77 or 88; the sentence is passed over

            error[SPCL021]: in.csv describes no record

            status 1
        "#]],
    );
}

#[test]
fn a_data_set_without_records_has_names_to_fill_in() {
    let folder = application();
    let path = folder.path();
    let mut define = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    define.args(["idcams", "--input", "define.txt"]).current_dir(path).output().expect("it ends");
    let export = ["data", "export", "BANK.ACCT", "--copybook", "ACCOUNT.cpy", "--to", "out.csv"];
    check(
        path,
        &export,
        expect![[r#"
        0 records of BANK.ACCT written to out.csv
        status 0
    "#]],
    );
    let names = fs::read_to_string(path.join("out.csv")).expect("a file");
    assert_eq!(Some(names.trim_end()), CSV.lines().next());
}

/// A job that makes two data sets of both kinds, and a library with two members.
const KINDS: &str = "//KINDS JOB
//A EXEC PGM=IDCAMS
//SYSIN DD *
  DEFINE CLUSTER (NAME(MY.KK) INDEXED KEYS(4 0) RECORDSIZE(24 24))
//B EXEC PGM=IEBGENER
//SYSUT1 DD *
ONE LINE
//SYSUT2 DD DSN=MY.SEQ,DISP=(NEW,CATLG),RECFM=FB,LRECL=24
//C EXEC PGM=IEBGENER
//SYSUT1 DD *
IN A MEMBER
//SYSUT2 DD DSN=MY.LIB(B),DISP=(NEW,CATLG)
";

fn output_of(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn sequential_data_sets_and_libraries_are_shown() {
    let folder = application();
    let path = folder.path();
    fs::write(path.join("kinds.jcl"), KINDS).expect("written");
    output_of(path, &["batch", "--jcl", "kinds.jcl"]);
    check(
        path,
        &["data", "list"],
        expect![[r#"
            KIND          RECORDS  DATA SET
            KSDS                0  MY.KK, up to 24 bytes
            LIBRARY             1  MY.LIB
            SEQUENTIAL             MY.SEQ
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "MY.KK"],
        expect![[r#"
            MY.KK has no records
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "my.kk", "--from", "A"],
        expect![[r#"
            MY.KK has no record with the key A, nor behind it
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "MY.SEQ"],
        expect![[r#"
            SEQUENTIAL MY.SEQ, records of 24 bytes
            RECORD 1
              RECORD  ONE LINE                
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "MY.LIB"],
        expect![[r#"
            LIBRARY MY.LIB, records of 80 bytes
              B
            status 0
        "#]],
    );
    check(
        path,
        &["data", "show", "MY.LIB(B)", "--count", "1"],
        expect![[r#"
            MEMBER OF MY.LIB, records of 80 bytes
            RECORD 1
              RECORD  IN A MEMBER                                                                     
            status 0
        "#]],
    );
}

#[test]
fn a_type_of_delete_means_entries_of_that_type() {
    let folder = application();
    let path = folder.path();
    fs::write(path.join("kinds.jcl"), KINDS).expect("written");
    output_of(path, &["batch", "--jcl", "kinds.jcl"]);
    for (command, kept) in [
        ("DELETE MY.SEQ CLUSTER", &["MY.KK", "MY.SEQ", "MY.LIB"][..]),
        ("DELETE MY.LIB GDG", &["MY.KK", "MY.SEQ", "MY.LIB"]),
        ("DELETE MY.KK NONVSAM", &["MY.KK", "MY.SEQ", "MY.LIB"]),
        ("DELETE MY.LIB(B) CLUSTER", &["MY.KK", "MY.SEQ", "MY.LIB"]),
        ("DELETE MY.** CLUSTER", &["MY.SEQ", "MY.LIB"]),
        ("DELETE MY.SEQ NONVSAM", &["MY.LIB"]),
        ("DELETE MY.LIB", &[]),
    ] {
        fs::write(path.join("delete.txt"), format!(" {command}\n")).expect("written");
        let said = output_of(path, &["idcams", "--input", "delete.txt"]);
        let list = output_of(path, &["data", "list"]);
        let left: Vec<&str> =
            ["MY.KK", "MY.SEQ", "MY.LIB"].into_iter().filter(|name| list.contains(name)).collect();
        assert_eq!(left, kept, "{command}: {said}");
    }
}

#[test]
fn a_job_that_is_killed_leaves_no_half_member_and_no_lost_data() {
    let folder = application();
    let path = folder.path();
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HALF.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO OUT.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
       01  R PIC X(80).
       PROCEDURE DIVISION.
           OPEN OUTPUT F.
           PERFORM 1000 TIMES MOVE 'HALF' TO R WRITE R END-PERFORM.
           DISPLAY 'NOW'.
           PERFORM UNTIL R = SPACES CONTINUE END-PERFORM.
           GOBACK.
";
    fs::write(path.join("HALF.cbl"), program).expect("written");
    fs::write(path.join("kinds.jcl"), KINDS).expect("written");
    output_of(path, &["batch", "--jcl", "kinds.jcl"]);
    for (member, disposition) in [("B", "OLD"), ("NEWONE", "OLD"), ("B", "MOD")] {
        let job = format!("//J JOB\n//S EXEC PGM=HALF\n//OUT DD DSN=MY.LIB({member}),DISP={disposition}\n");
        fs::write(path.join("half.jcl"), job).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.args(["batch", "--jcl", "half.jcl"]).current_dir(path).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
        assert!(lines.any(|line| line.expect("text").trim() == "NOW"));
        child.kill().expect("killed");
        child.wait().expect("it ends");
        let shown = output_of(path, &["data", "show", "MY.LIB(B)"]);
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        let expected = ["MEMBER OF MY.LIB, records of 80 bytes", "RECORD 1", "  RECORD  IN A MEMBER"];
        assert_eq!(lines, expected, "{member} {disposition}");
        let library = output_of(path, &["data", "show", "MY.LIB"]);
        assert_eq!(library, "LIBRARY MY.LIB, records of 80 bytes\n  B\n", "{member} {disposition}");
    }
}

const RECORD: &str = "       01  REC.
           05  REC-KEY           PIC X(2).
           05  REC-NUMBER        PIC S9(9) COMP-5.
           05  REC-RATE          COMP-2.
           05  REC-NEXT          POINTER.
           05  REC-NAME          PIC X(4).
";

/// The same records as programs see them that do not know their form.
const BYTES: &str = "       01  REC.
           05  REC-BYTES.
               10  REC-KEY       PIC X(2).
               10  FILLER        PIC X(24).
";

/// The data sets of such records: a pointer of programs by GnuCOBOL is longer by four bytes.
const DATA_SETS: &str = "  DEFINE CLUSTER (NAME(BANK.RECS) INDEXED KEYS(2 0) RECORDSIZE(26 26))
  DEFINE CLUSTER (NAME(BANK.NATIVE) INDEXED KEYS(2 0) RECORDSIZE(22 22))
  DEFINE CLUSTER (NAME(BANK.BACK) INDEXED KEYS(2 0) RECORDSIZE(26 26))
";

/// A program with the file of these records, and its statements.
fn with_records(name: &str, access: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO RECS ORGANIZATION INDEXED
               ACCESS {access} RECORD KEY REC-KEY FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
           COPY REC.
       WORKING-STORAGE SECTION.
       01  FS PIC XX.
       01  SHOWN PIC -(5)9.999.
       PROCEDURE DIVISION.
{statements}           CLOSE F.
           GOBACK.
"
    )
}

#[test]
fn records_of_programs_by_gnucobol_are_converted_for_ours_and_back() {
    let folder = application();
    let path = folder.path();
    // As a program by GnuCOBOL has written them, on a processor that has the lowest byte first.
    let put = "           OPEN OUTPUT F.
           MOVE X'3031FEFFFFFF000000000000F83F0000000000000000414E4E20'
             TO REC-BYTES.
           WRITE REC.
           MOVE X'303200000001000000000000C0BF0000000000000000424F4220'
             TO REC-BYTES.
           WRITE REC.
";
    let back_again = "           OPEN INPUT F.
           READ F NEXT.
           IF REC-BYTES =
               X'3031FEFFFFFF000000000000F83F0000000000000000414E4E20'
               DISPLAY 'THE FIRST'.
           READ F NEXT.
           IF REC-BYTES =
               X'303200000001000000000000C0BF0000000000000000424F4220'
               DISPLAY 'THE SECOND'.
";
    let get = "           OPEN INPUT F.
           PERFORM UNTIL FS NOT = '00'
             READ F NEXT
             IF FS = '00'
               MOVE REC-RATE TO SHOWN
               DISPLAY REC-KEY ' ' REC-NUMBER ' ' SHOWN ' ' REC-NAME
               IF REC-NEXT NOT = NULL DISPLAY 'NOT NULL' END-IF
             END-IF
           END-PERFORM.
";
    let linked = "           OPEN I-O F.
           READ F. SET REC-NEXT TO ADDRESS OF REC. REWRITE REC.
";
    for (name, text) in [
        ("REC.cpy", RECORD.to_owned()),
        ("BYTES.cpy", BYTES.to_owned()),
        ("PUTREC.cbl", with_records("PUTREC", "SEQUENTIAL", put).replace("COPY REC", "COPY BYTES")),
        ("BACKREC.cbl", with_records("BACKREC", "SEQUENTIAL", back_again).replace("COPY REC", "COPY BYTES")),
        ("GETREC.cbl", with_records("GETREC", "SEQUENTIAL", get)),
        ("LNKREC.cbl", with_records("LNKREC", "SEQUENTIAL", linked)),
        ("recs.txt", DATA_SETS.to_owned()),
        ("data.key", "5A".repeat(32)),
    ] {
        fs::write(path.join(name), text).expect("written");
    }
    let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(path.join("data.key"), only_owner).expect("its own");
    fs::write(path.join("region.toml"), "[data]\nencryption-key-file = \"data.key\"\n").expect("written");
    let convert = |from: &str, more: &[&str]| {
        let start = ["data", "convert", from, "--copybook", "REC.cpy"];
        output_of(path, &[&start, more].concat())
    };
    let run = |program: &str, data_set: &str| {
        let text = output_of(path, &["batch", program, "--dd", &format!("RECS={data_set}")]);
        text.replace(&format!("{program} ended with return code 0\n"), "")
    };
    output_of(path, &["idcams", "--input", "recs.txt"]);
    assert_eq!(run("PUTREC", "BANK.RECS"), "");
    let told = convert("BANK.RECS", &["--to", "native"]);
    assert!(told.contains("record 1: it would have 22 bytes instead of 26"), "{told}");
    let into = ["--to", "native", "--into", "BANK.NATIVE"];
    assert_eq!(
        convert("BANK.RECS", &[&into[..], &["--dry-run"]].concat()),
        "2 of 2 records of BANK.RECS would become those of programs\n"
    );
    assert_eq!(convert("BANK.RECS", &into), "2 of 2 records of BANK.RECS have become those of programs\n");
    assert!(convert("BANK.RECS", &into).contains("BANK.NATIVE is not empty"));
    assert_eq!(
        run("GETREC", "BANK.NATIVE"),
        "01 000000000K      1.500 ANN \n02 0016777216     -0.125 BOB \n"
    );
    // An address has no meaning elsewhere, and nothing is converted.
    assert_eq!(run("LNKREC", "BANK.NATIVE"), "");
    let back = ["--to", "gnucobol", "--into", "BANK.BACK"];
    let told = convert("BANK.NATIVE", &back);
    assert!(told.contains("record 1: REC-NEXT cannot be X'"), "{told}");
    assert!(told.contains("an address means nothing outside of the task that had it"), "{told}");
    assert_eq!(
        convert("BANK.NATIVE", &[&back[..], &["--null-addresses"]].concat()),
        "2 of 2 records of BANK.NATIVE have become those of programs by GnuCOBOL\n"
    );
    assert_eq!(run("BACKREC", "BANK.BACK"), "THE FIRST\nTHE SECOND\n");
}

#[test]
fn a_sequential_data_set_is_converted() {
    let folder = application();
    let path = folder.path();
    let job = "//J JOB
//S EXEC PGM=IEBGENER
//SYSPRINT DD SYSOUT=*
//SYSIN DD DUMMY
//SYSUT1 DD *
ABCDEF
GHIJKL
//SYSUT2 DD DSN=MY.SEQ,DISP=(NEW,CATLG),DCB=(RECFM=FB,LRECL=80)
";
    fs::write(path.join("seq.jcl"), job).expect("written");
    let copybook = "       01  R.\n           05  B PIC 9(4) COMP-5.\n           05  X PIC X(78).\n";
    fs::write(path.join("R.cpy"), copybook).expect("written");
    let pointer = "       01  R.\n           05  P POINTER.\n           05  X PIC X(72).\n";
    fs::write(path.join("P.cpy"), pointer).expect("written");
    output_of(path, &["batch", "--jcl", "seq.jcl"]);
    let convert = |copybook: &str, more: &[&str]| {
        let start = ["data", "convert", "MY.SEQ", "--to", "native", "--copybook", copybook];
        output_of(path, &[&start, more].concat())
    };
    let shown = || output_of(path, &["data", "show", "MY.SEQ"]);
    let told = convert("P.cpy", &["--null-addresses"]);
    assert!(told.contains("record 1: it would have 76 bytes instead of 80"), "{told}");
    assert!(shown().contains("ABCDEF"));
    let done = "2 of 2 records of MY.SEQ have become those of programs\n";
    assert_eq!(convert("R.cpy", &[]), done);
    assert!(shown().contains("BACDEF") && shown().contains("HGIJKL"), "{}", shown());
    let told = output_of(path, &["data", "convert", "MY.NONE", "--to", "native", "--copybook", "R.cpy"]);
    assert!(told.contains("MY.NONE is not in the catalogue"), "{told}");
    fs::write(path.join("S.cpy"), "       01  R PIC X(80).\n").expect("written");
    assert!(convert("S.cpy", &[]).contains("are the same for programs by both compilers"));
}

/// Whenever a conversion is killed, all records are as they were, or all are converted.
#[test]
fn a_conversion_that_is_killed_has_converted_all_records_or_none() {
    const RECORDS: usize = 4000;
    let folder = application();
    let path = folder.path();
    let define = "  DEFINE CLUSTER (NAME(BANK.MANY) INDEXED KEYS(4 0) RECORDSIZE(6 6))\n";
    let rows: String = (0..RECORDS).map(|number| format!("{number:04},1\n")).collect();
    for (name, text) in [
        ("many.txt", define.to_owned()),
        (
            "M.cpy",
            "       01  M.\n           05  K PIC 9(4).\n           05  B PIC 9(4) COMP-5.\n".to_owned(),
        ),
        ("many.csv", format!("K,B\n{rows}")),
    ] {
        fs::write(path.join(name), text).expect("written");
    }
    output_of(path, &["idcams", "--input", "many.txt"]);
    output_of(path, &["data", "import", "BANK.MANY", "--copybook", "M.cpy", "--from", "many.csv"]);
    let convert = ["data", "convert", "BANK.MANY", "--to", "native", "--copybook", "M.cpy"];
    let values = || {
        let shown = output_of(path, &["data", "show", "BANK.MANY", "--copybook", "M.cpy", "--count", "4000"]);
        let of = |value: &str| shown.lines().filter(|line| line.trim() == format!("B  {value}")).count();
        (of("1"), of("256"))
    };
    assert_eq!(values(), (RECORDS, 0));
    for milliseconds in [5, 20, 40, 60, 80, 120, 200, 400] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.args(convert).current_dir(path).stdout(std::process::Stdio::null());
        let mut child = command.stderr(std::process::Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        // It may have ended before.
        let _ = child.kill();
        child.wait().expect("it ends");
        let (before, converted) = values();
        assert!([(RECORDS, 0), (0, RECORDS)].contains(&(before, converted)), "{before} {converted}");
    }
    let (before, _) = values();
    output_of(path, &convert);
    assert_eq!(values(), (RECORDS - before, before));
}
