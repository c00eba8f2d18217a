//! A region's servers: each with its connection and the thread of that.

use std::io;
use std::sync::Arc;

use kernel::region::Region;
use parking_lot::Mutex;

use crate::connection::Connection;
use crate::home::{Home, Order};
use crate::noted::Note;
use crate::settings::{ServerPlace, Settings};

/// One server.
#[derive(Default)]
pub(crate) struct Line {
    /// Its number: 0 for the usual server, further ones as region.toml has them.
    pub(crate) number: u16,
    /// The DB2ID of a further server; empty for the usual one.
    pub(crate) name: String,
    /// State of the connection.
    pub(crate) connection: Arc<Connection>,
    /// The thread of the connection, once there is one.
    home: Mutex<Option<Home>>,
}

impl Line {
    /// A further server.
    pub(crate) fn new(number: u16, name: &str) -> Self {
        Self { number, name: name.to_owned(), ..Self::default() }
    }

    /// Returns true if units of work may wait there for their end, as far as the state folder shows: it was used
    /// before.
    pub(crate) fn was_there(&self, settings: &Settings) -> bool {
        match settings.at(&self.name).place {
            ServerPlace::Private(private) => private.folder.exists(),
            ServerPlace::At(_) => false,
        }
    }

    /// Has the connection made.
    ///
    /// # Errors
    /// The system's own: there is no thread for it.
    pub(crate) fn connect(&self, region: &Arc<Region>, settings: &Settings) -> io::Result<()> {
        let mut home = self.home.lock();
        let running = match &mut *home {
            Some(running) => running,
            none => {
                let (own, which) = (settings.at(&self.name), (self.number, self.name.as_str()));
                none.insert(Home::start(region, own, which, &self.connection)?)
            }
        };
        self.connection.begins_anew();
        let is_asked = running.send(Order::Connect);
        if is_asked { Ok(()) } else { Err(io::Error::other("the thread of the connection has ended")) }
    }

    /// A statement has found no server at the other end.
    pub(crate) fn look(&self) {
        if let Some(home) = &*self.home.lock() {
            home.send(Order::Look);
        }
    }

    /// Has a package noted at the server.
    pub(crate) fn note(&self, note: Note) {
        if let Some(home) = &*self.home.lock() {
            home.send(Order::Note(note));
        }
    }

    /// Ends it. A private server stops with it, if `stops`.
    pub(crate) async fn stop(&self, stops: bool) {
        let home = self.home.lock().take();
        if let Some(home) = home {
            home.stop(stops).await;
        }
        self.connection.ended();
    }
}
