//! Units of work with changes outside of the region: they commit in both places or in neither, whichever refuses, does not
//! answer, or dies.

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use common::elsewhere::{self, connect, runs};
use common::{Run, Site, attach, displayed};
use coordinator::{Answered, OnePhase, Participant, UnitName, Vote};
use kernel::dispatcher::Dispatcher;
use kernel::task::WaitKind;
use records::Answer;
use testkit::timeline::Timeline;

/// Each of the transactions changes a file and what is elsewhere, and ends in its own way.
const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```csd
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES) ADD(YES) UPDATE(YES)
       RECOVERY(BACKOUTONLY)
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```cobol WRIT
MOVE SPACES TO REC
MOVE 'A' TO REC(1:1)
EXEC CICS WRITE FILE('KEPT') FROM(REC) LENGTH(80) RIDFLD('A') END-EXEC
EXEC CICS LINK PROGRAM('ENLIST') END-EXEC
```

```cobol SYNC
EXEC CICS LINK PROGRAM('WRIT') END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
MOVE N TO NUM
DISPLAY 'SYNCPOINT ' NUM
EXEC CICS LINK PROGRAM('LOOK') END-EXEC
```

```cobol RETU
EXEC CICS LINK PROGRAM('WRIT') END-EXEC
```

```cobol ROLL
EXEC CICS LINK PROGRAM('WRIT') END-EXEC
EXEC CICS SYNCPOINT ROLLBACK END-EXEC
EXEC CICS LINK PROGRAM('LOOK') END-EXEC
```

```cobol ONLY
EXEC CICS LINK PROGRAM('ENLIST') END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
MOVE N TO NUM
DISPLAY 'SYNCPOINT ' NUM
```

```cobol LOOK
EXEC CICS READ FILE('KEPT') INTO(REC) RIDFLD('A') NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(NOTFND) DISPLAY 'RECORD GONE' END-IF
IF EIBRESP = 0 DISPLAY 'RECORD THERE' END-IF
```

```cobol UNITS
77 UNIT-ID PIC X(16).
77 ST PIC S9(8) COMP.
77 TR PIC X(4).
EXEC CICS INQUIRE UOW START END-EXEC
PERFORM UNTIL N NOT = 0
   EXEC CICS INQUIRE UOW(UNIT-ID) UOWSTATE(ST) TRANSID(TR) NEXT RESP(N) END-EXEC
   IF N = 0 AND ST = DFHVALUE(COMMIT) DISPLAY 'COMMITTED ' TR END-IF
END-PERFORM
```

```cobol LINKS
77 LINK-ID PIC X(4).
77 UNIT-ID PIC X(16).
77 LINK-NAME PIC X(8).
77 ROL PIC S9(8) COMP.
77 ST PIC S9(8) COMP.
77 ACT PIC S9(8) COMP.
EXEC CICS INQUIRE UOWLINK START END-EXEC
EXEC CICS INQUIRE UOWLINK(LINK-ID) LINK(LINK-NAME) ROLE(ROL) UOW(UNIT-ID)
    RESYNCSTATUS(ST) NEXT END-EXEC
IF ROL = DFHVALUE(SUBORDINATE) AND ST = DFHVALUE(UNAVAILABLE)
    DISPLAY 'WAITS ' LINK-NAME
