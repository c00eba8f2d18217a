//! Whole applications: every program translates and compiles.
//!
//! The bank is in the repository. `CARDDEMO` names a checkout of
//! aws-samples/aws-mainframe-modernization-carddemo; without it that test says so and does nothing.

mod support;

use std::path::{Path, PathBuf};

use translator::{NotYet, Options, explain_cobc_output, translate};

/// Translates and compiles all programs of a folder, and names those that fail.
fn failed(programs: &Path, library: &support::Members) -> Vec<String> {
    let options = Options { not_yet: NotYet::Translate, ..Options::default() };
    let mut failed = Vec::new();
    for path in support::files(programs) {
        let translation = translate(&support::source(&path), library, &options);
        let mut said = translation.messages.clone();
        if !diagnostics::any_error(&said) {
            said = explain_cobc_output(&translation, &support::compile(&translation.text));
        }
        if diagnostics::any_error(&said) {
            failed.push(support::stem(&path));
            said.iter().for_each(|message| eprintln!("{message}\n"));
        }
    }
    failed
}

#[test]
fn the_bank() {
    let bank = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/bank");
    let mut library = support::Members::in_folders(&[bank.join("copy")]);
    for path in support::files(&bank.join("maps")) {
        for mapset in bms::assemble(&support::source(&path)).mapsets {
            library.add(&mapset.name, &bms::copybook(&mapset));
        }
    }
    assert_eq!(failed(&bank.join("cobol"), &library), Vec::<String>::new());
}

#[test]
fn carddemo() {
    /// Batch programs whose RECORD KEY is no field of their file's record: GnuCOBOL rejects them as they are.
    const REJECTED: [&str; 2] = ["CBEXPORT", "CBIMPORT"];
    let Some(root) = std::env::var_os("CARDDEMO").map(PathBuf::from) else {
        eprintln!("skipped: CARDDEMO does not name a checkout of the application");
        return;
    };
    let app = root.join("app");
    let library = support::Members::in_folders(&[app.join("cpy"), app.join("cpy-bms")]);
    assert_eq!(failed(&app.join("cbl"), &library), REJECTED);
}
