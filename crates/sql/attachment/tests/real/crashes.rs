//! The crash matrix: a unit of work over records and a server is cut off between each two of its steps. Region, server or
//! both die at a named point; once both are back, both have the change or neither has, and nothing is in doubt.

use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use attachment::{Server, Tcb, Thread};
use coordinator::{Answered, Coordinator, Fate, Limits, OnePhase, Outcome, Participant, UnitName, Vote};
use db2::package::{Action, Change, Package};
use records::{Answer, Engine, Local, Recovery, UnitOfWork};
use rustix::process::{Pid, Signal, kill_process};
use sql::codes::Scope;
use sql::server::{Private, Server as Database};
use sql::{Address, Session};
use tokio::sync::{Mutex, Notify};
use tokio::task::{spawn_local, yield_now};
use tokio::time::timeout;

use crate::place::{address, block_on, folder, private, settings, wait_for_end};
use crate::program::{INT, Storage, Task, variable};

/// Between which steps: after this one, and before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Changed,
    Shown,
    Asked,
    Prepared,
    Decided,
    Committed,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Region,
    Database,
    Both,
}

/// The victim of the crash, and true if the change is there in the end.
type Ends = [(Victim, bool); 3];
const NONE: Ends = [(Victim::Region, false), (Victim::Database, false), (Victim::Both, false)];
const ALL: Ends = [(Victim::Region, true), (Victim::Database, true), (Victim::Both, true)];

/// The server votes.
const VOTES: [(Point, Ends); 6] = [
    (Point::Changed, NONE),
    (Point::Asked, NONE),
    // Who lives has heard the vote, and decides; a region that has not presumes a backout.
    (Point::Prepared, [(Victim::Region, false), (Victim::Database, true), (Victim::Both, false)]),
    (Point::Decided, ALL),
    (Point::Committed, ALL),
    (Point::Over, ALL),
];

/// The server is the last resource: records are in doubt from before it was asked until it has answered.
const LAST: [(Point, Ends); 5] = [
    (Point::Changed, NONE),
    (Point::Shown, NONE),
    (Point::Asked, NONE),
    (Point::Committed, ALL),
    (Point::Over, ALL),
];

/// The name of the participant, and what names of units of work begin with.
const NAME: &str = "DB2";
const PREFIX: &str = "CRASHES ";
/// The longest wait for a server that comes back and learns everything.
const BACK: Duration = Duration::from_secs(60);

/// The crash that cuts off a unit of work.
#[derive(Clone)]
struct Knife {
    point: Point,
    victim: Victim,
    database: u32,
    /// Records as the region's death leaves them: a copy of them as they are then.
    records: PathBuf,
    left: PathBuf,
    is_dead: Arc<Notify>,
}

impl Knife {
    async fn at(&self, point: Point) {
        if point != self.point {
            return;
        }
        if self.victim != Victim::Database {
            copy(&self.records, &self.left);
        }
        if self.victim != Victim::Region {
            kill(self.database);
        }
        if self.victim != Victim::Database {
            self.is_dead.notify_one();
            pending::<()>().await;
        }
    }
}

/// Kills a server with all its processes: none of them does anything more.
fn kill(database: u32) {
    let children = fs::read_to_string(format!("/proc/{database}/task/{database}/children")).unwrap();
    let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
    for pid in std::iter::once(database).chain(children) {
        // One that has ended meanwhile is as dead.
        let _ = kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL);
    }
}

/// Copies a folder as a crash leaves it: of one moment. What an engine still writes beside the task changes the files, and they are
/// copied again.
fn copy(from: &Path, to: &Path) {
    loop {
        let before = states(from);
        copy_once(from, to);
        if states(from) == before {
            return;
        }
        fs::remove_dir_all(to).unwrap();
    }
}

/// Lengths and times of all files of a folder.
fn states(folder: &Path) -> Vec<(PathBuf, u64, SystemTime)> {
    let mut states = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let about = entry.metadata().unwrap();
        match about.is_dir() {
            true => states.extend(self::states(&entry.path())),
            false => states.push((entry.path(), about.len(), about.modified().unwrap())),
        }
    }
    states.sort();
    states
}

