//! A load of whole stores: a thread of its own, which the engine blocks, and its steps.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender};

use records::{Engine, Error, Result, StoreId};
use tokio::sync::oneshot;

/// The receiver of an answer: a number once a store is filled.
pub(super) type Tell = oneshot::Sender<Result<Option<u64>>>;

/// A step of a load.
pub(super) enum Step {
    Fill(Piece),
    Commit(Tell),
}

/// Records of a store.
pub(super) struct Piece {
    pub store: StoreId,
    pub records: std::vec::IntoIter<(Vec<u8>, Vec<u8>)>,
    pub last: bool,
    pub tell: Option<Tell>,
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
pub(super) fn run(engine: &dyn Engine, steps: &Receiver<Step>) {
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
    pub steps: Sender<Step>,
    pub filled: HashSet<u32>,
}
