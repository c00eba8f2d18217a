//! Units of work in doubt that end without their tasks: all that their tasks would have let begin begins.

mod common;

use std::sync::{Arc, Mutex, MutexGuard};

use common::elsewhere::{self, connect, runs};
use common::{Run, Site, displayed};
use coordinator::{Answered, Fate, OnePhase, Participant, UnitName, Vote};
use domains::interval::IntervalControl;
use kernel::dispatcher::Dispatcher;
use records::Answer;
use testkit::timeline::Timeline;

/// MAKE starts a task, fills a queue up to its trigger and adds to a recoverable queue of temporary storage, beside changes
/// elsewhere. DONE is the START's task: what it does is in doubt, too.
const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```csd
DEFINE TDQUEUE(TRIG) GROUP(T) TYPE(INTRA) RECOVSTATUS(LOGICAL)
       ATIFACILITY(FILE) TRIGGERLEVEL(2) TRANSID(DRAI)
DEFINE TDQUEUE(PLAI) GROUP(T) TYPE(INTRA) RECOVSTATUS(LOGICAL)
DEFINE TSMODEL(RECOV) GROUP(T) PREFIX(REC) RECOVERY(YES)
```

```cobol MAKE
EXEC CICS START TRANSID('DONE') FROM('A') PROTECT END-EXEC
EXEC CICS START TRANSID('SOON') FROM('A') AFTER SECONDS(1) PROTECT END-EXEC
EXEC CICS WRITEQ TD QUEUE('TRIG') FROM('ONE') END-EXEC
EXEC CICS WRITEQ TD QUEUE('TRIG') FROM('TWO') END-EXEC
EXEC CICS WRITEQ TD QUEUE('PLAI') FROM('TEXT') END-EXEC
EXEC CICS WRITEQ TS QUEUE('RECQ') FROM('ITEM') END-EXEC
EXEC CICS LINK PROGRAM('ENLIST') END-EXEC
```

```cobol DONE
MOVE 1 TO LEN
EXEC CICS RETRIEVE INTO(REC) LENGTH(LEN) END-EXEC
DISPLAY 'DONE ' REC(1:1)
```

```cobol SOON
DISPLAY 'SOON'
```

```cobol DRAI
PERFORM 2 TIMES
    MOVE 80 TO LEN
    EXEC CICS READQ TD QUEUE('TRIG') INTO(REC) LENGTH(LEN) END-EXEC
    DISPLAY 'DRAINED ' REC(1:LEN)
END-PERFORM
```

```cobol LOOK
77 ITEMS PIC S9(4) COMP.
EXEC CICS INQUIRE TDQUEUE('PLAI') NUMITEMS(N) END-EXEC
MOVE N TO NUM
DISPLAY 'PLAI ' NUM
EXEC CICS INQUIRE TSQUEUE('RECQ') NUMITEMS(ITEMS) NOHANDLE END-EXEC
IF EIBRESP = 0 DISPLAY 'RECQ THERE' ELSE DISPLAY 'RECQ GONE' END-IF
```

```cobol PLAN
EXEC CICS START TRANSID('WORK') FROM('A') PROTECT END-EXEC
```

```cobol WORK
MOVE 1 TO LEN
EXEC CICS RETRIEVE INTO(REC) LENGTH(LEN) END-EXEC
DISPLAY 'WORK ' REC(1:1)
EXEC CICS LINK PROGRAM('ENLIST') END-EXEC
```
";

/// A place elsewhere: it commits or backs out, does not answer, and says later what it has done.
#[derive(Default)]
struct Elsewhere(Mutex<State>);

#[derive(Default)]
struct State {
    is_silent: bool,
    backs_out: bool,
    asked: usize,
}

impl Elsewhere {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the number of times that it was asked to commit.
    fn asked(&self) -> usize {
        self.state().asked
    }
}

impl Participant for Elsewhere {
    fn name(&self) -> &str {
        "ELSEWHERE"
    }

