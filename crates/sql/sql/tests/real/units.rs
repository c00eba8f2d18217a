//! Units of work: no transaction without need, statements that fail alone, two-phase commit, what became of it.

use sql::codes::{Doing, Scope, Sqlca};
use sql::resolve::{self, Fate};
use sql::value::{Argument, Field};
use sql::{Ended, Failure, Isolation, Leaves, Session, Statement, Status, Unit};

use crate::place::{another, block_on, session};

/// A unit of work with a table `t (id int PRIMARY KEY)`, and a session that looks on.
async fn unit(schema: &str) -> (Unit, Session) {
    let mut session = session(schema).await;
    session.script("CREATE TABLE t (id int PRIMARY KEY)").await.unwrap();
    (Unit::new(session), another(schema).await)
}

async fn insert(unit: &mut Unit, id: i32) -> Result<u64, i32> {
    let insert = Statement::new("INSERT INTO t VALUES ($1)", &[]);
    let id = Argument { field: Field::binary(4), bytes: &id.to_be_bytes(), indicator: None };
    let done = unit.run(&insert, &[id], 0, Isolation::Committed, Leaves::Something).await;
    done.map(|answer| answer.part(0).count).map_err(|failure| code(&failure))
}

fn code(failure: &Failure) -> i32 {
    Sqlca::of(failure, Doing::Insert, Scope::Unit).code
}

/// The rows of `t` as another session sees them.
async fn seen(other: &mut Session) -> Vec<String> {
    let answer = other.script("SELECT id FROM t ORDER BY id").await.unwrap();
    let text =
        |row| answer.rows.row(row).flatten().map(|id| String::from_utf8_lossy(id).into_owned()).collect();
    (0..answer.rows.len()).map(text).collect()
}

#[test]
fn a_unit_of_work_that_only_reads_has_no_number() {
    block_on(async {
        let (mut unit, _) = unit("only_reads").await;
        let select = Statement::new("SELECT * FROM t", &[]);
        unit.run(&select, &[], 0, Isolation::Committed, Leaves::Nothing).await.unwrap();
        assert_eq!((unit.is_open(), unit.xid()), (true, None));
        assert_eq!(unit.commit().await.unwrap(), Ended::ReadOnly);
        assert_eq!(unit.session().status(), Status::Idle);
        assert_eq!(unit.commit().await.unwrap(), Ended::ReadOnly);
    });
}

#[test]
fn a_statement_that_fails_is_undone_alone() {
    block_on(async {
        let (mut unit, mut other) = unit("fails_alone").await;
        assert_eq!(insert(&mut unit, 1).await, Ok(1));
        assert!(unit.xid().is_some());
        assert_eq!(insert(&mut unit, 1).await, Err(-803));
        assert_eq!(insert(&mut unit, 2).await, Ok(1));
        assert_eq!(insert(&mut unit, 2).await, Err(-803));
        assert_eq!(insert(&mut unit, 1).await, Err(-803));
        assert_eq!(insert(&mut unit, 3).await, Ok(1));
        let wrong = Statement::new("SELECT nothing FROM t", &[]);
        let failed = unit.run(&wrong, &[], 0, Isolation::Committed, Leaves::Nothing).await.unwrap_err();
        assert_eq!(code(&failed), -206);
        assert!(seen(&mut other).await.is_empty());
        assert_eq!(unit.commit().await.unwrap(), Ended::Committed);
        assert_eq!(seen(&mut other).await, ["1", "2", "3"]);
    });
}

#[test]
fn a_first_statement_that_fails_leaves_nothing_open() {
    block_on(async {
        let (mut unit, mut other) = unit("first_fails").await;
        other.script("INSERT INTO t VALUES (1)").await.unwrap();
        assert_eq!(insert(&mut unit, 1).await, Err(-803));
        assert!(!unit.is_open());
        assert_eq!(unit.session().status(), Status::Idle);
        assert_eq!(insert(&mut unit, 2).await, Ok(1));
        unit.backout().await.unwrap();
        assert_eq!(seen(&mut other).await, ["1"]);
    });
}

