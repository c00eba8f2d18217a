//! Units of work that end in several places: votes, decisions, deaths in between.

use std::rc::Rc;
use std::sync::Arc;

use attachment::{Server, Tcb, Thread};
use coordinator::{Answered, Coordinator, Fate, Limits, OnePhase, Outcome, Participant, UnitName, Vote};
use db2::package::{Action, Change};
use records::{Engine, Local, Recovery, UnitOfWork};
use tokio::sync::Mutex;
use tokio::task::spawn_local;

use crate::place::{address, another, block_on, settings};
use crate::program::{INT, Task, variable};

/// A server as a participant, and a task whose unit of work `name` has inserted a row into `t`.
struct Stage {
    schema: &'static str,
    server: Arc<Server>,
}

impl Stage {
    async fn new(schema: &'static str) -> Self {
        let _ = Task::new(schema, "CREATE TABLE t (id int PRIMARY KEY)").await;
        Self { schema, server: server(schema, schema) }
    }

    /// A task's unit of work with one change.
    async fn changed(&self, name: &str, id: i32) -> (UnitName, Rc<Mutex<Thread>>) {
        let mut task = Task::with(self.schema);
        let insert = Action::Change(Change::InsertValues);
        let insert = task.statement(insert, "INSERT INTO t VALUES ($1)", &[variable(0, INT, None)], &[]);
        task.storage.0 = vec![id.to_be_bytes().to_vec()];
        assert_eq!(task.run(insert).await, 0);
        // The database outlives a run, and no unit of work ever has the name of another.
        let run = std::process::id();
        let unit = UnitName::new(format!("{} {run} {name}", self.schema).as_bytes());
        let thread = Rc::new(Mutex::new(task.thread));
        self.server.keep(&unit, &thread);
        (unit, thread)
    }

    /// The rows of `t` as others see them.
    async fn seen(&self) -> String {
        let answer =
            another(self.schema).await.script("SELECT string_agg(id::text, ' ' ORDER BY id) FROM t").await;
        let shown = answer
            .unwrap()
            .rows
            .row(0)
            .next()
            .flatten()
            .map(|text| String::from_utf8_lossy(text).into_owned());
        shown.unwrap_or_default()
    }
}

/// A participant of a region whose units of work are named after the schema.
fn server(name: &str, schema: &str) -> Arc<Server> {
    let tcb = Tcb::new(address(), settings(schema));
    let (server, home) = Server::new(name, format!("{schema} ").as_bytes(), &tcb);
    drop(spawn_local(home.run()));
    server
}

#[test]
fn a_prepared_unit_follows_the_decision_whoever_has_died() {
    block_on(async {
        let stage = Stage::new("follows").await;
        let (first, _) = stage.changed("1", 1).await;
        assert_eq!(stage.server.prepare(&first).await, Vote::Yes);
        let (second, _) = stage.changed("2", 2).await;
        assert_eq!(stage.server.prepare(&second).await, Vote::Yes);
        // The region is gone; a new one asks.
        let server = server("follows", "follows");
        let mut indoubt = server.indoubt().await.unwrap();
        indoubt.sort();
        assert_eq!(indoubt, [first.clone(), second.clone()]);
        for _ in 0..2 {
            assert_eq!(server.commit(&first).await, Answered::Done);
            assert_eq!(server.backout(&second).await, Answered::Done);
        }
        assert_eq!(server.indoubt().await, Some(Vec::new()));
        assert_eq!(stage.seen().await, "1");
    });
}

#[test]
fn one_phase_and_backout() {
    block_on(async {
        let stage = Stage::new("one_phase").await;
        let (first, thread) = stage.changed("1", 1).await;
        assert_eq!(stage.server.commit_one_phase(&first).await, OnePhase::Committed);
        assert_eq!(thread.lock().await.xid(), None);
        let (second, _) = stage.changed("2", 2).await;
        assert_eq!(stage.server.backout(&second).await, Answered::Done);
        assert_eq!(stage.server.forget(&second).await, Answered::Done);
        assert_eq!(stage.server.prepare(&second).await, Vote::Unreachable);
        assert_eq!(stage.seen().await, "1");
    });
}

#[test]
fn a_session_that_is_lost_before_its_end_is_backed_out() {
    block_on(async {
        let stage = Stage::new("lost_before").await;
        let end =
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE relation = 'lost_before.t'::regclass";
        let (first, _) = stage.changed("1", 1).await;
        another("lost_before").await.script(end).await.unwrap();
        assert_eq!(stage.server.prepare(&first).await, Vote::Unreachable);
        let (second, _) = stage.changed("2", 2).await;
        another("lost_before").await.script(end).await.unwrap();
        assert_eq!(stage.server.commit_one_phase(&second).await, OnePhase::BackedOut);
        assert_eq!((stage.server.indoubt().await, stage.seen().await.as_str()), (Some(Vec::new()), ""));
    });
}

