//! Every COBOL source of our own is parsed and checked without an error: the sample applications, and the programs of
//! the literate tests with what their translation puts around them.

mod support;

// The tests of this crate stand below the crate that wraps literate programs: they take its file, and the one of the reader of pages.
#[path = "../../../programs/pages/src/document.rs"]
#[allow(dead_code, reason = "of the document only its blocks are needed")]
mod document;
#[path = "../../../programs/testkit/src/program.rs"]
#[allow(dead_code, reason = "of the program only its text is needed")]
mod program;

use std::fs;

use cobol_check::{Options, check};
use diagnostics::{Severity, Source};
use support::{Members, files, root};

/// Errors of a source, in one text.
fn errors(name: &str, text: &str, members: &Members) -> String {
    let checked = check(&Source::new(name, text), members, &Options::default());
    let errors = checked.messages.iter().filter(|message| message.severity == Severity::Error);
    errors.map(|message| format!("{message}\n")).collect()
}

#[test]
fn the_sample_applications_are_in_order() {
    let mut programs = 0;
    for application in ["bank", "authenticator", "contacts", "rtw"] {
        let folder = root().join("samples").join(application);
        let mut members = Members::default();
        members.add_folder(&folder);
        for path in files(&folder).iter().filter(|path| path.extension().is_some_and(|e| e == "cbl")) {
            let text = fs::read_to_string(path).unwrap();
            assert_eq!(errors(&path.display().to_string(), &text, &members), "");
            programs += 1;
        }
    }
    assert!(programs >= 44, "{programs} programs");
}

/// Programs that are wrong on purpose, or that name what only GnuCOBOL knows: each with the message that it
/// gets.
const REFUSED: [(&str, &str); 0] = [];

#[test]
fn the_programs_of_the_literate_tests_are_in_order() {
    let mut programs = 0;
    let mut wrong = String::new();
    for path in
        files(&root().join("tests/literate")).iter().filter(|p| p.extension().is_some_and(|e| e == "md"))
    {
        let text = fs::read_to_string(path).unwrap();
        let document = document::Document::parse(&path.display().to_string(), &text).unwrap();
        let mut members = Members::default();
        for block in document.blocks.iter().filter(|block| block.kind == "bms") {
            let text: String = block.text.iter().map(|line| format!("{line}\n")).collect();
            for mapset in bms::assemble(&Source::new("MAP", text)).mapsets {
                members.add(&mapset.name.clone(), &bms::copybook(&mapset));
            }
        }
        for block in document.blocks.iter().filter(|block| block.kind == "copybook") {
            let name = block.words.first().cloned().unwrap_or_default();
            members.add(&name, &block.text.join("\n"));
        }
        for (number, block) in document.blocks.iter().filter(|block| block.kind == "cobol").enumerate() {
            let program = program::TestProgram::new(block, number).unwrap();
            if program.broken {
                continue;
            }
            programs += 1;
            let found = errors(&format!("{} {}", path.display(), program.name), &program.text, &members);
            let known = REFUSED.iter().any(|(name, code)| path.ends_with(name) && found.contains(code));
            if !known {
                wrong.push_str(&found);
            }
        }
    }
    assert!(programs > 300, "{programs} programs");
    assert!(wrong.is_empty(), "{wrong}");
}