#[test]
fn several_rows_at_once_are_all_or_none() {
    block_on(async {
        let (mut unit, mut other) = unit("several_rows").await;
        let insert_each = Statement::new("INSERT INTO t VALUES ($1)", &[]);
        let ids = [1i32, 2, 3, 2].map(i32::to_be_bytes);
        let set = |id: &'static [u8]| vec![Argument { field: Field::binary(4), bytes: id, indicator: None }];
        let ids: &'static [[u8; 4]; 4] = Box::leak(Box::new(ids));
        let sets: Vec<_> = ids.iter().map(|id| set(id)).collect();
        assert_eq!(insert(&mut unit, 7).await, Ok(1));
        let (at, failure) = unit.run_each(&insert_each, &sets, Isolation::Committed).await.unwrap_err();
        assert_eq!((at, code(&failure)), (3, -803));
        assert_eq!(unit.run_each(&insert_each, &sets[..3], Isolation::Committed).await.unwrap().count(), 3);
        unit.commit().await.unwrap();
        assert_eq!(seen(&mut other).await, ["1", "2", "3", "7"]);
    });
}

#[test]
fn savepoints_of_the_user_are_their_own() {
    block_on(async {
        let (mut unit, mut other) = unit("user_savepoints").await;
        insert(&mut unit, 1).await.unwrap();
        unit.savepoint("A").await.unwrap();
        insert(&mut unit, 2).await.unwrap();
        assert_eq!(insert(&mut unit, 2).await, Err(-803));
        unit.savepoint("B").await.unwrap();
        insert(&mut unit, 3).await.unwrap();
        unit.back_to_savepoint(None).await.unwrap();
        assert_eq!(insert(&mut unit, 1).await, Err(-803));
        insert(&mut unit, 4).await.unwrap();
        unit.back_to_savepoint(Some("A")).await.unwrap();
        assert!(!unit.has_savepoint("B"));
        assert_eq!(code(&unit.release_savepoint("B").await.unwrap_err()), -880);
        insert(&mut unit, 5).await.unwrap();
        unit.release_savepoint("A").await.unwrap();
        assert_eq!(insert(&mut unit, 5).await, Err(-803));
        unit.commit().await.unwrap();
        assert_eq!(seen(&mut other).await, ["1", "5"]);
    });
}

#[test]
fn a_prepared_unit_waits_for_its_decision() {
    block_on(async {
        let (mut unit, mut other) = unit("prepared_unit").await;
        for (id, name, commit) in [(1, "REGION.it's 1", true), (2, "REGION.2", false)] {
            insert(&mut unit, id).await.unwrap();
            assert_eq!(unit.prepare(name).await.unwrap(), Ended::Committed);
            assert!(!unit.is_open());
            assert_eq!(resolve::prepared(&mut other, "REGION.").await.unwrap(), [name]);
            assert!(resolve::end_prepared(&mut other, name, commit).await.unwrap());
            assert!(!resolve::end_prepared(&mut other, name, commit).await.unwrap());
        }
        assert_eq!(seen(&mut other).await, ["1"]);
        assert_eq!(unit.prepare("REGION.3").await.unwrap(), Ended::ReadOnly);
    });
}

#[test]
fn what_became_of_a_transaction_is_known_by_its_number() {
    block_on(async {
        let (mut unit, mut other) = unit("became").await;
        insert(&mut unit, 1).await.unwrap();
        let first = unit.xid().unwrap();
        assert_eq!(resolve::resolve(&mut other, first).await.unwrap(), Fate::InProgress);
        unit.commit().await.unwrap();
        assert_eq!(resolve::resolve(&mut other, first).await.unwrap(), Fate::Committed);
        insert(&mut unit, 2).await.unwrap();
        let second = unit.xid().unwrap();
        let backend = unit.session().canceller().backend();
        other.script(format!("SELECT pg_terminate_backend({backend}, 5000)")).await.unwrap();
        assert_eq!(resolve::resolve(&mut other, second).await.unwrap(), Fate::BackedOut);
        assert!(matches!(unit.commit().await, Err(Failure::Lost(_))));
    });
}

#[test]
fn a_constraint_that_is_looked_at_last_undoes_the_unit() {
    block_on(async {
        let (mut unit, mut other) = unit("looked_at_last").await;
        let refers = "CREATE TABLE u (id int REFERENCES t DEFERRABLE INITIALLY DEFERRED)";
        other.script(refers).await.unwrap();
        let insert = Statement::new("INSERT INTO u VALUES (9)", &[]);
        unit.run(&insert, &[], 0, Isolation::Committed, Leaves::Something).await.unwrap();
        assert_eq!(code(&unit.commit().await.unwrap_err()), -530);
        assert!(!unit.is_open());
        assert_eq!(unit.session().status(), Status::Idle);
    });
}

