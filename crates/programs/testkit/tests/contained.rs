//! A mistake in the region's own code ends the task in which it shows, with a dump, and nothing else: a supplied program, a
//! command and a command that has waited leave their place below MXT, class, terminal, locks and unit of work as an abend
//! does.

mod common;

use std::fs::DirEntry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Site, attach, displayed};
use domains::statistics::{Collected, Collector, Statistics};
use kernel::dispatcher::{Context, Dispatcher, SuppliedFunction, SuppliedWaiting};
use kernel::exec::{Call, Waiting, Watcher, Watchers};
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::Task;
use kernel::transactions::{Transaction, Transactions};
use spec::cmd;
use testkit::script::Act;
use tn3270::datastream::Aid;

/// MXT is one: a task that kept its place would be the last one. Each of the three locks a record and goes on to what
/// panics: HOLD to a supplied program, STAT to a command that is answered where it stands, TIME to one that waits.
const APPLICATION: &str = "
```toml
[sit]
MXT = 1
```

```csd
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES) ADD(YES) UPDATE(YES)
       RECOVERY(BACKOUTONLY)
DEFINE TRANCLASS(ONE) GROUP(T) MAXACTIVE(1)
DEFINE TRANSACTION(HOLD) GROUP(T) PROGRAM(HOLD) TRANCLASS(ONE)
DEFINE TRANSACTION(STAT) GROUP(T) PROGRAM(STAT) TRANCLASS(ONE)
DEFINE TRANSACTION(TIME) GROUP(T) PROGRAM(TIME) TRANCLASS(ONE)
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```cobol HOLD
LOCKS
EXEC CICS LINK PROGRAM('PANICS') END-EXEC.
EXIT-1.
DISPLAY 'NEVER HERE'
```

```cobol STAT
LOCKS
EXEC CICS PERFORM STATISTICS RECORD ALL END-EXEC.
EXIT-1.
DISPLAY 'NEVER HERE'
```

```cobol TIME
LOCKS
EXEC CICS ASKTIME END-EXEC.
EXIT-1.
DISPLAY 'NEVER HERE'
```

```cobol LOOK
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) NOSUSPEND NOHANDLE END-EXEC
IF EIBRESP = 0 DISPLAY 'ENQ FREE' END-IF
EXEC CICS READ FILE('KEPT') INTO(REC) LENGTH(LEN) RIDFLD('A')
    UPDATE NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(NOTFND) DISPLAY 'BACKED OUT' END-IF
EXEC CICS SEND TEXT FROM('LOOKED') LENGTH(6) ERASE END-EXEC
```
";

/// The text that replaces LOCKS in the application.
const LOCKS: &str = "MOVE SPACES TO REC
MOVE 'A' TO REC(1:1)
EXEC CICS HANDLE ABEND LABEL(EXIT-1) END-EXEC
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) END-EXEC
EXEC CICS WRITE FILE('KEPT') FROM(REC) LENGTH(80) RIDFLD('A')
    NOHANDLE END-EXEC
IF EIBRESP NOT = 0 DISPLAY 'WRITE ' EIBRESP END-IF";

/// Panics, at once or after it has waited.
fn panics<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        tokio::task::yield_now().await;
        panic!("a mistake of task {}", context.number)
    })
}

/// Statistics that cannot be collected, as long as it is armed: PERFORM STATISTICS is answered in place.
#[derive(Default)]
struct Mistaken(AtomicBool);

impl Collector for Mistaken {
    fn collect(&self, _: &Region, _: &mut Collected, _: bool) {
        assert!(!self.0.load(Ordering::Relaxed), "a mistake in statistics");
    }
}

/// Panics in an ASKTIME that has waited.
struct Late;

impl Watcher for Late {
    fn before<'a>(&'a self, _: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            assert_ne!(call.command(), cmd::ASKTIME, "a mistake after a wait");
            Ok(())
        })
    }

    fn after<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move { outcome })
    }
}

/// Dumps of the abend that the region has written.
fn dumps(region: &Region) -> usize {
    let entries = std::fs::read_dir(&region.options.dump_folder).into_iter().flatten().flatten();
    let is_of = |entry: &DirEntry| {
        std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("abend AEXZ"))
    };
    entries.filter(is_of).count()
}

fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from("PANICS"), panics as SuppliedFunction));
    Transactions::of(region).install(Transaction::new(TransactionName::from("OOPS"), Name8::from("PANICS")));
}

async fn starts(run: &mut common::Run, text: &str, answer: &str) {
    let acts = [Act::Press(Aid::Clear), Act::Type(text.to_owned()), Act::Press(Aid::Enter)];
    for act in acts.iter().chain([&Act::Wait(answer.to_owned())]) {
        run.house.act("A", act).await.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn what_panics_is_an_abend_with_a_dump_and_leaves_nothing() {
    Site::new("contained", &APPLICATION.replace("LOCKS", LOCKS)).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        install(&region);
        let mistaken = Arc::new(Mistaken::default());
        Statistics::of(&region).register(Arc::clone(&mistaken) as _);
        let late: Arc<dyn Watcher> = Arc::new(Late);
        for round in 1..=2 {
            attach(&region, "OOPS");
            attach(&region, "HOLD");
            starts(run, "OOPS", "failed with abend AEXZ").await;
            starts(run, "HOLD", "failed with abend AEXZ").await;
            mistaken.0.store(true, Ordering::Relaxed);
            starts(run, "STAT", "failed with abend AEXZ").await;
            mistaken.0.store(false, Ordering::Relaxed);
            Watchers::add(&region, Arc::clone(&late));
            starts(run, "TIME", "failed with abend AEXZ").await;
            Watchers::remove(&region, &late);
            Dispatcher::of(&region).idle().await;
            assert_eq!(dumps(&region), 6 * round, "each leaves a dump");
        }
        starts(run, "LOOK", "LOOKED").await;
        Dispatcher::of(&region).idle().await;
        assert_eq!(displayed("NEVER"), None, "no exit takes it");
        assert!(displayed("ENQ FREE").is_some() && displayed("BACKED OUT").is_some());
        assert_eq!(displayed("WRITE"), None, "each task's record is backed out before the next writes it");
        assert!(Dispatcher::of(&region).classes().iter().all(|class| class.running == 0));
        true
    });
}
