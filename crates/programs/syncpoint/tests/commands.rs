//! The command line as a person types it: what is printed where, and how it ends.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};

/// Runs `syncpoint` in a folder, with a line for standard input.
fn syncpoint(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("syncpoint starts");
    // A command that refuses its arguments has ended without reading.
    let _ = child.stdin.take().expect("its input").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// Checks the printed text, and if the command went well.
fn check(folder: &Path, arguments: &[&str], input: &str, expected: Expect) {
    let output = syncpoint(folder, arguments, input);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ending = if output.status.success() { "well" } else { "not well" };
    expected.assert_eq(&format!("{}{}ended {ending}", text(&output.stdout), text(&output.stderr)));
}

/// An application without programs, or with the texts of some.
fn application(programs: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder();
    for (name, text) in [("region.toml", "")].iter().chain(programs) {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_listing_of_a_program() {
    let text = "       ID DIVISION.\n       PROGRAM-ID. ADDER.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
                01  TOTAL PIC S9(5)V99 COMP-3.\n       PROCEDURE DIVISION.\n           ADD 1 TO TOTAL.\n           GOBACK.\n";
    let folder = application(&[("ADDER.cbl", text)]);
    let output = syncpoint(folder.path(), &["check", "--listing=ADDER"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = printed.lines().find(|line| line.contains("01 TOTAL")).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words, ["01", "TOTAL", "0", "4", "signed", "packed", "7", "digits,", "scale", "2", "5", "7*"]);
    let output = syncpoint(folder.path(), &["check", "--listing=NOWHERE"], "");
    assert!(!output.status.success());
}

#[test]
fn a_folder_that_is_not_there() {
    check(
        folder().path(),
        &["check", "bank"],
        "",
        expect![[r#"
        error[SPCL001]: there is no folder bank
         |
         = help: syncpoint new bank makes one with a first application

        ended not well"#]],
    );
}

#[test]
fn a_folder_without_a_region() {
    check(
        folder().path(),
        &["run"],
        "",
        expect![[r#"
        error[SPCL002]: . has no region.toml
         |
         = help: that file makes a folder an application, and may be empty: touch ./region.toml; or begin with syncpoint new

        ended not well"#]],
    );
}

#[test]
fn a_region_with_a_mistake() {
    let folder = folder();
    fs::write(folder.path().join("region.toml"), "aplid = \"BANK\"\n").expect("written");
    check(
        folder.path(),
        &["check"],
        "",
        expect![[r#"
            error[SPCF002]: `aplid` is not a key
             --> region.toml:1:1
              |
            1 | aplid = "BANK"
              | ^^^^^
              |
              = help: did you mean `applid`?

            ended not well"#]],
    );
}

#[test]
fn a_program_is_compiled_once_wherever_its_owner_stands() {
    let program =
        "       ID DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let folder = application(&[("P.cbl", program)]);
    assert!(syncpoint(folder.path(), &["check"], "").status.success());
    let elsewhere = folder.path().parent().expect("a folder above");
    let name = folder.path().file_name().and_then(|name| name.to_str()).expect("a name");
    check(
        elsewhere,
        &["check", name],
        "",
        expect![[r#"
        1 program, 0 mapsets in order; nothing had to be compiled
        ended well"#]],
    );
}

#[test]
fn a_program_with_a_mistake() {
    let program =
        "       ID DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           DISPLAY X.\n";
    let folder = application(&[("P.cbl", program)]);
    let output = syncpoint(folder.path(), &["check", "--data", "elsewhere"], "");
    assert!(!output.status.success());
    expect![[r#"
        error[SPCK011]: there is no item X
         --> P.cbl:4:20
          |
        4 |            DISPLAY X.
          |                    ^
          |
          = help: describe it in the data division, or copy its description

        error[SPCL006]: P does not build

    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
    assert!(folder.path().join("elsewhere/programs").is_dir());
}

#[test]
fn definitions_and_files_that_are_not_in_order() {
    let region = "grplist = \"BANKLST\"\n[[load]]\ndataset = \"BANK.DATA\"\nfile = \"data.txt\"\n";
    let csd = "DEFINE TRANSACTION(PAY) GROUP(BANKLIST) PROGRAM(PAYS)\nDEFINE PROGRAM(PAYS) GROUP(BANKLIST)\n";
    let folder = application(&[("region.toml", region), ("bank.csd", csd)]);
    check(
        folder.path(),
        &["check"],
        "",
        expect![[r#"
            no programs and no maps: is region.toml in the right folder?
            error[SPRG005]: the CSD texts have no list or group BANKLST
             --> region.toml:1:11
              |
            1 | grplist = "BANKLST"
              |           ^^^^^^^^^
              |
              = help: did you mean BANKLIST?

            error[SPRG007]: data.txt cannot be read: No such file or directory (os error 2)
             --> region.toml:4:8
              |
            4 | file = "data.txt"
              |        ^^^^^^^^^^
              |
              = help: paths are relative to the folder of region.toml

            error[SPCL014]: the definitions are not in order

            ended not well"#]],
    );
    let further =
        "DEFINE TRANSACTION(BOOK) GROUP(BANKLIST) PROGRAM(BOOKS)\nDEFINE TRANSACTION(NONE) GROUP(BANKLIST)\n";
    fs::write(folder.path().join("further.csd"), further).expect("written");
    fs::write(folder.path().join("region.toml"), "").expect("written");
    fs::write(folder.path().join("bank.idcams"), " DEFINE CLUSTR (NAME(BANK.DATA))\n").expect("written");
    check(
        folder.path(),
        &["check"],
        "",
        expect![[r#"
            no programs and no maps: is region.toml in the right folder?
            warning[SPRG010]: transaction BOOK starts BOOKS, which is not defined
             --> further.csd:1:1
              |
            1 | DEFINE TRANSACTION(BOOK) GROUP(BANKLIST) PROGRAM(BOOKS)
              | ^^^^^^ ends with abend APCT when a user starts it
              |
              = help: add DEFINE PROGRAM(BOOKS) to a group that is installed; with PGAIPGM = "ACTIVE" in [sit] programs need no definition

            warning[SPRG006]: program PAYS has no source: PAY starts it
             --> bank.csd:2:1
              |
            2 | DEFINE PROGRAM(PAYS) GROUP(BANKLIST)
              | ^^^^^^ LINK to it raises PGMIDERR, a transaction ends with abend APCT
              |
              = help: put PAYS.cbl into a folder of `programs` in region.toml, or delete the definition

            warning[SPRG019]: TRANSACTION NONE needs PROGRAM or REMOTESYSTEM
             --> further.csd:2:1
              |
            2 | DEFINE TRANSACTION(NONE) GROUP(BANKLIST)
              | ^^^^^^ not installed
              |
              = help: add what is missing to the definition, or delete it

            error[SPID005]: DEFINE needs CLUSTER, ALTERNATEINDEX, PATH, GENERATIONDATAGROUP, NONVSAM or ALIAS
             --> bank.idcams:1:2
              |
            1 |  DEFINE CLUSTR (NAME(BANK.DATA))
              |  ^^^^^^
              |
              = help: the command is left out

            error[SPCL014]: the definitions are not in order

            ended not well"#]],
    );
}

/// A type that a region does not have gets one warning, at the first place; one without effect that anybody notices gets a note.
#[test]
fn definitions_that_a_region_does_not_have_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let maps = (1..=7).map(|n| format!("DEFINE PROCESSTYPE(MAP{n}) GROUP(BANK)\n"));
    let others = "DEFINE LIBRARY(OURS) GROUP(BANK) DSNAME01(BANK.LOAD)\n\
        DEFINE MAPSET(DFHSCREE) GROUP(BANK)\n\
        DEFINE FILE(FAR) GROUP(BANK) REMOTESYSTEM(AWAY)\n\
        DEFINE TSMODEL(ALL) GROUP(BANK) LOCATION(MAIN)\n\
        DEFINE ENQMODEL(PAY) GROUP(BANK) ENQNAME(PAY*)\n";
    fs::write(folder.path().join("bank.csd"), maps.collect::<String>() + others).expect("written");
    fs::write(folder.path().join("region.toml"), "").expect("written");
    check(
        folder.path(),
        &["check"],
        "",
        expect![[r#"
        no programs and no maps: is region.toml in the right folder?
        warning[SPRG019]: TSMODEL ALL needs PREFIX or XPREFIX
          --> bank.csd:11:1
           |
        11 | DEFINE TSMODEL(ALL) GROUP(BANK) LOCATION(MAIN)
           | ^^^^^^ not installed
           |
           = help: add what is missing to the definition, or delete it

        note[SPRG012]: LIBRARY OURS is not installed
         --> bank.csd:8:1
          |
        8 | DEFINE LIBRARY(OURS) GROUP(BANK) DSNAME01(BANK.LOAD)
          | ^^^^^^ nothing depends on it here
          |
          = help: programs are found in the folders of `programs` in region.toml

        warning[SPRG012]: PROCESSTYPE MAP1, MAP2, MAP3, MAP4, MAP5 and 2 more are not installed
         --> bank.csd:1:1
          |
        1 | DEFINE PROCESSTYPE(MAP1) GROUP(BANK)
          | ^^^^^^ this region has no such resources
          |
          = help: there are no business transaction services

        warning[SPRG012]: FILE FAR is of another system
          --> bank.csd:10:43
           |
        10 | DEFINE FILE(FAR) GROUP(BANK) REMOTESYSTEM(AWAY)
           |                                           ^^^^
           |
           = help: requests raise SYSIDERR: no CONNECTION and no IPCONN of that name is defined

        ended well"#]],
    );
}

#[test]
fn a_state_folder_that_cannot_be_made() {
    check(
        application(&[]).path(),
        &["check", "--data", "region.toml"],
        "",
        expect![[r#"
        error[SPTC008]: region.toml/programs cannot be written: Not a directory (os error 20)
         |
         = help: name another folder with `state` in region.toml or with --data

        ended not well"#]],
    );
}

/// Runs `syncpoint` where no program is installed.
fn syncpoint_alone(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).env("PATH", "").output().expect("it ends");
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), told.concat())
}

#[test]
fn a_machine_without_other_programs() {
    let folder = application(&[("P.cbl", &BROKEN.replace("NOSUCH", "'A'"))]);
    let (well, told) = syncpoint_alone(folder.path(), &["check"]);
    assert!(well && told.starts_with("1 program, 0 mapsets in order; 1 compiled now"), "{told}");
}

#[test]
fn a_compiler_of_a_former_version_is_refused_by_name() {
    let folder = application(&[
        ("P.cbl", &BROKEN.replace("NOSUCH", "'A'")),
        ("region.toml", "[cobol]\ncompiler = \"gnucobol\"\n"),
    ]);
    let (well, told) = syncpoint_alone(folder.path(), &["check"]);
    assert!(!well && told.contains("error[SPCF021]: `gnucobol` is no compiler here"), "{told}");
}

#[test]
fn a_first_application_is_made_once() {
    let folder = folder();
    check(
        folder.path(),
        &["new", "first"],
        "",
        expect![[r#"
        first holds an application with one program, one map and one file.
        Start it:    syncpoint run first --watch
        Then connect a 3270 terminal to 127.0.0.1:3270 and type HELO.
        Test it:     syncpoint test first
        ended well"#]],
    );
    check(
        folder.path(),
        &["new", "first"],
        "",
        expect![[r#"
        error[SPCL005]: first is not empty
         |
         = help: name a folder that is not there yet

        ended not well"#]],
    );
}

#[test]
fn users_are_added_listed_verified_and_removed() {
    let folder = application(&[]);
    let path = folder.path();
    check(
        path,
        &["user", "add", ".", "ann", "--name", "Ann Teller"],
        "s3cret word\n",
        expect![[r#"
        ANN is added in ./users.toml
        ended well"#]],
    );
    check(
        path,
        &["user", "add", ".", "op1", "--rights", "run,operate", "--group", "ops"],
        "another word\n",
        expect![[r#"
            OP1 is added in ./users.toml
            ended well"#]],
    );
    check(
        path,
        &["user", "list", "."],
        "",
        expect![[r#"
        ANN       Ann Teller            run  
        OP1                             run,operate  OPS
        ended well"#]],
    );
    check(
        path,
        &["user", "verify", ".", "ANN"],
        "s3cret word\n",
        expect![[r#"
        this is the password of ANN
        ended well"#]],
    );
    check(
        path,
        &["user", "verify", ".", "ANN"],
        "S3cret\n",
        expect![[r#"
        error[SPCL008]: not the password of ANN

        ended not well"#]],
    );
    check(
        path,
        &["user", "remove", ".", "op2"],
        "",
        expect![[r#"
        error[SPCL007]: there is no user op2
         |
         = help: there is a OP1

        ended not well"#]],
    );
    check(
        path,
        &["user", "remove", ".", "op1"],
        "",
        expect![[r#"
        OP1 is removed from ./users.toml
        ended well"#]],
    );
    let text = fs::read_to_string(path.join("users.toml")).expect("a users file");
    let mode = fs::metadata(path.join("users.toml")).expect("a users file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "only its owner reads it");
    assert!(text.contains("$argon2id$") && !text.contains("s3cret") && !text.contains("OP1"));
}

#[test]
fn a_user_that_a_region_would_refuse_is_not_added() {
    let folder = application(&[]);
    let path = folder.path();
    check(
        path,
        &["user", "add", ".", "far-too-long"],
        "long enough\n",
        expect![[r#"
        error[SPCL011]: a user id is a name of 1 to 8 letters, digits, @, # or $
         |
         = help: this has 12 characters

        ended not well"#]],
    );
    check(
        path,
        &["user", "add", ".", "ann", "--rights", "rule"],
        "long enough\n",
        expect![[r#"
        error[SPCL010]: rule is not a right
         |
         = help: the rights are run (run the application's transactions), inquire (look at the region), operate (change the region)

        ended not well"#]],
    );
    check(
        path,
        &["user", "add", ".", "ann"],
        "\n",
        expect![[r#"
        error[SPCL009]: the password is too short: it needs 8 characters

        ended not well"#]],
    );
    check(
        path,
        &["user", "add", ".", "ann"],
        "password of ann\n",
        expect![[r#"
        error[SPCL009]: the password has the user id in it

        ended not well"#]],
    );
    assert!(!path.join("users.toml").exists());
}

#[test]
fn a_report_of_nothing() {
    let folder = application(&[]);
    check(
        folder.path(),
        &["report", "summary", "."],
        "",
        expect![[r#"
        error[SPCL023]: ./.syncpoint/instruments has no records
         |
         = help: MN = "ON" and MNPER = "ON" under [sit], or CEMT SET MONITOR ON PERF, record tasks; statistics are recorded at the end of the region, at intervals with STATRCD = "ON", and when asked; AUXTR = "ON" or SET TRACEDEST AUXSTART write the trace

        ended not well"#]],
    );
    check(
        folder.path(),
        &["report", "tasks", ".", "--fields", "TRAN,USRCPU"],
        "",
        expect![[r#"
        error[SPCL024]: monitoring has no field USRCPU
         |
         = help: did you mean USRCPUT?

        ended not well"#]],
    );
}

const BROKEN: &str =
    "       ID DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           DISPLAY NOSUCH.\n";

#[test]
fn paths_are_those_from_where_the_command_was_typed() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("bank/src")).expect("made");
    fs::write(folder.path().join("bank/region.toml"), "programs = \"src\"\n").expect("written");
    fs::write(folder.path().join("bank/src/P.cbl"), BROKEN).expect("written");
    check(
        folder.path(),
        &["check", "bank"],
        "",
        expect![[r#"
            0 programs, 0 mapsets in order; nothing had to be compiled
            error[SPCK011]: there is no item NOSUCH
             --> bank/src/P.cbl:4:20
              |
            4 |            DISPLAY NOSUCH.
              |                    ^^^^^^
              |
              = help: describe it in the data division, or copy its description

            error[SPCL006]: P does not build

            ended not well"#]],
    );
}

#[test]
fn what_check_has_found_as_json() {
    let folder = application(&[("P.cbl", BROKEN)]);
    let output = syncpoint(folder.path(), &["check", "--format", "json"], "");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
    let text = String::from_utf8_lossy(&output.stdout);
    let text: Vec<&str> = text.lines().filter(|line| !line.contains("seconds")).collect();
    expect![[r#"
        {
          "messages": [
            {
              "severity": "error",
              "code": "SPCK011",
              "message": "there is no item NOSUCH",
              "label": "",
              "help": "describe it in the data division, or copy its description",
              "place": {
                "path": "P.cbl",
                "line": 4,
                "column": 20,
                "length": 6
              },
              "through": []
            }
          ],
          "programs": 0,
          "mapsets": 0,
          "compiled": 0,
          "failed": [
            "P"
          ],
          "members": [
            {
              "kind": "program",
              "name": "P",
              "state": "failed",
              "errors": [
                0
              ]
            }
          ],
        }"#]]
    .assert_eq(&text.join("\n"));
    let region = application(&[("region.toml", "aplid = 1\n")]);
    let output = syncpoint(region.path(), &["check", "--format", "json"], "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("did you mean `applid`?"));
}

#[test]
fn the_json_of_check_has_each_program_with_what_keeps_it_from_running() {
    const COPIES: &str = ">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. NAME.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\nCOPY WRONG.\nPROCEDURE DIVISION.\n    STOP RUN.\n";
    const SQL: &str = ">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. NAME.\nPROCEDURE DIVISION.\n    EXEC SQL SIGNAL SQLSTATE '70000' END-EXEC.\n    STOP RUN.\n";
    const GOOD: &str =
        ">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. NAME.\nPROCEDURE DIVISION.\n    STOP RUN.\n";
    let folder = application(&[
        ("ONE.cbl", &COPIES.replace("NAME", "ONE")),
        ("TWO.cbl", &COPIES.replace("NAME", "TWO")),
        ("NEEDS.cbl", &SQL.replace("NAME", "NEEDS")),
        ("GOOD.cbl", &GOOD.replace("NAME", "GOOD")),
        ("WRONG.cpy", "01  A-NUMBER PIC 9(.\n"),
        ("BAD.bms", "BAD      DFHMSD TYPE=NOSUCH\n         END\n"),
    ]);
    let output = syncpoint(folder.path(), &["check", "--format", "json"], "");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let members = found["members"].as_array().expect("members").iter().map(|member| {
        let errors = member["errors"].as_array().expect("places").iter().map(|place| {
            let message = &found["messages"][place.as_u64().expect("a place") as usize];
            format!(" {}:{}", message["place"]["path"], message["severity"]).replace('"', "")
        });
        let words = ["kind", "name", "state"].map(|word| member[word].as_str().expect("a word"));
        format!("{}{}\n", words.join(" "), errors.collect::<String>())
    });
    expect![[r#"
        program GOOD compiled
        program NEEDS refused NEEDS.cbl:error
        program ONE failed WRONG.cpy:error
        program TWO failed WRONG.cpy:error
        mapset BAD failed BAD.bms:error
    "#]]
    .assert_eq(&members.collect::<String>());
}

#[test]
fn what_check_has_found_as_sarif() {
    let folder = application(&[("P.cbl", BROKEN)]);
    let output = syncpoint(folder.path(), &["check", "--format", "sarif"], "");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
    let text = String::from_utf8_lossy(&output.stdout).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    expect![[r#"
        {
          "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
          "version": "2.1.0",
          "runs": [
            {
              "tool": {
                "driver": {
                  "name": "syncpoint",
                  "version": "VERSION",
                  "rules": [
                    {
                      "id": "SPCK011",
                      "shortDescription": {
                        "text": "there is no item NOSUCH"
                      },
                      "help": {
                        "text": "describe it in the data division, or copy its description"
                      },
                      "defaultConfiguration": {
                        "level": "error"
                      }
                    }
                  ]
                }
              },
              "columnKind": "unicodeCodePoints",
              "results": [
                {
                  "ruleId": "SPCK011",
                  "ruleIndex": 0,
                  "level": "error",
                  "message": {
                    "text": "there is no item NOSUCH. describe it in the data division, or copy its description"
                  },
                  "locations": [
                    {
                      "physicalLocation": {
                        "artifactLocation": {
                          "uri": "P.cbl"
                        },
                        "region": {
                          "startLine": 4,
                          "startColumn": 20,
                          "endColumn": 26
                        }
                      }
                    }
                  ],
                  "relatedLocations": []
                }
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&text);
    fs::write(folder.path().join("P.cbl"), BROKEN.replace("NOSUCH", "'A'")).expect("written");
    assert!(syncpoint(folder.path(), &["check", "--format", "sarif"], "").status.success());
}

#[test]
fn a_setting_with_a_mistake() {
    check(
        application(&[]).path(),
        &["check", "--set", "sit.MXT=many"],
        "",
        expect![[r#"
        error[SPCF003]: `MXT` takes a number from 1 to 2000
         --> --set:1:11
          |
        1 | sit.MXT = "many"
          |           ^^^^^^ this is a text

        ended not well"#]],
    );
    check(
        application(&[]).path(),
        &["check", "--set", "sit.MXT"],
        "",
        expect![[r#"
        error[SPCF016]: --set sit.MXT sets nothing
         |
         = help: write --set section.key=value, such as --set sit.MXT=200 or --set applid=BANK

        ended not well"#]],
    );
    check(
        application(&[]).path(),
        &["run", "--listen", "nowhere"],
        "",
        expect![[r#"
        error[SPCF006]: a listener is an address and a port
         --> --listen:1:17
          |
        1 | listen.tn3270 = "nowhere"
          |                 ^^^^^^^^^ this is not one
          |
          = help: write "127.0.0.1:3270" to listen to this machine only

        ended not well"#]],
    );
}
