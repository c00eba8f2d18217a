//! Transaction definitions: what an identifier starts, and under which limits.

mod profile;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use foldhash::HashMap;
use parking_lot::RwLock;
use records::Decision;
use tn3270::datastream::Aid;

use crate::meters::WorkSums;
use crate::name::{Name, Name8, TransactionName};
use crate::region::Region;
pub use profile::{Profile, ProfileOptions};

/// The program of tasks that only pass on what their terminal and another region say to each other.
pub const RELAY: &str = "DFHAPRT";

/// A transaction definition.
#[derive(Debug)]
pub struct Transaction {
    /// Its identifier.
    pub name: TransactionName,
    /// The first program.
    pub program: Name8,
    /// Other names by which it is started: ALIAS, XTRANID.
    pub other_names: Vec<TransactionName>,
    /// The key that starts it at a terminal: TASKREQ.
    pub key: Option<Aid>,
    /// Bytes of the transaction work area.
    pub twa_length: usize,
    /// TASKDATALOC(BELOW): what its tasks get of storage counts as below 16 MB.
    pub data_below: bool,
    /// Its class; blank: none.
    pub class: Name8,
    /// Its priority, 0 to 255.
    pub priority: u8,
    /// Milliseconds of processor time without giving way before the task ends with AICA; `None`: ICVR; `Some(0)`: no limit.
    pub runaway_ms: Option<u64>,
    /// Seconds after which a wait for a record or a queue ends the task; 0: never.
    pub deadlock_timeout_s: u32,
    /// True if PURGE may end it.
    pub purgeable: bool,
    /// End that FORCE gives a unit of work of it that is in doubt: ACTION.
    pub indoubt: Decision,
    /// Time that such a unit of work waits for its decision before ACTION is done: WAIT, WAITTIME. `None`: without
    /// end; 0: not at all.
    pub indoubt_wait: Option<Duration>,
    /// Its profile, for its terminal.
    pub profile: Arc<Profile>,
    /// The system on which its tasks run, if that is another one.
    pub remote: Option<RemoteTransaction>,
    /// DYNAMIC: a routing program says where each of its tasks runs.
    pub dynamic: bool,
    /// ROUTABLE: a START of it is routed by the enhanced method.
    pub routable: bool,
    /// True if a dump is taken when it abends.
    pub dump: bool,
    /// RESSEC: with SEC=YES, whether its resources are checked.
    pub resource_security: bool,
    /// CMDSEC: with SEC=YES, whether its commands of the system are checked.
    pub command_security: bool,
    /// Its rights if it is part of the product: one that changes the region needs a user who may.
    pub supplied: Supplied,
    /// Which limit its tasks count against.
    pub counts_as: CountsAs,
    /// RESTART: whether a task that was started is started again when it abends.
    pub restart: bool,
    /// True if it may be started now.
    pub enabled: AtomicBool,
    /// Number of its attaches.
    pub attaches: AtomicU64,
    /// Number of its tasks that ended with an abend.
    pub abends: AtomicU64,
    /// The number of its tasks that were routed to another region.
    pub routed: AtomicU64,
    /// Sums over its tasks; a definition that replaces another goes on with them.
    pub work: Arc<WorkSums>,
}

/// A transaction of another system: REMOTESYSTEM, REMOTENAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteTransaction {
    /// The system.
    pub system: Name<4>,
    /// The transaction's name there.
    pub name: Name8,
}

/// Rights of a supplied transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supplied {
    /// It is the application's.
    No,
    /// It comes with the product, and anybody may run it: sign on, sign off.
    Open,
    /// It comes with the product, and it shows the region.
    Inquire,
    /// It comes with the product, and it changes the region.
    Operate,
    /// It comes with the product, and only the region itself starts it.
    Internal,
}

/// Which limit the tasks of a transaction count against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountsAs {
    /// MXT, and nothing beyond.
    User,
    /// MXT; beyond it one of the places that are kept for signing on and off.
    SignOn,
    /// MXT; beyond it one of the places that are kept for operators.
    Operator,
    /// MXT; beyond it one of the places that are kept for what the region itself waits for.
    Region,
}

impl Transaction {
    /// A definition with the published defaults.
    pub fn new(name: TransactionName, program: Name8) -> Self {
        Self {
            name,
            program,
            other_names: Vec::new(),
            key: None,
            twa_length: 0,
            data_below: false,
            class: Name8::BLANK,
            priority: 1,
            runaway_ms: None,
            deadlock_timeout_s: 0,
            purgeable: true,
            indoubt: Decision::Backout,
            indoubt_wait: None,
            profile: Arc::default(),
            remote: None,
            dynamic: false,
            routable: false,
            dump: true,
            resource_security: false,
            command_security: false,
            supplied: Supplied::No,
            counts_as: CountsAs::User,
            restart: false,
            enabled: AtomicBool::new(true),
            attaches: AtomicU64::new(0),
            abends: AtomicU64::new(0),
            routed: AtomicU64::new(0),
            work: Arc::default(),
        }
    }

