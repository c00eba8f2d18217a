//! Hostile programs: a table of ways to store, call, loop and allocate where one must not, beside those of
//! `tests/literate/programs/hostile.md`. Each ends as its rule says; the region goes on, and a neighbour's storage, queue and
//! part of the CWA hold what they held.

mod common;
#[path = "hostile/growth.rs"]
mod growth;
#[path = "hostile/races.rs"]
mod races;
#[path = "hostile/routines.rs"]
mod routines;
#[path = "hostile/rows.rs"]
mod rows;
#[path = "hostile/shared.rs"]
mod shared;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use common::{Run, Site, attach};
use growth::GROWTH;
use kernel::dispatcher::Dispatcher;
use routines::ROUTINES;
use rows::{Ends, Row, STORES};
use shared::SHARED;
use testkit::commands::{answered, command};
use testkit::timeline::{Happening, Timeline};

/// The least number of ways to be hostile, and of those by storage that tasks share, addressed in place.
const WAYS_MIN: usize = 186;
const SHARED_WAYS_MIN: usize = 60;

/// The longest time of a program to its end: a loop ends after ICVR.
const PATIENCE: Duration = Duration::from_secs(60);
/// The outcome of a program that does not end. It may keep others from running, so it is the last one that is tried.
const NO_END: &str = "it does not end";
/// Tasks that run beside one that never ends.
const OTHERS: usize = 3;
/// The interval between looks for its end.
const LOOK: Duration = Duration::from_millis(2);

/// NEAR lives beside all of them: it looks at what it holds again and again, until a queue says that all is over. A round of five
/// milliseconds may take as long as a program may keep a TCB (ICVR), and ten times that on a busy machine.
const NEIGHBOUR: &str = "
```toml
[sit]
ICVR = 500
EDSALIM = \"64M\"
WRKAREA = 512
TSMAINLIMIT = \"2M\"
[data]
locks-limit = 20000
[[event]]
name = \"GROWS\"
file = \"grows.jsonl\"
```

```csd
DEFINE TSMODEL(ALL) GROUP(T) PREFIX(Q) RECOVERY(YES)
DEFINE TDQUEUE(GROW) GROUP(T) TYPE(INTRA) RECOVSTATUS(NO)
```

```cobol NEAR threadsafe
01 OWN PIC X(4000) VALUE ALL 'OWN'.
01 LOOK PIC X(4000) VALUE ALL 'OWN'.
01 KEPT PIC X(40) VALUE 'KEPT IN A QUEUE'.
01 BEFORE-IT PIC S9(15) COMP-3.
01 BEHIND-IT PIC S9(15) COMP-3.
LINKAGE SECTION.
01 GOT PIC X(4000).
01 CWA PIC X(512).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(4000) END-EXEC
MOVE ALL 'OWN' TO GOT
EXEC CICS ADDRESS CWA(ADDRESS OF CWA) END-EXEC
MOVE ALL 'SHARED' TO CWA(257:256)
EXEC CICS WRITEQ TS QUEUE('KEPT') FROM(KEPT) END-EXEC
DISPLAY 'NEIGHBOUR IS THERE'
EXEC CICS ASKTIME ABSTIME(BEFORE-IT) END-EXEC
PERFORM UNTIL EIBRESP = 0 AND N > 0
    IF OWN NOT = LOOK DISPLAY 'SPOILT WORKING-STORAGE' END-IF
    IF GOT NOT = LOOK DISPLAY 'SPOILT GETMAIN' END-IF
    IF CWA(257:12) NOT = 'SHAREDSHARED' DISPLAY 'SPOILT CWA' END-IF
    EXEC CICS READQ TS QUEUE('KEPT') INTO(KEPT) ITEM(1) END-EXEC
    IF KEPT NOT = 'KEPT IN A QUEUE' DISPLAY 'SPOILT QUEUE' END-IF
    EXEC CICS DELAY FOR MILLISECS(5) END-EXEC
    EXEC CICS ASKTIME ABSTIME(BEHIND-IT) END-EXEC
    IF BEHIND-IT - BEFORE-IT > 5000 DISPLAY 'SPOILT RESPONSE TIME' END-IF
    MOVE BEHIND-IT TO BEFORE-IT
    MOVE 1 TO N
    EXEC CICS READQ TS QUEUE('ALLOVER') INTO(REC) ITEM(1) NOHANDLE END-EXEC
END-PERFORM
DISPLAY 'NEIGHBOUR IS UNHARMED'
```

```cobol TAKES
LINKAGE SECTION.
01 ONE PIC X(8).
PROCEDURE DIVISION USING ONE.
MOVE 'TAKEN' TO ONE
GOBACK.
```

