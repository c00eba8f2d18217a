//! Attacks of hostile or broken clients and impatient operators: the region goes on answering.

mod common;

use std::sync::Arc;

use common::{Run, Site, attach, displayed};
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use kernel::task::{TaskControl, WaitKind};
use testkit::script::Act;
use tn3270::datastream::Aid;
use tokio::net::TcpStream;

/// A task in each kind of wait: for a terminal's input, a time, an enqueue, a record, an event, a child, a client. A purge
/// comes at the next wait: who gets what another lets go of meanwhile leaves nothing either.
const WAITS: &str = "
```toml
[sit]
MXT = 20

[[conversation]]
program = \"ECHO\"
receive = \"127.0.0.1:0\"
framing = \"as-received\"
```

```csd
DEFINE TSMODEL(RECOV) GROUP(T) PREFIX(REC) RECOVERY(YES)
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES) ADD(YES) UPDATE(YES)
       RECOVERY(BACKOUTONLY)
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```cobol HOLD threadsafe
MOVE SPACES TO REC
MOVE 'A' TO REC(1:1)
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) END-EXEC
EXEC CICS WRITE FILE('KEPT') FROM(REC) LENGTH(80) RIDFLD('A')
    END-EXEC
EXEC CICS WRITEQ TS QUEUE('RECQ') FROM('A') END-EXEC
DISPLAY 'HOLDS'
EXEC CICS DELAY FOR HOURS(1) END-EXEC
```

```cobol WENQ threadsafe
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) END-EXEC
```

```cobol WREC threadsafe
MOVE SPACES TO REC
MOVE 'A' TO REC(1:1)
EXEC CICS WRITE FILE('KEPT') FROM(REC) LENGTH(80) RIDFLD('A')
    END-EXEC
EXEC CICS ABEND ABCODE('LATE') NODUMP END-EXEC
```

```cobol WTSQ threadsafe
EXEC CICS WRITEQ TS QUEUE('RECQ') FROM('B') END-EXEC
EXEC CICS ABEND ABCODE('LATE') NODUMP END-EXEC
```

```cobol WEVT threadsafe
EXEC CICS POST AFTER HOURS(1) SET(PTR) END-EXEC
EXEC CICS WAIT EVENT ECADDR(PTR) END-EXEC
```

```cobol WCHI threadsafe
77 TOK PIC X(16).
EXEC CICS RUN TRANSID('WENQ') CHILD(TOK) END-EXEC
EXEC CICS FETCH CHILD(TOK) COMPSTATUS(N) END-EXEC
```

```cobol ECHO threadsafe
LINKAGE SECTION.
01  DFHCOMMAREA  PIC X(20).
PROCEDURE DIVISION.
CONTINUE
```

```cobol LOOK threadsafe
EXEC CICS ENQ RESOURCE('MINE') LENGTH(4) NOSUSPEND NOHANDLE END-EXEC
EXEC CICS READ FILE('KEPT') INTO(REC) LENGTH(LEN) RIDFLD('A')
    UPDATE NOHANDLE END-EXEC
DISPLAY 'LOOKED ' EIBRESP
```
";

const WAITING: [&str; 6] = ["HOLD", "WENQ", "WREC", "WTSQ", "WEVT", "WCHI"];

fn waits(region: &Region) -> usize {
    Dispatcher::of(region).tasks().iter().filter(|task| task.waits_for().is_some()).count()
}

/// Has all kinds of waits, one of a client and one of a terminal among them, and ends them.
async fn wait_and_end(run: &mut Run, how: fn(&TaskControl), backwards: bool) {
    let region = Arc::clone(&run.house.running.region);
    let before = displayed_count();
    attach(&region, WAITING[0]);
    run.until("HOLD holds", || displayed_count() > before).await;
    for name in &WAITING[1..] {
        attach(&region, name);
    }
    let port = run.house.running.addresses("conversation")[0];
    let client = TcpStream::connect(port).await.expect("a connection");
    for act in [Act::Press(Aid::Clear), Act::Type(String::from("CESN")), Act::Press(Aid::Enter)] {
        run.house.act("A", &act).await.unwrap_or_else(|error| panic!("{error}"));
    }
    // WCHI has a child, which waits as well.
    run.until("each task waits", || waits(&region) == WAITING.len() + 3).await;
    let mut tasks = Dispatcher::of(&region).tasks();
    if backwards {
        tasks.reverse();
    }
    assert!(tasks.iter().any(|task| task.waits_for() == Some(WaitKind::SOCKET_WORK)));
    tasks.iter().for_each(|task| how(task));
    run.until("all have ended", || Dispatcher::of(&region).running() == 0).await;
    drop(client);
}

fn displayed_count() -> usize {
    let happenings = testkit::timeline::Timeline::of_process().since(0);
    happenings.iter().filter(|happening| happening.to_string().starts_with("HOLDS")).count()
}

#[test]
fn a_task_is_ended_in_each_kind_of_wait_and_leaves_nothing() {
    Site::new("attacks", WAITS).run(async |run| {
        for (how, backwards) in [
            (TaskControl::purge as fn(&TaskControl), false),
            (TaskControl::force_purge, true),
            (TaskControl::force_purge, false),
        ] {
            wait_and_end(run, how, backwards).await;
        }
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "LOOK");
        run.until("LOOK", || displayed("LOOKED ").is_some()).await;
        assert_eq!(displayed("LOOKED ").as_deref(), Some("0000000013"), "NOTFND: nothing is locked or there");
        true
    });
}

/// More than a conversation lets in, and more than MXT.
const FLOOD: usize = 300;

#[test]
fn connections_that_say_nothing_leave_room_for_tasks() {
    Site::new("attacks", WAITS).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let port = run.house.running.addresses("conversation")[0];
        let mut flood = Vec::new();
        for _ in 0..FLOOD {
            flood.push(TcpStream::connect(port).await.expect("a connection"));
        }
        attach(&region, "LOOK");
        run.until("LOOK", || displayed("LOOKED ").is_some()).await;
        assert!(Dispatcher::of(&region).running() <= Dispatcher::of(&region).tasks_max() / 2);
        drop(flood);
        run.until("all have ended", || Dispatcher::of(&region).running() == 0).await;
        true
    });
}
