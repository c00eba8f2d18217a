//! The connections for answers of conversations with two sockets.
//!
//! A client names its conversation on both by the same first bytes. Both must come from the same address: an attacker
//! who learns the bytes elsewhere gets no answers. Of several connections for answers the newest counts, so that a
//! client which has lost its connection gets its answers again as soon as it has another.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::guests::Guest;

/// The name of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The client's address.
    pub address: IpAddr,
    /// The bytes that the client has given.
    pub bytes: Vec<u8>,
}

/// The present connection for answers.
#[derive(Default)]
pub struct WayOut {
    client: Mutex<Option<Arc<Guest>>>,
    came: Notify,
}

impl WayOut {
    /// Waits for a connection for answers other than `broken`.
    pub async fn client(&self, broken: Option<&Arc<Guest>>) -> Arc<Guest> {
        loop {
            let came = self.came.notified();
            tokio::pin!(came);
            // From here on no other connection is missed.
            came.as_mut().enable();
            let is_broken = |client: &Arc<Guest>| broken.is_some_and(|broken| Arc::ptr_eq(broken, client));
            if let Some(client) = self.client.lock().as_ref().filter(|client| !is_broken(client)) {
                return Arc::clone(client);
            }
            came.await;
        }
    }
}

/// The ways out of a conversation, by name.
#[derive(Default)]
pub struct WaysOut(Mutex<HashMap<Name, Arc<WayOut>>>);

/// A holder of a way out. The last one removes it.
pub struct Held {
    ways: Arc<WaysOut>,
    name: Name,
    /// It.
    pub way: Arc<WayOut>,
}

impl WaysOut {
    /// The way out of a name.
    pub fn hold(self: &Arc<Self>, name: Name) -> Held {
        let way = Arc::clone(self.0.lock().entry(name.clone()).or_default());
        Held { ways: Arc::clone(self), name, way }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut ways = self.ways.0.lock();
        // The table's, and this one's.
        if Arc::strong_count(&self.way) == 2 {
            ways.remove(&self.name);
        }
    }
}

/// A connection that takes answers, until it is dropped.
pub struct Offered {
    held: Held,
    client: Arc<Guest>,
}

impl Offered {
    /// Answers go to this client from now on; one that had them before is let go.
    pub fn new(held: Held, client: Arc<Guest>) -> Self {
        let before = held.way.client.lock().replace(Arc::clone(&client));
        if let Some(before) = before {
            before.let_go();
        }
        held.way.came.notify_waiters();
        Self { held, client }
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        let mut client = self.held.way.client.lock();
        // Another may have come since.
        if client.as_ref().is_some_and(|client| Arc::ptr_eq(client, &self.client)) {
            *client = None;
        }
    }
}
