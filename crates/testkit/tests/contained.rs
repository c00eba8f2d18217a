//! A mistake in the region's own code ends the task in which it shows, and nothing else: a native program that panics leaves
//! its place below MXT, its class, its terminal, its locks and its parent as an abend does.

mod common;

use std::sync::Arc;

use common::{Site, attach, displayed};
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Concurrency, NativeWaiting, Program};
use kernel::region::Region;
use kernel::task::Task;
use kernel::transactions::Transaction;
use testkit::script::Act;
use tn3270::datastream::Aid;

/// MXT is one: a task that kept its place would be the last one. HOLD locks a record and goes on to a program that panics.
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
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```cobol HOLD
MOVE SPACES TO REC
MOVE 'A' TO REC(1:1)
EXEC CICS HANDLE ABEND LABEL(EXIT-1) END-EXEC
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) END-EXEC
EXEC CICS WRITE FILE('KEPT') FROM(REC) LENGTH(80) RIDFLD('A')
    NOHANDLE END-EXEC
IF EIBRESP NOT = 0 DISPLAY 'WRITE ' EIBRESP END-IF
EXEC CICS LINK PROGRAM('PANICS') END-EXEC.
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

/// What panics, at once and after it has waited.
fn panics(task: &mut Task) -> NativeWaiting<'_> {
    Box::pin(async move {
        tokio::task::yield_now().await;
        panic!("a mistake of task {}", task.number)
    })
}

fn install(region: &Region) {
    let mut program = Program::new(Name8::from("PANICS"), Concurrency::Threadsafe);
    program.native = Some(Arc::new(panics as for<'a> fn(&'a mut Task) -> NativeWaiting<'a>));
    region.programs.install(program);
    region.transactions.install(Transaction::new(TransactionName::from("OOPS"), Name8::from("PANICS")));
}

async fn starts(run: &mut common::Run, text: &str, answer: &str) {
    let acts = [Act::Press(Aid::Clear), Act::Type(text.to_owned()), Act::Press(Aid::Enter)];
    for act in acts.iter().chain([&Act::Wait(answer.to_owned())]) {
        run.house.act("A", act).await.unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_native_program_that_panics_is_an_abend_and_leaves_nothing() {
    Site::new("contained", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        install(&region);
        for _ in 0..3 {
            attach(&region, "OOPS");
            attach(&region, "HOLD");
            starts(run, "OOPS", "failed with abend AEXZ").await;
            starts(run, "HOLD", "failed with abend AEXZ").await;
        }
        starts(run, "LOOK", "LOOKED").await;
        region.dispatcher().idle().await;
        assert_eq!(displayed("NEVER"), None, "no exit takes it");
        assert!(displayed("ENQ FREE").is_some() && displayed("BACKED OUT").is_some());
        assert_eq!(displayed("WRITE"), None, "each task's record is backed out before the next writes it");
        assert!(region.dispatcher().classes().iter().all(|class| class.running == 0));
        true
    });
}
