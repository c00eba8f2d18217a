//! What a region has of SQL.

use std::sync::{Arc, OnceLock};

use db2::package::Package;
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::{Task, WaitKind};
use parking_lot::Mutex;
use sql::codes::{Scope, Sqlca};

use crate::connection::{Connection, Found, Link};
use crate::home::{Home, Order};
use crate::packages::Packages;
use crate::settings::{Place, Settings};

/// A region's SQL: one connection, made when a program first asks for a statement.
#[derive(Default)]
pub struct Attachment {
    setup: OnceLock<Setup>,
    connection: Arc<Connection>,
    /// The thread of the connection, once there is one.
    home: Mutex<Option<Home>>,
}

struct Setup {
    settings: Arc<Settings>,
    packages: Arc<Packages>,
}

/// Why a statement does not run.
pub(crate) struct Refused {
    /// In words.
    pub(crate) why: String,
    /// Whether the task ends, rather than get SQLCODE -923.
    pub(crate) abends: bool,
}

impl Attachment {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Takes what the region is told of servers, and where its modules' packages are. Where units of work may wait for
    /// their end at a server, or somebody else runs it, it is reached at once; else when a program asks for a statement.
    pub fn begin(&self, region: &Arc<Region>, settings: Settings, packages: Arc<Packages>) {
        let was_there = match &settings.place {
            Place::Private(private) => private.folder.exists(),
            Place::At(_) => true,
        };
        let setup = Setup { settings: Arc::new(settings), packages };
        if self.setup.set(setup).is_ok() && was_there {
            self.connect(region);
        }
    }

    /// The package of a token.
    pub(crate) fn package(&self, token: u64) -> Option<Arc<Package>> {
        self.setup.get()?.packages.get(token)
    }

    /// What a deadlock takes back.
    pub(crate) fn scope(&self) -> Scope {
        Scope::Unit
    }

    /// The server for a task's statement: it waits while the connection is made for the first time.
    ///
    /// # Errors
    /// The abend of a task that is purged meanwhile; within, that there is no server.
    pub(crate) async fn link(&self, task: &Task) -> Outcome<Result<Arc<Link>, Refused>> {
        loop {
            match self.connection.find() {
                Found::Link(link) => return Ok(Ok(link)),
                Found::Gone(why) => return Ok(Err(Refused { why, abends: false })),
                Found::Nothing => {
                    if !self.connect(&task.region) {
                        let why = String::from("the region has no connection to a database");
                        return Ok(Err(Refused { why, abends: true }));
                    }
                }
                Found::Soon => {
                    let made = self.connection.while_is(|found| matches!(found, Found::Soon));
                    task.wait(WaitKind::Db2Connection, made).await?;
                }
            }
        }
    }

    /// Has the connection made. False: nobody has told the region of servers.
    fn connect(&self, region: &Arc<Region>) -> bool {
        let Some(setup) = self.setup.get() else { return false };
        let mut home = self.home.lock();
        if home.is_none() {
            let started = Home::start(region, &setup.settings, &self.connection);
            match started {
                Ok(started) => *home = Some(started),
                Err(error) => {
                    tracing::error!(target: "DB", "the thread of the connection cannot be started: {error}");
                    return false;
                }
            }
        }
        self.connection.begins();
        home.as_ref().is_some_and(|home| home.send(Order::Connect))
    }

    /// A statement has come to this: perhaps the server is gone.
    pub(crate) fn look_at(&self, sqlca: &Sqlca) {
        if matches!(sqlca.code, -923 | -924)
            && let Some(home) = &*self.home.lock()
        {
            home.send(Order::Look);
        }
    }

    /// Ends the connection. A private server stops with it, if `stops`; it goes on otherwise, as after a crash. No task runs
    /// any more.
    pub async fn stop(&self, stops: bool) {
        let home = self.home.lock().take();
        if let Some(home) = home {
            home.stop(stops).await;
        }
        self.connection.ended();
    }
}
