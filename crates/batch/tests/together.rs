//! A batch program and an online task that change the same records at the same time.

mod common;

use std::sync::Arc;

use access::Client;
use common::{Application, DEFINE, program};
use datasets::DataSets;
use records::Wait;
use vsam::{Search, Vsam};

/// Each adds one to a counter so often.
const TIMES: u32 = 200;

/// Adds one to the counter as a task of a region does: READ UPDATE, REWRITE, SYNCPOINT.
async fn add_one(vsam: &Vsam) {
    let dataset = vsam.dataset(&"A.KSDS".parse().expect("a name")).await.expect("a data set");
    let owner = vsam.engine().locks().new_owner();
    for _ in 0..TIMES {
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
    }
}

#[tokio::test]
async fn nothing_is_lost() {
    let statements = format!(
        "OPEN I-O F
         MOVE '0001' TO K
         PERFORM {TIMES} TIMES
           READ F
           ADD 1 TO N
           REWRITE R
           IF FS NOT = '00' DISPLAY 'STATUS ' FS END-IF
         END-PERFORM
         CLOSE F"
    );
    let source = program(
        "COUNT1",
        "SELECT F ASSIGN TO ACCT ORGANIZATION INDEXED ACCESS RANDOM\nRECORD KEY K FILE STATUS FS.",
        "FD  F.\n01  R.\n05  K PIC X(4).\n05  N PIC 9(6).",
        &statements.replace("TIMES\n", "TIMES ").replace('\n', " "),
    );
    let application = Arc::new(Application::new(&[("COUNT1", source)]));
    {
        let mut client = application.client();
        application.idcams(&mut client, DEFINE, "");
        application.idcams(&mut client, " REPRO INFILE(IN) ODS(A.KSDS)\n", "0001000000\n");
    }
    let state = application.path().join("state");
    let engine = records::Local::open(&state.join("data"), records::Limits::default()).expect("an engine");
    let vsam = Vsam::open(engine).await.expect("data sets");
    let site = Arc::new(DataSets::open(vsam, &state.join("sequential")).await.expect("sequential ones"));
    let local = tokio::task::LocalSet::new();
    let run = async {
        let server = access::serve(&state, Arc::clone(&site)).expect("a socket");
        let running = Arc::clone(&application);
        let batch = tokio::task::spawn_blocking(move || {
            let mut client = Client::new(&running.path().join("state"), "a test").expect("a region");
            assert!(client.asks_region());
            running.run(&mut client, "COUNT1", &["ACCT=A.KSDS"], 1)
        });
        add_one(&site.vsam).await;
        assert_eq!(batch.await.expect("it ends"), "returned 0\n");
        server.close().await;
    };
    local.run_until(run).await;
    let dataset = site.vsam.dataset(&"A.KSDS".parse().expect("a name")).await.expect("a data set");
    let mut unit = site.vsam.engine().begin(site.vsam.engine().locks().new_owner());
    let mut record = Vec::new();
    dataset.read(&mut *unit, Search::equal(b"0001"), &mut record).await.expect("the counter");
    assert_eq!(record, format!("0001{:06}", 2 * TIMES).as_bytes());
}