fn copy_once(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_once(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// A server whose answers pass the knife.
struct Cut {
    server: Arc<Server>,
    knife: Knife,
    /// It does not want to be the last resource.
    votes: bool,
}

impl Participant for Cut {
    fn name(&self) -> &str {
        self.server.name()
    }

    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote> {
        let (server, knife, unit) = (Arc::clone(&self.server), self.knife.clone(), unit.clone());
        Answer::later(async move {
            knife.at(Point::Asked).await;
            let vote = server.prepare(&unit).await;
            knife.at(Point::Prepared).await;
            vote
        })
    }

    fn commit_one_phase(&self, unit: &UnitName) -> Answer<'static, OnePhase> {
        let (server, knife, unit) = (Arc::clone(&self.server), self.knife.clone(), unit.clone());
        Answer::later(async move {
            knife.at(Point::Asked).await;
            let done = server.commit_one_phase(&unit).await;
            knife.at(Point::Committed).await;
            done
        })
    }

    fn evidence(&self, unit: &UnitName) -> Answer<'static, Option<Vec<u8>>> {
        if self.votes {
            return Answer::ready(None);
        }
        let (server, knife, unit) = (Arc::clone(&self.server), self.knife.clone(), unit.clone());
        Answer::later(async move {
            let evidence = server.evidence(&unit).await;
            knife.at(Point::Shown).await;
            evidence
        })
    }

    fn fate(&self, unit: &UnitName, evidence: &[u8]) -> Answer<'static, Fate> {
        self.server.fate(unit, evidence)
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        let (server, knife, unit) = (Arc::clone(&self.server), self.knife.clone(), unit.clone());
        Answer::later(async move {
            knife.at(Point::Decided).await;
            let answered = server.commit(&unit).await;
            knife.at(Point::Committed).await;
            answered
        })
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.server.backout(unit)
    }

    fn forget(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.server.forget(unit)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        self.server.indoubt()
    }
}

/// As much of a region as a unit of work needs.
struct Region {
    engine: Arc<dyn Engine>,
    coordinator: Arc<Coordinator>,
    server: Arc<Server>,
    tcb: Rc<Tcb>,
}

impl Region {
    async fn start(records: &Path, database: &Address) -> Self {
        let engine: Arc<dyn Engine> = Local::open(records, records::Limits::default()).unwrap();
        if engine.find("decisions").is_none() {
            let mut unit = engine.begin(engine.locks().new_owner());
            unit.create_store("decisions", Recovery::Recoverable).unwrap();
            unit.create_store("accounts", Recovery::Recoverable).unwrap();
            unit.commit().await.unwrap();
        }
        let decisions = engine.find("decisions").unwrap();
        let coordinator = Coordinator::new(Arc::clone(&engine), decisions, Limits { decisions: 10 });
        coordinator.recover().await.unwrap();
        let tcb = Tcb::new(database.clone(), settings("public"));
        let (server, home) = Server::new(NAME, PREFIX.as_bytes(), &tcb);
        drop(spawn_local(home.run()));
        coordinator.introduce(Arc::clone(&server) as _);
        Self { engine, coordinator, server, tcb }
    }

    /// Writes a record and a row, and commits both. Returns true if the task learns that they are committed.
    async fn work(&self, id: i32, knife: &Knife, votes: bool) -> bool {
        let package = Package { program: "PROG".to_owned(), ..Package::default() };
        let thread = Thread::new(&self.tcb, Scope::Unit);
        let mut task = Task { thread, package, storage: Storage(vec![id.to_be_bytes().to_vec()]) };
        let insert = Action::Change(Change::InsertValues);
        let insert = task.statement(insert, "INSERT INTO t VALUES ($1)", &[variable(0, INT, None)], &[]);
        assert_eq!(task.run(insert).await, 0);
        let unit = UnitName::new(format!("{PREFIX}{id}").as_bytes());
        self.server.keep(&unit, &Rc::new(Mutex::new(task.thread)));
        let mut own: Box<dyn UnitOfWork> = self.engine.begin(self.engine.locks().new_owner());
        own.put(self.engine.find("accounts").unwrap(), b"key", b"changed").await.unwrap();
        knife.at(Point::Changed).await;
        let cut = Cut { server: Arc::clone(&self.server), knife: knife.clone(), votes };
        let mut ending = self.coordinator.commit(unit, Vec::new(), Some(own), vec![Arc::new(cut)]);
        let is_committed = matches!(ending.outcome().await, Outcome::Committed);
        ending.settle().await;
        knife.at(Point::Over).await;
        is_committed
    }

