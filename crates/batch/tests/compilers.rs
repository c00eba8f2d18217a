//! Batch programs of an application whose programs are compiled natively in its region.

mod common;

use common::{Application, program};

#[test]
fn a_batch_program_runs_whatever_compiler_the_region_names() {
    for configuration in ["[cobol]\ncompiler = \"native\"\n", "[cobol]\ncompiler = \"auto\"\n"] {
        let programs = [
            ("P", program("P", "", "", "MOVE 40 TO RN\nCALL 'Q' USING RN\nDISPLAY RN")),
            ("Q", program("Q", "", "", "DISPLAY 'CALLED'")),
        ];
        let application = Application::new(&programs).configured(configuration);
        let mut client = application.client();
        assert_eq!(
            application.run(&mut client, "P", &[], 1),
            "CALLED\n0040\nreturned 0\n",
            "{configuration}"
        );
    }
}

#[test]
fn a_hosted_program_that_a_native_one_calls_is_named_with_what_to_do() {
    let programs = [
        ("P", program("P", "", "", "MOVE 40 TO RN\nCALL 'Q' USING RN\nDISPLAY RN")),
        ("Q", program("Q", "", "", "DISPLAY 'CALLED'")),
    ];
    let configuration = "[cobol]\ncompiler = \"native\"\ngnucobol = [\"Q\"]\n";
    let application = Application::new(&programs).configured(configuration);
    let mut client = application.client();
    let said = application.run(&mut client, "P", &[], 1);
    let why = "CALL of Q: it is compiled by GnuCOBOL, as [cobol] says, and its caller is not: name both in `gnucobol` of [cobol], or \
               none";
    assert!(said.contains("abend U4038") && said.contains(why), "{said}");
}

#[test]
fn a_program_may_be_named_in_small_letters() {
    for configuration in ["[cobol]\ncompiler = \"native\"\n", "[cobol]\ncompiler = \"gnucobol\"\n"] {
        let caller = program("small", "", "", "CALL 'other' USING RN\nDISPLAY RN");
        let called = program("other", "", "", "")
            .replace("       PROCEDURE DIVISION.", "       LINKAGE SECTION.\n       01  N PIC 9(4).\n       PROCEDURE DIVISION USING N.\n           MOVE 7 TO N.");
        let application = Application::new(&[("SMALL", caller), ("OTHER", called)]).configured(configuration);
        let mut client = application.client();
        assert_eq!(application.run(&mut client, "SMALL", &[], 1), "0007\nreturned 0\n", "{configuration}");
    }
}

#[test]
fn the_return_code_of_a_program_is_that_of_one_that_it_calls() {
    let called = program("Q", "", "", "MOVE 8 TO RETURN-CODE");
    let programs = [("P", program("P", "", "", "CALL 'Q'")), ("Q", called)];
    let application = Application::new(&programs).configured("[cobol]\ncompiler = \"native\"\n");
    let mut client = application.client();
    assert!(application.run(&mut client, "P", &[], 1).ends_with("returned 8\n"));
}

#[test]
fn what_is_displayed_has_the_characters_of_the_program() {
    for configuration in ["[cobol]\ncompiler = \"native\"\n", "[cobol]\ncompiler = \"gnucobol\"\n"] {
        let programs = [("P", program("P", "", "", "DISPLAY 'DÉJÀ VU' X'E9'"))];
        let application = Application::new(&programs).configured(configuration);
        let mut client = application.client();
        let shown = application.run(&mut client, "P", &[], 1);
        assert_eq!(shown, "DÉJÀ VUé\nreturned 0\n", "{configuration}");
    }
}

#[test]
fn a_data_exception_names_the_items_that_hold_no_number() {
    let text = program("P", "", "", "MOVE '12AB' TO FS-X\nADD 1 TO FS-N");
    let text = text.replace(
        "       01  FS PIC XX.",
        "       01  FS PIC XX.\n       01  FS-X PIC X(4).\n       01  FS-N REDEFINES FS-X PIC S9(7) COMP-3.",
    );
    let application = Application::new(&[("P", text)]).configured("[cobol]\ncompiler = \"native\"\n");
    let mut client = application.client();
    let said = application.run(&mut client, "P", &[], 1);
    assert!(said.contains("abend S0C7: data exception at line"), "{said}");
    assert!(said.contains("P: FS-N holds X'31324142', which is not a number"), "{said}");
}

#[test]
fn a_hosted_sort_refuses_files_that_it_would_look_for_elsewhere() {
    let control = "SELECT INP ASSIGN TO INP.\nSELECT OUTP ASSIGN TO OUTP.\nSELECT INP2 ASSIGN TO INP2.\nSELECT W ASSIGN TO W.";
    let files = "FD INP2.\n01 INP2-R PIC X(2).\nFD INP.\n01 INP-R PIC X(2).\nFD OUTP.\n01 OUTP-R PIC X(2).\nSD W.\n01 W-R PIC X(2).";
    for statement in [
        "SORT W ON ASCENDING KEY W-R USING INP GIVING OUTP",
        "MERGE W ON ASCENDING KEY W-R USING INP INP2 GIVING OUTP",
    ] {
        let text = program("P", control, files, statement);
        let application = Application::new(&[("P", text)]).configured("[cobol]\ncompiler = \"gnucobol\"\n");
        let mut client = application.client();
        let said = application.run(&mut client, "P", &[], 1);
        assert!(said.contains("abend U4038") && said.contains("compile it natively"), "{said}");
    }
}

/// In programs within programs, too, by either compiler: RETURN-CODE is GLOBAL.
#[test]
fn the_return_code_is_that_of_all_programs_of_a_source() {
    let end = |name: &str| format!("       END PROGRAM {name}.\n");
    let outer =
        program("P", "", "", "MOVE 3 TO RETURN-CODE\nCALL 'INNER'\nMOVE RETURN-CODE TO RN\nDISPLAY RN");
    let inner = program(
        "INNER",
        "",
        "",
        "MOVE RETURN-CODE TO RN\nDISPLAY RN\nMOVE 5 TO RETURN-CODE\nCALL 'DEEP'\nADD 1 TO RETURN-CODE",
    );
    let deep = program("DEEP", "", "", "ADD RETURN-CODE TO RETURN-CODE");
    let text = [outer, inner, deep, end("DEEP"), end("INNER"), end("P")].concat();
    for compiler in ["native", "gnucobol"] {
        let mut application = Application::new(&[("P", text.clone())]);
        application.compiler = compiler;
        let mut client = application.client();
        assert_eq!(application.run(&mut client, "P", &[], 1), "0003\n0011\nreturned 11\n", "{compiler}");
    }
}
