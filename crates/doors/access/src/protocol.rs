//! The requests and replies of a session. It begins with [`Request::Hello`].

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::external::{External, ExternalAnswer};

/// Both sides must speak the same version: they come from one binary.
pub const VERSION: u32 = 9;

/// A question. Data sets are known by the handles that opening them gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// The asking program, for the region's log; and its version.
    Hello {
        /// The version spoken.
        version: u32,
        /// The program or tool.
        name: String,
    },
    /// All entries of both catalogues.
    List,
    /// Looks a name up for a job: [`Reply::Opened`], [`Reply::Sequential`], for the base of generations [`Reply::Several`], or
    /// [`Failure::NoEntry`].
    Locate {
        /// A data set name, perhaps with a relative generation or a member.
        name: String,
    },
    /// Makes a sequential data set, a new generation, or a library: [`Reply::Sequential`].
    Create {
        /// Its name, perhaps with a relative generation or a member.
        name: String,
        /// The shape of its records.
        shape: ShapeSpec,
        /// It is a library.
        library: bool,
    },
    /// Sets the shape that the records of a sequential data set or a library have from now on.
    Reshape {
        /// Its own name.
        name: String,
        /// The shape of its records.
        shape: ShapeSpec,
    },
    /// Keeps a data set that was made: of generations, those go that the group's limit does not keep.
    Settle {
        /// Its own name.
        name: String,
    },
    /// A job begins: relative generations count from here, and what was reserved is free.
    JobBegins,
    /// Makes a folder for files that both sides use, instead of the one before: [`Reply::Temporary`]. It goes with the session.
    Temporary,
    /// Reserves all of these data sets until the next job begins or the session ends, or none of them: then
    /// [`Failure::InUse`].
    Reserve {
        /// Each with true if no other session may have it meanwhile.
        names: Vec<(String, bool)>,
    },
    /// Removes the entry and the file of a sequential data set, or a library with its members.
    Remove {
        /// Its name.
        name: String,
    },
    /// Opens a cluster or a path.
    Open {
        /// Its name.
        name: String,
    },
    /// Closes a data set.
    Close {
        /// Which.
        handle: u32,
    },
    /// Reads a record; with `update`, it is locked until the end of the unit of work.
    Read {
        /// Which data set.
        handle: u32,
        /// The record that is looked for.
        search: Search,
        /// True if it is locked.
        update: bool,
    },
    /// Places a browse on a record, which is the next one read in either direction: [`Reply::Found`].
    Place {
        /// Which data set.
        handle: u32,
        /// The record that is looked for.
        search: Search,
    },
    /// Reads on from where the browse is: [`Reply::Records`], empty at the end.
    Next {
        /// Which data set.
        handle: u32,
        /// Towards the start.
        backward: bool,
        /// The greatest number of records; with `update` one.
        count: u32,
        /// True if they are locked.
        update: bool,
    },
    /// Unlocks a record that was read for update and not changed.
    Unlock {
        /// Which data set.
        handle: u32,
        /// Its key in the cluster.
        base: Vec<u8>,
    },
    /// Writes a new record: [`Reply::Written`].
    Write {
        /// Which data set.
        handle: u32,
        /// The slot of an RRDS.
        slot: Option<u32>,
        /// The record.
        record: Vec<u8>,
    },
    /// Replaces a record, locking it first if it is not yet: [`Reply::Written`].
    Rewrite {
        /// Which data set.
        handle: u32,
        /// Its key in the cluster.
        base: Vec<u8>,
        /// The record.
        record: Vec<u8>,
    },
    /// Deletes a record, locking it first if it is not yet.
    Delete {
        /// Which data set.
        handle: u32,
        /// Its key in the cluster.
        base: Vec<u8>,
    },
    /// Deletes all records of a data set that is defined with REUSE, in a unit of work of its own.
    Empty {
        /// Which data set.
        handle: u32,
    },
    /// A program has made a data set: it counts as one that had records.
    Made {
        /// Which data set.
        handle: u32,
    },
    /// Makes the changes durable and visible, and gives locks back.
    Commit,
    /// Forgets the changes, and gives locks back.
    Backout,
    /// Copies the state into a file: [`Reply::Progress`] any number of times, then [`Reply::Done`].
    Backup {
        /// The folder of the state.
        state: PathBuf,
        /// The file, by an absolute path.
        file: PathBuf,
        /// With the tables of private PostgreSQL servers, none of which runs.
        tables: bool,
    },
    /// Another key for data and log from now on.
    RotateKey(KeyText),
    /// Asks for the progress of that: [`Reply::Resealing`].
    Resealing,
    /// Carries IDCAMS commands out: [`Reply::Progress`] any number of times, then [`Reply::Utility`].
    Utility {
        /// The commands, or a job; its name and its text with tokens replaced.
        name: String,
        /// See `name`.
        text: String,
        /// Files by ddnames.
        files: Vec<(String, FileSpec)>,
        /// Data sets of the record engine by ddnames.
        data_sets: Vec<(String, String)>,
        /// Data sets whose changes are to be backed out whatever LOG says.
        recoverable: Vec<String>,
    },
    /// A question of the region's own tables: [`Reply::Sql`].
    Sql {
        /// CURRENT TIMESTAMP of the statement, as Db2 writes it.
        now: String,
        /// The question.
        asked: SqlAsked,
    },
    /// Something that only a region that runs can do.
    Region(Operation),
    /// Converts the records of a data set, all of them or none: [`Reply::Progress`] any number of times, then
    /// [`Reply::Converted`].
    Convert {
        /// Its name.
        name: String,
        /// From what to what.
        conversion: Conversion,
        /// Else it is only told what would be.
        keep: bool,
    },
}

