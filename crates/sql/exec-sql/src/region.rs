//! SQL of a region.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use attachment::OwnTables;
use db2::package::{Isolation, Package};
use domains::statistics::Statistics;
use kernel::locks::{LockWords, add_words};
use kernel::name::TransactionName;
use kernel::notices::{Notice, Notices};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::task::Task;
use spec::cond;

use crate::connection::{ENDED, Found, Link, Phase};
use crate::limits::PAIRED;
use crate::lines::Line;
use crate::messages::{self, Message};
use crate::own_tables;
use crate::packages::Packages;
use crate::resources::Resources;
use crate::settings::{Named, ServerPlace, Settings};
use crate::stand_in::StandIn;
use crate::statistics::Teller;
use crate::waits;

/// A region's SQL: a connection to each of its servers, made when a program first asks for a statement there.
#[derive(Default)]
pub struct Attachment {
    setup: OnceLock<Setup>,
    /// The usual server, which everything without a DB2ID goes to.
    usual: Arc<Line>,
    /// Its definitions; the region has them as a part of their own, too ([`Resources::of`]).
    pub(crate) resources: Arc<Resources>,
    /// The region's own tables, if they are what the usual server is otherwise.
    own: OnceLock<Arc<OwnTables>>,
    /// SET DB2CONN NOTCONNECTED has come: units of work that have begun there go on, others are refused.
    own_is_ended: AtomicBool,
    stand_in: OnceLock<Arc<dyn StandIn>>,
}

struct Setup {
    settings: Settings,
    packages: Arc<Packages>,
    /// Further servers, as the settings have them.
    further: Vec<Arc<Line>>,
}

/// Reason why a statement does not run.
pub(crate) struct Refused {
    /// In words.
    pub(crate) why: String,
    /// True if the task ends, rather than get SQLCODE -923.
    pub(crate) abends: bool,
}

/// RESP2 of INVREQ for a connection that cannot be made. Its number is recalled, not read.
const NOT_CONNECTED: i32 = 37;

impl Attachment {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Opens the region's own tables, if its settings want them, and runs there the scripts that have not run yet.
    ///
    /// # Errors
    /// In words: the tables cannot be opened, or a script fails.
    pub async fn open_tables(&self, region: &Arc<Region>, settings: &Settings) -> Result<(), String> {
        let Some(tables) = own_tables::open_tables(Arc::clone(&region.records), settings).await? else {
            return Ok(());
        };
        let known = Arc::clone(&tables);
        add_words(
            region,
            Box::new(move |lock| {
                let (resource, part) = known.lock_in_words(lock)?;
                Some(LockWords { resource, part })
            }),
        );
        let _ = self.own.set(tables);
        Ok(())
    }

    /// The region's own tables, if it has some.
    pub fn tables(&self) -> Option<Arc<OwnTables>> {
        self.own.get().cloned()
    }

    /// Returns true if the region has tables of its own.
    pub(crate) fn has_own(&self) -> bool {
        self.own.get().is_some()
    }

    /// The region's own tables, if statements for this server go there.
    pub(crate) fn own(&self, line: &Line) -> Option<&Arc<OwnTables>> {
        self.own.get().filter(|_| line.number == 0)
    }

    /// Takes the region's settings of servers, and the packages of its modules. A server is reached at once if units
    /// of work may wait for their end there, if it is not ours, or if scripts are to run there; else when a program
    /// asks for a statement.
    pub fn begin(&self, region: &Arc<Region>, settings: Settings, packages: Arc<Packages>) {
        Statistics::of(region).register(Arc::new(Teller));
        self.resources.supply();
        packages.bind(settings.isolations.clone());
        let further = settings.named.iter().zip(1..);
        let further = further.map(|(named, number)| Arc::new(Line::new(number, &named.name))).collect();
        if self.setup.set(Setup { settings, packages, further }).is_err() {
            return;
        }
        let Some(Setup { settings, .. }) = self.setup.get() else { return };
        for line in self.lines().filter(|line| self.own(line).is_none()) {
            let is_main = Arc::ptr_eq(line, self.main());
            let named = settings.named.iter().find(|named| named.name == line.name);
            let is_used = is_main || named.is_some_and(Named::has_statements);
            let own = settings.at(&line.name);
            let is_elsewhere = matches!(own.place, ServerPlace::At(_));
            // Its first statement need not wait then until the server is made.
            let is_wanted = is_elsewhere || !own.scripts.is_empty() || !own.schemas.is_empty();
            if is_main && settings.connects_at_start || is_used && is_wanted || line.was_there(settings) {
                self.connect(region, line);
            }
        }
    }

