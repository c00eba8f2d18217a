//! The channels in a program's scope.

use std::sync::Arc;

use spec::cond;

use super::{Amount, Task};
use crate::channels::{Account, Bytes, Channel, DataType, NoRoom, Room, is_channel_name};
use crate::limits::CHANNELS_MAX;
use crate::meters::Figure;
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
    /// CHANNELERR for a name that is no channel name; NOSTG where the program has made too many.
    pub fn channel_to_pass(&mut self, name: Name16) -> Outcome<Arc<Channel>> {
        if let Some(channel) = self.channel(name) {
            return Ok(channel);
        }
        if !is_channel_name(name) {
            return Err(cond::CHANNELERR.raise(1));
        }
        if self.level().own_channels.len() >= CHANNELS_MAX {
            return Err(cond::NOSTG.raise(0));
        }
        let channel = Channel::new(name);
        self.level_mut().own_channels.push(Arc::clone(&channel));
        Ok(channel)
    }

    /// Puts a container, as PUT CONTAINER does: where there is no room the task waits for what others have.
    ///
    /// # Errors
    /// NOSTG where the task has too much already, or nothing that others give back would be enough; the abend of a task that is
    /// purged while it waits.
    pub async fn put_container(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> Outcome {
        let room = self.room(bytes.len()).await?;
        channel.put(name, Bytes::of(bytes, room), data_type);
        if let Some(account) = &self.containers {
            if let Some(performance) = self.performance() {
                performance.highest(Figure::ContainerStorage, account.bytes() as u64);
            }
            if self.is_overseen() {
                self.has_now(Amount::ContainerBytes, account.bytes());
            }
        }
        Ok(())
    }

    /// Adds bytes to a container that is there. If no other channel shares it, they cost a copy of themselves alone.
    ///
    /// # Errors
    /// NOSTG as of [`Self::put_container`].
    pub async fn append_to_container(&mut self, channel: &Channel, name: Name16, more: &[u8]) -> Outcome {
        let whole = channel.described(name).map_or(0, |(_, length)| length).saturating_add(more.len());
        let room = self.room_of(more.len(), Account::counts(whole)).await?;
        let Err(room) = channel.append(name, more, room) else { return Ok(()) };
        drop(room);
        let old = channel.get(name);
        let (before, data_type) =
            old.as_ref().map_or((&[][..], DataType::Bit), |old| (&**old.data, old.data_type));
        self.put_container(channel, name, [before, more].concat(), data_type).await
    }

    /// Room for a container of so many bytes.
    async fn room(&mut self, length: usize) -> Outcome<Room> {
        self.room_of(Account::counts(length), Account::counts(length)).await
    }

    /// Room for what counts so much. The task waits for it as long as others could make room for a container that counts as much as
    /// `whole`: beyond that it has so much itself that it would wait for ever.
    async fn room_of(&mut self, counts: usize, whole: usize) -> Outcome<Room> {
        let dsa = Arc::clone(&self.region.dsa);
        let account = Arc::clone(self.containers.get_or_insert_with(|| Account::new(&dsa)));
        loop {
            match account.take_counted(counts) {
                Ok(room) => return Ok(room),
                Err(NoRoom::Region) if self.storage.counted() + account.bytes() + whole <= dsa.limit() => {
                    self.wait_for_storage(dsa.free(counts)).await?;
                }
                Err(_) => {
                    dsa.refuses();
                    return Err(cond::NOSTG.raise(0));
                }
            }
        }
    }
}
