//! DB2CONN, DB2ENTRY and DB2TRAN: what an operator says of the connection and its threads. INQUIRE and SET of the first stand
//! above, with the connection.

mod attributes;
pub(crate) mod choices;
mod conn;
pub(crate) mod db2entry;
pub(crate) mod db2tran;
mod holders;
mod pool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernel::name::{Name8, TransactionName};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::{Task, TaskControl};
use parking_lot::RwLock;
use sql::codes::Scope;

pub(crate) use attributes::Attributes;
pub(crate) use conn::Db2conn;
pub(crate) use db2entry::Db2entry;
pub(crate) use db2tran::Db2tran;
use holders::{Holders, Holds};
pub(crate) use pool::{Pool, Taken};

use crate::{patterns, waits};

/// Those of a region. Without a definition of a DB2CONN it has [`Db2conn::supplied`].
#[derive(Default)]
pub(crate) struct Resources {
    conn: RwLock<Option<Arc<Db2conn>>>,
    entries: RwLock<BTreeMap<Name8, Arc<Db2entry>>>,
    trans: RwLock<BTreeMap<Name8, Arc<Db2tran>>>,
    /// Tasks whose unit of work has a thread, whether a DB2CONN limits them or not.
    pub(crate) holders: Arc<Holders>,
}

/// Threads that a task's unit of work has of the limits; they go back when this is dropped.
#[derive(Default)]
pub(crate) struct Threads {
    _taken: Vec<Taken>,
    holds: Vec<Holds>,
}

impl Threads {
    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.holds.is_empty()
    }
}

/// Ways in which a statement goes on that gets no thread.
pub(crate) enum NoThread {
    /// SQLCODE -906.
    Code,
    /// The same, and a transaction dump.
    DumpAndCode,
    /// An abend.
    Abend(&'static str),
}

/// The abends of a thread that is not created, which is also the code of its dump, and of an entry that is disabled.
pub(crate) const NOT_CREATED: &str = "AD2U";
const DISABLED: &str = "AD26";

impl Resources {
    /// Those of a region.
    pub(crate) fn of(region: &Region) -> &Self {
        region.part::<Arc<Self>>()
    }

    /// The DB2CONN, if there is one.
    pub(crate) fn conn(&self) -> Option<Arc<Db2conn>> {
        self.conn.read().clone()
    }

    /// Puts another DB2CONN in its place, or none.
    pub(crate) fn set_conn(&self, conn: Option<Arc<Db2conn>>) {
        *self.conn.write() = conn;
    }

    /// Makes the DB2CONN that is there without a definition.
    pub(crate) fn supply(&self) {
        self.conn.write().get_or_insert_with(Db2conn::supplied);
    }

    /// The entry of a transaction: that which a DB2TRAN, or its own TRANSID, gives it.
    pub(crate) fn entry_of(&self, transaction: TransactionName) -> Option<Arc<Db2entry>> {
        if self.entries.read().is_empty() {
            return None;
        }
        let name = transaction.to_string();
        let tran = self.tran_of(&name);
        let entries = self.entries.read();
        match tran {
            Some(tran) => entries.get(&Name8::from(tran.entry().as_str())).cloned(),
            None => entries.values().find(|entry| entry.is_for(&name)).cloned(),
        }
    }

    /// A statement has come to a transaction of an entry, or of none.
    pub(crate) fn count(&self, entry: Option<&Db2entry>) {
        match (entry, &*self.conn.read()) {
            (Some(entry), _) => entry.calls.fetch_add(1, Ordering::Relaxed),
            (None, Some(conn)) => conn.calls.fetch_add(1, Ordering::Relaxed),
            (None, None) => 0,
        };
    }

    /// The entries by their names.
    pub(crate) fn entries(&self) -> Vec<(Name8, Arc<Db2entry>)> {
        self.entries.read().iter().map(|(name, entry)| (*name, Arc::clone(entry))).collect()
    }

