//! The front doors of a region: each is a file here, some with a folder, and a row of [`DOORS`].
//!
//! Life of a door: *read* (its part of the configuration is in order) → *installed* (its programs and transactions are
//! there) → *open* (clients come) → *closed* (no client is accepted any more; tasks that run go on) → *stopped* (no
//! connection is left). ARCHITECTURE.md, "Front doors", says how a new one is built.

mod access;
mod certificate;
mod console;
mod debug;
mod direct;
mod java;
mod links;
mod operate;
mod sockets;
mod telemetry;
mod tn3270;
mod web;

use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use config::{Located, RegionConfig, at};
use datasets::DataSets;
use diagnostics::{Diagnostic, any_error};
use kernel::region::Region;
use kernel::services::Service;
use ports::{CLIENTS_LEAST, CannotListen, Descriptors, Sharing};
use terminal::Tap;

use crate::codes;
use crate::users::Users;

/// The doors of a region, in the order in which they are opened and closed.
const DOORS: &[Read] = &[
    java::read,
    tn3270::read,
    access::read,
    sockets::read,
    web::read,
    direct::read,
    links::read,
    debug::read,
    operate::read,
    telemetry::read,
    console::read,
];

/// Reads a door's part of the configuration: its mistakes are reported before anything is touched.
type Read = fn(&Path, &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>>;

/// A door that was read, and warnings.
type WithWarnings = (Box<dyn Door>, Vec<Diagnostic>);

/// A door's work, when it is asked to.
type Step<'a, T = ()> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A front door.
trait Door {
    /// Services that programs CALL and this door answers.
    fn services(&self) -> Vec<Arc<dyn Service>> {
        Vec::new()
    }

    /// Installs what it brings along: programs, transactions, statistics.
    fn install(&mut self, _region: &Region) {}

    /// Opens its ports: clients come from here on. It is called within a `LocalSet`, on which the door may run.
    ///
    /// # Errors
    /// A port that cannot be had. Ports that are open by then are closed again.
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>>;

    /// Addresses on which it listens now.
    fn listening(&self) -> Vec<Listening> {
        Vec::new()
    }

    /// The number of clients that the configuration gives it; `None` if it says nothing.
    fn connections_max(&self) -> Option<usize> {
        None
    }

    /// The region is about to end: clients that keep their connections are sent away with their answers. Work goes on.
    fn cool(&mut self) -> Step<'_> {
        Box::pin(async {})
    }

    /// The region ends: no client is accepted any more, and tasks that wait for a client hear that none comes. Others go on,
    /// and so do their connections.
    fn close(&mut self) -> Step<'_>;

    /// The region ends as if its process died: partners see their connections break before a task ends.
    fn sever(&mut self) -> Step<'_> {
        Box::pin(async {})
    }

    /// No task runs any more: connections that are left have a while to read what was sent last, and end.
    fn stop(&mut self) -> Step<'_>;
}

/// Inside of the region, for a door that opens.
pub(crate) struct Inside<'a> {
    /// The region.
    pub region: &'a Arc<Region>,
    /// Its data sets.
    pub site: &'a Arc<DataSets>,
    /// Its users.
    pub users: &'a Arc<Users>,
    /// Its state folder.
    pub state: &'a Path,
    /// Its share in ports that other regions listen on, too.
    pub sharing: Option<&'a Arc<Sharing>>,
    /// Listens to its terminals.
    pub tap: Option<Rc<dyn Tap>>,
}

/// A place where a region listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Name of the door: `tn3270`, `tn3270-tls`, `listener`, `conversation`, `web`, `direct`, `links`, `operate`,
    /// `console`.
    pub door: &'static str,
    /// Whom a client finds there: a listener's transaction, a conversation's or scenario's program, a TCPIPSERVICE, DIRECT for all
    /// scenarios with a path. Empty: the region.
    pub name: String,
    /// The address.
    pub address: SocketAddr,
}

