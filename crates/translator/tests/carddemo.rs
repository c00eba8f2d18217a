//! A real application: every program of CardDemo translates and compiles.
//!
//! `CARDDEMO` names a checkout of aws-samples/aws-mainframe-modernization-carddemo; without it the test says so and
//! does nothing.

mod support;

use std::path::PathBuf;

use translator::{Options, translate};

/// Batch programs whose RECORD KEY is no field of their file's record: GnuCOBOL rejects them as they are.
const REJECTED: [&str; 2] = ["CBEXPORT", "CBIMPORT"];

#[test]
fn all_programs_translate_and_compile() {
    let Some(root) = std::env::var_os("CARDDEMO").map(PathBuf::from) else {
        eprintln!("skipped: CARDDEMO does not name a checkout of the application");
        return;
    };
    let app = root.join("app");
    let library = support::Members::in_folders(&[app.join("cpy"), app.join("cpy-bms")]);
    let options = Options { allow_not_yet: true, ..Options::default() };
    let mut failed = Vec::new();
    for path in support::files(&app.join("cbl")) {
        let translation = translate(&support::source(&path), &library, &options);
        let mut said = translation.messages.clone();
        if !diagnostics::any_error(&said) {
            said = translator::explain_cobc_output(&translation, &support::compile(&translation.text));
        }
        if diagnostics::any_error(&said) {
            failed.push(support::stem(&path));
            said.iter().for_each(|message| eprintln!("{message}\n"));
        }
    }
    assert_eq!(failed, REJECTED);
}
