//! The sample applications by both compilers (`acceptance/beside.py`): all that their programs ask for, and hold then, is the
//! same, but for what `tests/beside.tsv` names.

use std::process::Command;

use testkit::beside::compare_files;

use crate::bank::{needs, repository};

#[test]
fn the_programs_of_the_bank_do_the_same_by_both_compilers() {
    is_the_same("bank", 150, 2_000);
}

#[test]
fn the_programs_of_the_authenticator_do_the_same_by_both_compilers() {
    is_the_same("authenticator", 100, 2_000);
}

/// Records an application twice, and compares: so many tasks and commands at least, that nobody compares nothing.
fn is_the_same(application: &str, tasks: usize, commands: usize) {
    needs(&["cobc", "s3270", "python3"]);
    let folder = tempfile::tempdir().expect("a folder");
    let recorded = Command::new("python3")
        .arg(repository().join("acceptance/beside.py"))
        .args([application, "--record-only", "--syncpoint", env!("CARGO_BIN_EXE_syncpoint"), "--keep"])
        .arg(folder.path())
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&recorded.stdout) + String::from_utf8_lossy(&recorded.stderr);
    assert!(recorded.status.success(), "{said}");
    let of = |compiler: &str| folder.path().join(format!("{application}-{compiler}.rec"));
    let compared = compare_files(application, &of("hosted"), &of("native")).expect("two recordings");
    assert!(compared.differences.is_empty(), "{compared}");
    assert!(compared.tasks >= tasks && compared.commands >= commands, "{compared}");
}
