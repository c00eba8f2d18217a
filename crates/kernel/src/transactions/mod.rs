//! Transaction definitions: what an identifier starts, and under which limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::RwLock;
use records::Decision;

use crate::name::{Name8, TransactionName};

/// A transaction definition.
#[derive(Debug)]
pub struct Transaction {
    /// Its identifier.
    pub name: TransactionName,
    /// The first program.
    pub program: Name8,
    /// Bytes of the transaction work area.
    pub twa_length: usize,
    /// Its class; blank: none.
    pub class: Name8,
    /// Its priority, 0 to 255.
    pub priority: u8,
    /// Milliseconds of processor time without giving way before the task ends with AICA; `None`: ICVR; `Some(0)`: no limit.
    pub runaway_ms: Option<u64>,
    /// Seconds after which a wait for a record or a queue ends the task; 0: never.
    pub deadlock_timeout_s: u32,
    /// Whether PURGE may end it.
    pub purgeable: bool,
    /// What FORCE makes of a unit of work of it that is in doubt: ACTION.
    pub indoubt: Decision,
    /// Whether its input is translated to upper case, whatever the terminal says.
    pub upper_case: bool,
    /// Whether its tasks have the terminal's alternate screen size: SCRNSIZE of its profile.
    pub alternate_screen: bool,
    /// Whether a dump is taken when it abends.
    pub dump: bool,
    /// Whether it is part of the product and changes the region: it needs a user who may.
    pub supplied: Supplied,
    /// Which limit its tasks count against.
    pub counts_as: CountsAs,
    /// RESTART: whether a task that was started is started again when it abends.
    pub restart: bool,
    /// Whether it may be started now.
    pub enabled: AtomicBool,
    /// How often it was attached.
    pub attaches: AtomicU64,
    /// How often a task of it ended with an abend.
    pub abends: AtomicU64,
}

/// Whether a transaction comes with the product.
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
            twa_length: 0,
            class: Name8::BLANK,
            priority: 1,
            runaway_ms: None,
            deadlock_timeout_s: 0,
            purgeable: true,
            indoubt: Decision::Backout,
            upper_case: false,
            alternate_screen: false,
            dump: true,
            supplied: Supplied::No,
            counts_as: CountsAs::User,
            restart: false,
            enabled: AtomicBool::new(true),
            attaches: AtomicU64::new(0),
            abends: AtomicU64::new(0),
        }
    }

    /// Whether it may be started now.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

/// The installed definitions.
#[derive(Default)]
pub struct Transactions {
    table: RwLock<HashMap<TransactionName, Arc<Transaction>>>,
}

impl Transactions {
    /// Installs a definition; one of the same name is replaced for tasks to come.
    pub fn install(&self, transaction: Transaction) {
        self.table.write().insert(transaction.name, Arc::new(transaction));
    }

    /// The definition of a name.
    pub fn get(&self, name: TransactionName) -> Option<Arc<Transaction>> {
        self.table.read().get(&name).cloned()
    }

    /// Removes a definition; false if there was none.
    pub fn discard(&self, name: TransactionName) -> bool {
        self.table.write().remove(&name).is_some()
    }

    /// All definitions, by name.
    pub fn list(&self) -> Vec<Arc<Transaction>> {
        let mut list: Vec<_> = self.table.read().values().cloned().collect();
        list.sort_by_key(|t| t.name);
        list
    }
}
