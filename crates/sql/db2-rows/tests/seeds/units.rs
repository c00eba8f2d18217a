//! The units of work of the simulation. Each writes what it has done into a ledger, a store of records beside the tables.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use db2_rows::{Cursor, Isolation, Path, Range, Rid, Stop, Table, Tried, Unique, Wish, Work};
use records::sim::READ_ERROR;
use records::{Engine, Error, Recovery, StoreId, UnitOfWork};

use crate::common::*;

/// Accounts that may be there.
pub const ACCOUNTS: u64 = 6;
/// Rows of RING, whose slots go round.
pub const RING: i64 = 5;

/// Counts of units that were committed, backed out, refused for a deadlock or a double, and defined something.
pub static COUNTS: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

fn count(at: usize) {
    COUNTS[at].fetch_add(1, Ordering::Relaxed);
}

/// The knowledge beside the machine.
pub struct World {
    pub ledger: StoreId,
    numbers: Cell<u64>,
    /// Units of work whose commit was acknowledged as durable.
    pub durable: RefCell<BTreeSet<u64>>,
    /// Units of work that were backed out.
    pub never: RefCell<BTreeSet<u64>>,
}

/// A task in the simulation.
struct Acting {
    work: Work,
    unit: Box<dyn UnitOfWork>,
}

