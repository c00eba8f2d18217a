//! What a region is told about its servers.

use std::path::PathBuf;

use sql::Address;
use sql::server::Private;

/// Where the servers are, and how statements run there.
pub struct Settings {
    /// The server where nothing else is said.
    pub place: Place,
    /// Servers by the DB2ID under which DB2CONN names them.
    pub named: Vec<(String, Address)>,
    /// Scripts of Db2's statements. Each is run once in a database.
    pub scripts: Vec<Script>,
    /// Schemas of names that have none: the first that has it; what is made goes into the first. Empty: PostgreSQL's `public`.
    pub schemas: Vec<String>,
    /// Milliseconds that a statement waits for what others have locked; 0: without end.
    pub lock_timeout_ms: u32,
}

/// A server.
#[derive(Clone)]
pub enum Place {
    /// The region's own.
    Private(Box<Private>),
    /// One that somebody else runs.
    At(Address),
}

/// A script.
pub struct Script {
    /// The name by which a database remembers that it has run there.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl Default for Settings {
    /// A region that nobody has told about servers: for tests of other domains.
    fn default() -> Self {
        Self {
            place: Place::Private(Box::new(Private::new("sql"))),
            named: Vec::new(),
            scripts: Vec::new(),
            schemas: Vec::new(),
            lock_timeout_ms: 0,
        }
    }
}

impl Settings {
    /// The server of a DB2ID; that where nothing else is said for one that names none, or none that is known.
    pub(crate) fn server(&self, id: &str) -> Place {
        let named = self.named.iter().find(|(name, _)| name == id);
        named.map_or_else(|| self.place.clone(), |(_, address)| Place::At(address.clone()))
    }

    /// Where names without a schema are looked for.
    pub(crate) fn search_path(&self) -> String {
        let own = self.schemas.iter().map(|schema| quoted(schema) + ", ");
        own.collect::<String>() + &sql::Settings::default().search_path
    }

    /// What sessions are told.
    pub(crate) fn sessions(&self, applid: &str) -> sql::Settings {
        sql::Settings {
            lock_timeout: self.lock_timeout_ms,
            application: format!("syncpoint {applid}"),
            search_path: self.search_path(),
            ..sql::Settings::default()
        }
    }
}

/// A schema's name as PostgreSQL has it: Db2's names are in upper case, PostgreSQL's in lower.
pub(crate) fn quoted(schema: &str) -> String {
    format!("\"{}\"", schema.to_lowercase().replace('"', "\"\""))
}
