//! A batch program and an online task that change the same records at the same time.

mod common;

use std::sync::Arc;

use common::{Application, DEFINE, data_sets, program};
use records::Wait;
use vsam::{Search, Vsam};

/// The program adds one to a counter so often; the task does as long as the program runs.
const TIMES: u32 = 200;

/// Adds one to the counter as a task of a region does: READ UPDATE, REWRITE, SYNCPOINT.
/// Returns how often it did.
async fn add_while(vsam: &Vsam, goes_on: impl Fn() -> bool) -> u32 {
    let dataset = vsam.dataset(&"A.KSDS".parse().expect("a name")).await.expect("a data set");
    let owner = vsam.engine().locks().new_owner();
    let mut times = 0;
    while goes_on() {
        let mut unit = vsam.engine().begin(owner);
        let mut record = Vec::new();
        let search = Search::equal(b"0001");
        let found = dataset
            .read_for_update(&mut *unit, search, Wait::Forever, &mut record)
            .await
            .expect("the counter");
        let count: u32 = std::str::from_utf8(&record[4..]).expect("digits").parse().expect("a number");
        record[4..].copy_from_slice(format!("{:06}", count + 1).as_bytes());
        dataset.rewrite(&mut *unit, &found.base, &record, Wait::Forever).await.expect("rewritten");
        unit.commit().await.expect("committed");
        times += 1;
    }
    times
}

#[test]
fn nothing_is_lost() {
    let statements = format!(
        "OPEN I-O F
         MOVE '0001' TO K
         | PERFORM {TIMES} TIMES
         | READ F
         | ADD 1 TO N
         | REWRITE R
         | IF FS NOT = '00' DISPLAY 'STATUS ' FS END-IF
         END-PERFORM
         CLOSE F"
    );
    let source = program(
        "COUNT1",
        "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED\nACCESS RANDOM RECORD KEY K FILE STATUS FS.",
        "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC 9(6).",
        &statements,
    );
    let application = Arc::new(Application::new(&[("COUNT1", source)]));
    {
        let mut client = application.client();
        application.idcams(&mut client, DEFINE, "");
        application.idcams(&mut client, " REPRO INFILE(IN) ODS(A.KSDS)\n", "0001000000\n");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let together = tokio::task::LocalSet::new().block_on(&runtime, run_together(application));
    assert_eq!(together.0, format!("0001{:06}", TIMES + together.1));
}

/// Runs both on one data set: the counter at the end, and how often the task added to it.
async fn run_together(application: Arc<Application>) -> (String, u32) {
    let state = application.path().join("state");
    let site = Arc::new(data_sets(&state).await);
    let mut server = access::serve(&state, Arc::clone(&site), None).expect("a socket");
    let batch = tokio::task::spawn_blocking(move || {
        let mut client = application.client();
        assert!(client.asks_region());
        application.run(&mut client, "COUNT1", &["ACCT=A.KSDS"], 1)
    });
    let times = add_while(&site.vsam, || !batch.is_finished()).await;
    assert_eq!(batch.await.expect("it ends"), "returned 0\n");
    server.close().await;
    let dataset = site.vsam.dataset(&"A.KSDS".parse().expect("a name")).await.expect("a data set");
    let mut unit = site.vsam.engine().begin(site.vsam.engine().locks().new_owner());
    let mut record = Vec::new();
    dataset.read(&mut *unit, Search::equal(b"0001"), &mut record).await.expect("the counter");
    (String::from_utf8(record).expect("text"), times)
}
