//! The requests of a DSW transaction on the record engine, without a region: what they cost at least.

use std::sync::Arc;

use records::{Engine, Owner, Wait};
use tokio::task::LocalSet;
use vsam::{Dataset, Search};

use super::{DataSet, STEP, key};
use crate::Options;
use crate::clock::{median, spent};
use crate::site::{Workshop, record};

/// Records that are there, of all files together; those that are added come behind them.
const RECORDS: usize = 16_000;
/// Tasks of a round, of which every second one asks for records, and those that are under way together.
const ROUND: usize = 100;
const TOGETHER: usize = 8;
const ROUNDS: usize = 5;

/// The changes of a task behind its reads.
enum Changes {
    Rewrite,
    Delete,
    Write(usize),
}

/// Reads and changes of a task by its place in the round: 207 reads, 30 for update, 27 rewrites, 33 writes, 3 deletes in all.
fn of_place(place: usize) -> (usize, Changes) {
    match place {
        0..27 => (4, Changes::Rewrite),
        27..30 => (4, Changes::Delete),
        30..43 => (4, Changes::Write(2)),
        _ => (5, Changes::Write(1)),
    }
}

/// A terminal: its tasks one after the other, without those that ask for no records.
struct Terminal {
    engine: Arc<dyn Engine>,
    dataset: Arc<Dataset>,
    owner: Owner,
    /// The next record to look at, the next one to add, and those that were added and not deleted.
    next: usize,
    free: usize,
    added: Vec<usize>,
    buffer: Vec<u8>,
}

impl Terminal {
    fn another(&mut self) -> [u8; super::KEY] {
        self.next = (self.next + STEP) % RECORDS;
        key(self.next)
    }

    async fn task(&mut self, place: usize) -> vsam::Result<()> {
        let (reads, changes) = of_place(place);
        let (engine, dataset) = (Arc::clone(&self.engine), Arc::clone(&self.dataset));
        let mut unit = engine.begin(self.owner);
        for _ in 0..reads {
            let key = self.another();
            dataset.read(&mut *unit, Search::equal(&key), &mut self.buffer).await?;
        }
        match changes {
            Changes::Rewrite => {
                let key = self.another();
                dataset
                    .read_for_update(&mut *unit, Search::equal(&key), Wait::Forever, &mut self.buffer)
                    .await?;
                let last = self.buffer.len() - 1;
                self.buffer[last] = self.buffer[last].wrapping_add(1);
                dataset.rewrite(&mut *unit, &key, &self.buffer, Wait::Forever).await?;
            }
            Changes::Delete => {
                let added = self.added.pop().unwrap_or_default();
                dataset.delete_by_key(&mut *unit, &key(added), Wait::Forever).await.map(drop)?;
            }
            Changes::Write(count) => {
                for _ in 0..count {
                    let record = record(self.free);
                    dataset.write(&mut *unit, None, record.as_bytes(), Wait::Forever).await?;
                    self.added.push(self.free);
                    self.free += TOGETHER;
                }
            }
        }
        Ok(unit.commit().await?)
    }
}

/// Microseconds of a transaction's requests, half of the transactions having none.
pub(crate) fn requests(options: &Options, workshop: &Workshop) -> Result<f64, String> {
    let data = DataSet::loaded(&workshop.scratch("dsw-engine")?, None, RECORDS)?;
    let dataset = data.open();
    let rounds = options.size(200, 1);
    let mut terminals: Vec<_> = (0..TOGETHER)
        .map(|number| Terminal {
            engine: Arc::clone(&data.engine),
            dataset: Arc::clone(&dataset),
            owner: data.engine.locks().new_owner(),
            next: number,
            free: RECORDS + number,
            added: Vec::new(),
            buffer: Vec::new(),
        })
        .collect();
    let mut figures = Vec::new();
    for round in 0..=options.size(ROUNDS, 1) {
        let seconds = spent(|| terminals = run(&data, std::mem::take(&mut terminals), rounds));
        // The first one warms up.
        if round > 0 {
            figures.push(seconds * 1e6 / (TOGETHER * rounds * ROUND) as f64);
        }
    }
    Ok(median(figures))
}

/// Has all go through so many rounds.
fn run(data: &DataSet, terminals: Vec<Terminal>, rounds: usize) -> Vec<Terminal> {
    let local = LocalSet::new();
    let tasks: Vec<_> = terminals
        .into_iter()
        .map(|mut terminal| {
            local.spawn_local(async move {
                // Writes come first, so that there is something to delete.
                for place in (0..rounds).flat_map(|_| (0..ROUND / 2).rev()) {
                    terminal.task(place).await.expect("a task's requests");
                }
                terminal
            })
        })
        .collect();
    local.block_on(&data.runtime, async {
        let mut terminals = Vec::new();
        for task in tasks {
            terminals.push(task.await.expect("a terminal"));
        }
        terminals
    })
}
