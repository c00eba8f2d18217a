//! `syncpoint service`: bindings made from copybooks, documents and jobs.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

const ORDER: &str =
    "       01  ORDER-IN.\n           05  ITEM    PIC X(12).\n           05  PIECES  PIC S9(4) COMP.\n";

/// What a command prints, and whether it went well.
fn check(folder: &Path, arguments: &[&str], expected: Expect) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.arg("service").args(arguments).current_dir(folder).output().expect("syncpoint runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ending = if output.status.success() { "well" } else { "not well" };
    expected.assert_eq(&format!("{}{}ended {ending}", text(&output.stdout), text(&output.stderr)));
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ORDER.cpy"), ORDER).expect("written");
    folder
}

fn text(folder: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_else(|_| panic!("{name} is written"))
}

#[test]
fn a_copybook_is_bound_and_described_and_others_bind_a_program_by_the_descriptions() {
    let folder = folder();
    check(
        folder.path(),
        &[
            "from-copybook",
            "PGMNAME=ORDERS",
            "REQMEM=ORDER",
            "URI=/orders",
            "WSBIND=orders.wsbind",
            "WSDL=orders.wsdl",
            "OPENAPI=orders.json",
            "JSON-SCHEMA-REQUEST=in.json",
        ],
        expect![[r#"
            ORDERSService: program ORDERS by its COMMAREA, at /orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              orders.wsbind written
              orders.wsdl written
              orders.json written
              in.json written
            ended well"#]],
    );
    assert!(text(&folder, "orders.wsbind").contains("PGMNAME=ORDERS"));
    assert!(text(&folder, "in.json").contains("\"pieces\""));
    check(
        folder.path(),
        &[
            "from-wsdl",
            "PGMNAME=CLIENT",
            "REQMEM=WSIN",
            "RESPMEM=WSOUT",
            "WSDL=orders.wsdl",
            "WSBIND=client.wsbind",
        ],
        expect![[r#"
            ORDERSService: program CLIENT by its COMMAREA, at http://localhost/orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              ./WSIN01.cpy written
              ./WSOUT01.cpy written
              client.wsbind written
            ended well"#]],
    );
    assert!(text(&folder, "WSIN01.cpy").contains("PIECES"));
    check(
        folder.path(),
        &["from-openapi", "PGMNAME=CLIENT", "REQMEM=JSIN", "RESPMEM=JSOUT", "OPENAPI=orders.json"],
        expect![[r#"
            ORDERSService: program CLIENT by its COMMAREA, at /orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              ./JSIN01.cpy written
              ./JSOUT01.cpy written
            ended well"#]],
    );
}

#[test]
fn mistakes_say_what_to_do() {
    let folder = folder();
    check(
        folder.path(),
        &["from-copybook", "PGMNAM=A"],
        expect![[r#"
        error[SPWB001]: PGMNAM is no option of the tools
         --> options:1:1
          |
        1 | PGMNAM=A
          | ^^^^^^^^
          |
          = help: perhaps PGMNAME

        ended not well"#]],
    );
    check(
        folder.path(),
        &["from-copybook", "PGMNAME=A"],
        expect![[r#"
        error[SPCL036]: REQMEM names no copybook
         |
         = help: give REQMEM=MEMBER

        ended not well"#]],
    );
    check(
        folder.path(),
        &["from-copybook", "PGMNAME=A", "REQMEM=NOWHERE"],
        expect![[r#"
        error[SPCL036]: . has no copybook NOWHERE
         |
         = help: name the folder of copybooks by --library

        ended not well"#]],
    );
    check(
        folder.path(),
        &["from-openapi", "OPENAPI=ORDER.cpy"],
        expect![[r#"
        error[SPWB020]: ORDER.cpy: this is no JSON: invalid number at line 1 column 9
         |
         = help: convert YAML to JSON first

        ended not well"#]],
    );
}

#[test]
fn a_job_of_the_published_tools_is_carried_out() {
    let folder = folder();
    let job = "//BIND     JOB 1\n//LS2WS    EXEC DFHLS2WS,JAVADIR='java'\n//INPUT.SYSUT1 DD *\nPDSLIB=//PROD.COPY\n\
               LANG=COBOL\nPGMNAME=ORDERS\nPGMINT=COMMAREA\nREQMEM=ORDER\nRESPMEM=ORDER\nURI=/orders\n\
               WSBIND=/u/prod/wsbind/orders.wsbind\nWSDL=/u/prod/wsdl/orders.wsdl\nMAPPING-LEVEL=4.0\n/*\n";
    fs::write(folder.path().join("bind.jcl"), job).expect("written");
    check(
        folder.path(),
        &["from-jcl", "bind.jcl"],
        expect![[r#"
        ORDERSService: program ORDERS by its COMMAREA, at /orders
          ORDERSOperation: 14 bytes in, 14 bytes out
          ./orders.wsbind written
          ./orders.wsdl written
        note[SPWB003]: PDSLIB asks for nothing here
         --> options:1:1
          |
        1 | PDSLIB=//PROD.COPY
          | ^^^^^^^^^^^^^^^^^^

        note[SPWB003]: MAPPING-LEVEL asks for nothing here
          --> options:10:1
           |
        10 | MAPPING-LEVEL=4.0
           | ^^^^^^^^^^^^^^^^^

        ended well"#]],
    );
    assert!(text(&folder, "orders.wsdl").contains("location=\"http://localhost/orders\""));
    fs::write(folder.path().join("other.jcl"), "//A JOB 1\n//B EXEC DFHSC2LS\n").expect("written");
    check(
        folder.path(),
        &["from-jcl", "other.jcl"],
        expect![[r#"
        error[SPCL036]: steps of DFHSC2LS are not carried out
         --> other.jcl:2:1
          |
        2 | //B EXEC DFHSC2LS
          | ^
          |
          = help: put the schema into a WSDL 1.1 document and use syncpoint service from-wsdl

        ended not well"#]],
    );
}