/// Records of programs by one compiler that become those of programs by the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// The copybook: its name, and its text.
    pub copybook: (String, String),
    /// Its record; without it the first.
    pub record: Option<String>,
    /// The descriptions that hold where areas are redefined.
    pub redefined: Vec<String>,
    /// To those of programs of today, else to those of programs by GnuCOBOL.
    pub native: bool,
    /// Addresses become NULL.
    pub null_addresses: bool,
    /// The data set that takes them; without it they stay where they are.
    pub into: Option<String>,
}

/// A question of the region's own tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SqlAsked {
    /// Brings the statements of a program (`Package::to_bytes`): [`SqlAnswer::Ran`].
    Package(Vec<u8>),
    /// Runs a statement of such a program: [`SqlAnswer::Statement`].
    Statement {
        /// The program's token.
        token: u64,
        /// The statement's number, from 1.
        number: u16,
        /// The parameters of its CALL, behind descriptor and SQLCA.
        parameters: Vec<Vec<u8>>,
    },
    /// Makes what statements have changed durable and visible: [`SqlAnswer::Ran`]. Records are another unit of work.
    Commit,
    /// Forgets what statements have changed: [`SqlAnswer::Ran`].
    Backout,
    /// The program has ended, its unit of work and its cursors with it; true: what is not committed is kept. [`SqlAnswer::Ran`].
    ProgramEnds(bool),
    /// Runs one statement without host variables. A query's rows are asked for by [`SqlAsked::More`].
    Text(String),
    /// Asks for the plan of a statement in words: [`SqlAnswer::Explained`].
    Explain(String),
    /// Reads rows of the query: [`SqlAnswer::Rows`], none at its end.
    More,
}

/// A value of a row as a text, as Db2 writes it; `None` is NULL.
pub type SqlValue = Option<String>;

/// An answer of the region's own tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SqlAnswer {
    /// The SQLCA, and what was written to parameters: which, from which byte on, the bytes.
    Statement {
        /// The area as a program has it.
        sqlca: Vec<u8>,
        /// See above.
        written: Vec<(u16, u32, Vec<u8>)>,
    },
    /// A statement of a program has parameters that it does not have.
    Unreachable,
    /// A query has begun: the names of its columns, with true where they hold numbers.
    Query {
        /// See above.
        columns: Vec<(String, bool)>,
    },
    /// Rows of the query.
    Rows(Vec<Vec<SqlValue>>),
    /// So many rows were changed.
    Changed {
        /// The kind of change.
        verb: SqlVerb,
        /// The number of rows.
        count: u64,
    },
    /// A definition, LOCK TABLE and the like.
    Ran,
    /// There is nothing to be done for it here.
    Accepted,
    /// The statement is COMMIT, which was not done.
    Commit,
    /// The same of ROLLBACK.
    Rollback,
    /// The way in which it would run, in words.
    Explained(String),
    /// It was refused, and has left nothing behind.
    Refused {
        /// SQLCODE.
        code: i32,
        /// SQLSTATE.
        state: String,
        /// The message.
        said: String,
    },
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SqlVerb {
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
}

/// An encryption key, as 64 hexadecimal digits. It travels over the private socket only, and is shown nowhere.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyText(pub String);

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(..)")
    }
}

