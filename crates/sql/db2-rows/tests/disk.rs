//! Tables in a folder of this machine: threads that meet at the same rows, and pages that are damaged.

mod common;

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path as File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use db2_rows::{Cursor, Isolation, Path, Range, Reason, Stop, Table, Tables, Tried, Unique, Wish, Work};
use records::{Engine, Local, UnitOfWork};

use common::*;

const PAGE: u64 = 4096;

/// The engine of a folder, and its tables.
async fn open(folder: &File) -> Tried<(Arc<Local>, Arc<Tables>)> {
    let limits =
        records::Limits { segment_bytes: 1 << 20, base_bytes: 64 << 20, ..records::Limits::default() };
    let engine = Local::open(folder, limits).map_err(Stop::from)?;
    let tables = Tables::open(engine.clone(), Arc::new(Plain)).await?;
    Ok((engine, tables))
}

/// A task's part and its unit of work.
struct Own {
    work: Work,
    unit: Box<dyn UnitOfWork>,
}

impl Own {
    fn new(engine: &Arc<Local>, tables: &Arc<Tables>) -> Self {
        let owner = engine.locks().new_owner();
        Self { work: tables.work(owner), unit: engine.begin(owner) }
    }

    async fn ask<T>(
        &mut self,
        mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
    ) -> Tried<T> {
        loop {
            match request(&mut self.work, &mut *self.unit) {
                Err(Stop::Later) => self.work.wait(&mut *self.unit).await?,
                outcome => return outcome,
            }
        }
    }

    async fn end(mut self) -> Tried<()> {
        self.unit.commit().await?;
        self.work.committed();
        Ok(())
    }
}

/// Makes ACCT with so many accounts.
async fn fill(engine: &Arc<Local>, tables: &Arc<Tables>, accounts: i64) -> Tried<()> {
    let mut own = Own::new(engine, tables);
    own.ask(|work, unit| work.create_table(unit, acct())).await?;
    for new in [index("ACCTPK", &[0], Unique::Yes), index("ACCTOWN", &[1], Unique::No)] {
        let mut building = own.ask(|work, unit| work.create_index(unit, new.clone())).await?;
        while own.ask(|work, unit| building.go_on(work, unit)).await?.is_none() {}
    }
    let table = own.work.catalogue().table(&name("ACCT")).expect("ACCT").clone();
    for id in 0..accounts {
        own.ask(|work, unit| work.insert(unit, &table, &account(id, "ANN", 100))).await?;
    }
    own.end().await
}

/// Pays from one account to another.
async fn pay(own: &mut Own, table: &Table, accounts: [i64; 2]) -> Tried<()> {
    for (id, amount) in accounts.into_iter().zip([-1, 1]) {
        let (mut row, by) = (Vec::new(), of(id));
        let wish = Wish::updates(Isolation::CursorStability);
        let by = (table.indexes[0].id, &*by);
        let rid = own.ask(|work, unit| work.row_by_key(unit, table, by, wish, &mut row)).await?;
        let Value::Number(before) = values(&table.columns, &row).expect("a row")[2] else {
            panic!("no number")
        };
        let new = account(id, "ANN", before + amount);
        own.ask(|work, unit| work.update(unit, table, rid.expect("an account"), &new)).await?;
        // The other thread has its turn between the two rows.
        tokio::task::yield_now().await;
        std::thread::yield_now();
    }
    Ok(())
}

#[test]
fn threads_that_pay_each_other_are_never_stuck_and_lose_nothing() {
    const ACCOUNTS: i64 = 3;
    const UNITS: usize = 150;
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (engine, tables) = runtime()
        .block_on(async {
            let (engine, tables) = open(folder.path()).await?;
            fill(&engine, &tables, ACCOUNTS).await?;
            Ok::<_, Stop>((engine, tables))
        })
        .expect("tables");
    let (table, deadlocks) =
        (tables.catalogue().table(&name("ACCT")).expect("ACCT").clone(), AtomicUsize::new(0));
    let works = |seed: u64| {
        let mut chance = fastrand::Rng::with_seed(seed);
        runtime().block_on(async {
            for _ in 0..UNITS {
                let mut own = Own::new(&engine, &tables);
                let accounts = [0; 2].map(|_| chance.i64(0..ACCOUNTS));
                match tokio::time::timeout(Duration::from_secs(30), pay(&mut own, &table, accounts)).await {
                    Ok(Ok(())) => own.end().await.expect("commits"),
                    Ok(Err(Stop::Failed(failure))) => {
                        assert_eq!((failure.code, failure.reason), (-913, Reason::Deadlock));
                        deadlocks.fetch_add(1, Ordering::Relaxed);
                        own.work.backed_out();
                    }
                    outcome => panic!("{outcome:?}"),
                }
            }
        });
    };
    std::thread::scope(|scope| (0..3).for_each(|seed| drop(scope.spawn(move || works(seed)))));
    let rows = runtime().block_on(all(&engine, &tables, Path::Scan)).expect("rows");
    let amounts: i64 =
        rows.iter().map(|row| if let Value::Number(amount) = row[2] { amount } else { 0 }).sum();
    assert_eq!((rows.len(), amounts), (3, 300));
    eprintln!("{} deadlocks", deadlocks.load(Ordering::Relaxed));
}

