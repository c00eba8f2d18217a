//! One door for all commands: those of programs, answered in place or after a wait, and those of no program at all.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{Site, attach, displayed};
use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use kernel::exec::{Call, Parcel, Waiting, Wants, Watcher, Watchers};
use kernel::meters::{TraceEntry, Traced};
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::task::Task;
use parking_lot::Mutex;
use spec::{cmd, cond, opt};
use testkit::commands::{answered, command};

const APPLICATION: &str = "
```toml
[compile]
not-yet = \"warn\"
```

```idcams
DEFINE CLUSTER(NAME(T.ACCT) INDEXED KEYS(4 0) RECORDSIZE(20 20))
```

```csd
DEFINE FILE(ACCT) GROUP(T) DSNAME(T.ACCT) ADD(YES) READ(YES) UPDATE(YES)
       RECOVERY(BACKOUTONLY)
```

```cobol CALLED
EXEC CICS ASKTIME END-EXEC
```

```cobol ASKS
PERFORM 10 TIMES
  EXEC CICS ASSIGN SYSID(REC(1:4)) END-EXEC
END-PERFORM
EXEC CICS LINK PROGRAM('CALLED') END-EXEC
EXEC CICS WRITEQ TS QUEUE('SEEN') FROM(REC) LENGTH(4) END-EXEC
```

```cobol PASSES
EXEC CICS ASSIGN SYSID(REC(1:4)) END-EXEC
EXEC CICS DELAY INTERVAL(0) END-EXEC
EXEC CICS LINK PROGRAM('CALLED') END-EXEC
EXEC CICS LINK PROGRAM('NOBODY') NOHANDLE END-EXEC
EXEC CICS ISSUE ABORT DESTID('NOBODY') NOHANDLE END-EXEC
EXEC CICS DEQ RESOURCE('MINE') LENGTH(4) RESP(R) RESP2(R2) END-EXEC
DISPLAY 'DEQ ' R R2
EXEC CICS XCTL PROGRAM('CALLED') END-EXEC
```
";

#[test]
fn a_command_needs_no_program() {
    Site::new("commands", APPLICATION).run(async |run| {
        let region = &run.house.running.region;
        let commands =
            ["WRITEQ TS QUEUE(Q) FROM(HELLO)", "READQ TS QUEUE(Q) LENGTH()", "READQ TS QUEUE(Q) ITEM(2)"];
        let answers = answered(region, commands.map(command).into()).await.expect("answers");
        assert_eq!(answers[0].response(), (cond::NORMAL, 0));
        assert_eq!((answers[1].text(opt::INTO), answers[1].number(opt::LENGTH)), ("HELLO".to_owned(), 5));
        assert_eq!(answers[2].response(), (cond::ITEMERR, 0));
        // The same task holds what it has read; LENGTH cuts what is given.
        let commands = [
            "WRITE FILE(ACCT) RIDFLD(0001) FROM(0001 EIGHTEEN CHARS.)",
            "READ FILE(ACCT) RIDFLD(0001) UPDATE",
            "REWRITE FILE(ACCT) FROM(0001 CHANGED) LENGTH(20)",
            "READ FILE(ACCT) RIDFLD(0001) LENGTH(20)",
            "READ FILE(ACCT) RIDFLD(0002)",
        ];
        let answers = answered(region, commands.map(command).into()).await.expect("answers");
        let responses: Vec<_> = answers.iter().map(|answer| answer.response()).collect();
        assert_eq!(responses[..4], [(cond::NORMAL, 0); 4]);
        assert_eq!(answers[3].text(opt::INTO), "0001 CHANGED        ");
        assert_eq!(responses[4], (cond::NOTFND, 80));
        // The address of a CALL's area is what another program could be lent: there is none.
        let answers = answered(region, vec![command("ENQ RESOURCE(A)")]).await.expect("answers");
        assert_eq!(answers[0].response(), (cond::LENGERR, 1));
        assert!(answered(region, vec![command("ABEND ABCODE(ABCD)")]).await.is_none());
        true
    });
}

#[test]
fn a_command_may_come_as_bytes_and_go_back_as_bytes() {
    Site::new("commands", APPLICATION).run(async |run| {
        let region = &run.house.running.region;
        let sent = command("INQUIRE FILE(ACCT)").to_bytes();
        let received = Parcel::from_bytes(&sent).expect("a command");
        let answers = answered(region, vec![received]).await.expect("answers");
        let back = Parcel::from_bytes(&answers[0].parcel().to_bytes()).expect("an answer");
        assert_eq!(back, *answers[0].parcel());
        assert_eq!(back.response(), Some((cond::NORMAL, 0)));
        assert_eq!(answers[0].number(opt::OPENSTATUS), i64::from(spec::cvda("CLOSED").expect("a number")));
        true
    });
}

