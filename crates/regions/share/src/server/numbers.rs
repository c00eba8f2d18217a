//! Numbers of stores that regions share: each is given out once.
//!
//! They are counted in main storage. A server that starts counts on behind what is committed and what is in doubt: what else
//! was given out went with units of work that are backed out.

use link::Asked;
use records::{Batch, Direction, Error, Origin, Result, StoreId};

use super::Inner;
use super::session::{Session, failed};
use crate::limits::NUMBERS_MAX;
use crate::protocol::{Reply, to_bytes};

/// The address behind a record.
fn behind(key: &[u8], length: usize) -> Result<u64> {
    let address = key.try_into().map(u64::from_be_bytes);
    let address = address.map_err(|_| Error::Corrupt("an address of a store".into()))?;
    Ok(address.saturating_add(length as u64))
}

impl Inner {
    /// The first number that no unit of work has taken, as the store shows it.
    async fn first_number(&self, store: StoreId, addresses: bool) -> Result<u64> {
        let doubtful = self.engine.doubtful(store)?;
        if !addresses {
            let number = |key: &[u8]| key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
            let taken = doubtful.iter().map(|(key, _)| number(key).saturating_add(1));
            return Ok(taken.max().unwrap_or_default());
        }
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let mut last = Batch::default();
        unit.range(store, Origin::Start, Direction::Backward, 1, &mut last).await?;
        let mut first = last.first().map_or(Ok(0), |(key, record)| behind(key, record.len()))?;
        for (key, record) in &doubtful {
            first = first.max(behind(key, record.as_deref().unwrap_or_default().len())?);
        }
        Ok(first)
    }

    async fn numbers(&self, store: StoreId, addresses: bool, from: u64, count: u64) -> Result<u64> {
        if count > NUMBERS_MAX {
            return Err(Error::Limit("numbers of stores"));
        }
        let known = self.numbers.borrow().get(&store.0).copied();
        let first = match known {
            Some(_) => 0,
            None => self.first_number(store, addresses).await?,
        };
        let mut numbers = self.numbers.borrow_mut();
        // Another one may have been faster.
        let next = numbers.entry(store.0).or_insert(first);
        let first = (*next).max(from);
        *next = first.saturating_add(count);
        Ok(first)
    }

    /// A store begins again.
    pub(super) fn forget_numbers(&self, store: u32) {
        self.numbers.borrow_mut().remove(&store);
    }
}

impl Session {
    pub(super) fn numbers(&self, asked: Asked, store: u32, addresses: bool, from: u64, count: u64) {
        let session = self.shared();
        tokio::task::spawn_local(async move {
            asked.reply(&match session.inner.numbers(StoreId(store), addresses, from, count).await {
                Ok(first) => to_bytes(&Reply::Number(first)),
                Err(error) => failed(&error),
            });
        });
    }
}