    /// Waits until it is known whether records and tables of private servers belong together; one that does not come, or cannot be
    /// started, has its own messages.
    ///
    /// # Errors
    /// They do not, in words.
    pub async fn are_pairs(&self) -> Result<(), String> {
        let Some(setup) = self.setup.get() else { return Ok(()) };
        let there = self.lines().filter(|line| self.own(line).is_none() && line.was_there(&setup.settings));
        for line in there {
            let connection = &line.connection;
            let known = connection.while_is(|found| matches!(found, Found::Soon));
            let _ = tokio::time::timeout(PAIRED, known).await;
            if let Some(why) = connection.no_pair() {
                return Err(why);
            }
        }
        Ok(())
    }

    /// Returns the settings of servers, once the region has them.
    pub(crate) fn settings(&self) -> Option<&Settings> {
        self.setup.get().map(|setup| &setup.settings)
    }

    /// All servers, the usual one first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Arc<Line>> {
        std::iter::once(&self.usual).chain(self.setup.get().into_iter().flat_map(|setup| &setup.further))
    }

    /// The server that DB2CONN means: of statements that no rule leads elsewhere.
    fn main(&self) -> &Arc<Line> {
        let further = self.setup.get().map(|setup| setup.further.as_slice()).unwrap_or_default();
        if further.is_empty() {
            return &self.usual;
        }
        let id = self.resources.conn().map(|conn| conn.attributes.get("DB2ID")).unwrap_or_default();
        further.iter().find(|line| line.name == id).unwrap_or(&self.usual)
    }

    /// State of the connection that DB2CONN means.
    pub(crate) fn phase(&self) -> Phase {
        let main = self.main();
        match self.own(main) {
            Some(_) if self.own_is_ended.load(Ordering::Relaxed) => Phase::NotConnected,
            Some(_) => Phase::Connected,
            None => main.connection.phase(),
        }
    }

    /// The server of a program's statements for a transaction.
    pub(crate) fn line(&self, program: &str, transaction: TransactionName) -> &Arc<Line> {
        let Some(Setup { settings, further, .. }) =
            self.setup.get().filter(|setup| !setup.further.is_empty())
        else {
            return &self.usual;
        };
        let place = settings.further(program, Some(&transaction.to_string()));
        place.map_or_else(|| self.main(), |place| &further[place])
    }

    /// The package of a token.
    pub(crate) fn package(&self, token: u64) -> Option<Arc<Package>> {
        self.setup.get()?.packages.get(token)
    }

    /// Has statements answered by a test; only the first one counts.
    pub fn stands_in(&self, stand_in: Arc<dyn StandIn>) {
        let _ = self.stand_in.set(stand_in);
    }

    /// The test that answers statements, if one does.
    pub(crate) fn stand_in(&self) -> Option<&dyn StandIn> {
        self.stand_in.get().map(AsRef::as_ref)
    }

    /// Returns the isolation that the package of a program is bound with.
    pub(crate) fn isolation(&self, program: &str) -> Isolation {
        self.setup.get().map_or(Isolation::CursorStability, |setup| setup.packages.isolation(program))
    }

    /// Returns true if tables are made that programs describe.
    pub(crate) fn makes_tables(&self) -> bool {
        self.setup.get().is_some_and(|setup| setup.settings.declared_tables)
    }

    /// Has the connection made that DB2CONN means, if no task has tried yet, for a program that looks for it. Why there is none does not
    /// matter here.
    pub(crate) async fn look_for_main(&self, task: &Task) -> Outcome {
        let main = self.main();
        if self.own(main).is_none() {
            self.link(task, main, false).await.map(drop)?;
        }
        Ok(())
    }

    /// The region's own tables as a statement finds them. `has_begun`: its unit of work has used them.
    pub(crate) fn own_for(
        &self,
        tables: &Arc<OwnTables>,
        has_begun: bool,
    ) -> Result<Arc<OwnTables>, Refused> {
        if has_begun || !self.own_is_ended.load(Ordering::Relaxed) {
            return Ok(Arc::clone(tables));
        }
        Err(self.refused(String::from(ENDED)))
    }

    /// A statement that does not run, for a reason in words.
    fn refused(&self, why: String) -> Refused {
        let conn = self.resources.conn();
        let abends = conn.is_some_and(|conn| conn.attributes.is("CONNECTERROR", "ABEND"));
        Refused { why, abends }
    }

    /// The connection for a task's statement: it waits while that is made for the first time.
    ///
    /// # Errors
    /// The abend of a task that is purged meanwhile; within, that there is no server.
    pub(crate) async fn link(
        &self,
        task: &Task,
        line: &Line,
        has_thread: bool,
    ) -> Outcome<Result<Arc<Link>, Refused>> {
        loop {
            match line.connection.find(has_thread) {
                Found::Link(link) => return Ok(Ok(link)),
                Found::Gone(why) => return Ok(Err(self.refused(why))),
                Found::Nothing => {
                    if !self.connect(&task.region, line) {
                        let why = String::from("the region has no connection to a database");
                        return Ok(Err(Refused { why, abends: true }));
                    }
                }
                Found::Soon => {
                    let made = line.connection.while_is(|found| matches!(found, Found::Soon));
                    task.wait(waits::CONNECTION.kind(), made).await?;
                }
            }
        }
    }

    /// Has a connection made. Returns false if the region has been given no servers.
    fn connect(&self, region: &Arc<Region>, line: &Line) -> bool {
        let Some(setup) = self.setup.get() else { return false };
        let asked = line.connect(region, &setup.settings);
        if let Err(error) = &asked {
            tracing::error!(target: "DB", "the connection cannot be made: {error}");
        }
        asked.is_ok()
    }

    /// SET DB2CONN CONNECTED: waits until the connection is made, or an attempt has failed. Those to other servers are made when
    /// a statement wants them.
    ///
    /// # Errors
    /// INVREQ: there is no connection.
    pub(crate) async fn start(&self, by: &Manager) -> Outcome {
        let main = self.main();
        self.lines().filter(|line| !Arc::ptr_eq(line, main)).for_each(|line| line.connection.forgets());
        self.own_is_ended.store(false, Ordering::Relaxed);
        if self.phase() == Phase::Connected {
            return Ok(());
        }
        if !self.connect(&by.region, main) {
            return Err(cond::INVREQ.raise(NOT_CONNECTED));
        }
        let made = main.connection.while_is(|found| matches!(found, Found::Soon));
        by.wait(waits::CONNECTION.kind(), made).await?;
        let is_made = main.connection.phase() == Phase::Connected;
        if is_made { Ok(()) } else { Err(cond::INVREQ.raise(NOT_CONNECTED)) }
    }

    /// SET DB2CONN NOTCONNECTED: to no server, when units of work that have a thread are over. `waits`: for that; `forces`:
    /// their tasks are purged.
    ///
    /// # Errors
    /// The abend of a task that is purged while it waits.
    pub(crate) async fn end(&self, by: &Manager, waits: bool, forces: bool) -> Outcome {
        self.own_is_ended.store(self.own(self.main()).is_some(), Ordering::Relaxed);
        let connections: Vec<_> = self.lines().map(|line| Arc::clone(&line.connection)).collect();
        if connections.iter().all(|connection| connection.phase() == Phase::NotConnected) {
            return Ok(());
        }
        for connection in &connections {
            match connection.phase() {
                // No statement is to have it made.
                Phase::NotConnected => connection.ended(),
                _ => connection.ends(),
            }
        }
        if forces {
            self.resources.holders.force(&by.region);
        }
        let (holders, region) = (Arc::clone(&self.resources.holders), Arc::downgrade(&by.region));
        let who = Arc::clone(by.control());
        let ending = tokio::spawn(async move {
            holders.gone().await;
            let Some(region) = region.upgrade() else { return };
            let mut has_ended = false;
            for connection in connections {
                // An operator may have had it made again meanwhile.
                if connection.phase() == Phase::Disconnecting {
                    let link = connection.link();
                    connection.ended();
                    has_ended = true;
                    if let Some(link) = link {
                        Message::Ended.tell(&region, &link.address);
                    }
                }
            }
            if has_ended {
                messages::statistics(&region);
                // Perhaps no task waits for it.
                if Notices::are_wanted(&region) {
                    Notices::tell(&region, Some(&who), Notice::Changed);
                }
            }
        });
        if waits {
            let _ = by.wait(waits::THREAD.kind(), ending).await?;
        }
        Ok(())
    }

    /// Ends the connections. Private servers stop with them, if `stops`; they go on otherwise, as after a crash. No task runs
    /// any more.
    pub async fn stop(&self, region: &Arc<Region>, stops: bool) {
        let was_connected = self.lines().any(|line| line.connection.phase() == Phase::Connected);
        for line in self.lines() {
            line.stop(stops).await;
        }
        if stops && was_connected {
            messages::statistics(region);
        }
    }
}