END-IF
EXEC CICS INQUIRE UOWLINK END END-EXEC
EXEC CICS INQUIRE UOW(UNIT-ID) UOWSTATE(ST) END-EXEC
IF ST = DFHVALUE(COMMIT) DISPLAY 'STATE COMMIT' END-IF
MOVE DFHVALUE(OPEN) TO ACT
EXEC CICS SET UOWLINK(LINK-ID) ACTION(ACT) RESP(N) END-EXEC
MOVE N TO NUM
DISPLAY 'OPEN ' NUM
EXEC CICS SET UOWLINK(LINK-ID) DELETE END-EXEC
EXEC CICS SET UOWLINK(LINK-ID) DELETE RESP(N) END-EXEC
MOVE N TO NUM
DISPLAY 'AGAIN ' NUM
```
";

/// The state elsewhere: it outlives the region.
#[derive(Default)]
struct Elsewhere {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    asked: Vec<&'static str>,
    changing: BTreeSet<UnitName>,
    indoubt: BTreeSet<UnitName>,
    committed: BTreeSet<UnitName>,
    refuses: bool,
    /// It hears what it is asked to prepare, and nothing else.
    deaf: bool,
    /// It never answers whether it is prepared.
    slow: bool,
    fails: bool,
}

impl Elsewhere {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the requests that it got since the last time.
    fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.state().asked)
    }

    fn end(&self, asked: &'static str, unit: &UnitName) -> Answer<'static, Answered> {
        let mut state = self.state();
        state.asked.push(asked);
        if state.deaf {
            return Answer::ready(Answered::Unreachable);
        }
        state.changing.remove(unit);
        if state.indoubt.remove(unit) && asked == "commit" {
            state.committed.insert(unit.clone());
        }
        Answer::ready(Answered::Done)
    }
}

impl Participant for Elsewhere {
    fn name(&self) -> &str {
        "ELSEWHERE"
    }

    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote> {
        let mut state = self.state();
        state.asked.push("prepare");
        assert!(!state.fails, "a mistake at the end of a unit of work");
        state.changing.remove(unit);
        if state.refuses {
            return Answer::ready(Vote::No);
        }
        state.indoubt.insert(unit.clone());
        if state.slow { Answer::later(std::future::pending()) } else { Answer::ready(Vote::Yes) }
    }

    fn commit_one_phase(&self, unit: &UnitName) -> Answer<'static, OnePhase> {
        let mut state = self.state();
        state.asked.push("one phase");
        if state.slow {
            return Answer::later(std::future::pending());
        }
        state.changing.remove(unit);
        state.committed.insert(unit.clone());
        Answer::ready(OnePhase::Committed)
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end("commit", unit)
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end("backout", unit)
    }

    fn forget(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end("forget", unit)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        let state = self.state();
        Answer::ready((!state.deaf).then(|| state.indoubt.iter().cloned().collect()))
    }
}

impl elsewhere::Elsewhere for Elsewhere {
    fn changes(&self, unit: UnitName) {
        self.state().changing.insert(unit);
    }
}

/// Returns the text that a program has displayed after a word.
fn said(word: &str) -> String {
    displayed(word).unwrap_or_default().trim().to_owned()
}

fn happened(what: &str) -> bool {
    Timeline::of_process().since(0).iter().any(|happening| happening.to_string().contains(what))
}

fn decisions(run: &Run) -> usize {
    run.house.running.region.coordinator.decided().len()
}

#[test]
fn both_commit_in_two_phases_and_one_alone_in_one() {
    let elsewhere = Arc::new(Elsewhere::default());
    Site::new("participants-both", APPLICATION).run(async |run| {
        connect(run, &elsewhere);
        runs(run, "SYNC").await;
        assert_eq!(said("SYNCPOINT"), "0");
        assert_eq!(said("RECORD"), "THERE");
        assert_eq!((elsewhere.asked(), decisions(run)), (vec!["prepare", "commit"], 0));
        runs(run, "ONLY").await;
        assert_eq!(elsewhere.asked(), ["one phase"]);
        assert_eq!(elsewhere.state().committed.len(), 2, "each unit of work has a name of its own");
        true
    });
}

#[test]
fn a_participant_that_refuses_backs_out_both() {
    let elsewhere = Arc::new(Elsewhere::default());
    elsewhere.state().refuses = true;
    Site::new("participants-refuses", APPLICATION).run(async |run| {
        connect(run, &elsewhere);
        runs(run, "SYNC").await;
        assert_eq!(said("SYNCPOINT"), "82", "ROLLEDBACK");
        assert_eq!(said("RECORD"), "GONE");
        assert_eq!(elsewhere.asked(), ["prepare"], "it has backed out itself");
        runs(run, "RETU").await;
        assert!(happened("abended ASP7"));
        true
    });
}

#[test]
fn rollback_and_a_failure_of_ours_back_out_both() {
    let elsewhere = Arc::new(Elsewhere::default());
    Site::new("participants-rollback", APPLICATION).run(async |run| {
        connect(run, &elsewhere);
        runs(run, "ROLL").await;
        assert_eq!(said("RECORD"), "GONE");
        assert_eq!(elsewhere.asked(), ["backout"]);
        elsewhere.state().fails = true;
        runs(run, "RETU").await;
        assert!(happened("the region's own code has failed: a mistake at the end"));
        elsewhere.state().fails = false;
        run.until("it is told that this is backed out", || elsewhere.state().changing.is_empty()).await;
        // The record was backed out, and its lock is free.
        runs(run, "SYNC").await;
        assert_eq!(said("SYNCPOINT"), "0");
        true
    });
}

#[test]
fn who_does_not_hear_of_the_decision_is_told_again_over_restarts() {
    let elsewhere = Arc::new(Elsewhere::default());
    let site = Site::new("participants-shunted", APPLICATION);
    elsewhere.state().deaf = true;
    site.run(async |run| {
        connect(run, &elsewhere);
        runs(run, "SYNC").await;
        // The task ends normally: what it has done stays.
        assert_eq!(said("SYNCPOINT"), "0");
        assert_eq!((decisions(run), elsewhere.state().indoubt.len()), (1, 1));
        runs(run, "UNIT").await;
        assert_eq!(said("COMMITTED"), "SYNC");
        false
    });
    site.run(async |run| {
        assert_eq!(decisions(run), 1);
        connect(run, &elsewhere);
        elsewhere.state().deaf = false;
        run.until("the decision arrives", || elsewhere.state().committed.len() == 1).await;
        run.until("the decision is forgotten", || decisions(run) == 0).await;
        true
    });
    site.run(async |run| {
        assert_eq!(decisions(run), 0);
        true
    });
}

#[test]
fn an_operator_gives_up_a_participant_that_never_comes_back() {
    let elsewhere = Arc::new(Elsewhere::default());
    elsewhere.state().deaf = true;
    let site = Site::new("participants-given-up", APPLICATION);
    site.run(async |run| {
        connect(run, &elsewhere);
        runs(run, "SYNC").await;
        assert_eq!(decisions(run), 1);
        runs(run, "LINK").await;
        assert_eq!(said("WAITS"), "ELSEWHER", "eight letters, as programs have it");
        assert_eq!(said("STATE"), "COMMIT");
        assert_eq!((said("OPEN").as_str(), said("AGAIN").as_str()), ("16", "103"), "INVREQ, UOWLNOTFOUND");
        assert_eq!(decisions(run), 0);
        assert!(happened("gave ELSEWHERE up"));
        false
    });
    site.run(async |run| {
        assert_eq!(decisions(run), 0);
        true
    });
}

#[test]
fn a_purge_before_the_decision_backs_out_both() {
    let elsewhere = Arc::new(Elsewhere::default());
    elsewhere.state().slow = true;
    Site::new("participants-purged", APPLICATION).run(async |run| {
        connect(run, &elsewhere);
        let region = &run.house.running.region;
        attach(region, "RETU");
        run.until("it is asked to prepare", || !elsewhere.state().indoubt.is_empty()).await;
        let waits =
            || Dispatcher::of(region).tasks().iter().any(|t| t.waits_for() == Some(WaitKind::PARTICIPANT));
        run.until("its task waits for it", waits).await;
        Dispatcher::of(region).tasks().iter().for_each(|task| task.purge());
        Dispatcher::of(region).idle().await;
        assert!(happened("abended AKCS"));
        assert_eq!(elsewhere.asked(), ["prepare", "backout"]);
        assert!(elsewhere.state().indoubt.is_empty() && elsewhere.state().committed.is_empty());
        runs(run, "LOOK").await;
        assert_eq!(said("RECORD"), "GONE");
        true
    });
}

#[test]
fn only_force_ends_the_wait_for_a_participant_that_decides_alone() {
    let elsewhere = Arc::new(Elsewhere::default());
    elsewhere.state().slow = true;
    Site::new("participants-forced", APPLICATION).run(async |run| {
        connect(run, &elsewhere);
        let region = &run.house.running.region;
        attach(region, "ONLY");
        let waits =
            || Dispatcher::of(region).tasks().iter().any(|t| t.waits_for() == Some(WaitKind::PARTICIPANT));
        run.until("its task waits for it", waits).await;
        Dispatcher::of(region).tasks().iter().for_each(|task| task.purge());
        tokio::task::yield_now().await;
        assert!(waits(), "what it has decided would be unknown to its task");
        Dispatcher::of(region).tasks().iter().for_each(|task| task.force_purge());
        run.until("its task is gone", || Dispatcher::of(region).tasks().is_empty()).await;
        assert!(happened("abended AKCS") && happened("it is purged before its participant has answered"));
        assert_eq!(elsewhere.asked(), ["one phase"], "nobody takes back what may be committed");
        true
    });
}

#[test]
fn what_was_prepared_and_not_decided_is_backed_out() {
    let elsewhere = Arc::new(Elsewhere::default());
    let site = Site::new("participants-undecided", APPLICATION);
    elsewhere.state().slow = true;
    site.run(async |run| {
        connect(run, &elsewhere);
        attach(&run.house.running.region, "RETU");
        run.until("it is asked to prepare", || !elsewhere.state().indoubt.is_empty()).await;
        // A participant that asks too early is put off.
        let unit = elsewhere.state().indoubt.first().cloned().expect("it is in doubt");
        assert_eq!(run.house.running.region.coordinator.decision(&unit), None);
        false
    });
    elsewhere.state().slow = false;
    site.run(async |run| {
        connect(run, &elsewhere);
        run.until("it is told", || elsewhere.state().indoubt.is_empty()).await;
        assert!(elsewhere.state().committed.is_empty());
        runs(run, "LOOK").await;
        assert_eq!(said("RECORD"), "GONE");
        true
    });
}