/// An operation of a running region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Its status: [`Reply::Status`].
    Status,
    /// Its figures, those of `/metrics`: [`Reply::Figures`].
    Figures,
    /// A command of CEMT: [`Reply::Operated`].
    Cemt {
        /// As an operator types it.
        command: String,
    },
    /// Runs a transaction without a terminal, and waits for its end: [`Reply::Ran`].
    Start {
        /// The transaction.
        transaction: String,
        /// On whose behalf; `None`: the default user.
        user: Option<String>,
        /// The data for RETRIEVE.
        data: Option<Vec<u8>>,
    },
    /// The external interface: [`Reply::External`].
    External(External),
    /// Calls a web service, and waits for its reply: [`Reply::Served`].
    Service {
        /// Its WEBSERVICE.
        name: String,
        /// On whose behalf; `None`: the default user.
        user: Option<String>,
        /// The type of the message; `None`: what the service takes.
        media: Option<String>,
        /// The message.
        body: Vec<u8>,
    },
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Done.
    Done,
    /// Not done.
    Failed(Failure),
    /// [`Request::List`].
    List(Vec<Listed>),
    /// [`Request::Open`], [`Request::Locate`].
    Opened(Opened),
    /// [`Request::Locate`], [`Request::Create`].
    Sequential(Sequential),
    /// [`Request::Locate`] of the base of generations: all of them, the newest first.
    Several(Vec<Sequential>),
    /// [`Request::Read`], [`Request::Place`].
    Found(Found),
    /// [`Request::Next`].
    Records(Vec<Found>),
    /// [`Request::Write`], [`Request::Rewrite`]: the key in the cluster, and whether an alternate index that allows it
    /// has another record with the same alternate key.
    Written {
        /// The key.
        base: Vec<u8>,
        /// See above.
        duplicate: bool,
    },
    /// [`Request::Temporary`].
    Temporary {
        /// The folder.
        folder: PathBuf,
        /// The key with which its files are sealed, where those of the state are.
        key: Option<KeyText>,
    },
    /// The progress of a long command.
    Progress {
        /// The objects that are counted.
        what: String,
        /// The number that is done.
        count: u64,
    },
    /// [`Request::Resealing`]: the number of records that were sealed again; `None`, once all are.
    Resealing(Option<u64>),
    /// [`Request::Sql`].
    Sql(SqlAnswer),
    /// [`Request::Utility`].
    Utility(UtilityOutcome),
    /// [`Request::Convert`].
    Converted {
        /// Records of the data set.
        read: u64,
        /// Records that have become others, or would.
        changed: u64,
    },
    /// [`Operation::Status`].
    Status(RegionStatus),
    /// [`Operation::Figures`].
    Figures(Vec<Figure>),
    /// [`Operation::Cemt`].
    Operated {
        /// The lines it shows.
        text: String,
        /// The number of mistakes, absent resources and refused changes.
        errors: u64,
    },
    /// [`Operation::Start`].
    Ran {
        /// The number of the task.
        task: u32,
        /// Its abend code, and the reason where that is known.
        abend: Option<(String, Option<String>)>,
    },
    /// [`Operation::External`].
    External(ExternalAnswer),
    /// [`Operation::Service`].
    Served {
        /// As HTTP has it.
        status: u16,
        /// The type of the message.
        media: String,
        /// The message.
        body: Vec<u8>,
    },
}

/// The status of a region: names as monitoring tools like them, and numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionStatus {
    /// Its application identifier.
    pub applid: String,
    /// Its system identifier.
    pub sysid: String,
    /// True if it takes new tasks.
    pub serves: bool,
    /// The other gauges.
    pub gauges: Vec<Gauge>,
}

/// A figure of a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name, as `/metrics` has it, without the prefix of the product.
    pub name: String,
    /// Its labels, with their values.
    pub labels: Vec<(String, String)>,
    /// The number.
    pub value: f64,
}

/// A number of a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauge {
    /// Its name: small letters and underscores.
    pub name: String,
    /// Its meaning, in words.
    pub meaning: String,
    /// True if it only grows as long as the region runs.
    pub grows: bool,
    /// The number.
    pub value: u64,
}

/// The reason why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// No such record.
    #[error("record not found")]
    NotFound,
    /// A record with this key is there already.
    #[error("duplicate key")]
    Duplicate,
    /// The record is longer or shorter than the data set allows, or may not change its length.
    #[error("the record's length does not fit")]
    Length,
    /// The key of a record cannot be changed.
    #[error("the key of a record cannot be changed")]
    KeyChanged,
    /// The data set does not allow it; the text says what.
    #[error("{0}")]
    Invalid(String),
    /// No entry has this name.
    #[error("{0} is not in the catalogue")]
    NoEntry(String),
    /// The data set is in use by another who needs it alone.
    #[error("{0} is in use")]
    InUse(String),
    /// The record is locked by another for longer than anybody should wait, or waiting would be a deadlock.
    #[error("the record is locked: {0}")]
    Locked(String),
    /// The data are full: a limit or the disk.
    #[error("{0}")]
    Full(String),
    /// The request makes no sense here: a handle that is not open, another version.
    #[error("not understood: {0}")]
    Protocol(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// The record that is looked for, as `vsam::Search` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The key, or its beginning.
    pub key: Vec<u8>,
    /// Only its beginning.
    pub generic: bool,
    /// The next greater will do.
    pub at_least: bool,
    /// Only in [`Request::Place`]: the last record whose key is less, or not greater where `at_least` says so. An empty
    /// key is the end of the data set.
    pub backward: bool,
}