    /// Returns true if a router says where a START of it without a terminal runs: ROUTABLE and DYNAMIC.
    pub fn is_distributed(&self) -> bool {
        self.routable && self.dynamic
    }

    /// Returns true if a task of it at a terminal begins with [`RELAY`]. No routing program sends a task further that comes from
    /// another region's terminal.
    pub(crate) fn is_routed(&self, is_own_terminal: bool) -> bool {
        self.remote.is_some() || (self.dynamic && is_own_terminal)
    }

    /// Returns true if it may be started now.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

/// The installed definitions.
#[derive(Default)]
pub struct Transactions {
    table: RwLock<Table>,
    router: RwLock<Name8>,
    distributed_router: RwLock<Name8>,
}

#[derive(Default)]
struct Table {
    by_name: HashMap<TransactionName, Arc<Transaction>>,
    /// Of other names, and of keys: the transaction's own.
    other_names: HashMap<TransactionName, TransactionName>,
    keys: HashMap<Aid, TransactionName>,
    profiles: HashMap<Name8, Arc<Profile>>,
}

impl Table {
    fn remove(&mut self, name: TransactionName) {
        self.other_names.retain(|_, own| *own != name);
        self.keys.retain(|_, own| *own != name);
        self.by_name.remove(&name);
    }
}

impl Transactions {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Installs a definition; one of the same name is replaced for tasks to come.
    pub fn install(&self, mut transaction: Transaction) {
        let mut table = self.table.write();
        let name = transaction.name;
        if let Some(replaced) = table.by_name.get(&name) {
            transaction.work = Arc::clone(&replaced.work);
        }
        table.remove(name);
        table.other_names.extend(transaction.other_names.iter().map(|other| (*other, name)));
        table.keys.extend(transaction.key.map(|key| (key, name)));
        table.by_name.insert(name, Arc::new(transaction));
    }

    /// The definition of a name.
    pub fn get(&self, name: TransactionName) -> Option<Arc<Transaction>> {
        self.table.read().by_name.get(&name).cloned()
    }

    /// Transaction that a name starts: one of that name, else the one that has it as another name.
    pub fn started_by(&self, name: TransactionName) -> Option<Arc<Transaction>> {
        let table = self.table.read();
        let own = || table.other_names.get(&name).and_then(|own| table.by_name.get(own));
        table.by_name.get(&name).or_else(own).cloned()
    }

    /// The transaction that a key starts at a terminal.
    pub fn of_key(&self, key: Aid) -> Option<TransactionName> {
        self.table.read().keys.get(&key).copied()
    }

    /// The profile of a name, whether it is defined or not: transactions that name it hold it.
    pub fn profile(&self, name: Name8) -> Arc<Profile> {
        let mut table = self.table.write();
        Arc::clone(table.profiles.entry(name).or_insert_with(|| Arc::new(Profile::undefined(name))))
    }

    /// The profiles that are defined, by name.
    pub fn profiles(&self) -> Vec<Arc<Profile>> {
        let table = self.table.read();
        let mut list: Vec<_> = table.profiles.values().filter(|p| p.is_defined()).cloned().collect();
        list.sort_by_key(|profile| profile.name);
        list
    }

    /// Removes a definition, if there is one.
    pub fn discard(&self, name: TransactionName) {
        self.table.write().remove(name);
    }

    /// DTRPROGRAM: the program that says where tasks of dynamic transactions run.
    pub fn router(&self) -> Name8 {
        *self.router.read()
    }

    /// From now on it is this one.
    pub fn set_router(&self, program: Name8) {
        *self.router.write() = program;
    }

    /// DSRTPROGRAM: the program that says where STARTs without a terminal run; blank: none.
    pub fn distributed_router(&self) -> Name8 {
        *self.distributed_router.read()
    }

    /// From now on it is this one.
    pub fn set_distributed_router(&self, program: Name8) {
        *self.distributed_router.write() = program;
    }

    /// All definitions, by name.
    pub fn list(&self) -> Vec<Arc<Transaction>> {
        let mut list: Vec<_> = self.table.read().by_name.values().cloned().collect();
        list.sort_by_key(|t| t.name);
        list
    }
}
