//! Tasks that are purged in the middle of statements, and others that go on, on a server that answers by a seed.
//!
//! `SEED=n` runs one seed, `COUNT=n` so many of them.

mod server;

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use fastrand::Rng;
use sql::limits::{LONG_MAX, SPARE_MAX};
use sql::{Address, Isolation, Leaves, Readers, Session, Settings, Statement, Unit};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{sleep, timeout};

/// Time for all seeds together: each of them waits for others, none for anything.
const ALL: Duration = Duration::from_secs(120);

fn seeds(count: u64) -> Vec<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match number("SEED") {
        Some(seed) => vec![seed],
        None => (0..number("COUNT").unwrap_or(count)).collect(),
    }
}

/// Runs a simulation for each seed, all at once.
fn simulate<F: Future<Output = ()> + 'static>(name: &str, run: impl Fn(Address, u64) -> F) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    LocalSet::new().block_on(&runtime, async {
        let start = |seed: u64| spawn_local(run(server::start(&folder.join(seed.to_string()), seed), seed));
        let all: Vec<_> = seeds(20).into_iter().map(|seed| (seed, start(seed))).collect();
        for (seed, simulation) in all {
            let ended = timeout(ALL, simulation).await;
            ended
                .unwrap_or_else(|_| panic!("SEED={seed} does not end"))
                .unwrap_or_else(|why| panic!("SEED={seed}: {why}"));
        }
    });
}

/// Lets others run: for a moment, or for up to so many milliseconds.
async fn pause(random: &mut Rng, most: u64) {
    if random.u32(0..3) == 0 {
        sleep(Duration::from_millis(random.u64(0..most))).await;
    }
    for _ in 0..random.u32(0..20) {
        yield_now().await;
    }
}

/// Statements that tasks have in common, as those of a program.
fn statements() -> Rc<Vec<Rc<Statement>>> {
    Rc::new((0..6).map(|number| Statement::new(format!("short {number}"), &[])).collect())
}

/// One of these, or one of its own.
fn any(common: &[Rc<Statement>], random: &mut Rng) -> (Rc<Statement>, i32) {
    let number = random.i32(0..9);
    let own = || Statement::new(format!("short {number}"), &[]);
    (common.get(number as usize).cloned().unwrap_or_else(own), number)
}

#[test]
fn readers_go_on_while_others_are_purged() {
    simulate("readers", |address, seed| async move {
        let readers = Rc::new(Readers::new(address, Settings::default()));
        let (common, long) = (statements(), Statement::new("long", &[]));
        let mut random = Rng::with_seed(seed);
        let mut tasks = Vec::new();
        for _ in 0..12 {
            let (readers, common, mut random) = (Rc::clone(&readers), Rc::clone(&common), random.fork());
            tasks.push(spawn_local(async move {
                for _ in 0..20 {
                    let (statement, number) = any(&common, &mut random);
                    let answer = readers.run(&statement, &[], 0).await.unwrap();
                    assert_eq!(answer.rows.row(0).next(), Some(Some(&number.to_be_bytes()[..])));
                    assert_eq!(answer.columns().len(), 1);
                    pause(&mut random, 80).await;
                }
            }));
        }
        for _ in 0..8 {
            let (readers, long, common, mut random) =
                (Rc::clone(&readers), Rc::clone(&long), Rc::clone(&common), random.fork());
            tasks.push(spawn_local(async move {
                for _ in 0..4 {
                    let is_long = random.u32(0..4) > 0;
                    let statement = if is_long { Rc::clone(&long) } else { any(&common, &mut random).0 };
                    tokio::select! {
                        biased;
                        done = readers.run(&statement, &[], 0) => assert!(!is_long, "{done:?}"),
                        () = pause(&mut random, 800) => (),
                    }
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert!(readers.sessions() <= 1 + LONG_MAX + SPARE_MAX, "{}", readers.sessions());
    });
}

async fn unit_on(address: &Address) -> Unit {
    Unit::new(Session::connect(address, &Settings::default()).await.expect("a session"))
}

#[test]
fn sessions_serve_others_after_a_purge() {
    simulate("sessions", |address, seed| async move {
        let mut random = Rng::with_seed(seed);
        let (common, long) = (statements(), Statement::new("long", &[]));
        let mut unit = unit_on(&address).await;
        for _ in 0..30 {
            if random.bool() {
                unit = unit_on(&address).await;
            }
            // One is purged, in a long statement or in another one, at its first step or behind others.
            let statement = if random.bool() { Rc::clone(&long) } else { any(&common, &mut random).0 };
            let leaves = if random.bool() { Leaves::Something } else { Leaves::Nothing };
            for _ in 0..random.u32(0..3) {
                let (statement, _) = any(&common, &mut random);
                unit.run(&statement, &[], 0, Isolation::Committed, leaves).await.unwrap();
            }
            tokio::select! {
                biased;
                _ = unit.run(&statement, &[], 0, Isolation::Committed, leaves) => (),
                () = pause(&mut random, 40) => (),
            }
            unit.backout().await.unwrap();
            assert!(!unit.session().is_busy());
            // The next one has the same session.
            for _ in 0..3 {
                let (statement, number) = any(&common, &mut random);
                let answer = unit.run(&statement, &[], 0, Isolation::Committed, Leaves::Something).await;
                assert_eq!(answer.unwrap().rows.row(0).next(), Some(Some(&number.to_be_bytes()[..])));
            }
            unit.commit().await.unwrap();
        }
    });
}