impl Search {
    /// The record with this key.
    pub fn equal(key: impl Into<Vec<u8>>) -> Self {
        Self { key: key.into(), generic: false, at_least: false, backward: false }
    }

    /// The first record whose key is not less than this beginning; an empty one is the start.
    pub fn from(key: impl Into<Vec<u8>>) -> Self {
        Self { generic: true, at_least: true, ..Self::equal(key) }
    }
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its key as the data set is seen.
    pub key: Vec<u8>,
    /// Its key in the cluster.
    pub base: Vec<u8>,
    /// Another record with the same key follows.
    pub duplicate: bool,
    /// The record.
    pub record: Vec<u8>,
}

/// The organization of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Organization {
    /// By key: offset and length.
    Keyed(u32, u32),
    /// In the order of entry.
    Entry,
    /// By number.
    Relative,
}

/// An open data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// By which it is known from now on; 0 where it was only located.
    pub handle: u32,
    /// The name of its cluster.
    pub cluster: String,
    /// The organization of its cluster.
    pub organization: Organization,
    /// The place of the keys by which records are found: those of the alternate index, through a path.
    pub key: Option<(u32, u32)>,
    /// True if it is seen through an alternate index.
    pub path: bool,
    /// The average and the longest record.
    pub lengths: (u32, u32),
    /// True if changes belong to units of work.
    pub recoverable: bool,
    /// True if it can be emptied.
    pub reuse: bool,
    /// True if it has no records.
    pub empty: bool,
    /// True if it has or had records, or a program has made it.
    pub loaded: bool,
    /// The alternate indexes that are kept up to date, with a path to each that has one.
    pub indexes: Vec<IndexInfo>,
}

/// An alternate index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexInfo {
    /// A path through it.
    pub path: Option<String>,
    /// The place of its key: offset and length.
    pub key: (u32, u32),
    /// True if a key leads to one record only.
    pub unique: bool,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the published ones")]
pub enum KindOfEntry {
    Ksds,
    Esds,
    Rrds,
    Index,
    Path,
    Sequential,
    Library,
    Group,
    Alias,
}

/// A line of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// The entry.
    pub name: String,
    /// Its kind.
    pub kind: KindOfEntry,
    /// The number of its records or entries, if that is counted.
    pub records: Option<u64>,
    /// The longest record that it can have.
    pub longest: Option<u32>,
    /// Its owner: the base of an index, the entry of a path or an alias.
    pub of: Option<String>,
}

/// A sequential data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequential {
    /// Its own name: that of the generation, where a relative one was asked for.
    pub name: String,
    /// Its file; the folder of a library.
    pub path: PathBuf,
    /// The shape of its records.
    pub shape: ShapeSpec,
    /// The kind that was asked for.
    pub kind: SequentialKind,
}

/// A sequential data set, a library as a whole, or a member of one, which need not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each says its name")]
pub enum SequentialKind {
    DataSet,
    Library,
    Member,
}

/// The division of a file into records, as `datasets::Shape` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "documented there")]
pub enum ShapeSpec {
    Fixed(Option<u32>),
    Variable,
    Lines,
}

/// The bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileBytes {
    /// In a file of this machine, by its whole path.
    Path(PathBuf),
    /// In-stream data.
    Given(Vec<u8>),
    /// Nowhere.
    Nothing,
    /// In several files, one after the other.
    Several(Vec<FileSpec>),
}

/// A file as `datasets::File` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpec {
    /// Its bytes.
    pub bytes: FileBytes,
    /// The shape of its records.
    pub shape: ShapeSpec,
    /// Its code page by number; none for program characters.
    pub code_page: Option<u16>,
    /// The text of its copybook.
    pub copybook: Option<String>,
    /// It is written after its end.
    pub extends: bool,
}

/// The outcome of IDCAMS commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UtilityOutcome {
    /// The code of the last command.
    pub last: u32,
    /// The greatest code.
    pub max: u32,
    /// The listing of the utility.
    pub listing: String,
    /// The messages, each as text with its place; and true if it is an error.
    pub messages: Vec<(bool, String)>,
}
