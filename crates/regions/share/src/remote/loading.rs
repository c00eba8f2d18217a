//! A load of whole stores at the server.

use std::sync::Arc;

use records::{Error, Load, Result, Sorted, StoreId};

use super::calls::{Calls, Epoch};
use super::{answer, done};
use crate::limits::{BLOCKED_MAX, LOAD_BLOCKED_MAX, LOAD_BYTES};
use crate::protocol::{Reply, Request};

/// Bytes of a record beside its own, in a message.
const RECORD_COST: usize = 8;

/// A load; given up when dropped.
pub(super) struct RemoteLoad {
    calls: Arc<Calls>,
    load: u64,
    epoch: Epoch,
    is_over: bool,
}

fn number(reply: Reply<'_>) -> Option<u64> {
    if let Reply::Number(number) = reply { Some(number) } else { None }
}

impl RemoteLoad {
    pub fn begin(calls: &Arc<Calls>) -> Result<Self> {
        let (reply, epoch) = calls.ask_and_block_for(&Request::BeginLoad, None, BLOCKED_MAX)?;
        Ok(Self { calls: Arc::clone(calls), load: answer(&reply, number)?, epoch, is_over: false })
    }

    fn ask(&self, request: &Request<'_>) -> Result<Vec<u8>> {
        let told = self.calls.ask_and_block_for(request, Some(self.epoch), LOAD_BLOCKED_MAX);
        told.map(|(reply, _)| reply)
    }

    fn send(&self, store: StoreId, piece: &[(Vec<u8>, Vec<u8>)], last: bool) -> Result<Vec<u8>> {
        let records = piece.iter().map(|(key, record)| (&**key, &**record)).collect();
        self.ask(&Request::Fill { load: self.load, store: store.0, records, last })
    }
}

impl Load for RemoteLoad {
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        let (mut piece, mut bytes) = (Vec::new(), 0);
        for record in records {
            let (key, record) = record?;
            bytes += key.len() + record.len() + RECORD_COST;
            piece.push((key, record));
            if bytes >= LOAD_BYTES {
                answer(&self.send(store, &piece, false)?, done)?;
                piece.clear();
                bytes = 0;
            }
        }
        answer(&self.send(store, &piece, true)?, number)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.is_over = true;
        match self.ask(&Request::CommitLoad { load: self.load }) {
            Ok(reply) => answer(&reply, done),
            Err(Error::Lost(why)) => {
                Err(Error::Io(format!("the data may or may not be loaded: look at them: {why}")))
            }
            Err(error) => Err(error),
        }
    }
}

impl Drop for RemoteLoad {
    fn drop(&mut self) {
        if !self.is_over {
            self.calls.tell(&Request::DropLoad { load: self.load }, Some(self.epoch));
        }
    }
}
