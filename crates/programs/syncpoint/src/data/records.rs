//! The records of a data set, many at a time.

use std::collections::VecDeque;

use access::{Client, Found, Opened, Reply, Request, Search};

use crate::application::Messages;
use crate::data_files::failed;

/// Records in one answer.
const STEP: u32 = 500;

/// Reads a data set from some place to its end.
pub(crate) struct Records<'a> {
    client: &'a mut Client,
    pub(crate) opened: Opened,
    ahead: VecDeque<Found>,
    at_end: bool,
}

impl<'a> Records<'a> {
    /// Opens a data set; reads from the first record whose key is not less than this one.
    pub fn open(client: &'a mut Client, name: &str, from: Option<&[u8]>) -> Result<Self, Messages> {
        let opened = open(client, name)?;
        let mut at_end = false;
        if let Some(key) = from {
            let place = Request::Place { handle: opened.handle, search: Search::from(key) };
            match client.ask(place) {
                Err(access::AccessError::Failed(access::Failure::NotFound)) => at_end = true,
                placed => drop(placed.map_err(failed)?),
            }
        }
        Ok(Self { client, opened, ahead: VecDeque::new(), at_end })
    }

    /// The next record; none at the end.
    pub fn next(&mut self) -> Result<Option<Found>, Messages> {
        if self.ahead.is_empty() && !self.at_end {
            let handle = self.opened.handle;
            let request = Request::Next { handle, backward: false, count: STEP, update: false };
            if let Reply::Records(records) = self.client.ask(request).map_err(failed)? {
                self.at_end = records.is_empty();
                self.ahead = records.into();
            }
        }
        Ok(self.ahead.pop_front())
    }
}

/// Opens a data set.
pub(crate) fn open(client: &mut Client, name: &str) -> Result<Opened, Messages> {
    match client.ask(Request::Open { name: name.to_ascii_uppercase() }) {
        Ok(Reply::Opened(opened)) => Ok(opened),
        Ok(_) => Err(super::wrong(format!("{name} cannot be opened"))),
        Err(error) => Err(failed(error)),
    }
}
