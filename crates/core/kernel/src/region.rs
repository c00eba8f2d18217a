//! A region: everything that tasks share.
//!
//! Threads of all TCBs hold the same `Arc<Region>`. It has what the frame itself needs; what a domain keeps is among its
//! [`Parts`]. Each domain guards its own; no lock is held while a task waits. Crate `operation` builds regions.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::time::Duration;

use areas::Area;
use coordinator::Coordinator;
use ebcdic::CodePage;
use keys::Sections;
use parking_lot::Mutex;
use spec::CommandId;
use tn3270::datastream::Aid;
use tokio::sync::Notify;

use crate::lines::Lines;
use crate::name::{Name, Name8, TransactionName};
use crate::parts::Parts;
use crate::storage::{Arena, Dsa, StorageAddress, TaskStorage};
use crate::stores::Stores;

/// Options of a region's start.
pub struct RegionOptions {
    /// The region's application identifier.
    pub applid: Name8,
    /// Its system identifier.
    pub sysid: Name<4>,
    /// Number of open TCBs beside QR.
    pub open_tcbs: usize,
    /// MXT.
    pub tasks_max: usize,
    /// ICVR, in milliseconds; 0: no limit.
    pub runaway_ms: u64,
    /// Bytes of the common work area.
    pub cwa_length: usize,
    /// The code page of terminals.
    pub terminal_code_page: CodePage,
    /// FORCEQR: programs that say THREADSAFE run on the QR TCB.
    pub force_qr: bool,
    /// The application's folder: paths that definitions name are relative to it.
    pub application_folder: PathBuf,
    /// The transaction that stands for unknown ones (DTRTRAN).
    pub unknown_transaction: Option<TransactionName>,
    /// Bytes that tasks may have of storage together (EDSALIM).
    pub storage_bytes_max: usize,
    /// Seconds that a request in RLS mode waits for a record, where its transaction has no DTIMOUT (FTIMEOUT).
    pub file_timeout_s: u32,
    /// Bytes that temporary storage may take in main storage (TSMAINLIMIT).
    pub ts_main_bytes_max: usize,
    /// The first transaction at a terminal; blank: none (GMTRAN).
    pub greeting_transaction: TransactionName,
    /// The words of the greeting (GMTEXT).
    pub greeting: String,
    /// The key that prints a copy of the screen (PRINT).
    pub print_key: Option<Aid>,
    /// Silence of a terminal after which its user is signed off.
    pub sign_off_after: Option<Duration>,
    /// Folder of dumps.
    pub dump_folder: PathBuf,
    /// Folder of the records of monitoring and statistics.
    pub record_folder: PathBuf,
    /// Folder of the files of journals.
    pub journal_folder: PathBuf,
    /// The sections of `region.toml` that domains bring.
    pub sections: Sections,
}

/// Foundation of a region.
pub struct Foundation {
    /// The data sets; their record engine is the region's.
    pub vsam: Arc<vsam::Vsam>,
    /// Stores of the record engine for state that outlives the region.
    pub stores: Stores,
    /// It ends units of work that have changes elsewhere, too.
    pub coordinator: Arc<Coordinator>,
    /// The number before that of this run's first unit of work.
    pub first_unit: u64,
    /// SEC=YES: profiles decide.
    pub secured: bool,
}

/// The words of a set of commands, a bit for each.
pub(crate) const COMMAND_WORDS: usize = spec::commands().len().div_ceil(u64::BITS as usize);

/// Those that look at commands and programs, in one word: programs ask at each command.
pub(crate) struct Looks {
    word: AtomicU16,
    /// The commands that a watcher looks at, if no watcher looks at all of them.
    chosen: [AtomicU64; COMMAND_WORDS],
}

impl Default for Looks {
    fn default() -> Self {
        Self { word: AtomicU16::new(0), chosen: [const { AtomicU64::new(0) }; COMMAND_WORDS] }
    }
}

impl Looks {
    /// A watcher looks at every command (`exec::Watchers`).
    pub const WATCHED: u16 = 1;
    /// A debugger is attached (`debugging`).
    pub const DEBUGGED: u16 = 2;
    /// Tasks that begin have thresholds (`task::Oversight`).
    pub const OVERSEEN: u16 = 4;
    /// The region has a listener (`notices`).
    pub const NOTICED: u16 = 8;
    /// A watcher looks at some commands.
    pub const CHOSEN: u16 = 16;
    /// A watcher looks at programs that begin.
    pub const BEGINS: u16 = 32;
    /// A watcher looks at CALLs of services.
    pub const SERVICES: u16 = 64;
    /// Tasks that begin have spans (`spans`).
    pub const SPANS: u16 = 128;
    /// The trace has levels beyond the first (`diagnostics`).
    pub const DETAILED: u16 = 256;

