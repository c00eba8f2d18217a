//! What a region has of SQL.

use std::sync::{Arc, OnceLock};

use db2::package::Package;
use domains::statistics::Statistics;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::task::Task;
use parking_lot::Mutex;
use spec::cond;
use sql::codes::Sqlca;

use crate::connection::{Connection, Found, Link, Phase};
use crate::home::{Home, Order};
use crate::messages::Message;
use crate::packages::Packages;
use crate::refused::WithoutThread;
use crate::resources::Resources;
use crate::settings::{Place, Settings};
use crate::statistics::Teller;
use crate::waits;

/// A region's SQL: one connection, made when a program first asks for a statement.
#[derive(Default)]
pub struct Attachment {
    setup: OnceLock<Setup>,
    pub(crate) connection: Arc<Connection>,
    pub(crate) resources: Resources,
    /// Takes part in units of work that were refused a thread.
    pub(crate) without_thread: Arc<WithoutThread>,
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

/// RESP2 of INVREQ for a connection that cannot be made. Its number is recalled, not read.
const NOT_CONNECTED: i32 = 37;

impl Attachment {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Takes what the region is told of servers, and where its modules' packages are. Where units of work may wait for
    /// their end at a server, or somebody else runs it, it is reached at once; else when a program asks for a statement.
    pub fn begin(&self, region: &Arc<Region>, settings: Settings, packages: Arc<Packages>) {
        Statistics::of(region).register(Arc::new(Teller));
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

    /// The server for a task's statement: it waits while the connection is made for the first time.
    ///
    /// # Errors
    /// The abend of a task that is purged meanwhile; within, that there is no server.
    pub(crate) async fn link(&self, task: &Task, has_thread: bool) -> Outcome<Result<Arc<Link>, Refused>> {
        loop {
            match self.connection.find(has_thread) {
                Found::Link(link) => return Ok(Ok(link)),
                Found::Gone(why) => {
                    let conn = self.resources.conn();
                    let abends = conn.is_some_and(|conn| conn.attributes.is("CONNECTERROR", "ABEND"));
                    return Ok(Err(Refused { why, abends }));
                }
                Found::Nothing => {
                    if !self.connect(&task.region) {
                        let why = String::from("the region has no connection to a database");
                        return Ok(Err(Refused { why, abends: true }));
                    }
                }
                Found::Soon => {
                    let made = self.connection.while_is(|found| matches!(found, Found::Soon));
                    task.wait(waits::CONNECTION.kind(), made).await?;
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
        self.connection.begins_anew();
        home.as_ref().is_some_and(|home| home.send(Order::Connect))
    }

    /// SET DB2CONN CONNECTED: waits until the connection is made, or an attempt has failed.
    ///
    /// # Errors
    /// INVREQ: there is no connection.
    pub(crate) async fn start(&self, by: &Manager) -> Outcome {
        if self.connection.phase() == Phase::Connected {
            return Ok(());
        }
        if !self.connect(&by.region) {
            return Err(cond::INVREQ.raise(NOT_CONNECTED));
        }
        let made = self.connection.while_is(|found| matches!(found, Found::Soon));
        by.wait(waits::CONNECTION.kind(), made).await?;
        let is_made = self.connection.phase() == Phase::Connected;
        if is_made { Ok(()) } else { Err(cond::INVREQ.raise(NOT_CONNECTED)) }
    }

    /// SET DB2CONN NOTCONNECTED: when units of work that have a thread are over. `waits`: for that; `forces`: their tasks are
    /// purged.
    ///
    /// # Errors
    /// The abend of a task that is purged while it waits.
    pub(crate) async fn end(&self, by: &Manager, waits: bool, forces: bool) -> Outcome {
        if self.connection.phase() == Phase::NotConnected {
            return Ok(());
        }
        self.connection.ends();
        if forces {
            self.resources.holders.force(&by.region);
        }
        let (holders, connection) = (Arc::clone(&self.resources.holders), Arc::clone(&self.connection));
        let region = Arc::downgrade(&by.region);
        let ending = tokio::spawn(async move {
            holders.gone().await;
            // Somebody may have had it made again meanwhile.
            if connection.phase() != Phase::Disconnecting {
                return;
            }
            let link = connection.link();
            connection.ended();
            if let (Some(link), Some(region)) = (link, region.upgrade()) {
                Message::Ended.tell(&region, &link.address);
            }
        });
        if waits {
            let _ = by.wait(waits::THREAD.kind(), ending).await?;
        }
        Ok(())
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
