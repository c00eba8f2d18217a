//! Channels of a run. They last as long as it does, or until the program deletes them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use kernel::channels::{Bytes, Channel, DataType};
use kernel::name::Name16;

use crate::limits::{BROWSES_MAX, CHANNELS_MAX, CONTAINERS_MAX, CONTAINERS_OF_CHANNEL_MAX};

/// A run has no room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMuch;

/// All of a run.
#[derive(Default)]
pub(crate) struct Channels {
    all: HashMap<Name16, Arc<Channel>>,
    /// Browses by their tokens: the names that are still to come.
    browses: HashMap<i32, VecDeque<Name16>>,
    last_browse: i32,
}

impl Channels {
    /// A channel by its name.
    pub fn get(&self, name: Name16) -> Option<Arc<Channel>> {
        self.all.get(&name).cloned()
    }

    /// The same; it is made if it is not there.
    pub fn get_or_make(&mut self, name: Name16) -> Result<Arc<Channel>, TooMuch> {
        if let Some(known) = self.get(name) {
            return Ok(known);
        }
        if self.all.len() >= CHANNELS_MAX {
            return Err(TooMuch);
        }
        let channel = Channel::new(name);
        self.all.insert(name, Arc::clone(&channel));
        Ok(channel)
    }

    /// Puts a container.
    pub fn put(
        &self,
        channel: &Channel,
        name: Name16,
        data: &[u8],
        data_type: DataType,
    ) -> Result<(), TooMuch> {
        let before = channel.described(name);
        let others = self.bytes() - before.map_or(0, |(_, length)| length);
        let is_one_more = before.is_none() && channel.count() >= CONTAINERS_OF_CHANNEL_MAX;
        if is_one_more || others.saturating_add(data.len()) > CONTAINERS_MAX {
            return Err(TooMuch);
        }
        channel.put(name, Bytes::own(data), data_type);
        Ok(())
    }

    /// Takes a container out; false if it is not there.
    pub fn remove(&self, channel: &Channel, name: Name16) -> bool {
        channel.remove(name).is_some()
    }

    /// Puts the containers that have come back: all of them, or none.
    pub fn take_over(&self, channel: &Channel, changed: &Channel) -> Result<(), TooMuch> {
        let names = changed.names();
        let replaced: usize =
            names.iter().filter_map(|name| channel.described(*name)).map(|(_, length)| length).sum();
        if self.bytes() - replaced + changed.bytes() > CONTAINERS_MAX
            || channel.count() + names.len() > 2 * CONTAINERS_OF_CHANNEL_MAX
        {
            return Err(TooMuch);
        }
        for (name, container) in names.into_iter().filter_map(|name| Some((name, changed.get(name)?))) {
            channel.put(name, container.data, container.data_type);
        }
        Ok(())
    }

    /// Deletes a channel with its containers; false if it is not there.
    pub fn delete(&mut self, name: Name16) -> bool {
        self.all.remove(&name).is_some()
    }

    /// Begins a browse of the names that a channel has now; its token.
    pub fn browse(&mut self, channel: &Channel) -> Result<i32, TooMuch> {
        if self.browses.len() >= BROWSES_MAX {
            return Err(TooMuch);
        }
        self.last_browse = self.last_browse.wrapping_add(1).max(1);
        self.browses.insert(self.last_browse, channel.names().into());
        Ok(self.last_browse)
    }

    /// The names of a browse that are still to come; `None` if there is no such browse.
    pub fn browsed(&mut self, token: i32) -> Option<&mut VecDeque<Name16>> {
        self.browses.get_mut(&token)
    }

    /// Ends a browse; false if there is none.
    pub fn end_browse(&mut self, token: i32) -> bool {
        self.browses.remove(&token).is_some()
    }

    fn bytes(&self) -> usize {
        self.all.values().map(|channel| channel.bytes()).sum()
    }
}
