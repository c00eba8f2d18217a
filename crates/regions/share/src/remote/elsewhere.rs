//! The way to a record server of another machine.
//!
//! Several places may be named, at which the records of one database are served: a server opens its port only when it has the lease, so the
//! one that can be reached is the one that leads. A server of other records is refused by their number.

use std::cell::Cell;
use std::io;

use link::Patience;
use link::carrier::{Halves, Identity};
use tokio::time::timeout;

use super::runner::Connector;
use crate::limits::{CONNECT_MAX, SERVERS_MAX};

/// The reason why the server is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotThere(pub String);

/// The places at which a region looks for its record server, and how it shows itself there.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// Hosts, which the servers' certificates name, and ports.
    pub servers: Vec<(String, u16)>,
    /// The region's certificate and key, and the authorities of servers.
    pub identity: Identity,
}

/// The way there.
pub(super) struct Ways {
    elsewhere: Elsewhere,
    /// The place that is asked first the next time.
    next: Cell<usize>,
}

impl Ways {
    /// The way to such places.
    pub fn new(elsewhere: Elsewhere) -> Result<Self, NotThere> {
        if !(1..=SERVERS_MAX).contains(&elsewhere.servers.len()) {
            return Err(NotThere(format!(
                "a region looks at 1 to {SERVERS_MAX} places for its record server"
            )));
        }
        Ok(Self { elsewhere, next: Cell::new(0) })
    }

    async fn connect_to(&self, (host, port): &(String, u16)) -> Result<Halves, String> {
        match timeout(CONNECT_MAX, self.elsewhere.identity.connect(host, *port)).await {
            Ok(Ok(connected)) => Ok(connected.halves),
            Ok(Err(error)) => Err(format!("{host}:{port}: {error}")),
            Err(_) => Err(format!("{host}:{port}: it says nothing")),
        }
    }
}

impl Connector for Ways {
    async fn connect(&self) -> io::Result<Halves> {
        let servers = &self.elsewhere.servers;
        let mut whys = Vec::new();
        for _ in servers {
            let at = self.next.get() % servers.len();
            // One that refuses the region, or has other records, is not asked twice before the others.
            self.next.set(at + 1);
            match self.connect_to(&servers[at]).await {
                Ok(halves) => return Ok(halves),
                Err(why) => whys.push(why),
            }
        }
        Err(io::Error::other(whys.join(", ")))
    }

    fn patience(&self) -> Patience {
        Patience::ELSEWHERE
    }

    fn check_records(&self, known: u64, theirs: u64) -> Result<(), String> {
        match known {
            _ if theirs == 0 => Err("the record server is of an earlier version".into()),
            0 => Ok(()),
            known if known == theirs => Ok(()),
            _ => {
                Err(format!("it has other records ({theirs:016x}) than those of this region ({known:016x})"))
            }
        }
    }
}
