//! `syncpoint service`: bindings made from copybooks, documents and jobs.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

const ORDER: &str =
    "       01  ORDER-IN.\n           05  ITEM    PIC X(12).\n           05  PIECES  PIC S9(4) COMP.\n";

/// Checks the output of a command, and if it went well.
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
        error[SPWB020]: ORDER.cpy: this is no OpenAPI 3 document
         |
         = help: convert it to version 3 first

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
    fs::write(folder.path().join("other.jcl"), "//A JOB 1\n//B EXEC SORT\n").expect("written");
    check(
        folder.path(),
        &["from-jcl", "other.jcl"],
        expect![[r#"
            error[SPCL036]: other.jcl has no step of DFHLS2WS, DFHLS2JS, DFHWS2LS, DFHJS2LS, DFHLS2SC, DFHSC2LS
             |
             = help: other steps are not carried out

            ended not well"#]],
    );
}

/// Carries out a job with one step, whose options need no place of their own.
fn job(folder: &tempfile::TempDir, procedure: &str, options: &str, expected: Expect) {
    let text = format!("//J        JOB 1\n//STEP     EXEC {procedure}\n//INPUT.SYSUT1 DD *\n{options}/*\n");
    fs::write(folder.path().join("step.jcl"), text).expect("written");
    check(folder.path(), &["from-jcl", "step.jcl"], expected);
}

#[test]
fn jobs_of_all_tools_are_carried_out() {
    let folder = folder();
    job(
        &folder,
        "DFHLS2JS",
        "LANG=COBOL\nPGMNAME=ORDERS\nREQMEM=ORDER\nRESPMEM=ORDER\nURI=/orders\nWSBIND=/u/js.wsbind\nSYNCONRETURN=YES\n\
         JSON-SCHEMA-REQUEST=/u/in.json\nJSON-SCHEMA-RESPONSE=/u/out.json\nMAPPING-OVERRIDES=UNDERSCORES-AS-HYPHENS\n",
        expect![[r#"
            ORDERSService: program ORDERS by its COMMAREA, at /orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              ./js.wsbind written
              ./in.json written
              ./out.json written
            warning[SPWB004]: SYNCONRETURN has no effect: the program runs in the unit of work of the request's own task
             --> options:7:1
              |
            7 | SYNCONRETURN=YES
              | ^^^^^^^^^^^^^^^^

            ended well"#]],
    );
    job(
        &folder,
        "DFHJS2LS",
        "LANG=COBOL\nPGMNAME=CLIENT\nREQMEM=JSI\nRESPMEM=JSO\nURI=/new\nWSBIND=new.wsbind\nNAME-TRUNCATION=RIGHT\n\
         JSON-SCHEMA-REQUEST=/u/in.json\nJSON-SCHEMA-RESPONSE=/u/out.json\nJSON-SCHEMA-CODEPAGE=LOCAL\n",
        expect![[r#"
            CLIENTService: program CLIENT by its COMMAREA, at /new
              CLIENTOperation: 14 bytes in, 14 bytes out
              ./JSI01.cpy written
              ./JSO01.cpy written
              ./new.wsbind written
            warning[SPWB004]: JSON-SCHEMA-CODEPAGE has no effect: files are written and read as UTF-8
              --> options:10:1
               |
            10 | JSON-SCHEMA-CODEPAGE=LOCAL
               | ^^^^^^^^^^^^^^^^^^^^^^^^^^

            ended well"#]],
    );
    assert!(text(&folder, "JSI01.cpy").contains("PIECES"));
    job(
        &folder,
        "DFHLS2SC",
        "LANG=COBOL\nPDSMEM=ORDER\nSCHEMA=/u/order.xsd\nXSDBIND=/u/order.xsdbind\n",
        expect![[r#"
            ORDER-IN: a transformer
              order_in: 14 bytes in, nothing out
              ./order.xsd written
              ./order.xsdbind written
            ended well"#]],
    );
    assert!(text(&folder, "order.xsd").contains("<xs:element name=\"order_in\">"));
    job(
        &folder,
        "DFHSC2LS",
        "LANG=COBOL\nPDSMEM=SC\nSCHEMA=/u/order.xsd\nXSDBIND=/u/theirs.xsdbind\nELEMENTS=ALL\n",
        expect![[r#"
            Service: a transformer
              order_in: 14 bytes in, nothing out
              ./SC01.cpy written
              ./theirs.xsdbind written
            ended well"#]],
    );
    assert!(text(&folder, "SC01.cpy").contains("PIECES"));
    job(
        &folder,
        "DFHLS2WS",
        "PGMNAME=ORDERS\nREQMEM=ORDER\nRESPMEM=ORDER\nURI=/orders\nWSDL_1.1=/u/orders.wsdl\nWSDL_2.0=/u/o2.wsdl\n",
        expect![[r#"
            ORDERSService: program ORDERS by its COMMAREA, at /orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              ./orders.wsdl written
            warning[SPWB004]: WSDL_2.0 has no effect: only WSDL 1.1 is written: name its file by WSDL or WSDL_1.1
             --> options:6:1
              |
            6 | WSDL_2.0=/u/o2.wsdl
              | ^^^^^^^^^^^^^^^^^^^

            ended well"#]],
    );
    // A document in pieces: the schemas stand in a file that another one imports.
    let whole = text(&folder, "orders.wsdl");
    let (begin, rest) = whole.split_once("<types>").expect("types");
    let (schemas, end) = rest.split_once("</types>").expect("their end");
    let (first, second) = schemas.split_once("</xs:schema>").expect("a schema");
    fs::create_dir(folder.path().join("parts")).expect("a folder");
    let bound = |schema: &str| {
        schema.trim().replacen("<xs:schema", "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"", 1)
    };
    let import =
        |file: &str| format!("<types><xs:schema><xs:import schemaLocation=\"{file}\"/></xs:schema></types>");
    let first =
        bound(first).replacen("<xs:element", "<xs:include schemaLocation=\"../answer.xsd\"/><xs:element", 1);
    fs::write(folder.path().join("parts/request.xsd"), first + "</xs:schema>").expect("written");
    fs::write(folder.path().join("answer.xsd"), bound(second)).expect("written");
    let pieces = format!("{begin}{}{end}", import("parts/request.xsd"));
    fs::write(folder.path().join("pieces.wsdl"), pieces).expect("written");
    job(
        &folder,
        "DFHWS2LS",
        "PGMNAME=CLIENT\nREQMEM=WSI\nRESPMEM=WSO\nWSDL=/u/pieces.wsdl\nWSBIND=/u/pieces.wsbind\nBINDING=ORDERSServiceBinding\n",
        expect![[r#"
            ORDERSService: program CLIENT by its COMMAREA, at http://localhost/orders
              ORDERSOperation: 14 bytes in, 14 bytes out
              ./WSI01.cpy written
              ./WSO01.cpy written
              ./pieces.wsbind written
            ended well"#]],
    );
    assert!(
        text(&folder, "WSO01.cpy").contains("PIECES") && text(&folder, "pieces.wsbind").contains("imports")
    );
    job(
        &folder,
        "DFHLS2WS",
        "PGMNAME=ORDERS\nREQMEM=ORDER\nREQUEST-CHANNEL=/u/c.xml\n",
        expect![[r#"
            error[SPWB005]: REQUEST-CHANNEL: messages of several containers are not built
             --> options:3:1
              |
            3 | REQUEST-CHANNEL=/u/c.xml
              | ^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: describe one container by REQMEM, RESPMEM and CONTID

            error[SPCL036]: the step of DFHLS2WS is not carried out
             --> step.jcl:2:1
              |
            2 | //STEP     EXEC DFHLS2WS
              | ^

            ended not well"#]],
    );
}

#[test]
fn a_member_is_found_in_small_and_capital_letters_alike() {
    let folder = folder();
    fs::write(folder.path().join("stock.cpy"), ORDER.replace("ORDER", "STOCK")).expect("written");
    for member in ["STOCK", "stock", "Order"] {
        check(
            folder.path(),
            &["from-copybook", "PGMNAME=SHOP", &format!("REQMEM={member}"), "URI=shop/stock"],
            expect![[r#"
                SHOPService: program SHOP by its COMMAREA, at /shop/stock
                  SHOPOperation: 14 bytes in, 14 bytes out
                ended well"#]],
        );
    }
}

#[test]
fn a_step_that_cannot_be_carried_out_keeps_no_other_from_it() {
    let folder = folder();
    let step = |name: &str, member: &str| {
        format!(
            "//{name}     EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\n LANG=COBOL\n PGMNAME={name}\n REQMEM={member}\n \
             URI=a/{name}\n PGMINT=COMMAREA\n WSBIND=/u/{name}.wsbind\n/*\n"
        )
    };
    let job = format!("//BIND JOB\n{}{}", step("FIRST", "NONE"), step("SECOND", "order"));
    fs::write(folder.path().join("bind.jcl"), job).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(["service", "from-jcl", "bind.jcl"]).current_dir(folder.path()).output();
    let output = output.expect("syncpoint runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("has no copybook NONE"), "{told}");
    assert!(told.contains("the step of DFHLS2WS is not carried out"), "{told}");
    assert!(text(&folder, "SECOND.wsbind").contains("URI=a/SECOND"));
    assert!(!folder.path().join("FIRST.wsbind").exists());
}

#[test]
fn a_service_that_cannot_be_made_is_told_by_name_and_line() {
    let folder = folder();
    let config = "applid = \"SHOP\"\n[services]\nORDERS = \"ORDER.cpy\"\nABSENT = \"NONE.cpy\"\n";
    fs::write(folder.path().join("region.toml"), config).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(["check", "."]).current_dir(folder.path()).output().expect("syncpoint runs");
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("SPRG026") && told.contains("service ABSENT is not there"), "{told}");
    assert!(told.contains("region.toml:4") && !told.contains("service ORDERS is not"), "{told}");
}