/// All doors of a region.
pub(crate) struct Doors(Vec<Box<dyn Door>>);

impl Doors {
    /// Reads what the configuration says of them, and warnings.
    ///
    /// # Errors
    /// All that is wrong with it, and the warnings.
    pub fn read(root: &Path, config: &RegionConfig) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut doors, mut messages) = (Vec::new(), Vec::new());
        for read in DOORS {
            match read(root, config) {
                Ok((door, told)) => {
                    doors.push(door);
                    messages.extend(told);
                }
                Err(told) => messages.extend(told),
            }
        }
        if any_error(&messages) { Err(messages) } else { Ok((Self(doors), messages)) }
    }

    /// Services that programs CALL and doors answer.
    pub fn services(&self) -> Vec<Arc<dyn Service>> {
        self.0.iter().flat_map(|door| door.services()).collect()
    }

    /// Installs what they bring along.
    pub fn install(&mut self, region: &Region) {
        self.0.iter_mut().for_each(|door| door.install(region));
    }

    /// Opens all.
    ///
    /// # Errors
    /// A port that cannot be had; then no door is open.
    pub async fn open(&mut self, inside: &Inside<'_>) -> Result<(), Vec<Diagnostic>> {
        ports::raise_limit();
        for door in &mut self.0 {
            if let Err(messages) = door.open(inside).await {
                self.close().await;
                self.stop().await;
                return Err(messages);
            }
        }
        if let Err(messages) = self.share_descriptors() {
            self.close().await;
            self.stop().await;
            return Err(messages);
        }
        Ok(())
    }

    /// Compares what clients the configuration allows with what the limit of descriptors does.
    ///
    /// # Errors
    /// There would be hardly a client.
    fn share_descriptors(&self) -> Result<(), Vec<Diagnostic>> {
        let Some(shared) = ports::share_descriptors() else { return Ok(()) };
        let Descriptors { limit, used, clients } = shared;
        let least = shared.limit_for(CLIENTS_LEAST);
        if clients < CLIENTS_LEAST {
            let text = format!(
                "the process may have {limit} descriptors, and the region has {used} of them open itself: hardly a client \
                 could be let in"
            );
            let help = format!("raise the limit (ulimit -n, LimitNOFILE=) to {least} at least");
            return Err(vec![Diagnostic::error(codes::START, text).help(help)]);
        }
        if let Some(wanted) = self.0.iter().filter_map(|door| door.connections_max()).max()
            && wanted > shared.of_one_door()
        {
            let needed = shared.limit_for(wanted * 4 / 3 + 1);
            tracing::warn!(
                target: "SO",
                "connections = {wanted} is more than the process can have with {limit} descriptors: {} clients of a door at a \
                 time, {clients} of all; raise the limit (ulimit -n, LimitNOFILE=) to {needed}",
                shared.of_one_door()
            );
        }
        Ok(())
    }

    /// Addresses on which they listen now.
    pub fn listening(&self) -> Vec<Listening> {
        self.0.iter().flat_map(|door| door.listening()).collect()
    }

    /// Sends clients away that keep their connections.
    pub async fn cool(&mut self) {
        for door in &mut self.0 {
            door.cool().await;
        }
    }

    /// Accepts no more clients.
    pub async fn close(&mut self) {
        for door in &mut self.0 {
            door.close().await;
        }
    }

    /// Breaks off what would break at the death of the process.
    pub async fn sever(&mut self) {
        for door in &mut self.0 {
            door.sever().await;
        }
    }

    /// Ends what connections are left.
    pub async fn stop(&mut self) {
        for door in &mut self.0 {
            door.stop().await;
        }
    }
}

/// A port that cannot be had, at the line that asks for it; `who` wants it.
fn cannot_listen(who: &str, why: &CannotListen, asked: &Located<SocketAddr>) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::ADDRESS, format!("{who} {why}"));
    vec![at(message, asked).help(why.help())]
}
