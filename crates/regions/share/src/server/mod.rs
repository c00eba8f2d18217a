//! The record server: an engine of this process in service of regions.
//!
//! A region is a *session*, which begins with its link and ends with it. In the engine a session has owners of
//! locks: a unit of work has one from its first lock on. Its changes come with its commit, so that a region that dies
//! leaves locks and nothing else, and they are free when its link has ended.
//!
//! A session ends while commits of it are under way: they go on, keep their locks until they are visible, and a new
//! session of the same region is refused until they are done. So a region that asks afterwards hears what has become of each.

mod bounds;
mod claims;
mod counts;
mod ending;
mod keeping;
mod listing;
mod load;
mod loading;
mod locking;
mod names;
mod numbers;
mod places;
mod reading;
mod requests;
mod session;
mod stamps;
mod tables;
mod utility;
mod versions;
mod wait;
mod watching;
mod work;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use link::carrier::Halves;
use link::{Begin, Clock, Ended, Link, Patience};
use records::{Engine, Result, StoreId};

use self::bounds::Bounds;
use self::claims::Claims;
use self::counts::Works;
use self::names::Names;
use self::session::Session;
use self::stamps::Stamps;
use self::versions::Versions;
use self::watching::Ends as EndsOfUnits;
use crate::hello;
use crate::limits::REGIONS_MAX;

/// A decision about the region of another machine that has this APPLID.
type MayCome<'a> = &'a dyn Fn(&str) -> std::result::Result<(), String>;

/// A record server. It lives on one thread, in a `LocalSet`; the engine has threads of its own.
#[derive(Clone)]
pub struct Server(pub(crate) Rc<Inner>);

pub(crate) struct Inner {
    pub engine: Arc<dyn Engine>,
    /// The store of the last commit of each place.
    pub places: StoreId,
    /// The number of the records.
    pub number: u64,
    pub claims: RefCell<Claims>,
    /// The stores that regions may use.
    pub names: RefCell<Names>,
    /// The next number of each store that has given out some.
    pub numbers: RefCell<HashMap<u32, u64>>,
    /// The stores that take a limited number of records.
    bounds: Bounds,
    /// Versions of records that are changed on condition.
    versions: Versions,
    /// Units of work in doubt that have ended without their tasks, of which their regions have not heard.
    ends: EndsOfUnits,
    /// Work done for each region.
    works: Works,
    stamps: Stamps,
    sessions: RefCell<Vec<Rc<Session>>>,
    /// Sessions that have ended with commits under way.
    ending: RefCell<Vec<Rc<Session>>>,
    next: Cell<u64>,
    clock: Rc<dyn Clock>,
}

