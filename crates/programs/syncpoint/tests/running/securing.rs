//! Security of a region that runs: profiles that change, passwords that change, and the account of both.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};

/// Profiles decide. No user is signed on: the default user may what everybody may.
const SECURED: &str = "[sit]\nSEC = \"YES\"\n";
/// Two transactions of one program.
const DEFINITIONS: &str = "DEFINE PROGRAM(SAYS) GROUP(G)\nDEFINE TRANSACTION(SAYS) GROUP(G) PROGRAM(SAYS)\n\
    DEFINE TRANSACTION(TELL) GROUP(G) PROGRAM(SAYS)\n";
const SAYS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SAYS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                 PIC X(12) VALUE 'HERE IT RUNS'.
       PROCEDURE DIVISION.
           EXEC CICS SEND TEXT FROM(WS-TEXT) LENGTH(12) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

fn house(more: &str) -> TempDir {
    application(&[
        ("region.toml", &format!("{more}{FREE_PORT}")),
        ("says.csd", DEFINITIONS),
        ("programs/SAYS.cbl", SAYS),
    ])
}

/// Returns the output of a command, and true if it has gone well.
fn said(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1");
    let output = command.output().expect("syncpoint starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

/// Lets everybody begin some transactions.
fn allow(folder: &Path, transactions: &[&str]) {
    let profile =
        |name: &&str| format!("[[profile]]\nclass = \"XTRAN\"\nname = \"{name}\"\nuacc = \"READ\"\n");
    let text: String = transactions.iter().map(profile).collect();
    // As editors do: no reader sees half of it.
    fs::write(folder.join("security.new"), text).expect("written");
    fs::rename(folder.join("security.new"), folder.join("security.toml")).expect("renamed");
}

/// The records of the audit of a kind.
fn audited(folder: &Path, kind: &str) -> Vec<Value> {
    let (well, text) = said(folder, &["audit", "export"]);
    assert!(well, "{text}");
    let records = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    records.filter(|record| record["kind"] == kind).collect()
}

#[test]
fn profiles_that_change_are_in_force() {
    let folder = house(SECURED);
    allow(folder.path(), &["SAYS"]);
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("SAYS");
    terminal.sees("HERE IT RUNS");
    terminal.start("TELL");
    terminal.sees("DFHAC2033");
    // The file is looked at.
    allow(folder.path(), &["TELL", "X*"]);
    region.logs("2 profiles are in force");
    terminal.start("TELL");
    terminal.sees("HERE IT RUNS");
    terminal.start("SAYS");
    terminal.sees("DFHAC2033");
    // One that is wrong changes nothing.
    fs::write(folder.path().join("security.toml"), "[[profile]]\nclass = \"XTRAN\"\n").expect("written");
    region.logs("the profiles stay as they were");
    terminal.start("TELL");
    terminal.sees("HERE IT RUNS");
    let (well, text) = said(folder.path(), &["cemt", ".", "PERFORM SECURITY REBUILD"]);
    assert!(!well && text.contains("The profiles stay as they were"), "{text}");
    allow(folder.path(), &["SAYS", "TELL", "X*"]);
    let (well, text) = said(folder.path(), &["cemt", ".", "PERFORM SECURITY REBUILD"]);
    assert!(well && text.contains("in force"), "{text}");
    terminal.start("SAYS");
    terminal.sees("HERE IT RUNS");
    region.end(terminal);
    let rebuilt = audited(folder.path(), "security");
    assert!(rebuilt.iter().any(|record| record["profiles"] == "3 profiles are in force"), "{rebuilt:?}");
    assert!(rebuilt.iter().any(|record| record["profiles"] == "the profiles cannot be used"), "{rebuilt:?}");
}

#[test]
fn whoever_signs_on_changes_a_password_or_a_definition_is_in_the_audit() {
    let folder = house("");
    let mut child = Command::new(env!("CARGO_BIN_EXE_syncpoint"))
        .args(["user", "add", ".", "ANN", "--rights", "run,inquire,operate"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("syncpoint starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("its input"), b"harbour9\n").expect("written");
    assert!(child.wait().expect("it ends").success());
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("CESN USERID=ANN,PS=harbour8");
    terminal.sees("DFHCE3530");
    terminal.press(Aid::Pf(3));
    terminal.sees("DFHCE3543");
    terminal.start("CESN USERID=ANN,PS=harbour9");
    terminal.sees("DFHCE3549");
    let (well, text) = said(folder.path(), &["cemt", ".", "SET TRANSACTION(TELL) DISABLED"]);
    assert!(well && text.contains("NORMAL"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "DISCARD TRANSACTION(TELL)"]);
    assert!(well && text.contains("NORMAL"), "{text}");
    terminal.start("CESF");
    terminal.sees("DFHCE3590");
    region.end(terminal);
    let of = |kind| audited(folder.path(), kind);
    let is_anns = |record: &Value| record["user"] == "ANN" && record["terminal"].is_string();
    assert!(of("not-signed-on").iter().any(|record| is_anns(record) && record["address"] == "127.0.0.1"));
    assert!(of("signed-on").iter().any(is_anns) && of("signed-off").iter().any(is_anns));
    let definitions = of("definition");
    let commands: Vec<_> = definitions.iter().filter_map(|record| record["command"].as_str()).collect();
    assert_eq!(commands, ["SET TRANSACTION", "DISCARD TRANSACTION"], "{definitions:?}");
    assert!(definitions.iter().all(|record| record["resource"] == "TELL"), "{definitions:?}");
    let (well, text) = said(folder.path(), &["audit", "verify"]);
    assert!(well, "{text}");
}

/// Writes users with these groups; their password is HARBOUR1.
fn users(folder: &Path, users: &[(&str, &str)]) {
    const HASH: &str =
        "$argon2id$v=19$m=19456,t=2,p=1$CQkJCQkJCQkJCQkJCQkJCQ$A9Umq21lLNPu46d3pPNyBt/zCvSz9BcuPIZAXbCsDs0";
    let user = |(id, groups): &(&str, &str)| {
        format!("[[user]]\nuserid = \"{id}\"\ngroups = [{groups}]\npassword = \"{HASH}\"\n")
    };
    let text: String = users.iter().map(user).collect();
    fs::write(folder.join("users.new"), text).expect("written");
    fs::rename(folder.join("users.new"), folder.join("users.toml")).expect("renamed");
}

#[test]
fn whoever_is_signed_on_gets_the_groups_of_a_users_file_that_changes() {
    let folder = house(SECURED);
    let profile = "[[profile]]\nclass = \"XTRAN\"\nname = \"TELL\"\ngroups = { TELLERS = \"READ\" }\n";
    fs::write(folder.path().join("security.toml"), profile).expect("written");
    users(folder.path(), &[("ANN", ""), ("BOB", "\"TELLERS\"")]);
    let region = Region::start(folder.path());
    let (mut ann, mut bob) = (region.terminal(), region.terminal());
    for (terminal, name, sees) in [(&mut ann, "ANN", "DFHAC2033"), (&mut bob, "BOB", "HERE IT RUNS")] {
        terminal.start(&format!("CESN USERID={name},PS=HARBOUR1"));
        terminal.sees("DFHCE3549");
        terminal.start("TELL");
        terminal.sees(sees);
    }
    users(folder.path(), &[("ANN", "\"TELLERS\"")]);
    region.logs("BOB is signed off at");
    ann.start("TELL");
    ann.sees("HERE IT RUNS");
    bob.start("TELL");
    bob.sees("DFHAC2033");
    // At a signal, too.
    let begun = region.log().matches("profiles are in force").count();
    region.signal("HUP");
    region.logs("SIGHUP: users, profiles and certificates are read again");
    bob.start("CESN USERID=ANN,PS=HARBOUR1");
    bob.sees("DFHCE3549");
    drop(bob);
    region.end(ann);
    assert!(begun > 0);
}
