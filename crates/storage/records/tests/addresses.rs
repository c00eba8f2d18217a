//! A process that may not have as many addresses as the base could need has a smaller base.
//!
//! This test starts itself again with such a limit.

use std::process::Command;

use records::{Engine, Limits, Local, Recovery};

/// In the environment: the folder for the process with the limit.
const FOLDER: &str = "RECORDS_ADDRESSES_FOLDER";
/// Addresses that the process may have, in KiB.
const KIB: u64 = 12 << 20;

#[tokio::test]
async fn the_process_with_a_limit() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let engine = Local::open(folder.as_ref(), Limits::default()).expect("the engine opens");
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("a commit");
    engine.checkpoint().expect("a checkpoint");
}

#[test]
fn a_limit_of_addresses_makes_the_base_smaller() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new("sh")
        .args(["-c", &format!("ulimit -v {KIB} && exec \"$0\" --exact the_process_with_a_limit")])
        .arg(std::env::current_exe().expect("this test"))
        .env(FOLDER, folder.path())
        .output()
        .expect("the process runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
    let engine = Local::open(folder.path(), Limits::default()).expect("the engine opens without the limit");
    assert!(engine.find("accounts").is_some());
}