/// Lets others do something.
async fn pause() {
    let mut paused = false;
    poll_fn(|_| match std::mem::replace(&mut paused, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

impl Acting {
    async fn ask<T>(
        &mut self,
        mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
    ) -> Tried<T> {
        loop {
            match request(&mut self.work, &mut *self.unit) {
                Err(Stop::Later) => self.work.wait(&mut *self.unit).await?,
                outcome => {
                    pause().await;
                    return outcome;
                }
            }
        }
    }

    /// Ends a statement; one that fails is put back, and the failure is handed on.
    fn end(&mut self, outcome: Tried<()>) -> Tried<()> {
        let ended = outcome.and_then(|()| self.work.end_statement(&mut *self.unit));
        if let Err(Stop::Failed(_)) = &ended {
            self.work.undo_statement(&mut *self.unit)?;
        }
        ended
    }

    fn table(&self, called: &str) -> Arc<Table> {
        self.work.catalogue().table(&name(called)).expect("a table").clone()
    }

    /// Reads an account for a change.
    async fn account(&mut self, table: &Table, id: i64) -> Tried<Option<(Rid, Vec<Value>)>> {
        let mut row = Vec::new();
        let by = of(id);
        let wish = Wish::updates(Isolation::CursorStability);
        let index = table.indexes[0].id;
        let rid = self.ask(|work, unit| work.row_by_key(unit, table, (index, &by), wish, &mut row)).await?;
        Ok(rid.map(|rid| (rid, values(&table.columns, &row).expect("a row"))))
    }

    /// Adds to the amount of an account. Returns false if it is not there.
    async fn add(&mut self, id: i64, amount: i64) -> Tried<bool> {
        let table = self.table("ACCT");
        let Some((rid, row)) = self.account(&table, id).await? else { return Ok(false) };
        let [_, Value::Text(owner), Value::Number(before)] = &row[..] else { panic!("{row:?}") };
        let row = account(id, owner, before + amount);
        self.ask(|work, unit| work.update(unit, &table, rid, &row)).await
    }
}

impl World {
    /// The tables and the ledger of a new machine.
    pub fn begun(region: &Region) -> Self {
        let mut task = region.task();
        task.now(|work, unit| work.create_table(unit, acct()));
        task.build(index("ACCTPK", &[0], Unique::Yes));
        task.build(index("ACCTOWN", &[1], Unique::No));
        let columns = vec![column("SLOT", NUMBER, false), column("TAG", NUMBER, false)];
        let ring = db2_rows::NewTable { name: name("RING"), columns, checks: Vec::new() };
        task.now(|work, unit| work.create_table(unit, ring.clone()));
        let mut new = index("RINGPK", &[0], Unique::Yes);
        new.table = name("RING");
        let ring = task.build(new);
        for slot in 0..RING {
            task.now(|work, unit| work.insert(unit, &ring, &row(&[slot.into(), slot.into()])));
        }
        let ledger = task.unit.create_store("ledger", Recovery::Recoverable).expect("a store");
        task.commit();
        while region.running.write_group().expect("the power is on") {}
        Self { ledger, numbers: Cell::new(0), durable: RefCell::default(), never: RefCell::default() }
    }

    /// One unit of work after the other, until the engine fails.
    pub async fn work(&self, region: &Region) {
        while self.one(region).await.is_ok() {}
    }

    async fn one(&self, region: &Region) -> records::Result<()> {
        let number = self.numbers.replace(self.numbers.get() + 1);
        let engine: &dyn Engine = &*region.running.engine;
        let owner = engine.locks().new_owner();
        let (work, unit) = (region.tables.work(owner), engine.begin(owner));
        let mut task = Acting { work, unit };
        let chance = |bound| region.machine.power().chance(bound);
        let outcome = match self.unit(&mut task, &chance).await {
            Ok(entry) => {
                task.unit.put(self.ledger, &number.to_be_bytes(), entry.as_bytes()).await.map_err(Stop::from)
            }
            Err(stop) => Err(stop),
        };
        let Acting { mut work, unit } = task;
        match outcome {
            Ok(()) if chance(8) > 0 => return self.commit(number, (work, unit), chance(2) == 0).await,
            Ok(()) | Err(Stop::Failed(_)) => {}
            Err(Stop::Engine(error)) => unless_passing(error)?,
            Err(Stop::Later) => panic!("later"),
        }
        unit.backout().await?;
        work.backed_out();
        count(1);
        self.never.borrow_mut().insert(number);
        Ok(())
    }

    async fn commit(
        &self,
        number: u64,
        (mut work, unit): (Work, Box<dyn UnitOfWork>),
        forced: bool,
    ) -> records::Result<()> {
        let committed = if forced { unit.commit().await } else { unit.commit_unforced().await };
        match committed {
            Ok(()) => {
                work.committed();
                count(0);
                if forced {
                    self.durable.borrow_mut().insert(number);
                }
                Ok(())
            }
            Err(Error::NoSpace(_)) => {
                work.backed_out();
                self.never.borrow_mut().insert(number);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// A unit of work, and its entry in the ledger.
    async fn unit(&self, task: &mut Acting, chance: &impl Fn(u64) -> u64) -> Tried<String> {
        let id = || chance(ACCOUNTS) as i64;
        let outcome = match chance(20) {
            0..=3 => open(task, id(), chance(3)).await,
            4 => close(task, id()).await,
            5..=6 => rotate(task).await,
            7..=8 => sum(task).await.map(|()| String::new()),
            9 if chance(4) == 0 => define(task).await.map(|()| String::new()),
            10 => with_savepoint(task, (id(), id())).await,
            _ => transfer(task, id(), id(), chance(50) as i64).await,
        };
        if let Err(Stop::Failed(failure)) = &outcome {
            match failure.code {
                -913 => count(2),
                -803 => count(3),
                -904 | -204 | -601 => {}
                _ => panic!("{failure:?}"),
            }
        }
        outcome
    }
}

/// A full disk is no reason to stop, and neither is a sector that cannot be read now.
fn unless_passing(error: Error) -> records::Result<()> {
    match error {
        Error::NoSpace(_) => Ok(()),
        Error::Io(text) if text.ends_with(READ_ERROR) => Ok(()),
        error => Err(error),
    }
}

/// INSERT. A number that is there already is -803, and the unit of work goes on without it.
async fn open(task: &mut Acting, id: i64, owner: u64) -> Tried<String> {
    let (table, new) = (task.table("ACCT"), account(id, ["ANN", "BOB", "EVE"][owner as usize], 0));
    task.work.begin_statement();
    let inserted = task.ask(|work, unit| work.insert(unit, &table, &new)).await.map(drop);
    match task.end(inserted) {
        Ok(()) => Ok(format!("open {id}")),
        Err(Stop::Failed(failure)) if failure.code == -803 => {
            count(3);
            transfer(task, id, id, 7).await
        }
        Err(stop) => Err(stop),
    }
}

/// DELETE of an account without money.
async fn close(task: &mut Acting, id: i64) -> Tried<String> {
    let table = task.table("ACCT");
    match task.account(&table, id).await? {
        Some((rid, row)) if row[2] == 0.into() => {
            assert!(task.ask(|work, unit| work.delete(unit, &table, rid)).await?, "it is locked");
            Ok(format!("close {id}"))
        }
        _ => Ok(String::new()),
    }
}

/// Two UPDATEs, which count both or not at all.
async fn transfer(task: &mut Acting, from: i64, to: i64, amount: i64) -> Tried<String> {
    if !task.add(from, -amount).await? {
        return Ok(String::new());
    }
    match task.add(to, amount).await? {
        true => Ok(format!("pay {from} {} pay {to} {amount}", -amount)),
        // The first half must not stay.
        false => Err(db2_rows::Failure::new(-904, ["no account"]).into()),
    }
}

/// A transfer that is thought better of, and another one.
async fn with_savepoint(task: &mut Acting, (from, to): (i64, i64)) -> Tried<String> {
    let savepoint = task.work.savepoint()?;
    task.work.begin_statement();
    let first = task.add(from, 1_000).await.map(drop);
    task.end(first)?;
    let gone = match task.account(&task.table("ACCT"), to).await? {
        Some((rid, _)) => {
            let table = task.table("ACCT");
            task.ask(|work, unit| work.delete(unit, &table, rid)).await?
        }
        None => false,
    };
    task.work.back_to(&mut *task.unit, savepoint)?;
    let back = task.account(&task.table("ACCT"), to).await?;
    assert!(back.is_some() || !gone, "a row that was put back");
    transfer(task, from, to, 3).await
}

/// UPDATE RING SET SLOT = SLOT + 1, the last one to the first slot: keys are unique at its end alone.
async fn rotate(task: &mut Acting) -> Tried<String> {
    let table = task.table("RING");
    let rows = all_rows(task, &table, Path::Scan, Wish::updates(Isolation::ReadStability)).await?;
    task.work.begin_statement();
    let mut outcome = Ok(());
    for (rid, values) in rows {
        let [Value::Number(slot), tag] = &values[..] else { panic!("{values:?}") };
        let new = row(&[((slot + 1) % RING).into(), tag.clone()]);
        outcome = task.ask(|work, unit| work.update(unit, &table, rid, &new)).await.map(drop);
        if outcome.is_err() {
            break;
        }
    }
    task.end(outcome).map(|()| "rotate".to_owned())
}

/// Repeatable reads: the amounts of all accounts come to nothing, and are twice the same.
async fn sum(task: &mut Acting) -> Tried<()> {
    let table = task.table("ACCT");
    let wish = Wish::reads(Isolation::RepeatableRead);
    let path = Path::Index(table.indexes[1].id);
    let first = all_rows(task, &table, path, wish).await?;
    let amount = |(_, row): &(Rid, Vec<Value>)| match row[2] {
        Value::Number(amount) => amount,
        _ => panic!("{row:?}"),
    };
    assert_eq!(first.iter().map(amount).sum::<i64>(), 0, "{first:?}");
    assert_eq!(all_rows(task, &table, path, wish).await?, first);
    Ok(())
}

async fn all_rows(
    task: &mut Acting,
    table: &Arc<Table>,
    path: Path,
    wish: Wish,
) -> Tried<Vec<(Rid, Vec<Value>)>> {
    let mut cursor = Cursor::open(table, path, Range::all(), wish)?;
    let mut rows = Vec::new();
    let next = |cursor: &mut Cursor, work: &mut Work, unit: &mut dyn UnitOfWork| {
        let row = cursor.next(work, unit)?;
        Ok(row.map(|row| (row.rid, values(&table.columns, row.bytes).expect("a row"))))
    };
    while let Some(row) = task.ask(|work, unit| next(&mut cursor, work, unit)).await? {
        rows.push(row);
    }
    Ok(rows)
}

/// CREATE INDEX, or DROP INDEX if it is there.
async fn define(task: &mut Acting) -> Tried<()> {
    let new = index("AMOUNTS", &[2, 0], Unique::Yes);
    if task.work.catalogue().table_of_index(&new.name).is_some() {
        task.ask(|work, unit| work.drop_index(unit, &new.name)).await?;
    } else {
        let mut building = task.ask(|work, unit| work.create_index(unit, new.clone())).await?;
        while task.ask(|work, unit| building.go_on(work, unit)).await?.is_none() {}
    }
    count(4);
    Ok(())
}
