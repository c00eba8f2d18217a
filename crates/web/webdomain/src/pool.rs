//! Connections to servers that no task uses at the moment: those of URI maps with SOCKETCLOSE are kept for the next task.
//!
//! A connection is driven by the TCB on which it was made, so that only tasks of that TCB take it again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use kernel::name::Name8;
use parking_lot::Mutex;
use tokio::runtime::Handle;

use crate::line::{self, Line};
use crate::server::Server;

/// Connections that are kept of a URI map. Beyond, the oldest is closed.
const KEPT_MAX: usize = 256;

/// The connections that are kept.
#[derive(Default)]
pub(crate) struct Pool(Arc<Mutex<BTreeMap<Name8, Vec<Kept>>>>);

struct Kept {
    server: Server,
    line: Line,
    home: ThreadId,
    until: Instant,
}

impl Pool {
    /// A connection to a server that is still open, the one that was used last.
    pub fn take(&self, map: Name8, server: &Server) -> Option<Line> {
        let mut pool = self.0.lock();
        let kept = pool.get_mut(&map)?;
        let (home, now) = (thread::current().id(), Instant::now());
        loop {
            let fits = |it: &Kept| it.home == home && it.server == *server;
            let mut found = kept.remove(kept.iter().rposition(fits)?);
            if found.until > now && !line::has_ended(&mut found.line) {
                return Some(found.line);
            }
        }
    }

    /// Closes the connection that has been kept longest of some URI map: its place is wanted.
    pub fn make_room(&self) {
        let mut pool = self.0.lock();
        let oldest = pool.values_mut().filter(|kept| !kept.is_empty()).min_by_key(|kept| kept[0].until);
        if let Some(kept) = oldest {
            kept.remove(0);
        }
    }

    /// Number of connections that are kept of a URI map.
    pub fn kept(&self, map: Name8) -> usize {
        self.0.lock().get(&map).map_or(0, Vec::len)
    }

    /// Keeps a connection on which nothing is under way.
    pub fn put(&self, map: Name8, server: Server, line: Line, keep: Duration) {
        // A TCB that ends keeps nothing.
        let Ok(runtime) = Handle::try_current() else { return };
        let kept = Kept { server, line, home: thread::current().id(), until: Instant::now() + keep };
        let mut pool = self.0.lock();
        let of_map = pool.entry(map).or_default();
        let is_first = of_map.is_empty();
        if of_map.len() == KEPT_MAX {
            of_map.remove(0);
        }
        of_map.push(kept);
        if is_first {
            runtime.spawn(Self(Arc::clone(&self.0)).sweep(map));
        }
    }

    /// Closes those of a URI map whose time is over. Gives the time of the next one; `None` if no connection is left.
    fn close_old(&self, map: Name8) -> Option<Instant> {
        let mut pool = self.0.lock();
        let now = Instant::now();
        pool.get_mut(&map)?.retain(|kept| kept.until > now);
        let next = pool[&map].iter().map(|kept| kept.until).min();
        if next.is_none() {
            pool.remove(&map);
        }
        next
    }

    /// Closes connections of a URI map when their time is over, until none is left.
    async fn sweep(self, map: Name8) {
        while let Some(next) = self.close_old(map) {
            tokio::time::sleep_until(next.into()).await;
        }
    }
}