    /// Returns true for the record and for the row if they have the change, once all is resolved.
    async fn look(&self, id: i32, database: &Address) -> (bool, bool) {
        let resolved = async {
            while self.coordinator.resynchronise_all().await {
                yield_now().await
            }
        };
        timeout(BACK, resolved).await.expect("everybody can be reached");
        assert_eq!(self.coordinator.decided(), []);
        assert_eq!(self.engine.indoubt().unwrap(), []);
        let mut session = Session::connect(database, &settings("public")).await.unwrap();
        let answer = session.script("SELECT 1 FROM pg_prepared_xacts").await.unwrap();
        assert_eq!(answer.rows.len(), 0, "units of work are in doubt");
        let answer = session.script(format!("SELECT 1 FROM t WHERE id = {id}")).await.unwrap();
        let mut reader = self.engine.begin(self.engine.locks().new_owner());
        let accounts = self.engine.find("accounts").unwrap();
        let has_record = reader.get(accounts, b"key", &mut Vec::new()).await.unwrap();
        (has_record, answer.rows.len() == 1)
    }
}

/// The server, running again if it was killed.
async fn back(mut database: Database, private: &Private, was_killed: bool) -> Database {
    if !was_killed {
        return database;
    }
    while !database.has_ended() {
        yield_now().await;
    }
    Database::start(private).await.unwrap()
}

#[test]
fn whoever_dies_between_two_steps_both_sides_agree() {
    // No other run of these tests uses the folders of this one.
    let _ = address();
    let private = private(&folder("crashes"));
    wait_for_end(&private.folder);
    let _ = fs::remove_dir_all(&private.folder);
    let mut database = block_on(async {
        let database = Database::start(&private).await.unwrap();
        let mut session = Session::connect(&database.address(), &settings("public")).await.unwrap();
        session.script("CREATE TABLE t (id int PRIMARY KEY)").await.unwrap();
        database
    });
    let votes = VOTES.iter().map(|(point, ends)| (true, *point, ends));
    let last = LAST.iter().map(|(point, ends)| (false, *point, ends));
    let cases = votes.chain(last).flat_map(|(votes, point, ends)| ends.map(|end| (votes, point, end)));
    for (id, (votes, point, (victim, stays))) in (1..).zip(cases) {
        let [records, left] = ["records", "left"].map(|name| folder(&format!("crashes-{name}-{id}")));
        [&records, &left].into_iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        let at = database.address();
        let pid = database.pid();
        let was_killed = victim != Victim::Region;
        let knife =
            Knife { point, victim, database: pid, records: records.clone(), left, is_dead: Arc::default() };
        let (there, found) = if victim == Victim::Database {
            block_on(async {
                let region = Region::start(&records, &at).await;
                // The server comes back while its task may wait for that.
                let work = region.work(id, &knife, votes);
                let (told, there) = tokio::join!(work, back(database, &private, was_killed));
                assert_eq!(told, stays, "{point:?}: what the task hears");
                let found = region.look(id, &there.address()).await;
                (there, found)
            })
        } else {
            // What the region has goes with its thread's runtime: tasks, sessions, everything it waits for.
            block_on(async {
                let region = Region::start(&records, &at).await;
                tokio::select! {
                    _ = region.work(id, &knife, votes) => panic!("{point:?}: {victim:?} lives"),
                    () = knife.is_dead.notified() => {}
                }
            });
            block_on(async {
                let there = back(database, &private, was_killed).await;
                let region = Region::start(&knife.left, &there.address()).await;
                let found = region.look(id, &there.address()).await;
                (there, found)
            })
        };
        database = there;
        assert_eq!(found, (stays, stays), "{point:?}, {victim:?}, votes: {votes}: record and row");
        [&records, &knife.left].into_iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
    }
    block_on(database.stop()).unwrap();
}