    /// Notes that there is such a watcher, or that there is none.
    pub fn set(&self, what: u16, is_so: bool) {
        if is_so {
            self.word.fetch_or(what, Ordering::Release);
        } else {
            self.word.fetch_and(!what, Ordering::Release);
        }
    }

    /// Sets the commands that a watcher looks at.
    pub fn choose(&self, commands: &[u64; COMMAND_WORDS]) {
        for (own, new) in self.chosen.iter().zip(commands) {
            own.store(*new, Ordering::Relaxed);
        }
        self.set(Self::CHOSEN, commands.iter().any(|word| *word != 0));
    }

    /// Returns true if there is a watcher of one of these kinds.
    #[inline(always)]
    pub fn any(&self, of: u16) -> bool {
        self.word.load(Ordering::Relaxed) & of != 0
    }

    /// Returns true if a watcher looks at a command.
    #[inline(always)]
    pub fn has(&self, command: CommandId) -> bool {
        self.any(Self::WATCHED) || self.any(Self::CHOSEN) && self.has_chosen(command)
    }

    fn has_chosen(&self, command: CommandId) -> bool {
        let (word, bit) = place_of(command);
        self.chosen.get(word).is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
    }
}

/// The word of a command in a set of commands, and its bit.
pub(crate) fn place_of(command: CommandId) -> (usize, u64) {
    let number = usize::from(command.0);
    (number / u64::BITS as usize, 1 << (number % u64::BITS as usize))
}

/// A region.
pub struct Region {
    /// Its options.
    pub options: RegionOptions,
    /// The record engine.
    pub records: Arc<dyn records::Engine>,
    /// The record engine of data tables: it has their records in main storage.
    pub memory: Arc<records::Memory>,
    /// The data sets.
    pub vsam: Arc<vsam::Vsam>,
    /// It ends units of work that have changes elsewhere, too.
    pub coordinator: Arc<Coordinator>,
    /// The number before that of this run's first unit of work.
    pub first_unit: u64,
    /// Stores of the record engine for state that outlives the region.
    pub stores: Stores,
    /// Storage of all tasks together.
    pub dsa: Arc<Dsa>,
    /// GETMAIN SHARED.
    pub shared_storage: Mutex<TaskStorage>,
    /// The arena of all that tasks share: that, the CWA, event control areas, images of LOAD.
    pub arena: Arc<Arena>,
    /// The common work area.
    pub cwa: Mutex<Area>,
    /// PERFORM SHUTDOWN: the one who runs the region waits for it.
    pub shutdown: Notify,
    /// PERFORM SHUTDOWN IMMEDIATE: the same, without waiting for tasks.
    pub immediate_shutdown: Notify,
    /// Lines of the log that programs cause.
    pub(crate) lines: Lines,
    /// Those that look at commands and programs.
    pub(crate) looks: Looks,
    /// SEC=YES: profiles decide (`security::Security`).
    pub(crate) secured: bool,
    /// State of domains.
    pub(crate) parts: Parts,
}

impl Region {
    /// Reads storage that all tasks share: areas that are given out, the CWA, GETMAIN SHARED. False if the address is none of them.
    pub fn read_shared(&self, address: StorageAddress, into: &mut [u8]) -> bool {
        self.arena.read_at(address, into)
    }

    /// A region on its foundation, in which domains keep these parts.
    pub fn new(options: RegionOptions, foundation: Foundation, parts: Parts) -> Self {
        let Foundation { vsam, stores, coordinator, first_unit, secured } = foundation;
        let dsa = Dsa::new(options.storage_bytes_max);
        let arena = Arc::<Arena>::default();
        let cwa = arena.hold(&vec![0; options.cwa_length]);
        Self {
            records: Arc::clone(vsam.engine()),
            memory: records::Memory::new(Arc::clone(vsam.engine().locks())),
            vsam,
            coordinator,
            first_unit,
            stores,
            shared_storage: Mutex::new(TaskStorage::shared(&dsa, &arena)),
            arena,
            dsa,
            cwa: Mutex::new(cwa),
            shutdown: Notify::new(),
            immediate_shutdown: Notify::new(),
            lines: Lines::default(),
            looks: Looks::default(),
            secured,
            parts,
            options,
        }
    }

    /// State of a domain, by its type. Domains have `Type::of(region)` for it.
    ///
    /// # Panics
    /// If the region was started without the domain.
    #[inline]
    pub fn part<T: Any + Send + Sync>(&self) -> &T {
        self.parts.get()
    }
}