#[test]
fn of_two_units_that_wait_for_each_other_one_is_refused() {
    block_on(async {
        let (mut first, mut other) = unit("deadlock").await;
        other.script("INSERT INTO t VALUES (1), (2)").await.unwrap();
        let mut second = Unit::new(other);
        let change = [1, 2].map(|id| Statement::new(format!("UPDATE t SET id = id WHERE id = {id}"), &[]));
        let run = async |unit: &mut Unit, which: usize| {
            unit.run(&change[which], &[], 0, Isolation::Committed, Leaves::Something).await
        };
        run(&mut first, 0).await.unwrap();
        run(&mut second, 1).await.unwrap();
        let (a, b) = tokio::join!(
            async {
                let done = run(&mut first, 1).await;
                first.backout().await.unwrap();
                done
            },
            async {
                let done = run(&mut second, 0).await;
                second.backout().await.unwrap();
                done
            }
        );
        let failures: Vec<_> = [a, b].into_iter().filter_map(Result::err).collect();
        assert_eq!(failures.len(), 1);
        let of = |scope| Sqlca::of(&failures[0], Doing::Update, scope);
        assert_eq!((of(Scope::Unit).code, of(Scope::Statement).code), (-911, -913));
        assert_eq!(of(Scope::Unit).details[2], 13_172_872);
    });
}

#[test]
fn repeatable_means_the_same_rows_again() {
    block_on(async {
        let (mut unit, mut other) = unit("repeatable").await;
        let count = Statement::new("SELECT count(*) FROM t", &[]);
        for _ in 0..2 {
            let read = unit.run(&count, &[], 0, Isolation::Repeatable, Leaves::Nothing).await.unwrap();
            assert_eq!(read.rows.row(0).next(), Some(Some(0i64.to_be_bytes().as_slice())));
            other.script("INSERT INTO t SELECT coalesce(max(id), 0) + 1 FROM t").await.unwrap();
        }
    });
}

#[test]
fn a_unit_whose_statement_was_dropped_can_only_be_backed_out() {
    block_on(async {
        let (mut unit, mut other) = unit("unit_dropped").await;
        insert(&mut unit, 1).await.unwrap();
        let slow = Statement::new("SELECT pg_sleep(600)", &[]);
        let backend = unit.session().canceller().backend();
        {
            let runs = unit.run(&slow, &[], 0, Isolation::Committed, Leaves::Nothing);
            tokio::pin!(runs);
            tokio::select! {
                _ = &mut runs => panic!("it does not end by itself"),
                () = crate::session::sleeps(&mut other, backend) => (),
            }
        }
        assert_eq!(insert(&mut unit, 3).await, Err(-906));
        assert_eq!(unit.commit().await.unwrap(), Ended::BackedOut);
        assert_eq!(insert(&mut unit, 2).await, Ok(1));
        unit.commit().await.unwrap();
        assert_eq!(seen(&mut other).await, ["2"]);
    });
}

#[test]
fn numbers_that_sequences_gave_one_task_are_not_told_to_the_next() {
    block_on(async {
        let (mut unit, _) = unit("numbers").await;
        let made = "CREATE TABLE n (id int GENERATED ALWAYS AS IDENTITY, a int)";
        unit.session().script(made).await.unwrap();
        let ask = Statement::new("SELECT db2.identity_val_local()", &[]);
        let add = Statement::new("INSERT INTO n (a) VALUES (1)", &[]);
        unit.run(&add, &[], 0, Isolation::Committed, Leaves::Something).await.unwrap();
        let told = unit.run(&ask, &[], 1, Isolation::Committed, Leaves::Nothing).await.unwrap();
        assert_eq!(told.rows.row(0).next(), Some(Some(1i64.to_be_bytes().as_slice())));
        unit.commit().await.unwrap();
        unit.is_handed_over();
        assert_eq!(insert(&mut unit, 1).await, Ok(1));
        let told = unit.run(&ask, &[], 1, Isolation::Committed, Leaves::Nothing).await.unwrap();
        assert_eq!(told.rows.row(0).next(), Some(None));
        unit.commit().await.unwrap();
    });
}
