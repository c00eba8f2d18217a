//! A load of whole stores: one transaction, which others do not see before its end.

use records::{Error, Load, Result, Sorted, StoreId};

use super::calls::{Kind, Taken};
use super::limits::LOAD_BYTES;
use super::statements::{SEEN, push_record};

/// A load; given up when dropped.
pub(super) struct DirectLoad {
    pub taken: Taken,
}

impl DirectLoad {
    fn send(&self, text: &mut String) -> Result<()> {
        self.taken.ask_and_block(Kind::Part, std::mem::take(text)).map(drop)
    }
}

impl Load for DirectLoad {
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        let number = store.0;
        self.send(&mut format!(
            "DELETE FROM records WHERE store = {number}; DELETE FROM numbers WHERE store = {number}"
        ))?;
        let (mut text, mut count, mut former) = (String::new(), 0, None::<Vec<u8>>);
        for record in records {
            let (key, record) = record?;
            count += 1;
            if former.as_ref().is_some_and(|former| *former >= key) {
                return Err(Error::OutOfOrder(count));
            }
            text.push_str(if text.is_empty() { "INSERT INTO records VALUES " } else { ", " });
            push_record(&mut text, store, &key, &record);
            former = Some(key);
            // Two digits a byte.
            if text.len() >= 2 * LOAD_BYTES {
                self.send(&mut text)?;
            }
        }
        if !text.is_empty() {
            self.send(&mut text)?;
        }
        Ok(count)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.taken.ask_and_block(Kind::Commit(true), format!("{SEEN}SELECT 1")).map(drop)
    }
}
