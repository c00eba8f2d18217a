//! The records of data sets that are not recoverable are on the disk when a step has ended.

mod common;

use std::fs;
use std::path::Path;

use common::{Application, data_sets, program};

const DEFINE: &str = "DEFINE CLUSTER (NAME(A.PLAIN) INDEXED KEYS(4 0) RECORDSIZE(10 10))";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        if entry.file_type().expect("its type").is_dir() {
            copy(&entry.path(), &to);
        } else if entry.file_type().expect("its type").is_file() {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// Returns the keys of the records that a start on these files finds.
async fn keys(state: &Path) -> Vec<String> {
    let site = data_sets(state).await;
    let data_set = site.vsam.dataset(&"A.PLAIN".parse().expect("a name")).await.expect("a data set");
    let engine = site.vsam.engine();
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut keys = Vec::new();
    let mut record = Vec::new();
    for key in ["0001", "0002"] {
        let found = data_set.read(&mut *unit, vsam::Search::equal(key.as_bytes()), &mut record);
        if found.await.is_ok() {
            keys.push(key.to_owned());
        }
    }
    keys
}

/// A copy of the files while the engine lives is what a kill would leave.
#[test]
fn a_kill_behind_a_step_takes_nothing_of_it() {
    let writes = program(
        "W",
        "SELECT F ASSIGN TO OUT ORGANIZATION INDEXED\nACCESS RANDOM RECORD KEY K FILE STATUS FS.",
        "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC 9(6).",
        "OPEN OUTPUT F\nMOVE '0001' TO K\nMOVE 1 TO N\nWRITE R\nMOVE '0002' TO K\nWRITE R\nCLOSE F",
    );
    let application = Application::new(&[("W", writes)]);
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    assert_eq!(application.run(&mut client, "W", &["OUT=A.PLAIN"], 0), "returned 0\n");
    let copied = tempfile::tempdir().expect("a folder");
    copy(&application.path().join("state"), copied.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    assert_eq!(runtime.block_on(keys(copied.path())), ["0001", "0002"]);
}
