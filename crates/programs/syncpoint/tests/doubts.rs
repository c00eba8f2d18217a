//! `syncpoint check` looks through the literals of commands.

use std::fs;
use std::process::Command;

/// Doubts about commands: names that no definition has, areas that are too short, items that cannot hold a response.
#[test]
fn doubts_about_commands_have_levels() {
    let line = |text: &str| format!("           {text}\n");
    let statements = [
        "EXEC CICS READ FILE('ACCOUNTS') INTO(SHORT-REC) RIDFLD(K)",
        "    RESP(SMALL) END-EXEC",
        "EXEC CICS READ FILE('ACCOUNTS') INTO(WHOLE-REC) RIDFLD(K)",
        "    RESP(CODE-OF) RESP2(SHORT-TEXT) END-EXEC",
        "EXEC CICS READ FILE('ACOUNTS') INTO(WHOLE-REC)",
        "    RIDFLD(K) END-EXEC",
        "EXEC CICS READ FILE(F-NAME) INTO(WHOLE-REC)",
        "    RIDFLD(K) END-EXEC",
        "EXEC CICS READ FILE(F-OTHER) INTO(WHOLE-REC)",
        "    RIDFLD(K) END-EXEC",
        "MOVE 'ACCOUNTS' TO F-OTHER",
        "EXEC CICS WRITE FILE('ACCOUNTS') FROM(LONG-REC)",
        "    RIDFLD(K) END-EXEC",
        "EXEC CICS WRITEQ TS QUEUE('Q') FROM(SHORT-REC)",
        "    LENGTH(100) END-EXEC",
        "EXEC CICS LINK PROGRAM(NULL-NAME) END-EXEC",
        "EXEC CICS LINK PROGRAM('NOWHERE') SYSID('ELSE') END-EXEC",
        "*> syncpoint: off undefined-name",
        "EXEC CICS LINK PROGRAM('OPTIONAL') NOHANDLE END-EXEC",
        "EXEC CICS START TRANSID('NONE') END-EXEC",
        "EXEC CICS START TRANSID('CEMT') END-EXEC",
        "EXEC CICS WRITEQ TD QUEUE('LOST') FROM(K) END-EXEC",
        "EXEC CICS WRITEQ TD QUEUE('CSMT') FROM(K) END-EXEC",
        "EXEC CICS RETURN TRANSID('TEST') END-EXEC.",
    ];
    let data = "       01  SHORT-REC PIC X(20).\n       01  WHOLE-REC PIC X(80).\n       01  LONG-REC PIC X(90).\n       01  K PIC X(8).\n       \
                01  SMALL PIC 99.\n       01  CODE-OF PIC S9(8) COMP.\n       01  SHORT-TEXT PIC X(4).\n       01  NULL-NAME PIC X(5) VALUE Z'PROG'.\n       \
                01  F-NAME PIC X(8) VALUE 'NOFILE'.\n       01  F-OTHER PIC X(8) VALUE 'NOFILE'.\n";
    let program = format!(
        "       ID DIVISION.\n       PROGRAM-ID. PROG.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{data}       PROCEDURE DIVISION.\n{}",
        statements.map(line).concat()
    );
    let csd = "DEFINE PROGRAM(PROG) GROUP(G)\nDEFINE TRANSACTION(TEST) GROUP(G) PROGRAM(PROG)\nDEFINE FILE(ACCOUNTS) GROUP(G) DSNAME(A.CLUSTER)\n";
    let idcams = " DEFINE CLUSTER (NAME(A.CLUSTER) INDEXED KEYS(8 0) RECORDSIZE(80 80) RECORDS(10))\n";
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in
        [("region.toml", ""), ("PROG.cbl", program.as_str()), ("a.csd", csd), ("a.idcams", idcams)]
    {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let told = |settings: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        let output =
            command.arg("check").args(settings).current_dir(folder.path()).output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let found: Vec<String> =
            text.lines().filter(|line| line.contains("[SPRG02")).map(str::to_owned).collect();
        (found, output.status.success())
    };
    let expected = [
        "warning[SPRG024]: SMALL cannot hold every RESP: it has 2 digits",
        "warning[SPRG023]: SHORT-REC has 20 bytes, and records of ACCOUNTS have 80",
        "warning[SPRG024]: SHORT-TEXT cannot hold every RESP2: it has 4 characters, and the first digits of a fullword are zeros",
        "warning[SPRG022]: file ACOUNTS is not defined",
        "warning[SPRG022]: file NOFILE is not defined",
        "warning[SPRG023]: LONG-REC has 90 bytes, and records of ACCOUNTS have 80",
        "warning[SPRG023]: LENGTH says 100, and SHORT-REC has 20 bytes",
        "warning[SPRG025]: the name in PROGRAM ends with X'00'",
        "warning[SPRG022]: transaction NONE is not defined",
        "warning[SPRG022]: tdqueue LOST is not defined",
    ];
    assert_eq!(told(&[]), (expected.map(str::to_owned).to_vec(), true));
    let (quiet, _) = told(&["--set", "lints.undefined-name=off", "--set", "lints.short-area=off"]);
    assert_eq!(quiet.len(), 3, "{quiet:?}");
    let (_, passed) = told(&["--set", "lints.null-name=error"]);
    assert!(!passed);
}

/// A name that only a group defines which is not installed is not undefined: the message says where it is. A mapset that is
/// defined as a PROGRAM, as z/OS allows, is there.
#[test]
fn names_of_groups_that_are_not_installed_are_told_with_their_group() {
    let program = "       ID DIVISION.\n       PROGRAM-ID. PROG.\n       PROCEDURE DIVISION.\n           \
         EXEC CICS START TRANSID('MORE') END-EXEC\n           EXEC CICS START TRANSID('NONE') END-EXEC\n           \
         EXEC CICS LINK PROGRAM('PROG') END-EXEC\n           EXEC CICS RETURN END-EXEC.\n";
    let map = "SCREEN   DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,TIOAPFX=YES\n\
               M        DFHMDI SIZE=(24,80)\nF        DFHMDF POS=(1,1),LENGTH=4\n         DFHMSD TYPE=FINAL\n         END\n";
    let csd = "DEFINE PROGRAM(PROG) GROUP(G)\nDEFINE PROGRAM(SCREEN) GROUP(G)\nDEFINE PROGRAM(GONE) GROUP(G)\n\
               DEFINE TRANSACTION(TEST) GROUP(G) PROGRAM(PROG)\nDEFINE TRANSACTION(MORE) GROUP(H) PROGRAM(PROG)\nADD GROUP(G) LIST(L)\nADD GROUP(H) LIST(K)\n";
    let folder = tempfile::tempdir().expect("a folder");
    let region = "grplist = \"L\"\n";
    for (name, text) in [("region.toml", region), ("PROG.cbl", program), ("SCREEN.bms", map), ("a.csd", csd)]
    {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.arg("check").current_dir(folder.path()).output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let found: Vec<&str> = text.lines().filter(|line| line.contains("[SPRG")).collect();
    let expected = [
        "warning[SPRG006]: program GONE has no source",
        "warning[SPRG022]: transaction MORE is defined in group H only, which is not installed",
        "warning[SPRG022]: transaction NONE is not defined",
    ];
    assert_eq!(found, expected, "{text}");
    assert!(text.contains("name H, or a list that has it, in grplist"), "{text}");
}
