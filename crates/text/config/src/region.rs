//! The model of `region.toml`. The readers of its sections are in `sections.rs`.

use std::net::{IpAddr, SocketAddr};

use diagnostics::Severity;
use ebcdic::CodePage;
use keys::Sections;
use security::guesses::Revocation;
use security::rules::Rules;

use crate::direct::DirectConfig;
use crate::records::{FarRecords, RecordDatabase};
use crate::secret::Secret;
use crate::sockets::SocketConfig;
use crate::sql::SqlConfig;
use crate::users::Right;
use crate::web::WebConfig;
use crate::{
    ConsoleConfig, EventConfig, LdapConfig, LinkConfig, LintConfig, Located, MonitoringConfig, OidcConfig,
    OpenTelemetryConfig, PortConfig, Sit,
};

/// A whole `region.toml`. All paths are as written: relative to the file's folder, globs not yet expanded.
#[derive(Clone, Debug)]
pub struct RegionConfig {
    /// The region's name on the network, up to 8 characters.
    pub applid: String,
    /// The region's own system identifier, up to 4 characters.
    pub sysid: String,
    /// The addresses on which it listens.
    pub listen: ListenConfig,
    /// The places of programs, copybooks and maps.
    pub sources: SourceConfig,
    /// Resource and data set definitions.
    pub definitions: DefinitionConfig,
    /// Files to load into data sets, in order.
    pub loads: Vec<Load>,
    /// Files of extrapartition transient data queues.
    pub queues: Vec<QueueFile>,
    /// The folder that holds data, logs and compiled programs.
    pub state: String,
    /// Messages that go to programs which were started before.
    pub direct: DirectConfig,
    /// The address at which figures and health are read: one of this machine alone.
    pub operate_listen: Option<Located<SocketAddr>>,
    /// The web console.
    pub console: ConsoleConfig,
    /// The address for an editor's debugger: one of this machine alone.
    pub debug_listen: Option<Located<SocketAddr>>,
    /// The file that gets what programs ask for, command by command.
    pub debug_record: Option<Located<String>>,
    /// IP sockets of programs.
    pub sockets: SocketConfig,
    /// PostgreSQL for programs with EXEC SQL.
    pub sql: SqlConfig,
    /// Programs that serve JSON: a name, and the files that describe its records.
    pub services: Vec<(Located<String>, Located<String>)>,
    /// HTTP.
    pub web: WebConfig,
    /// Which events are captured.
    pub events: Vec<EventConfig>,
    /// Monitoring points, and the classes of tasks.
    pub monitoring: MonitoringConfig,
    /// `[opentelemetry]`, if it is there: spans of tasks go to a collector.
    pub opentelemetry: Option<OpenTelemetryConfig>,
    /// The initial attributes of every terminal.
    pub terminal: TerminalConfig,
    /// The encoding of stored data.
    pub data: DataConfig,
    /// System initialization parameters.
    pub sit: Sit,
    /// The rights of users.
    pub security: SecurityConfig,
    /// The compilation of programs.
    pub compile: CompileConfig,
    /// The region's log.
    pub log: LogConfig,
    /// `[records]`: the folder of the record server that has this region's records; `None`: they are in its state, or in a database.
    pub records: Option<Located<String>>,
    /// `[records]`: the record server of another machine that has this region's records.
    pub records_far: Option<FarRecords>,
    /// `[records]`: megabytes for copies of records of a record server; 0: none are kept.
    pub copies_mb: u32,
    /// `[records]`: the database that has this region's records, without a record server.
    pub records_database: Option<RecordDatabase>,
    /// `[links]`: links to other regions.
    pub links: LinkConfig,
    /// `[ports]`: ports that several regions listen on.
    pub ports: PortConfig,
    /// The levels of the doubts that `syncpoint check` tells.
    pub lints: LintConfig,
    /// The sections that domains bring.
    pub sections: Sections,
}

