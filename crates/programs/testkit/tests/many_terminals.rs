//! Many terminals at MXT, with tasks that are purged and terminals that go away at random: in the end each that has stayed has had
//! its answers, and no place, class, lock, terminal or storage is left behind.
//!
//! `TERMINALS=1000 SEEDS=1..4` makes it large.

mod common;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bms::ExtendedSet;
use common::{Run, Site};
use domains::interval::IntervalControl;
use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use kernel::security::Users;
use kernel::task::TaskControl;
use kernel::terminal_control;
use kernel::terminals::{Asked, Line, Terminal, TerminalParts, Terminals, UpperCase};
use spec::measures::{StatisticId, stat};
use tn3270::datastream::{Aid, Inbound, Size};
use tokio::sync::Notify;

/// Terminals, and the inputs of each, if the run does not ask for more.
const TERMINALS: usize = 24;
const INPUTS: usize = 4;
/// The number of terminals for each task that may run.
const TERMINALS_PER_TASK: usize = 20;
/// The interval at which the tasks to be purged are chosen.
const PURGE_EVERY: Duration = Duration::from_millis(2);
/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes that programs may differ by from one look to the next: they are loaded on one TCB after the other.
const PROGRAMS_BYTES: usize = 500_000;

/// Each task of WORK has two megabytes for a while, an enqueue and a record that others want. TALK waits for its terminal,
/// FEED starts another task there, NEXT names the next transaction, CLAS has a class of two.
const APPLICATION: &str = "
```csd
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES) ADD(YES) UPDATE(YES)
       RECOVERY(BACKOUTONLY)
DEFINE TRANCLASS(FEW) GROUP(T) MAXACTIVE(2)
DEFINE TRANSACTION(CLAS) GROUP(T) PROGRAM(WORK) TRANCLASS(FEW)
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```data T.KEPT
0
1
2
3
```

```cobol WORK threadsafe
77 DIGIT PIC 9.
77 KEY-1 PIC X.
LINKAGE SECTION.
01 BIG PIC X(1000000).
PROCEDURE DIVISION.
DIVIDE EIBTASKN BY 4 GIVING N REMAINDER DIGIT
MOVE DIGIT TO KEY-1
MOVE 1000000 TO N
EXEC CICS GETMAIN SET(ADDRESS OF BIG) FLENGTH(N) END-EXEC
EXEC CICS PUT CONTAINER('C') CHANNEL('CH') FROM(BIG) FLENGTH(N)
    END-EXEC
EXEC CICS ENQ RESOURCE(KEY-1) LENGTH(1) END-EXEC
MOVE 80 TO LEN
EXEC CICS READ FILE('KEPT') INTO(REC) LENGTH(LEN) RIDFLD(KEY-1)
    UPDATE END-EXEC
EXEC CICS DELAY FOR MILLISECS(3) END-EXEC
EXEC CICS REWRITE FILE('KEPT') FROM(REC) LENGTH(80) END-EXEC
IF EIBTRMID NOT = SPACES AND EIBTRMID NOT = LOW-VALUES
    EXEC CICS SEND TEXT FROM('DONE') LENGTH(4) ERASE FREEKB END-EXEC