impl Server {
    /// A server of an engine.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn open(engine: Arc<dyn Engine>, clock: Rc<dyn Clock>) -> Result<Self> {
        let places = places::open(&*engine).await?;
        let number = places::number_of_records(&*engine, places).await?;
        let names = RefCell::new(Names::of(&engine.stores(), places));
        let ends = EndsOfUnits::watch(&*engine);
        let (claims, numbers, sessions, ending) = Default::default();
        let (works, stamps, bounds, versions) = Default::default();
        let next = Cell::new(1);
        Ok(Self(Rc::new(Inner {
            engine,
            places,
            number,
            claims,
            names,
            numbers,
            bounds,
            versions,
            ends,
            works,
            stamps,
            sessions,
            ending,
            next,
            clock,
        })))
    }

    /// Serves a connection to its end. The reason for it is returned.
    pub async fn serve(&self, halves: Halves, patience: Patience) -> Ended {
        match self.serves(halves, patience, None).await {
            Ok(ended) => ended,
            Err(ended) => {
                tracing::warn!(target: "RS", "a connection to the records is refused: {ended}");
                ended
            }
        }
    }

    /// Serves a connection of another machine to its end, if it is of a region that `may_come`. Such a region has no copies, since it cannot
    /// look at the stamps, and who only looks is to come to the socket.
    ///
    /// # Errors
    /// The reason for which it is refused.
    pub(crate) async fn serve_far(
        &self,
        halves: Halves,
        patience: Patience,
        may_come: MayCome<'_>,
    ) -> std::result::Result<(), String> {
        self.serves(halves, patience, Some(may_come)).await.map(drop).map_err(|ended| ended.to_string())
    }

    /// Serves a connection; the error is a reason for which it has not begun. `far` decides about a region of another machine.
    async fn serves(
        &self,
        (source, sink): Halves,
        patience: Patience,
        far: Option<MayCome<'_>>,
    ) -> std::result::Result<Ended, Ended> {
        let inner = &self.0;
        let session = Session::new(Rc::clone(inner), inner.next.replace(inner.next.get() + 1));
        let host = Rc::clone(&session);
        let begin = Begin { source, sink, host, clock: Rc::clone(&inner.clock), patience };
        let mut guard = Ends { inner, session: &session };
        let accepted = Link::accept(begin, |theirs| {
            hello::check(theirs)?;
            if hello::looks(theirs) {
                if far.is_some() {
                    return Err(
                        "who only looks, or has a backup made, does so on the server's machine".into()
                    );
                }
                session.only_looks();
                return Ok(hello::of_server(inner.number));
            }
            if let Some(may_come) = far {
                may_come(&theirs.applid)?;
                session.is_elsewhere();
            }
            inner.admit(&session, &theirs.applid, theirs.run)?;
            Ok(hello::of_server(inner.number))
        });
        let ended = match accepted.await {
            Ok(link) if session.is_looking() => Ok(link.ended().await),
            Ok(link) => {
                let name = session.applid();
                tracing::info!(target: "RS", "region {name} shares the records");
                session.has(link.clone());
                let ended = link.ended().await;
                tracing::info!(target: "RS", "region {name} is gone: {ended}");
                Ok(ended)
            }
            Err(ended) => Err(ended),
        };
        guard.end();
        ended
    }

    /// Regions may keep copies of records from now on: the stamps by which they know that a copy is up to date lie in this
    /// folder, in a file that this server alone writes.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn stamps_are_in(&self, folder: &std::path::Path) -> std::io::Result<()> {
        self.0.stamps.are_in(folder)
    }

    /// Another server may take the records over while this one is stopped: regions get no stamps of records any more but for data tables.
    pub fn may_be_succeeded(&self) {
        self.0.stamps.may_be_succeeded();
    }

    /// The regions that share the records now, by name.
    pub fn regions(&self) -> Vec<String> {
        self.0.sessions.borrow().iter().map(|session| session.applid()).collect()
    }

    /// Ends all sessions in order: each region hears it, and its commits that have come are done.
    pub fn close(&self) {
        self.0.sessions.borrow().iter().for_each(|session| session.close());
    }

    /// Returns true while commits are under way whose regions are gone.
    pub fn is_busy(&self) -> bool {
        !self.0.ending.borrow().is_empty()
    }
}

/// Ends a session, however it ends.
struct Ends<'a> {
    inner: &'a Rc<Inner>,
    session: &'a Rc<Session>,
}

impl Ends<'_> {
    fn end(&mut self) {
        self.inner.is_gone(self.session);
    }
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl Inner {
    /// Takes a region in, or says why not.
    fn admit(&self, session: &Rc<Session>, applid: &str, run: u64) -> std::result::Result<(), String> {
        let has =
            |sessions: &RefCell<Vec<Rc<Session>>>| sessions.borrow().iter().any(|other| other.is_of(applid));
        if has(&self.sessions) {
            return Err(format!("a region {applid} shares the records already"));
        }
        if has(&self.ending) {
            return Err(format!("commits of region {applid} are under way: try again"));
        }
        if self.sessions.borrow().len() >= REGIONS_MAX {
            return Err(format!("{REGIONS_MAX} regions share the records, which are the most"));
        }
        session.is_named(applid, run, self.work_of(applid));
        self.sessions.borrow_mut().push(Rc::clone(session));
        Ok(())
    }

    fn is_gone(&self, session: &Rc<Session>) {
        let was_here = {
            let mut sessions = self.sessions.borrow_mut();
            let before = sessions.len();
            sessions.retain(|other| !Rc::ptr_eq(other, session));
            sessions.len() < before
        };
        if !was_here {
            return;
        }
        self.claims.borrow_mut().end(session.id);
        self.stamps.end(session.id);
        self.bounds.session_ends(session.id);
        if session.end() {
            self.ending.borrow_mut().push(Rc::clone(session));
        }
    }

    /// A commit of a session is done.
    pub fn is_done(&self, session: &Session) {
        if session.is_ended() && !session.is_busy() {
            self.ending.borrow_mut().retain(|other| !std::ptr::eq(&**other, session));
        }
    }

    /// Returns true if the engine can do no work any more.
    pub fn has_failed(&self) -> bool {
        let failure = std::pin::pin!(self.engine.failure());
        failure.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// The directory has changed: all regions hear it.
    pub fn tell_directory(&self) {
        let stores = self.engine.stores();
        *self.names.borrow_mut() = Names::of(&stores, self.places);
        self.sessions.borrow().iter().for_each(|session| session.hears_directory(&stores));
    }
}
