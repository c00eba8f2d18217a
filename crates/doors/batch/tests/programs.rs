//! Batch programs of an application: names, return codes, characters, data exceptions.

mod common;

use common::{Application, program};

#[test]
fn a_batch_program_calls_another() {
    let programs = [
        ("P", program("P", "", "", "MOVE 40 TO RN\nCALL 'Q' USING RN\nDISPLAY RN")),
        ("Q", program("Q", "", "", "DISPLAY 'CALLED'")),
    ];
    let application = Application::new(&programs);
    let mut client = application.client();
    assert_eq!(application.run(&mut client, "P", &[], 1), "CALLED\n0040\nreturned 0\n");
}

#[test]
fn a_program_may_be_named_in_small_letters() {
    let caller = program("small", "", "", "CALL 'other' USING RN\nDISPLAY RN");
    let called = program("other", "", "", "")
        .replace("       PROCEDURE DIVISION.", "       LINKAGE SECTION.\n       01  N PIC 9(4).\n       PROCEDURE DIVISION USING N.\n           MOVE 7 TO N.");
    let application = Application::new(&[("SMALL", caller), ("OTHER", called)]);
    let mut client = application.client();
    assert_eq!(application.run(&mut client, "SMALL", &[], 1), "0007\nreturned 0\n");
}

#[test]
fn the_return_code_of_a_program_is_that_of_one_that_it_calls() {
    let called = program("Q", "", "", "MOVE 8 TO RETURN-CODE");
    let programs = [("P", program("P", "", "", "CALL 'Q'")), ("Q", called)];
    let application = Application::new(&programs);
    let mut client = application.client();
    assert!(application.run(&mut client, "P", &[], 1).ends_with("returned 8\n"));
}

#[test]
fn what_is_displayed_has_the_characters_of_the_program() {
    let programs = [("P", program("P", "", "", "DISPLAY 'DÉJÀ VU' X'E9'"))];
    let application = Application::new(&programs);
    let mut client = application.client();
    let shown = application.run(&mut client, "P", &[], 1);
    assert_eq!(shown, "DÉJÀ VUé\nreturned 0\n");
}

#[test]
fn a_data_exception_names_the_items_that_hold_no_number() {
    let text = program("P", "", "", "MOVE '12AB' TO FS-X\nADD 1 TO FS-N");
    let text = text.replace(
        "       01  FS PIC XX.",
        "       01  FS PIC XX.\n       01  FS-X PIC X(4).\n       01  FS-N REDEFINES FS-X PIC S9(7) COMP-3.",
    );
    let application = Application::new(&[("P", text)]);
    let mut client = application.client();
    let said = application.run(&mut client, "P", &[], 1);
    assert!(said.contains("abend S0C7: data exception at line"), "{said}");
    assert!(said.contains("P: FS-N holds X'31324142', which is not a number"), "{said}");
}

/// In programs within programs, too: RETURN-CODE is GLOBAL.
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
    let application = Application::new(&[("P", text.clone())]);
    let mut client = application.client();
    assert_eq!(application.run(&mut client, "P", &[], 1), "0003\n0011\nreturned 11\n");
}
