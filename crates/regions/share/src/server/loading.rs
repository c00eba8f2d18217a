//! Loads of whole stores. Each has a thread, since the engine blocks it; the region sends a piece when the one before is taken.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use link::Asked;
use records::{Engine, Error, Result, StoreId};
use tokio::sync::oneshot;

use super::session::{Session, failed};
use crate::limits::LOADS_MAX;
use crate::protocol::{Reply, to_bytes};

/// The receiver of an answer: a number once a store is filled.
type Tell = oneshot::Sender<Result<Option<u64>>>;

/// A step of a load.
enum Step {
    Fill(Piece),
    Commit(Tell),
}

/// Records of a store.
struct Piece {
    store: StoreId,
    records: std::vec::IntoIter<(Vec<u8>, Vec<u8>)>,
    last: bool,
    tell: Option<Tell>,
}

impl Piece {
    fn tell(&mut self, told: Result<Option<u64>>) {
        if let Some(tell) = self.tell.take() {
            let _ = tell.send(told);
        }
    }
}

/// The records of a store, piece by piece.
struct Feed<'a> {
    steps: &'a Receiver<Step>,
    piece: Piece,
}

impl Iterator for Feed<'_> {
    type Item = Result<(Vec<u8>, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.piece.records.next() {
                return Some(Ok(record));
            }
            if self.piece.last {
                return None;
            }
            self.piece.tell(Ok(None));
            match self.steps.recv() {
                Ok(Step::Fill(piece)) if piece.store == self.piece.store => self.piece = piece,
                // Its region is gone, gives it up or is confused: the load ends without an effect.
                _ => return Some(Err(Error::Cancelled)),
            }
        }
    }
}

/// Carries out the steps of a load; without a commit it has done nothing.
fn run(engine: &dyn Engine, steps: &Receiver<Step>) {
    let mut load = engine.begin_load();
    while let Ok(step) = steps.recv() {
        match step {
            Step::Fill(mut piece) => match &mut load {
                Err(error) => piece.tell(Err(error.clone())),
                Ok(load) => {
                    let mut feed = Feed { steps, piece };
                    let filled = load.fill(feed.piece.store, &mut feed);
                    feed.piece.tell(filled.map(Some));
                }
            },
            Step::Commit(tell) => {
                let committed = load.and_then(|load| load.commit());
                let _ = tell.send(committed.map(|()| None));
                return;
            }
        }
    }
}

/// A load of a region.
pub(super) struct Loading {
    steps: Sender<Step>,
    filled: HashSet<u32>,
}

impl Session {
    /// Begins a load: its number.
    pub(super) fn begin_load(&self) -> Vec<u8> {
        let mut loads = self.loads.borrow_mut();
        if loads.len() >= LOADS_MAX {
            return failed(&Error::Limit("loads of a region"));
        }
        let (steps, taken) = channel();
        let engine = Arc::clone(&self.inner.engine);
        let thread = std::thread::Builder::new().name("load".into()).spawn(move || run(&*engine, &taken));
        if let Err(error) = thread {
            return failed(&Error::Io(format!("no thread for a load: {error}")));
        }
        let number = self.next_load.replace(self.next_load.get() + 1);
        loads.insert(number, Loading { steps, filled: HashSet::new() });
        to_bytes(&Reply::Number(number))
    }

    pub(super) fn fill(&self, asked: Asked, load: u64, store: u32, records: &[(&[u8], &[u8])], last: bool) {
        let mut loads = self.loads.borrow_mut();
        let Some(loading) = loads.get_mut(&load) else { return asked.reply(&failed(&Error::Cancelled)) };
        loading.filled.insert(store);
        let records: Vec<_> = records.iter().map(|(key, record)| (key.to_vec(), record.to_vec())).collect();
        let (tell, told) = oneshot::channel();
        let (store, records) = (StoreId(store), records.into_iter());
        let _ = loading.steps.send(Step::Fill(Piece { store, records, last, tell: Some(tell) }));
        tokio::task::spawn_local(async move { asked.reply(&reply(told.await)) });
    }

    pub(super) fn commit_load(&self, asked: Asked, load: u64) {
        let loading = self.loads.borrow_mut().remove(&load);
        let Some(loading) = loading else { return asked.reply(&failed(&Error::Cancelled)) };
        let changing = match self.inner.begin_change_anywhere() {
            Ok(changing) => changing,
            Err(error) => return asked.reply(&failed(&error)),
        };
        let (tell, told) = oneshot::channel();
        let _ = loading.steps.send(Step::Commit(tell));
        let (session, busy) = (self.shared(), self.begin_ending());
        tokio::task::spawn_local(async move {
            let told = told.await;
            drop(changing);
            loading.filled.iter().for_each(|store| session.inner.forget_numbers(*store));
            asked.reply(&reply(told));
            drop(busy);
        });
    }

    pub(super) fn drop_load(&self, load: u64) {
        self.loads.borrow_mut().remove(&load);
    }
}

fn reply(told: std::result::Result<Result<Option<u64>>, oneshot::error::RecvError>) -> Vec<u8> {
    match told {
        Ok(Ok(Some(count))) => to_bytes(&Reply::Number(count)),
        Ok(Ok(None)) => to_bytes(&Reply::Done),
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&Error::Cancelled),
    }
}