/// All rows of ACCT.
async fn all(engine: &Arc<Local>, tables: &Arc<Tables>, path: Path) -> Tried<Vec<Vec<Value>>> {
    let mut own = Own::new(engine, tables);
    let table = tables.catalogue().table(&name("ACCT")).expect("ACCT").clone();
    let mut cursor = Cursor::open(&table, path, Range::all(), Wish::reads(Isolation::CursorStability))?;
    let mut rows = Vec::new();
    loop {
        let row = own.ask(|work, unit| Ok(cursor.next(work, unit)?.map(|row| row.bytes.to_vec()))).await?;
        match row {
            Some(row) => rows.push(values(&table.columns, &row).expect("a row")),
            None => return Ok(rows),
        }
    }
}

/// Lets a row go between two owners and two numbers, which both have entries in indexes.
async fn moves(engine: &Arc<Local>, tables: &Arc<Tables>, table: &Table, units: i64) -> Tried<()> {
    for unit in 0..units {
        let mut own = Own::new(engine, tables);
        let (mut row, wish) = (Vec::new(), Wish::updates(Isolation::CursorStability));
        let (id, next, owner) = match unit % 2 {
            0 => (0, 100, "BOB"),
            _ => (100, 0, "ANN"),
        };
        let by = of(id);
        let by = (table.indexes[0].id, &*by);
        let rid =
            own.ask(|work, unit| work.row_by_key(unit, table, by, wish, &mut row)).await?.expect("the row");
        own.ask(|work, unit| work.update(unit, table, rid, &account(next, owner, 100))).await?;
        let Own { mut work, unit } = own;
        unit.commit_unforced().await?;
        work.committed();
    }
    Ok(())
}

#[test]
fn a_reader_without_a_lock_sees_no_row_that_is_not_of_its_key() {
    const UNITS: i64 = 2_000;
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (engine, tables) = runtime().block_on(open(folder.path())).expect("tables");
    runtime().block_on(fill(&engine, &tables, 2)).expect("rows");
    let (table, done) = (tables.catalogue().table(&name("ACCT")).expect("ACCT").clone(), AtomicUsize::new(0));
    let writes = || {
        runtime().block_on(moves(&engine, &tables, &table, UNITS)).expect("moved");
        done.store(1, Ordering::Release);
    };
    let reads = |isolation| {
        let (wish, by_owner) = (Wish::reads(isolation), Path::Index(table.indexes[1].id));
        let (ann, by_id) = (Range::of(&key(&["ANN".into()], &[false])), of(0));
        runtime().block_on(async {
            while done.load(Ordering::Acquire) == 0 {
                let mut own = Own::new(&engine, &tables);
                let mut cursor = Cursor::open(&table, by_owner, ann.clone(), wish).expect("a cursor");
                let owner = |row: &[u8]| values(&table.columns, row).expect("a row")[1].clone();
                while let Some(found) = own
                    .ask(|work, unit| Ok(cursor.next(work, unit)?.map(|row| owner(row.bytes))))
                    .await
                    .expect("reads")
                {
                    assert_eq!(found, "ANN".into());
                }
                let (mut row, by) = (Vec::new(), (table.indexes[0].id, &*by_id));
                let read = |work: &mut Work, unit: &mut dyn UnitOfWork| {
                    work.row_by_key(unit, &table, by, wish, &mut row)
                };
                if own.ask(read).await.expect("reads").is_some() {
                    assert_eq!(values(&table.columns, &row).expect("a row")[0], 0.into());
                }
            }
        });
    };
    std::thread::scope(|scope| {
        scope.spawn(|| reads(Isolation::Uncommitted));
        scope.spawn(|| reads(Isolation::CursorStability));
        scope.spawn(writes);
    });
}

#[tokio::test]
async fn a_page_that_is_damaged_is_noticed_and_never_answered() {
    const ACCOUNTS: i64 = 400;
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, tables) = open(folder.path()).await.expect("tables");
    fill(&engine, &tables, ACCOUNTS).await.expect("rows");
    engine.checkpoint().expect("a checkpoint");
    let whole = all(&engine, &tables, Path::Scan).await.expect("rows");
    drop((tables, engine));
    let data = folder.path().join("base").join("data.mdb");
    let pages = fs::metadata(&data).expect("the base").len() / PAGE;
    let mut noticed = 0;
    // Each page in its turn gets one wrong bit; the first two say where the others are.
    for page in 2..pages {
        let flip = || {
            let mut file = OpenOptions::new().read(true).write(true).open(&data).expect("the base");
            let (mut byte, place) = ([0], SeekFrom::Start(page * PAGE + 1_500));
            file.seek(place).and_then(|_| file.read_exact(&mut byte)).expect("read");
            file.seek(place).and_then(|_| file.write_all(&[byte[0] ^ 4])).expect("written");
        };
        flip();
        match open(folder.path()).await {
            Ok((engine, tables)) => {
                let by_id =
                    tables.catalogue().table(&name("ACCT")).map(|table| Path::Index(table.indexes[0].id));
                for path in std::iter::once(Path::Scan).chain(by_id) {
                    match all(&engine, &tables, path).await {
                        Ok(rows) => assert_eq!(rows, whole),
                        Err(Stop::Engine(records::Error::Corrupt(_))) => noticed += 1,
                        Err(stop) => panic!("{stop:?}"),
                    }
                }
            }
            Err(Stop::Engine(records::Error::Corrupt(_))) => noticed += 1,
            Err(stop) => panic!("{stop:?}"),
        }
        flip();
    }
    assert!(noticed > 10, "{noticed} of {pages}");
}
