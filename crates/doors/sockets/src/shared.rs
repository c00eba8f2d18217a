//! The part that the sockets of all tasks of a region share.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use kernel::name::Name8;
use kernel::task::Task;
use ports::{Closing, Sharing};

use crate::counts::Counts;
use crate::handover::{Handover, task_id};
use crate::task::TaskSockets;

/// The part that all tasks of a region share.
pub struct Shared {
    /// The region's APPLID: the address space of its CLIENTIDs.
    pub applid: Name8,
    /// Sockets on their way from one task to another.
    pub handover: Arc<Handover>,
    /// That it ends.
    pub closing: Arc<Closing>,
    /// The counts of its sockets.
    pub counts: Arc<Counts>,
    /// The address of listeners.
    pub address: IpAddr,
    /// Ports that other regions listen on, too.
    sharing: OnceLock<Arc<Sharing>>,
}

impl Shared {
    /// Of a region whose listeners listen at an address; it shares no port yet.
    pub fn new(applid: Name8, address: IpAddr) -> Self {
        Self {
            applid,
            handover: Arc::default(),
            closing: Arc::default(),
            counts: Arc::default(),
            address,
            sharing: OnceLock::new(),
        }
    }

    /// Ports are shared with other regions from now on, as far as `sharing` says.
    pub fn share_ports(&self, sharing: &Arc<Sharing>) {
        // It is set once.
        let _ = self.sharing.set(Arc::clone(sharing));
    }

    /// The region's share in ports of several regions, if it has one.
    pub fn sharing(&self) -> Option<&Arc<Sharing>> {
        self.sharing.get()
    }

    /// The sockets of a task.
    pub(crate) fn sockets_of<'a>(&self, task: &'a mut Task) -> &'a mut TaskSockets {
        let number = task.number;
        task.kept.get_or_insert_with(|| TaskSockets::new(task_id(number), Arc::clone(&self.handover)))
    }
}
