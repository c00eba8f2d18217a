//! CEMT that waits until a file is used by no task, and is purged there: nothing is left of it, and the file closes with its last user.

mod common;

use std::sync::Arc;

use common::{Run, Site, attach};
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use kernel::task::{TaskControl, WaitKind};
use operation::outside::operate;

const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```idcams
DEFINE CLUSTER (NAME(T.LEDGER) INDEXED KEYS(2 0) RECORDSIZE(10 20))
```

```data T.LEDGER
K1
```

```csd
DEFINE FILE(LEDGER) GROUP(T) DSNAME(T.LEDGER) READ(YES) BROWSE(YES)
```

```cobol HOLD
EXEC CICS STARTBR FILE('LEDGER') RIDFLD('K1') END-EXEC
EXEC CICS DELAY FOR SECONDS(600) END-EXEC
```
";

/// The task of a transaction that waits for this.
fn waits(region: &Region, transaction: &str, kind: WaitKind) -> Option<Arc<TaskControl>> {
    let tasks = Dispatcher::of(region).tasks();
    let found = tasks.iter().find(|task| task.transaction.name.to_string().trim_end() == transaction);
    found.filter(|task| task.waits_for() == Some(kind)).cloned()
}

/// Waits for that, and gives the task.
async fn waiting(run: &Run, transaction: &str, kind: WaitKind) -> Arc<TaskControl> {
    let region = &run.running.region;
    run.until(transaction, || waits(region, transaction, kind).is_some()).await;
    waits(region, transaction, kind).expect("it waits")
}

/// A command of CEMT, and what it says.
async fn told(region: &Arc<Region>, command: &str) -> String {
    operate(region, command).await.expect("a task").text
}

#[test]
fn a_purge_of_cemt_leaves_nothing_behind() {
    Site::new("purged-operators", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.running.region);
        for purge in [TaskControl::purge, TaskControl::force_purge] {
            attach(&region, "HOLD");
            let user = waiting(run, "HOLD", WaitKind::INTERVAL).await;
            let asked = Arc::clone(&region);
            let closes = tokio::spawn(async move { told(&asked, "SET FILE(LEDGER) CLOSED").await });
            purge(&*waiting(run, "CEMT", WaitKind::FILE).await);
            assert_eq!(closes.await.expect("an end"), "abend AFCY\n");
            let numbers: Vec<u32> = Dispatcher::of(&region).tasks().iter().map(|task| task.number).collect();
            assert!(numbers.contains(&user.number), "the file's user goes on");
            let shown = told(&region, "INQUIRE FILE(LEDGER)").await;
            assert!(shown.contains("Openstatus(Closing)"), "it closes: {shown}");
            user.purge();
            Dispatcher::of(&region).idle().await;
            let shown = told(&region, "INQUIRE FILE(LEDGER)").await;
            assert!(shown.contains("Openstatus(Closed)"), "it is closed: {shown}");
            assert!(told(&region, "SET FILE(LEDGER) OPEN ENABLED").await.contains("NORMAL"));
            // An answer comes before its task has ended.
            run.until("no task", || Dispatcher::of(&region).tasks().is_empty()).await;
        }
        true
    });
}