END-IF
```

```cobol TALK threadsafe
EXEC CICS SEND TEXT FROM('TALK') LENGTH(4) ERASE FREEKB END-EXEC
MOVE 80 TO LEN
EXEC CICS RECEIVE INTO(REC) LENGTH(LEN) NOHANDLE END-EXEC
EXEC CICS SEND TEXT FROM('DONE') LENGTH(4) ERASE FREEKB END-EXEC
```

```cobol FEED threadsafe
EXEC CICS START TRANSID('WORK') TERMID(EIBTRMID) END-EXEC
EXEC CICS SEND TEXT FROM('DONE') LENGTH(4) ERASE FREEKB END-EXEC
```

```cobol NEXT threadsafe
EXEC CICS PUT CONTAINER('C') CHANNEL('CH') FROM(REC) END-EXEC
EXEC CICS SEND TEXT FROM('DONE') LENGTH(4) ERASE FREEKB END-EXEC
EXEC CICS RETURN TRANSID('WORK') CHANNEL('CH') END-EXEC
```
";

/// The transactions, as often as they are typed.
const TRANSACTIONS: [&[u8; 4]; 8] = [b"WORK", b"WORK", b"WORK", b"CLAS", b"CLAS", b"TALK", b"FEED", b"NEXT"];

/// A line that only notes the arrival of output.
struct Noticed(Arc<Notify>);

impl Line for Noticed {
    fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async move { self.try_send(stream) })
    }

    fn try_send(&self, _: Vec<u8>) -> bool {
        self.0.notify_one();
        true
    }

    fn close(&self) {}
}

/// A user at a terminal.
struct Person {
    region: Arc<Region>,
    terminal: Arc<Terminal>,
    answered: Arc<Notify>,
}

impl Person {
    fn sits_down(region: &Arc<Region>) -> Self {
        const SIZE: Size = Size { rows: 24, columns: 80 };
        let parts = TerminalParts {
            default_size: SIZE,
            alternate_size: SIZE,
            features: ExtendedSet::NONE,
            peer: String::new(),
            upper_case: UpperCase::No,
            printer: None,
        };
        let given = Terminals::of(region).reserve(Asked::default()).expect("a name");
        let (name, netname) = (given.name, given.netname);
        let answered = Arc::new(Notify::new());
        let line = Box::new(Noticed(Arc::clone(&answered)));
        let terminal = Terminal::new(name, netname, parts, Arc::clone(&Users::of(region).default), line);
        Terminals::of(region).connect(&terminal);
        IntervalControl::of(region).terminal_came(region, name);
        Self { region: Arc::clone(region), terminal, answered }
    }

    /// Types a text and waits until the keyboard is free.
    async fn types(&self, text: &[u8]) {
        let text = self.region.options.terminal_code_page.from_program(text);
        let record = [&[Aid::Enter.code(), 0x40, 0x40], text.as_slice()].concat();
        let inbound = Inbound::read(&record).expect("an input");
        terminal_control::arrived(&self.region, &self.terminal, inbound).expect("room for an input");
        let answer = async {
            while self.terminal.is_locked() {
                self.answered.notified().await;
            }
        };
        let name = self.terminal.name;
        if tokio::time::timeout(PATIENCE, answer).await.is_err() {
            let task = self.terminal.task().map(|task| (task.number, task.waits_for()));
            panic!("terminal {name} has no answer; its task: {task:?}");
        }
    }

    /// The connection is lost.
    fn goes(self) {
        self.terminal.hang_up();
        Terminals::of(&self.region).remove(self.terminal.name);
        terminal_control::left(&self.region, &self.terminal);
    }
}

/// The counts of a run.
#[derive(Default)]
struct Counts {
    answers: Cell<usize>,
    slowest: Cell<Duration>,
    gone: Cell<usize>,
    purged: Cell<usize>,
}

/// One person after the other at one desk.
async fn desk(region: Arc<Region>, seed: u64, counts: Rc<Counts>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut person = Person::sits_down(&region);
    for _ in 0..INPUTS {
        let begun = Instant::now();
        person.types(random.choice(TRANSACTIONS).expect("some")).await;
        counts.answers.set(counts.answers.get() + 1);
        counts.slowest.set(counts.slowest.get().max(begun.elapsed()));
        if random.u8(..10) == 0 {
            // Now and then while a task runs.
            if random.bool() {
                let text = region.options.terminal_code_page.from_program(b"WORK");
                let record = [&[Aid::Enter.code(), 0x40, 0x40], text.as_slice()].concat();
                let _ = terminal_control::arrived(
                    &region,
                    &person.terminal,
                    Inbound::read(&record).expect("an input"),
                );
            }
            person.goes();
            counts.gone.set(counts.gone.get() + 1);
            person = Person::sits_down(&region);
        }
    }
    person.goes();
}

/// Purges tasks, until it is dropped.
async fn purge(region: Arc<Region>, seed: u64, counts: Rc<Counts>) {
    let mut random = fastrand::Rng::with_seed(seed);
    loop {
        tokio::time::sleep(PURGE_EVERY).await;
        let tasks = Dispatcher::of(&region).tasks();
        for task in tasks {
            if random.u8(..8) > 0 {
                continue;
            }
            let how = if random.bool() { TaskControl::purge } else { TaskControl::force_purge };
            how(&task);
            counts.purged.set(counts.purged.get() + 1);
        }
    }
}

fn figure(region: &Region, id: StatisticId) -> u64 {
    Statistics::of(region).now(region).iter().find_map(|statistic| statistic.number(id)).unwrap_or_default()
}

async fn seeded(run: &mut Run, seed: u64, terminals: usize) {
    let region = Arc::clone(&run.house.running.region);
    let person = Person::sits_down(&region);
    for transaction in [b"WORK", b"CLAS", b"NEXT", b"WORK"] {
        person.types(transaction).await;
    }
    person.goes();
    Dispatcher::of(&region).idle().await;
    let (before, begun, counts) = (region.dsa.used(), Instant::now(), Rc::new(Counts::default()));
    let attached = Dispatcher::of(&region).attached();
    let purger = tokio::task::spawn_local(purge(Arc::clone(&region), seed, Rc::clone(&counts)));
    let desks = RefCell::new(Vec::new());
    for place in 0..terminals as u64 {
        let own = seed.wrapping_mul(1_000_003).wrapping_add(place);
        desks.borrow_mut().push(tokio::task::spawn_local(desk(Arc::clone(&region), own, Rc::clone(&counts))));
    }
    for desk in desks.take() {
        desk.await.unwrap_or_else(|panic| panic!("seed {seed}: {panic}"));
    }
    purger.abort();
    // What is left ends by itself: no user sits at a terminal any more.
    run.until("no task is left", || Dispatcher::of(&region).running() == 0).await;
    let shown = |id| figure(&region, id);
    assert_eq!((shown(stat::XMGCAT), shown(stat::XMGCQT)), (0, 0), "seed {seed}: places below MXT");
    let classes = Dispatcher::of(&region).classes();
    assert!(classes.iter().all(|class| class.running + class.queued == 0), "seed {seed}: {classes:?}");
    assert!(Terminals::of(&region).list().is_empty(), "seed {seed}: terminals");
    let locks = region.records.locks().list();
    assert!(locks.is_empty(), "seed {seed}: {} locks", locks.len());
    assert!(region.dsa.used() < before + PROGRAMS_BYTES, "seed {seed}: {} bytes", region.dsa.used() - before);
    assert_eq!(shown(stat::SMSCSS), 0, "seed {seed}: nobody waits for storage");
    println!(
        "seed {seed}: {terminals} terminals, MXT {}: {} answers, the slowest after {:?}; {} tasks, {} purges, {} terminals gone, \
         short on storage {} times, {} waits for it; {:?}",
        Dispatcher::of(&region).tasks_max(),
        counts.answers.get(),
        counts.slowest.get(),
        Dispatcher::of(&region).attached() - attached,
        counts.purged.get(),
        counts.gone.get(),
        shown(stat::SMSSOS),
        shown(stat::SMSUCSS),
        begun.elapsed(),
    );
}

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("SEEDS") else { return 1..2 };
    let range = text.split_once("..").expect("SEEDS=FROM..TO");
    let number = |text: &str| text.parse().expect("SEEDS=FROM..TO");
    number(range.0)..number(range.1)
}

#[test]
fn nothing_is_left_behind_by_tasks_that_are_purged_and_terminals_that_go() {
    let asked = std::env::var("TERMINALS").ok();
    let terminals = asked.map_or(TERMINALS, |text| text.parse().expect("TERMINALS=NUMBER"));
    let tasks = (terminals / TERMINALS_PER_TASK).max(6);
    // Each has one megabyte, and some of them the second.
    let storage = tasks + tasks / 4 + 3;
    let text = format!("```toml\n[sit]\nMXT = {tasks}\nEDSALIM = \"{storage}M\"\n```\n{APPLICATION}");
    Site::new("many_terminals", &text).run(async |run| {
        for seed in seeds() {
            seeded(run, seed, terminals).await;
        }
        true
    });
}