/// Notes what passes, and lets no DEQ pass.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Watcher for Notes {
    fn before<'a>(&'a self, _: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.0.lock().push(format!("> {}", spec::command(call.command()).name));
            if call.command() == cmd::DEQ { Err(Raise::Condition(cond::NOTAUTH, 101)) } else { Ok(()) }
        })
    }

    fn after<'a>(&'a self, _: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let came_to = outcome.map_or_else(|raise| raise.to_string(), |()| "NORMAL".to_owned());
            self.0.lock().push(format!("< {} {came_to}", spec::command(call.command()).name));
            outcome
        })
    }
}

#[test]
fn every_command_passes_one_door_once() {
    Site::new("commands", APPLICATION).run(async |run| {
        let region = &run.house.running.region;
        let notes = Arc::new(Notes::default());
        let watcher: Arc<dyn Watcher> = Arc::clone(&notes) as _;
        Watchers::add(region, Arc::clone(&watcher));
        attach(region, "PASS");
        Dispatcher::of(region).idle().await;
        let answers = answered(region, vec![command("DELETEQ TS QUEUE(NONE)")]).await.expect("answers");
        assert_eq!(answers[0].response().0, cond::QIDERR);
        Watchers::remove(region, &watcher);
        answered(region, vec![command("ASKTIME")]).await.expect("answers");
        let expected = [
            "> ASSIGN",
            "< ASSIGN NORMAL",
            "> DELAY",
            "< DELAY NORMAL",
            "> LINK",
            "> ASKTIME",
            "< ASKTIME NORMAL",
            "> RETURN",
            "< LINK NORMAL",
            "> LINK",
            "< LINK PGMIDERR RESP2(1)",
            "> ISSUE ABORT",
            "< ISSUE ABORT INVREQ",
            "> DEQ",
            "< DEQ NOTAUTH RESP2(101)",
            "> XCTL",
            "> ASKTIME",
            "< ASKTIME NORMAL",
            "> RETURN",
            "> DELETEQ TS",
            "< DELETEQ TS QIDERR",
        ];
        assert_eq!(*notes.0.lock(), expected);
        assert_eq!(displayed("DEQ").as_deref(), Some(" 00000000700000000101"));
        true
    });
}

/// Notes WRITEQ TS, and sees nothing else.
#[derive(Default)]
struct Chosen(Notes);

impl Watcher for Chosen {
    fn wants(&self) -> Wants {
        Wants::commands([cmd::WRITEQ_TS], false)
    }

    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        self.0.before(task, call)
    }

    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        self.0.after(task, call, outcome)
    }
}

/// The times at which the ASSIGNs of the last task came into the internal trace. Those that are answered where their program stands
/// come together; each of those that leave it brings the one before.
fn times_of_assign(region: &Region) -> BTreeSet<u64> {
    let meters = Statistics::of(region).meters();
    let entries: Vec<TraceEntry> = meters.iter().flat_map(|meter| meter.trace.latest(1000)).collect();
    let is_one = |entry: &&TraceEntry| entry.traced == Traced::Command && entry.code == cmd::ASSIGN.0;
    let last = entries.iter().filter(is_one).map(|entry| entry.task).max().expect("a task with an ASSIGN");
    let own: Vec<u64> =
        entries.iter().filter(is_one).filter(|entry| entry.task == last).map(|entry| entry.at).collect();
    assert_eq!(own.len(), 10);
    own.into_iter().collect()
}

#[test]
fn a_command_that_no_watcher_wants_is_answered_where_its_program_stands() {
    Site::new("commands", APPLICATION).run(async |run| {
        let region = &run.house.running.region;
        let asks = async || {
            attach(region, "ASKS");
            Dispatcher::of(region).idle().await;
            times_of_assign(region).len()
        };
        assert_eq!(asks().await, 1, "without a watcher");
        let (chosen, all) = (Arc::new(Chosen::default()), Arc::new(Notes::default()));
        let watchers: [Arc<dyn Watcher>; 2] = [Arc::clone(&chosen) as _, Arc::clone(&all) as _];
        Watchers::add(region, Arc::clone(&watchers[0]));
        assert_eq!(asks().await, 1, "with one that wants another command");
        assert_eq!(*chosen.0.0.lock(), ["> WRITEQ TS", "< WRITEQ TS NORMAL"]);
        Watchers::add(region, Arc::clone(&watchers[1]));
        assert!(asks().await > 1, "with one that wants them all");
        assert_eq!(chosen.0.0.lock().len(), 4, "the other sees no more of it");
        assert!(all.0.lock().iter().any(|line| line == "< LINK NORMAL"));
        Watchers::remove(region, &watchers[1]);
        assert_eq!(asks().await, 1, "that one is gone");
        assert_eq!(chosen.0.0.lock().len(), 6);
        Watchers::remove(region, &watchers[0]);
        assert_eq!((asks().await, chosen.0.0.lock().len()), (1, 6));
        true
    });
}