#[test]
fn records_and_two_servers_commit_together() {
    block_on(async {
        let stage = Stage::new("together").await;
        let other = Stage { schema: "together", server: server("another", "together") };
        let folder = crate::place::folder("together");
        let _ = std::fs::remove_dir_all(&folder);
        let engine: Arc<dyn Engine> = Local::open(&folder, records::Limits::default()).unwrap();
        let mut unit = engine.begin(engine.locks().new_owner());
        let decisions = unit.create_store("decisions", Recovery::Recoverable).unwrap();
        let accounts = unit.create_store("accounts", Recovery::Recoverable).unwrap();
        unit.commit().await.unwrap();
        let coordinator = Coordinator::new(Arc::clone(&engine), decisions, Limits { decisions: 10 });
        for server in [&stage.server, &other.server] {
            coordinator.introduce(Arc::clone(server) as Arc<dyn Participant>);
        }
        for (commit, name, ids) in [(true, "1", [1, 2]), (false, "2", [3, 4])] {
            let (unit, _mine) = stage.changed(name, ids[0]).await;
            let (_, _its) = other.changed(name, ids[1]).await;
            let mut own: Box<dyn UnitOfWork> = engine.begin(engine.locks().new_owner());
            own.put(accounts, b"key", if commit { b"kept" } else { b"lost" }).await.unwrap();
            let participants: Vec<Arc<dyn Participant>> = vec![stage.server.clone(), other.server.clone()];
            let mut ending = match commit {
                true => coordinator.commit(unit, Vec::new(), Some(own), participants),
                false => coordinator.backout(unit, Some(own), participants),
            };
            assert_eq!(matches!(ending.outcome().await, Outcome::Committed), commit);
            ending.settle().await;
            assert_eq!(stage.seen().await, "1 2");
            let mut reader = engine.begin(engine.locks().new_owner());
            let mut record = Vec::new();
            assert!(reader.get(accounts, b"key", &mut record).await.unwrap());
            assert_eq!(record, b"kept");
        }
        assert_eq!((stage.server.indoubt().await, coordinator.decided().len()), (Some(Vec::new()), 0));
    });
}

#[test]
fn the_last_resource_leaves_its_name_until_no_region_will_ask() {
    block_on(async {
        let stage = Stage::new("last").await;
        let (first, _) = stage.changed("1", 1).await;
        let evidence = stage.server.evidence(&first).await.expect("it can be the last resource");
        // While its task is there it has not ended.
        assert_eq!(stage.server.fate(&first, &evidence).await, Fate::Unreachable);
        assert_eq!(stage.server.commit_one_phase(&first).await, OnePhase::Committed);
        for _ in 0..2 {
            assert_eq!(stage.server.fate(&first, &evidence).await, Fate::Committed);
        }
        let another = [0; 8];
        assert!(matches!(stage.server.fate(&first, &another).await, Fate::Unknowable(_)));
        // One that only read has to vote.
        let idle = Rc::new(Mutex::new(Task::with("last").thread));
        let reads = UnitName::new(b"last 2");
        stage.server.keep(&reads, &idle);
        assert_eq!(stage.server.evidence(&reads).await, None);
        assert_eq!(stage.server.prepare(&reads).await, Vote::ReadOnly);
        stage.server.forget_all().await;
        assert_eq!(stage.server.fate(&first, &evidence).await, Fate::BackedOut);
    });
}

#[test]
fn a_last_resource_that_was_asked_about_too_early_cannot_commit_any_more() {
    block_on(async {
        let stage = Stage::new("early").await;
        let (unit, _) = stage.changed("1", 1).await;
        let evidence = stage.server.evidence(&unit).await.expect("it can be the last resource");
        // The region is gone, but not its session; a new one asks.
        let server = server("early", "early");
        assert_eq!(server.fate(&unit, &evidence).await, Fate::BackedOut);
        assert_eq!(stage.server.commit_one_phase(&unit).await, OnePhase::BackedOut);
        assert_eq!(stage.seen().await, "");
    });
}

#[test]
fn names_of_last_resources_are_forgotten_by_hundreds() {
    block_on(async {
        let stage = Stage::new("hundreds").await;
        stage.server.forget_all().await;
        let mut most = 0;
        for id in 0..250 {
            let (unit, _) = stage.changed(&id.to_string(), id).await;
            assert!(stage.server.evidence(&unit).await.is_some());
            assert_eq!(stage.server.commit_one_phase(&unit).await, OnePhase::Committed);
            // Own changes have ended.
            assert_eq!(stage.server.forget(&unit).await, Answered::Done);
            if id % 50 == 49 {
                most = most.max(names(&stage).await);
            }
        }
        assert!((50..=150).contains(&most), "{most}");
        assert!(names(&stage).await <= 150);
    });
}

async fn names(stage: &Stage) -> usize {
    let text = format!("SELECT 1 FROM syncpoint.ended WHERE substr(unit, 1, 8) = '{}'", stage.schema);
    another(stage.schema).await.script(text).await.unwrap().rows.len()
}
