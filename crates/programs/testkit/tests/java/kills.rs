//! JVMs that are killed under load, at moments that a seed chooses: units of work are done or not done, and nothing is left of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::dispatcher::Dispatcher;
use kernel::region::Region;

use super::common::attach;
use super::{Run, compile, enabled, kill, site, status, told_each};

/// A ledger: a record for each unit of work, and one with their number. Tasks of even numbers commit in COBOL, others in Java.
const LEDGER: &str = "
```idcams
 DEFINE CLUSTER(NAME(T.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(16 16))
```

```csd
DEFINE FILE(LEDGER) GROUP(T) DSNAME(T.LEDGER) ADD(YES) BROWSE(YES) READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE PROGRAM(JPOST) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Posts)
```

```cobol OPEN threadsafe
EXEC CICS WRITE FILE('LEDGER') FROM('TOTAL   00000000') LENGTH(16) RIDFLD('TOTAL   ') END-EXEC
DISPLAY 'OPENED'.
```

```cobol POST threadsafe
77 CA PIC 9(8).
MOVE EIBTASKN TO CA
EXEC CICS HANDLE ABEND LABEL(GOT-IT) END-EXEC
EXEC CICS LINK PROGRAM('JPOST') COMMAREA(CA) END-EXEC
EXEC CICS SYNCPOINT END-EXEC
DISPLAY 'POSTED ' CA
EXEC CICS RETURN END-EXEC.
GOT-IT.
EXEC CICS SYNCPOINT ROLLBACK END-EXEC
DISPLAY 'LOST ' CA.
```

```cobol SHOW threadsafe
77 LINE16 PIC X(16).
77 KEY8 PIC X(8) VALUE LOW-VALUES.
77 LEN2 PIC S9(4) COMP.
77 ANSWER PIC S9(8) COMP VALUE 0.
EXEC CICS STARTBR FILE('LEDGER') RIDFLD(KEY8) GTEQ END-EXEC
PERFORM UNTIL ANSWER NOT = 0
  MOVE 16 TO LEN2
  EXEC CICS READNEXT FILE('LEDGER') INTO(LINE16) LENGTH(LEN2) RIDFLD(KEY8) RESP(ANSWER) END-EXEC
  IF ANSWER = 0 DISPLAY 'LEDGER ' LINE16 END-IF
END-PERFORM
EXEC CICS ENDBR FILE('LEDGER') END-EXEC
DISPLAY 'SHOWN'.
```
";

/// Tasks at work when a JVM is killed.
const TASKS: usize = 6;
/// The longest time from its begin to the kill.
const LATEST: Duration = Duration::from_millis(80);

/// The number of kills, and the time after which no lock may be left: `SYNCPOINT_KILLS=200` shows the promise on a machine that has
/// nothing else to do.
fn kills() -> (usize, Duration) {
    match std::env::var("SYNCPOINT_KILLS").ok().and_then(|kills| kills.parse().ok()) {
        Some(kills) => (kills, Duration::from_millis(100)),
        None => (4, Duration::from_secs(5)),
    }
}

#[test]
fn a_jvm_killed_under_load_loses_no_unit_of_work_and_does_none_twice() {
    let (site, classes) = site("java-kills", LEDGER);
    let state = site.state().to_owned();
    let (kills, soon) = kills();
    site.run(async |run| {
        let mut pid = enabled(run).await;
        compile(&state, &classes);
        told_each(run, "OPEN", "OPENED", 1).await;
        let mut random = fastrand::Rng::with_seed(36);
        let (mut tasks, mut worst) = (BTreeSet::new(), Duration::ZERO);
        for round in 0..=kills {
            let begun: Vec<u32> = (0..TASKS).map(|_| attach(&run.house.running.region, "POST")).collect();
            if round < kills {
                // The moment is a part of the case, not a wait for something.
                let late = u64::try_from(LATEST.as_micros()).unwrap_or(u64::MAX);
                tokio::time::sleep(Duration::from_micros(random.u64(0..late))).await;
                kill(pid);
                worst = worst.max(free(run, Instant::now()).await);
            }
            let region = Arc::clone(&run.house.running.region);
            run.until("the tasks' end", || {
                begun.iter().all(|task| Dispatcher::of(&region).task(*task).is_none())
            })
            .await;
            tasks.extend(begun);
            if round < kills {
                run.until("a disabled JVM server", || status(&region).0 == "DISABLED").await;
                attach(&region, "OPER");
                pid = enabled(run).await;
            }
        }
        assert!(worst < soon, "{worst:?} until no lock was left");
        println!("{kills} kills: no lock after {worst:?} at the latest");
        is_whole(run, &tasks).await;
        true
    });
}

/// The time since a kill until no task has a lock.
async fn free(run: &Run, since: Instant) -> Duration {
    let region = Arc::clone(&run.house.running.region);
    run.until("no lock", || locks(&region) == 0).await;
    since.elapsed()
}

fn locks(region: &Region) -> usize {
    region.records.locks().list().len()
}

/// Checks the ledger: what was said to be posted is in the ledger, once; what was lost is not, unless Java had committed it; and the number is right.
async fn is_whole(run: &Run, tasks: &BTreeSet<u32>) {
    let said = |word: &str| -> BTreeSet<u32> {
        super::said(word).iter().filter_map(|number| number.parse().ok()).collect()
    };
    told_each(run, "SHOW", "SHOWN", 1).await;
    let ledger = super::said("LEDGER ");
    let total = ledger.iter().find_map(|line| line.strip_prefix("TOTAL")?.trim().parse::<usize>().ok());
    let entries: BTreeSet<u32> = ledger.iter().filter_map(|line| line.get(..8)?.parse().ok()).collect();
    assert_eq!(total, Some(entries.len()), "half of a unit of work is there: {ledger:?}");
    let (posted, lost) = (said("POSTED "), said("LOST "));
    assert_eq!(posted.len() + lost.len(), tasks.len(), "each task has said how it ended");
    assert!(posted.len() >= TASKS, "the last tasks were not disturbed");
    assert!(posted.is_subset(&entries), "lost: {:?}", posted.difference(&entries));
    let doubtful: Vec<&u32> = lost.intersection(&entries).filter(|task| *task % 2 == 0).collect();
    assert!(doubtful.is_empty(), "backed out and there: {doubtful:?}");
    assert!(entries.is_subset(tasks));
}
