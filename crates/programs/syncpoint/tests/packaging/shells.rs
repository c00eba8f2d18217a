//! Completions and pages of the manual, in the shells and by the formatter that read them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{commands, is_installed, said};

/// Words that bash offers behind a line: the package's script, loaded as bash-completion does.
const OFFERED: &str = r#"
set -eu
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
complete -p syncpoint >/dev/null
set +eu
_syncpoint syncpoint "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_syncpoint"))
}

#[test]
fn bash_offers_commands_and_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("syncpoint");
    fs::write(&script, said(Command::new(binary()).args(["completions", "bash"]))).expect("written");
    let offered = |line: &[&str]| -> Vec<String> {
        let told = said(Command::new("bash").args(["--norc", "-c", OFFERED, "bash"]).arg(&script).args(line));
        told.lines().map(str::to_owned).collect()
    };
    for name in commands(binary()) {
        let front = &name[..1];
        assert!(offered(&["syncpoint", front]).contains(&name), "{name}");
    }
    let options = offered(&["syncpoint", "run", "--"]);
    assert!(
        ["--watch", "--data", "--set"].iter().all(|option| options.iter().any(|own| own == option)),
        "{options:?}"
    );
    assert_eq!(offered(&["syncpoint", "backu"]), ["backup"]);
}

#[test]
fn zsh_and_fish_read_their_scripts() {
    for (shell, words) in [("zsh", &["-n"][..]), ("fish", &["--no-execute"])] {
        if !is_installed(shell) {
            eprintln!("skipped: there is no {shell}");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script");
        fs::write(&script, said(Command::new(binary()).args(["completions", shell]))).expect("written");
        said(Command::new(shell).args(words).arg(&script));
    }
}

#[test]
fn pages_of_the_manual_have_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    said(Command::new(binary()).arg("man").arg(folder.path()));
    let pages: Vec<_> =
        fs::read_dir(folder.path()).expect("there").flatten().map(|page| page.path()).collect();
    assert!(pages.len() > 40, "{pages:?}");
    if !is_installed("man") {
        eprintln!("skipped: there is no man");
        return;
    }
    for page in pages {
        let mut man = Command::new("man");
        man.args(["--warnings", "--encoding=utf8", "--local-file"]).arg(&page);
        man.env("MANROFFOPT", "").env("LC_ALL", "C.UTF-8").env("MANWIDTH", "100");
        let output = man.output().expect("man");
        let faults = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && faults.is_empty(), "{}: {faults}", page.display());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("NAME") && text.contains("SYNOPSIS"), "{}: {text}", page.display());
    }
}
