//! The channels in a program's scope.

use std::sync::Arc;

use spec::cond;

use super::Task;
use crate::channels::{Channel, is_channel_name};
use crate::name::Name16;
use crate::raise::{Outcome, RaiseCondition};

impl Task {
    /// The channel of a name in the running program's scope.
    pub fn channel(&self, name: Name16) -> Option<Arc<Channel>> {
        let level = self.level();
        let current = level.channel.as_ref().filter(|c| c.name == name);
        current.or_else(|| level.own_channels.iter().find(|c| c.name == name)).cloned()
    }

    /// The channel of a name for a program to be given it: made now, if there is none.
    ///
    /// # Errors
    /// CHANNELERR for a name that is no channel name.
    pub fn channel_to_pass(&mut self, name: Name16) -> Outcome<Arc<Channel>> {
        if let Some(channel) = self.channel(name) {
            return Ok(channel);
        }
        if !is_channel_name(name) {
            return Err(cond::CHANNELERR.raise(1));
        }
        let channel = Channel::new(name);
        self.level_mut().own_channels.push(Arc::clone(&channel));
        Ok(channel)
    }
}
