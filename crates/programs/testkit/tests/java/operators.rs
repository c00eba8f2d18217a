//! JVM servers as operators see them: heap and threads, statistics, dumps, and a JVM that is replaced.

use std::fs;
use std::sync::Arc;

use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use spec::measures::{StatisticId, stat};

use super::common::attach;
use super::{compile, enabled, has_item, said, site, site_with, status, told_each};

const COMMANDS: &str = "
```cobol LOOK threadsafe
77 HEAP PIC S9(9) COMP.
77 MOST PIC S9(9) COMP.
77 GC PIC X(32).
77 OUT PIC X(240).
EXEC CICS INQUIRE JVMSERVER('JVM1') CURRENTHEAP(HEAP) MAXHEAP(MOST) GCPOLICY(GC) STDOUT(OUT) END-EXEC
IF HEAP > 0 AND HEAP NOT > MOST DISPLAY 'LOOK ' GC(1:6) ELSE DISPLAY 'LOOK NONE'.
```

```cobol DUMP threadsafe
EXEC CICS PERFORM JVMSERVER('JVM1') JVM DUMP NOHANDLE END-EXEC
DISPLAY 'DUMP ' EIBRESP.
EXEC CICS PERFORM JVMSERVER('JVM9') JVM DUMP NOHANDLE END-EXEC
DISPLAY 'DUMP9 ' EIBRESP ' ' EIBRESP2.
EXEC CICS PERFORM JVMSERVER('JVM1') JVM NOHANDLE END-EXEC
DISPLAY 'DUMP0 ' EIBRESP ' ' EIBRESP2.
```
";

/// A figure of JVM1 in the statistics.
fn figure(region: &Region, id: StatisticId) -> u64 {
    let all = Statistics::of(region).now(region);
    let own =
        all.iter().find(|record| record.resource.trim_end() == "JVM1" && record.kind == usize::from(id.kind));
    own.and_then(|record| record.number(id)).unwrap_or_default()
}

#[test]
fn a_jvm_is_seen_in_commands_statistics_and_dumps() {
    let (site, classes) = site("java-operators", COMMANDS);
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        compile(&state, &classes);
        let region = Arc::clone(&run.house.running.region);
        run.until("its first word", || figure(&region, stat::SJS_JVMSERVER_MAX_HEAP) > 0).await;
        assert_eq!(told_each(run, "LOOK", "LOOK ", 1).await, ["Serial"]);
        told_each(run, "AREA", "AREA ", 2).await;
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_USE_COUNT), 2);
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_THREAD_LIMIT), 4);
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_THREAD_HWM), 1);
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_THREAD_WAITS), 0);
        let (share, resident) = (figure(&region, stat::SPJPSS), figure(&region, stat::SPJRSS));
        assert!(share > 0 && share <= resident, "{share} of {resident}");
        assert_eq!(told_each(run, "DUMP", "DUMP ", 1).await, ["0000000000"]);
        run.until("the refusals", || !said("DUMP0 ").is_empty()).await;
        assert_eq!(said("DUMP9 "), ["0000000013 0000000001"]);
        assert_eq!(said("DUMP0 "), ["0000000016 0000000003"]);
        let files =
            || fs::read_dir(state.join("java/output")).expect("the folder").flatten().map(|file| file.path());
        let heap = || files().any(|path| path.extension().is_some_and(|end| end == "hprof"));
        let threads = || fs::read_to_string(state.join("java/output/JVM1.stdout")).unwrap_or_default();
        run.until("the heap and the threads", || heap() && threads().contains("\"T8-1\"")).await;
        true
    });
}

#[test]
fn tasks_that_wait_for_a_thread_are_counted() {
    let (site, classes) = site("java-waits", COMMANDS);
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        compile(&state, &classes);
        let region = Arc::clone(&run.house.running.region);
        told_each(run, "ONLY", "ONLY ", 1).await;
        let holder = attach(&region, "JHLD");
        run.until("the program holds", || has_item(&region, "HOLDS")).await;
        let waiter = attach(&region, "AREA");
        run.until("one that waits", || figure(&region, stat::SJS_JVMSERVER_THREAD_WAIT_CUR) == 1).await;
        // A task that is purged while it waits waits no more.
        Dispatcher::of(&region).task(waiter).expect("it waits").purge();
        run.until("none that waits", || figure(&region, stat::SJS_JVMSERVER_THREAD_WAIT_CUR) == 0).await;
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_THREAD_WAITS), 1);
        assert_eq!(figure(&region, stat::SJS_JVMSERVER_THREAD_WAIT_HWM), 1);
        assert!(figure(&region, stat::SJS_JVMSERVER_THREAD_WAIT_TIME) > 0);
        Dispatcher::of(&region).task(holder).expect("it holds").purge();
        true
    });
}

#[test]
fn a_jvm_whose_thread_does_not_let_go_is_replaced() {
    let stubborn = "
```csd
DEFINE PROGRAM(JLOOPS) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Loops)
DEFINE TRANSACTION(JLOP) GROUP(T) PROGRAM(JLOOPS)
```
";
    let (site, classes) = site_with("java-loops", stubborn, "PURGE_ESCALATION_TIMEOUT=1\n");
    let state = site.state().to_owned();
    site.run(async |run| {
        let pid = enabled(run).await;
        compile(&state, &classes);
        let region = Arc::clone(&run.house.running.region);
        let task = attach(&region, "JLOP");
        run.until("the program loops", || has_item(&region, "LOOPS")).await;
        Dispatcher::of(&region).task(task).expect("it runs").purge();
        run.until(
            "another JVM",
            || matches!(status(&region), (status, other) if status == "ENABLED" && other != pid),
        )
        .await;
        assert_eq!(told_each(run, "AREA", "AREA ", 1).await, ["HGFEDCBABACK"]);
        true
    });
}

#[test]
fn a_jvm_with_more_storage_than_it_may_have_is_killed() {
    let (site, _) = site_with("java-memory", "", "MEMORY_MAX=8M\n");
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        run.until("a disabled JVM server", || status(&region).0 == "DISABLED").await;
        true
    });
}