/// `[listen]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenConfig {
    /// TN3270 listeners.
    pub tn3270: Vec<Located<SocketAddr>>,
    /// TN3270 listeners that begin with a TLS handshake.
    pub tn3270_tls: Vec<Located<SocketAddr>>,
    /// PEM file of the certificate and its chain.
    pub certificate: Option<Located<String>>,
    /// PEM file of the certificate's key.
    pub key: Option<Located<String>>,
    /// PEM file of the authorities whose certificates clients of TLS listeners show; `None`: they are asked for none.
    pub client_authorities: Option<Located<String>>,
    /// True if a client without such a certificate is turned away.
    pub client_certificates_required: bool,
    /// The greatest number of connections at a time; `None` for the front door's own limit.
    pub connections: Option<u32>,
    /// The greatest number of them from one address; `None` for half of all.
    pub connections_per_address: Option<u32>,
    /// Seconds that a TLS handshake may take; `None` for the front door's own limit.
    pub handshake_s: Option<u32>,
    /// Network names that only certain clients get.
    pub lus: Vec<BoundLu>,
}

/// One line of `[lu]`: a network name, and whose terminal gets it: one of these is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundLu {
    /// The name.
    pub name: String,
    /// The addresses of the terminal.
    pub addresses: Vec<IpAddr>,
    /// Whose certificate its client has shown.
    pub users: Vec<String>,
    /// The groups of the user of that certificate.
    pub groups: Vec<String>,
}

/// The folders (or files) of members; a name found in two of them is taken from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceConfig {
    /// COBOL programs: `.cbl`, `.cob`.
    pub programs: Vec<Located<String>>,
    /// Copybooks: `.cpy`, `.cbl`, `.cob`.
    pub copybooks: Vec<Located<String>>,
    /// BMS maps: `.bms`.
    pub maps: Vec<Located<String>>,
    /// Document templates, whatever their extension.
    pub templates: Vec<Located<String>>,
}

/// Resource and data set definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionConfig {
    /// DFHCSDUP texts, in order.
    pub csd: Vec<Located<String>>,
    /// Lists (or groups) to install; `None` means every group of the texts.
    pub grplist: Option<Vec<Located<String>>>,
    /// The folder of bundles that are deployed over HTTP; `None`: none are.
    pub deploy: Option<Located<String>>,
    /// IDCAMS inputs, in order; run when the catalogue does not hold their data sets yet.
    pub idcams: Vec<Located<String>>,
    /// Texts to replace in CSD and IDCAMS inputs before they are read: the text there, and its replacement.
    pub tokens: Vec<(String, String)>,
}

/// `[[load]]`: a file whose records fill a data set that is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The data set's name in the catalogue.
    pub dataset: Located<String>,
    /// The file's path.
    pub file: Located<String>,
    /// The division of the file into records.
    pub format: LoadFormat,
    /// The code page of the file's characters; `None` means that they are ASCII.
    pub code_page: Option<CodePage>,
    /// The file of the copybook that says which fields are characters and which are not.
    pub copybook: Option<Located<String>>,
}

/// The division of a file into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFormat {
    /// Records of one length without separators; without a length, the data set's largest record size.
    Fixed {
        /// Bytes of a record.
        length: Option<u32>,
    },
    /// A line each; short lines are padded with blanks.
    Lines,
}

/// One line of `[queues]`: the file of an extrapartition transient data queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueFile {
    /// The queue's name.
    pub queue: String,
    /// The file's path.
    pub file: Located<String>,
}

/// `[terminal]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalConfig {
    /// The EBCDIC code page of terminals.
    pub code_page: CodePage,
    /// The model assumed where a terminal does not say.
    pub model: TerminalModel,
    /// The translation of input to upper case.
    pub upper_case: UpperCase,
    /// Minutes of silence after which the user of a terminal is signed off; 0: never.
    pub sign_off_after_min: u32,
}

/// A 3270 model: its screen's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalModel {
    /// 24 × 80.
    Model2,
    /// 32 × 80.
    Model3,
    /// 43 × 80.
    Model4,
    /// 27 × 132.
    Model5,
}