    fn prepare(&self, _: &UnitName) -> Answer<'static, Vote> {
        Answer::ready(Vote::No)
    }

    fn evidence(&self, _: &UnitName) -> Answer<'static, Option<Vec<u8>>> {
        Answer::ready(Some(b"evidence".to_vec()))
    }

    fn commit_one_phase(&self, _: &UnitName) -> Answer<'static, OnePhase> {
        let mut state = self.state();
        state.asked += 1;
        Answer::ready(if state.is_silent { OnePhase::Unknown } else { OnePhase::Committed })
    }

    fn fate(&self, _: &UnitName, _: &[u8]) -> Answer<'static, Fate> {
        let state = self.state();
        Answer::ready(match (state.is_silent, state.backs_out) {
            (true, _) => Fate::Unreachable,
            (false, true) => Fate::BackedOut,
            (false, false) => Fate::Committed,
        })
    }

    fn commit(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn backout(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn forget(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        Answer::ready((!self.state().is_silent).then(Vec::new))
    }
}

impl elsewhere::Elsewhere for Elsewhere {}

fn lines(word: &str) -> usize {
    Timeline::of_process().since(0).iter().filter(|happening| happening.to_string().starts_with(word)).count()
}

fn indoubt(run: &Run) -> usize {
    run.house.running.region.records.indoubt().expect("a list").len()
}

/// Checks that all that MAKE would have let begin begins, once.
async fn everything_begins(run: &Run) {
    run.until("nothing is in doubt", || indoubt(run) == 0).await;
    run.until("the START's task", || displayed("DONE ").is_some()).await;
    run.until("the later START's task", || displayed("SOON").is_some()).await;
    run.until("the trigger's task", || displayed("DRAINED TWO").is_some()).await;
    let region = &run.house.running.region;
    run.until("no START waits", || IntervalControl::of(region).list().is_empty()).await;
    Dispatcher::of(region).idle().await;
    runs(run, "LOOK").await;
    assert_eq!(displayed("PLAI ").as_deref().map(str::trim), Some("1"), "records of a queue");
    assert_eq!(displayed("RECQ ").as_deref(), Some("THERE"));
    assert_eq!((lines("DONE "), lines("SOON"), lines("DRAINED ")), (1, 1, 2), "each once");
}

fn silent() -> Arc<Elsewhere> {
    let elsewhere = Arc::new(Elsewhere::default());
    elsewhere.state().is_silent = true;
    elsewhere
}

#[test]
fn what_was_in_doubt_over_a_restart_begins_when_it_is_committed() {
    for in_order in [false, true] {
        let (site, elsewhere) = (Site::new("doubtful-restart", APPLICATION), silent());
        site.run(async |run| {
            connect(run, &elsewhere);
            runs(run, "MAKE").await;
            assert_eq!(indoubt(run), 1);
            in_order
        });
        site.run(async |run| {
            runs(run, "LOOK").await;
            assert_eq!((lines("DONE "), lines("DRAINED ")), (0, 0), "nothing of it counts yet");
            Timeline::of_process().clear();
            elsewhere.state().is_silent = false;
            connect(run, &elsewhere);
            everything_begins(run).await;
            true
        });
        site.run(async |run| {
            Dispatcher::of(&run.house.running.region).idle().await;
            assert_eq!((lines("DONE "), lines("DRAINED ")), (1, 2), "not once more");
            true
        });
    }
}

#[test]
fn what_was_in_doubt_for_a_while_begins_without_a_restart() {
    let (site, elsewhere) = (Site::new("doubtful-while", APPLICATION), silent());
    site.run(async |run| {
        connect(run, &elsewhere);
        runs(run, "MAKE").await;
        assert_eq!((indoubt(run), lines("DONE ")), (1, 0));
        elsewhere.state().is_silent = false;
        everything_begins(run).await;
        true
    });
}

#[test]
fn what_is_backed_out_begins_never() {
    let (site, elsewhere) = (Site::new("doubtful-backout", APPLICATION), silent());
    site.run(async |run| {
        connect(run, &elsewhere);
        runs(run, "MAKE").await;
        false
    });
    site.run(async |run| {
        (elsewhere.state().is_silent, elsewhere.state().backs_out) = (false, true);
        connect(run, &elsewhere);
        run.until("nothing is in doubt", || indoubt(run) == 0).await;
        runs(run, "LOOK").await;
        assert_eq!(displayed("PLAI ").as_deref().map(str::trim), Some("0"));
        assert_eq!(displayed("RECQ ").as_deref(), Some("GONE"));
        assert_eq!((lines("DONE "), lines("SOON"), lines("DRAINED ")), (0, 0, 0));
        true
    });
}

/// The task of a START, whose unit of work is in doubt, is done already or is to be done again: which of both is unknown before its end.
#[test]
fn a_start_that_is_worked_off_in_doubt_waits_with_its_unit_of_work() {
    for (crash, backs_out) in [(false, false), (false, true), (true, false), (true, true)] {
        let (site, elsewhere) = (Site::new("doubtful-work", APPLICATION), silent());
        let resolve = async |run: &Run| {
            Timeline::of_process().clear();
            (elsewhere.state().is_silent, elsewhere.state().backs_out) = (false, backs_out);
            connect(run, &elsewhere);
            run.until("nothing is in doubt", || indoubt(run) == 0).await;
            if backs_out {
                run.until("it is done again", || displayed("WORK A").is_some()).await;
            }
            Dispatcher::of(&run.house.running.region).idle().await;
            assert_eq!(lines("WORK "), usize::from(backs_out), "crash {crash}, backout {backs_out}");
        };
        site.run(async |run| {
            connect(run, &elsewhere);
            runs(run, "PLAN").await;
            run.until("it is in doubt", || elsewhere.asked() == 1 && indoubt(run) == 1).await;
            Dispatcher::of(&run.house.running.region).idle().await;
            if !crash {
                resolve(run).await;
            }
            !crash
        });
        Timeline::of_process().clear();
        site.run(async |run| {
            Dispatcher::of(&run.house.running.region).idle().await;
            assert_eq!(
                lines("WORK "),
                0,
                "crash {crash}, backout {backs_out}: it is not started while it is in doubt"
            );
            if crash {
                resolve(run).await;
            }
            true
        });
    }
}
