//! Loads of a region. It sends a piece when the one before is taken.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::channel;

use link::Asked;
use records::{Error, Result, StoreId};
use tokio::sync::oneshot;

use super::load::{Loading, Piece, Step, run};
use super::session::{Session, failed};
use crate::limits::LOADS_MAX;
use crate::protocol::{Reply, to_bytes};

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