impl TerminalModel {
    /// Rows and columns of the larger screen.
    pub fn size(self) -> (u16, u16) {
        match self {
            Self::Model2 => (24, 80),
            Self::Model3 => (32, 80),
            Self::Model4 => (43, 80),
            Self::Model5 => (27, 132),
        }
    }
}

/// UCTRAN of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpperCase {
    /// All input.
    Yes,
    /// Nothing.
    No,
    /// Only the transaction identifier.
    Tranid,
}

/// `[data]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataConfig {
    /// The EBCDIC code page of data that comes from and goes to EBCDIC systems.
    pub code_page: CodePage,
    /// The place of the key with which data and log are encrypted; `None`: they are not.
    pub encryption_key: Option<Secret>,
    /// The place of the key that was in force before, until `syncpoint key rotate` has ended.
    pub former_key: Option<Secret>,
    /// The limits of data and log; `None` for the record engine's own limits.
    pub limits: DataLimits,
    /// They are thrown away soon, as a test's are: nothing is prepared for a long life. No key of the file says so.
    pub is_short_lived: bool,
}

/// The limits of `[data]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataLimits {
    /// Megabytes that the log may hold before commits wait for a checkpoint.
    pub log_mb: Option<u32>,
    /// Megabytes of committed changes in memory before commits wait for a checkpoint.
    pub memory_mb: Option<u32>,
    /// Megabytes that all data sets together may take.
    pub size_mb: Option<u32>,
    /// Locks that a unit of work may hold.
    pub locks: Option<u32>,
    /// Megabytes that a unit of work may change.
    pub unit_mb: Option<u32>,
}

/// `[security]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityConfig {
    /// The users file.
    pub users: Located<String>,
    /// The rights of a terminal that has not signed on.
    pub default_rights: Vec<Right>,
    /// As whom it may start work: user ids, or `*`.
    pub default_starts_as: Vec<String>,
    /// The file of profiles.
    pub profiles: Located<String>,
    /// The rules for passwords, and for those who guess them.
    pub passwords: PasswordConfig,
    /// The record of what was refused and changed.
    pub audit: AuditConfig,
    /// A directory that knows users, beside the users file.
    pub ldap: Option<LdapConfig>,
    /// A provider of identities whose tokens count.
    pub oidc: Option<OidcConfig>,
    /// The place of the key of PassTickets, which regions share that take each other's; `None`: one of this start's
    /// own.
    pub ticket_key: Option<Secret>,
}

/// The keys of `[security]` for passwords.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PasswordConfig {
    /// The rules for a new one.
    pub rules: Rules,
    /// After how many wrong ones a user is revoked, and for how long.
    pub revocation: Revocation,
}

/// The keys of `[security]` for the audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditConfig {
    /// True if there is one.
    pub on: bool,
    /// True if an operation goes on only after its record is on disk.
    pub forced: bool,
    /// Megabytes of one file.
    pub file_mb: u32,
    /// The number of files that are kept.
    pub files: u32,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { on: true, forced: false, file_mb: 16, files: 10 }
    }
}

/// `[compile]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileConfig {
    /// The severity of commands and options that are not built: an error refuses the program; with a warning it runs, and the command
    /// answers INVREQ.
    pub not_yet: Severity,
}

impl Default for CompileConfig {
    fn default() -> Self {
        Self { not_yet: Severity::Error }
    }
}

/// `[log]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// The least important message that is written.
    pub level: LogLevel,
    /// The file; `None` means standard error.
    pub file: Option<Located<String>>,
    /// The form of a line.
    pub format: LogFormat,
}

/// The form of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A JSON object, for collectors of logs.
    Json,
}

/// The amount of logging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Errors only.
    Error,
    /// And warnings.
    Warn,
    /// And what an operator wants to know.
    Info,
    /// And what a developer wants to know.
    Debug,
    /// Everything.
    Trace,
}