    /// The name of a transaction's entry.
    pub(crate) fn entry_name(&self, transaction: &str) -> Option<Name8> {
        let entry = self.entry_of(TransactionName::from(transaction))?;
        self.name_of(|other| Arc::ptr_eq(other, &entry))
    }

    /// The entry whose thread a task has.
    pub(crate) fn entry_holding(&self, task: u32) -> Option<Name8> {
        self.name_of(|entry| entry.holders.has(task))
    }

    /// PLAN of a task that has a thread: its transaction's, its entry's, or DB2CONN's; blank where it has none.
    pub(crate) fn plan(&self, task: &TaskControl) -> String {
        if !self.holders.has(task.number) {
            return String::new();
        }
        let plan = |attributes: &Attributes| Some(attributes.get("PLAN")).filter(|plan| !plan.is_empty());
        let entry = self.entry_of(task.transaction.name);
        let own = self.tran_of(&task.transaction.name.to_string()).and_then(|tran| plan(tran.attributes()));
        own.or_else(|| entry.and_then(|entry| plan(&entry.attributes)))
            .or_else(|| self.conn().and_then(|conn| plan(&conn.attributes)))
            .unwrap_or_default()
    }

    /// The DB2TRAN that means a transaction: the one whose pattern says most.
    fn tran_of(&self, transaction: &str) -> Option<Arc<Db2tran>> {
        let trans = self.trans.read();
        let fitting = trans.values().filter(|tran| patterns::fits(&tran.transid(), transaction));
        fitting.max_by_key(|tran| patterns::particularity(&tran.transid())).cloned()
    }

    fn name_of(&self, is_it: impl Fn(&Arc<Db2entry>) -> bool) -> Option<Name8> {
        self.entries.read().iter().find(|(_, entry)| is_it(entry)).map(|(name, _)| *name)
    }

    /// Extent of a task's unit of work that a deadlock takes back.
    pub(crate) fn scope(&self, entry: Option<&Db2entry>) -> Scope {
        let keeps = match entry {
            Some(entry) => entry.attributes.is("DROLLBACK", "NO"),
            None => self.conn().is_some_and(|conn| conn.attributes.is("DROLLBACK", "NO")),
        };
        if keeps { Scope::Statement } else { Scope::Unit }
    }

    /// The threads of a unit of work that begins: it waits for them as the definitions say.
    ///
    /// # Errors
    /// The abend of a task that is purged while it waits; within, that there is none.
    pub(crate) async fn thread(
        &self,
        task: &Task,
        entry: Option<&Db2entry>,
    ) -> Outcome<Result<Threads, NoThread>> {
        let mut holds = vec![self.holders.hold(task.number)];
        let Some(conn) = self.conn() else { return Ok(Ok(Threads { _taken: Vec::new(), holds })) };
        let own = match entry {
            None => None,
            Some(entry) if entry.is_disabled() => match entry.attributes.get("DISABLEDACT").as_str() {
                "ABEND" => return Ok(Err(NoThread::Abend(DISABLED))),
                "SQLCODE" => return Ok(Err(NoThread::Code)),
                _ => None,
            },
            Some(entry) => match entry.pool.try_take() {
                Some(taken) => Some(taken),
                None => match entry.attributes.get("THREADWAIT").as_str() {
                    "YES" => Some(task.wait(waits::THREAD.kind(), entry.pool.take()).await?),
                    "NO" => return Ok(Err(conn.no_thread())),
                    _ => None,
                },
            },
        };
        let thread = match own {
            Some(own) => {
                holds.extend(entry.map(|entry| entry.holders.hold(task.number)));
                own
            }
            None => match conn.pool.try_take() {
                Some(taken) => taken,
                None if conn.attributes.is("THREADWAIT", "NO") => return Ok(Err(conn.no_thread())),
                None => task.wait(waits::THREAD.kind(), conn.pool.take()).await?,
            },
        };
        let tcb = task.wait(waits::THREAD.kind(), conn.tcbs.take()).await?;
        Ok(Ok(Threads { _taken: vec![thread, tcb], holds }))
    }
}
