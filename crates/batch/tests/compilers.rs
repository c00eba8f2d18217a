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