```cobol STARTED
CONTINUE
```

```cobol OTHR
CONTINUE
```
";

/// All rows.
fn rows() -> impl Iterator<Item = &'static Row> {
    STORES.iter().chain(SHARED).chain(ROUTINES).chain(GROWTH)
}

/// The name of a row's program and transaction.
fn named(number: usize) -> String {
    format!("H{number:03}")
}

/// The application: NEAR and a program for each row. Only a loop that is to end with AICA has the short limit: what others need for
/// their end depends on the machine.
fn application() -> String {
    let mut text = NEIGHBOUR.to_owned();
    for (number, row) in rows().enumerate() {
        let name = named(number);
        let program = row.program.replace("%NAME%", &name);
        if !matches!(row.ends, Ends::Abend("AICA")) {
            let define = "DEFINE TRANSACTION";
            writeln!(text, "\n```csd\n{define}({name}) GROUP(T) PROGRAM({name}) RUNAWAY(30000)\n```")
                .expect("text");
        }
        writeln!(text, "\n```cobol {name}\n{program}\n```").expect("text");
    }
    text
}

/// Runs a row's program to its end: what has happened meanwhile.
async fn outcome(run: &mut Run, number: usize) -> Vec<String> {
    let region = &run.house.running.region;
    Timeline::of_process().clear();
    let task = attach(region, &named(number));
    let is_over = || Dispatcher::of(region).tasks().iter().all(|other| other.number != task);
    if matches!(rows().nth(number).map(|row| &row.ends), Some(Ends::Purged)) {
        for _ in 0..OTHERS {
            attach(region, "OTHR");
            tokio::time::sleep(LOOK).await;
        }
        let alone = || {
            Dispatcher::of(region).tasks().iter().all(|other| other.transaction.name.to_string() != "OTHR")
        };
        run.until("others", alone).await;
        assert!(!is_over(), "a program that goes on for ever");
        Dispatcher::of(region).task(task).iter().for_each(|task| task.force_purge());
    }
    let ended = async {
        while !is_over() {
            tokio::time::sleep(LOOK).await;
        }
    };
    if tokio::time::timeout(PATIENCE, ended).await.is_err() {
        return vec![NO_END.to_owned()];
    }
    let happened = Timeline::of_process().since(0).into_iter();
    let lasting = happened.filter(|one| !matches!(one, Happening::Outcome(_) | Happening::Shipped(_)));
    lasting.map(|one| one.to_string()).collect()
}

/// The mistake in a row's outcome, if there is one.
fn wrong(number: usize, row: &Row, happened: &[String]) -> Option<String> {
    let name = named(number);
    let abends: Vec<&String> =
        happened.iter().filter(|line| line.contains(&format!("{name} abended"))).collect();
    let shows = |text: &str| happened.iter().any(|line| line.trim_end() == text);
    let is_right = !happened.iter().any(|line| line.contains("SPOILT") || line.contains("NEVER HERE"))
        && match row.ends {
            Ends::Abend(code) => abends.len() == 1 && abends[0].contains(&format!("abended {code} in")),
            Ends::Shows(text) => abends.is_empty() && shows(text),
            Ends::Purged => abends.len() == 1,
        };
    (!is_right)
        .then(|| format!("{name} {}\n  expected {:?}\n  {}", row.rule, row.ends, happened.join("\n  ")))
}

#[test]
fn hostile_programs_harm_only_themselves() {
    assert!(rows().count() >= WAYS_MIN && SHARED.len() >= SHARED_WAYS_MIN, "{} ways", rows().count());
    Site::new("hostile", &application()).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "NEAR");
        run.until("the neighbour", || is_shown("NEIGHBOUR IS THERE")).await;
        let mut all = Vec::new();
        for (number, row) in rows().enumerate() {
            let happened = outcome(run, number).await;
            let ended = happened != [NO_END];
            all.extend(wrong(number, row, &happened));
            assert!(ended, "{}", all.join("\n"));
        }
        assert!(all.is_empty(), "{} of {}:\n{}", all.len(), rows().count(), all.join("\n"));
        let over = vec![command("WRITEQ TS QUEUE(ALLOVER) FROM(YES)")];
        answered(&region, over).await.expect("an answer");
        run.until("the neighbour's end", || is_shown("NEIGHBOUR IS UNHARMED")).await;
        Dispatcher::of(&region).idle().await;
        true
    });
}

fn is_shown(text: &str) -> bool {
    let happened = Timeline::of_process().since(0);
    happened.iter().any(|one| matches!(one, Happening::Display(line) if line.trim_end() == text))
}
