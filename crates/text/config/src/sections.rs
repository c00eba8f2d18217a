//! The readers of each section of `region.toml`, and the defaults of absent keys.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::time::Duration;

use diagnostics::{Diagnostic, Severity};
use ebcdic::CodePage;

use crate::address::OpenListener;
use crate::direct::DirectConfig;
use crate::names::{LONG_NAME, SHORT_NAME, code_page, resource_name};
use crate::reader::Table;
use crate::records::Places;
use crate::region::{
    AuditConfig, BoundLu, CompileConfig, DataConfig, DataLimits, DefinitionConfig, ListenConfig, Load,
    LoadFormat, LogConfig, LogFormat, LogLevel, PasswordConfig, QueueFile, RegionConfig, SecurityConfig,
    SourceConfig, TerminalConfig, TerminalModel, UpperCase,
};
use crate::secret::{Keys, secret};
use crate::sockets::SocketConfig;
use crate::sql::SqlConfig;
use crate::users::{Right, rights, starts_as};
use crate::web::WebConfig;
use crate::{
    ConsoleConfig, EventConfig, LdapConfig, LinkConfig, LintConfig, Located, MonitoringConfig, OidcConfig,
    OpenTelemetryConfig, PortConfig, Sit, address, at, brought, codes,
};

/// The APPLID of a region that has not been given one.
pub const DEFAULT_APPLID: &str = "SYNCPNT";
const DEFAULT_SYSID: &str = "SYNC";
const DEFAULT_PORT: u16 = 3270;
const DEFAULT_STATE: &str = ".syncpoint";
const DEFAULT_USERS: &str = "users.toml";
const DEFAULT_PROFILES: &str = "security.toml";
/// Characters that a new password may be told to have.
const PASSWORD_LENGTH: RangeInclusive<u32> = 4..=100;
/// The number of former passwords that a new one must differ from.
const PASSWORD_HISTORY: RangeInclusive<u32> = 0..=security::rules::HISTORY_MAX as u32;
/// Days after which a password may be told to be changed; 0: never.
const PASSWORD_EXPIRES: RangeInclusive<u32> = 0..=3_650;
/// Wrong passwords in a row after which a user may be told to be revoked; 0: never.
const REVOKE_AFTER: RangeInclusive<u32> = 0..=100;
/// Minutes for which a user is revoked then.
const REVOKE_FOR_MIN: RangeInclusive<u32> = 1..=1_440;
/// The values of `audit`: true if there is one, and true if it is forced.
const AUDIT: [(&str, (bool, bool)); 3] =
    [("no", (false, false)), ("yes", (true, false)), ("forced", (true, true))];
const AUDIT_FILE_MB: RangeInclusive<u32> = 1..=1_024;
const AUDIT_FILES: RangeInclusive<u32> = 2..=1_000;
/// The limits of the number of connections of a region: as many as it can have terminals.
const CONNECTIONS: RangeInclusive<u32> = 1..=32_000;
/// The limits of the size of the log: at least a few of its segments.
const LOG_MB: RangeInclusive<u32> = 64..=1_000_000;
/// Seconds that a TLS handshake may be told to take.
const HANDSHAKE_S: RangeInclusive<u32> = 1..=120;
/// Minutes of silence after which a user may be told to be signed off.
const SIGN_OFF_AFTER_MIN: RangeInclusive<u32> = 0..=1_440;
/// The limits of committed changes in memory.
const MEMORY_MB: RangeInclusive<u32> = 16..=1_000_000;
/// The limits of data sets; their size is address space only until it is used.
const SIZE_MB: RangeInclusive<u32> = 16..=16_000_000;
/// The limits of the number of locks of a unit of work.
const LOCKS: RangeInclusive<u32> = 10..=100_000_000;
/// The limits of the changes of a unit of work.
const UNIT_MB: RangeInclusive<u32> = 1..=1024;
/// Longest record that a data set can hold.
const LONGEST_RECORD: u32 = 32_760;

impl RegionConfig {
    pub(crate) fn read(root: Table<'_>) -> Self {
        let name = |key, what, longest, default: &str| match root.string(key) {
            Some(name) => resource_name(&root, what, &name, longest),
            None => default.to_owned(),
        };
        let operate_listen = root.table("operate").and_then(operate);
        let (debug_listen, debug_record) = root.table("debug").map(debug).unwrap_or_default();
        let records = root.table("records").map_or_else(Places::own, Places::read);
        let links = root.table("links").map(LinkConfig::read).unwrap_or_default();
        let config = Self {
            applid: name("applid", "an APPLID", LONG_NAME, DEFAULT_APPLID),
            sysid: name("sysid", "a SYSID", SHORT_NAME, DEFAULT_SYSID),
            sources: SourceConfig::read(&root),
            definitions: DefinitionConfig::read(&root),
            listen: ListenConfig::read(root.table("listen"), root.table("lu")),
            loads: root.tables("load").into_iter().filter_map(Load::read).collect(),
            queues: root.table("queues").map(queue_files).unwrap_or_default(),
            sockets: SocketConfig::read(root.table("sockets"), root.tables("conversation")),
            direct: root.table("direct").map(DirectConfig::read).unwrap_or_default(),
            operate_listen,
            console: root.table("console").map(ConsoleConfig::read).unwrap_or_default(),
            debug_listen,
            debug_record,
            sql: root.table("sql").map(SqlConfig::read).unwrap_or_default(),
            services: root.table("services").map(services).unwrap_or_default(),
            web: WebConfig::read(root.table("web")),
            events: root.tables("event").into_iter().filter_map(EventConfig::read).collect(),
            opentelemetry: root.table("opentelemetry").and_then(OpenTelemetryConfig::read),
            monitoring: root.table("monitoring").map(MonitoringConfig::read).unwrap_or_default(),
            terminal: TerminalConfig::read(root.table("terminal")),
            data: DataConfig::read(root.table("data")),
            sit: root.table("sit").map(Sit::read).unwrap_or_default(),
            security: SecurityConfig::read(root.table("security"), root.table("ldap"), root.table("oidc")),
            compile: CompileConfig::read(root.table("compile"), root.table("cobol")),
            records: records.folder,
            records_far: records.far,
            records_database: records.database,
            copies_mb: records.copies_mb,
            ports: root.table("ports").map(|table| PortConfig::read(table, &links)).unwrap_or_default(),
            links,
            log: LogConfig::read(root.table("log")),
            lints: LintConfig::read(root.table("lints")),
            sections: brought::read(&root),
            state: root.string("state").map_or_else(|| DEFAULT_STATE.to_owned(), |state| state.value),
        };
        root.finish();
        config
    }
}

/// Help for one who would let other machines reach what is for this one.
const DEBUGGED: &str = "its clients see and change what programs hold: write \"127.0.0.1:4711\"";
const WATCHED: &str = "its clients see the names of transactions, files and queues: write \"127.0.0.1:9410\", and let an \
                       agent or a proxy of this machine pass it on";

/// `[operate]`: where figures and health are read.
fn operate(table: Table<'_>) -> Option<Located<SocketAddr>> {
    let text = table.string("listen");
    let listen = text.and_then(|text| address::listener(&table, text, OpenListener::HereOnly(WATCHED)));
    table.finish();
    listen
}

/// `[debug]`: where an editor connects, and the file of a recording.
fn debug(table: Table<'_>) -> (Option<Located<SocketAddr>>, Option<Located<String>>) {
    let text = table.string("listen");
    let listen = text.and_then(|text| address::listener(&table, text, OpenListener::HereOnly(DEBUGGED)));
    let record = table.string("record");
    table.finish();
    (listen, record)
}

/// Makes paths that no user wrote: their files may be absent.
fn default_paths(paths: &[&str]) -> Vec<Located<String>> {
    paths.iter().map(|path| Located::default_value((*path).to_owned())).collect()
}

impl SourceConfig {
    fn read(root: &Table<'_>) -> Self {
        let folders = |key| root.strings(key).unwrap_or_else(|| default_paths(&[key, "."]));
        Self {
            programs: folders("programs"),
            copybooks: folders("copybooks"),
            maps: folders("maps"),
            templates: root.strings("templates").unwrap_or_else(|| default_paths(&["templates"])),
        }
    }
}

impl DefinitionConfig {
    fn read(root: &Table<'_>) -> Self {
        Self {
            csd: root.strings("csd").unwrap_or_else(|| default_paths(&["*.csd"])),
            grplist: root.strings("grplist"),
            deploy: root.string("deploy"),
            idcams: root.strings("idcams").unwrap_or_else(|| default_paths(&["*.idcams"])),
            tokens: root.table("tokens").map(tokens).unwrap_or_default(),
        }
    }
}

fn tokens(table: Table<'_>) -> Vec<(String, String)> {
    table.string_entries().into_iter().map(|(token, text)| (token.value, text.value)).collect()
}

fn services(table: Table<'_>) -> Vec<(Located<String>, Located<String>)> {
    let entries = table.string_entries().into_iter();
    entries
        .map(|(name, files)| {
            resource_name(&table, "a service", &name, LONG_NAME);
            (name, files)
        })
        .collect()
}

fn queue_files(table: Table<'_>) -> Vec<QueueFile> {
    let entries = table.string_entries().into_iter();
    entries
        .map(|(queue, file)| QueueFile {
            queue: resource_name(&table, "a transient data queue", &queue, SHORT_NAME),
            file,
        })
        .collect()
}

impl ListenConfig {
    fn read(table: Option<Table<'_>>, lus: Option<Table<'_>>) -> Self {
        let lus = lus.map(bound_lus).unwrap_or_default();
        let default = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT);
        let plain = vec![Located::default_value(default)];
        let Some(table) = table else {
            return Self {
                tn3270: plain,
                tn3270_tls: Vec::new(),
                certificate: None,
                key: None,
                client_authorities: None,
                client_certificates_required: false,
                connections: None,
                connections_per_address: None,
                handshake_s: None,
                lus,
            };
        };
        let listeners = |key, open: OpenListener| {
            let texts = table.strings_or_numbers(key)?;
            Some(texts.into_iter().filter_map(|text| address::listener(&table, text, open)).collect())
        };
        let tn3270_tls: Vec<_> = listeners("tn3270-tls", OpenListener::Secure).unwrap_or_default();
        // Who asks for TLS gets no listener in clear beside it by default.
        let default = if tn3270_tls.is_empty() { plain } else { Vec::new() };
        let tn3270 = listeners("tn3270", OpenListener::InClear).unwrap_or(default);
        let (certificate, key) = (table.string("certificate"), table.string("key"));
        if let (Some(first), true) = (tn3270_tls.first(), certificate.is_none() || key.is_none()) {
            let message =
                Diagnostic::error(codes::NO_CERTIFICATE, "a TLS listener needs a certificate and its key");
            let help = "name their PEM files in [listen]: certificate = \"region.pem\", key = \"region.key\"";
            table.report(at(message, first).help(help));
        }
        let (client_authorities, client_certificates_required) = address::client_certificates(&table);
        let connections = table.number("connections", CONNECTIONS);
        let connections_per_address = table.number("connections-per-address", CONNECTIONS);
        let handshake_s = table.number("handshake", HANDSHAKE_S);
        table.finish();
        Self {
            tn3270,
            tn3270_tls,
            certificate,
            key,
            client_authorities,
            client_certificates_required,
            connections,
            connections_per_address,
            handshake_s,
            lus,
        }
    }
}

/// `[lu]`: network names, each with those who may have it, apart by commas: addresses, `user:` and `group:`.
fn bound_lus(table: Table<'_>) -> Vec<BoundLu> {
    table.string_entries().into_iter().map(|(name, text)| bound_lu(&table, &name, &text)).collect()
}

fn bound_lu(table: &Table<'_>, name: &Located<String>, text: &Located<String>) -> BoundLu {
    let mut lu = BoundLu {
        name: resource_name(table, "an LU", name, LONG_NAME),
        addresses: Vec::new(),
        users: Vec::new(),
        groups: Vec::new(),
    };
    for word in text.value.split(',').map(str::trim) {
        let named =
            |what, name: &str| resource_name(table, what, &text.clone().map(|_| name.to_owned()), LONG_NAME);
        if let Some(user) = word.strip_prefix("user:") {
            lu.users.push(named("a user id", user));
        } else if let Some(group) = word.strip_prefix("group:") {
            lu.groups.push(named("a group", group));
        } else if let Ok(address) = word.parse() {
            lu.addresses.push(address);
        } else {
            let message = Diagnostic::error(codes::VALUE, format!("{word:?} is no address"));
            let help = "write IP addresses, and user:NAME or group:NAME for whoever shows their certificate: \"10.1.2.3, group:TELLER\"";
            table.report(at(message, text).help(help));
        }
    }
    lu
}

impl Load {
    fn read(table: Table<'_>) -> Option<Self> {
        let dataset = table.required_string("dataset", "BANK.ACCOUNTS");
        let file = table.required_string("file", "data/accounts.txt");
        let length = table.number("length", 1..=LONGEST_RECORD);
        let format =
            table.choice("format", &[("lines", LoadFormat::Lines), ("fixed", LoadFormat::Fixed { length })]);
        let code_page = code_page(&table, "code-page");
        let copybook = table.string("copybook");
        table.finish();
        Some(Self {
            dataset: dataset?.map(|name| name.to_ascii_uppercase()),
            file: file?,
            format: format.unwrap_or(LoadFormat::Lines),
            code_page,
            copybook,
        })
    }
}

impl TerminalConfig {
    fn read(table: Option<Table<'_>>) -> Self {
        let mut terminal = Self {
            code_page: CodePage::default(),
            model: TerminalModel::Model2,
            upper_case: UpperCase::Yes,
            sign_off_after_min: 0,
        };
        let Some(table) = table else { return terminal };
        terminal.code_page = code_page(&table, "code-page").unwrap_or(terminal.code_page);
        let models = [
            ("3278-2", TerminalModel::Model2),
            ("3278-3", TerminalModel::Model3),
            ("3278-4", TerminalModel::Model4),
            ("3278-5", TerminalModel::Model5),
        ];
        terminal.model = table.choice("model", &models).unwrap_or(terminal.model);
        let upper_case = [("yes", UpperCase::Yes), ("no", UpperCase::No), ("tranid", UpperCase::Tranid)];
        terminal.upper_case = table.choice("uctran", &upper_case).unwrap_or(terminal.upper_case);
        terminal.sign_off_after_min = table.number("sign-off-after", SIGN_OFF_AFTER_MIN).unwrap_or(0);
        table.finish();
        terminal
    }
}

impl DataConfig {
    fn read(table: Option<Table<'_>>) -> Self {
        let mut data = Self {
            code_page: CodePage::default(),
            encryption_key: None,
            former_key: None,
            limits: DataLimits::default(),
            is_short_lived: false,
        };
        let Some(table) = table else { return data };
        data.code_page = code_page(&table, "code-page").unwrap_or(data.code_page);
        data.encryption_key = secret(&table, &ENCRYPTION_KEY);
        data.former_key = secret(&table, &FORMER_KEY);
        data.limits = DataLimits {
            log_mb: table.number("log-limit-mb", LOG_MB),
            memory_mb: table.number("memory-limit-mb", MEMORY_MB),
            size_mb: table.number("size-limit-mb", SIZE_MB),
            locks: table.number("locks-limit", LOCKS),
            unit_mb: table.number("unit-limit-mb", UNIT_MB),
        };
        table.finish();
        data
    }
}

/// The keys for the place of the key of data and log.
const ENCRYPTION_KEY: Keys = Keys {
    clear: "encryption-key",
    file: "encryption-key-file",
    variable: "encryption-key-env",
    credential: "encryption-key-credential",
};

/// The keys for the place of the one before it.
const FORMER_KEY: Keys = Keys {
    clear: "former-encryption-key",
    file: "former-encryption-key-file",
    variable: "former-encryption-key-env",
    credential: "former-encryption-key-credential",
};

/// The keys for the place of the key of PassTickets.
const TICKET_KEY: Keys = Keys {
    clear: "passticket-key",
    file: "passticket-key-file",
    variable: "passticket-key-env",
    credential: "passticket-key-credential",
};

impl SecurityConfig {
    fn read(table: Option<Table<'_>>, ldap: Option<Table<'_>>, oidc: Option<Table<'_>>) -> Self {
        let mut security = Self {
            users: Located::default_value(DEFAULT_USERS.to_owned()),
            default_rights: vec![Right::Run],
            default_starts_as: Vec::new(),
            profiles: Located::default_value(DEFAULT_PROFILES.to_owned()),
            passwords: PasswordConfig::default(),
            audit: AuditConfig::default(),
            ldap: ldap.and_then(LdapConfig::read),
            oidc: oidc.and_then(OidcConfig::read),
            ticket_key: None,
        };
        let Some(table) = table else { return security };
        security.users = table.string("users").unwrap_or(security.users);
        security.default_rights = rights(&table, "default-rights").unwrap_or(security.default_rights);
        security.default_starts_as = starts_as(&table, "default-starts-as");
        security.profiles = table.string("profiles").unwrap_or(security.profiles);
        security.passwords.read(&table);
        security.audit.read(&table);
        security.ticket_key = secret(&table, &TICKET_KEY);
        table.finish();
        security
    }
}

impl PasswordConfig {
    fn read(&mut self, table: &Table<'_>) {
        let size = |number: u32| number as usize;
        let Self { rules, revocation } = self;
        rules.length_min = table.number("password-length", PASSWORD_LENGTH).map_or(rules.length_min, size);
        rules.history = table.number("password-history", PASSWORD_HISTORY).map_or(rules.history, size);
        rules.expires_after_days =
            table.number("password-expires", PASSWORD_EXPIRES).filter(|days| *days > 0);
        revocation.after = table.number("revoke-after", REVOKE_AFTER).unwrap_or(revocation.after);
        let minutes = table.number("revoke-for", REVOKE_FOR_MIN).map(|minutes| u64::from(minutes) * 60);
        revocation.lasts = minutes.map_or(revocation.lasts, Duration::from_secs);
    }
}

impl AuditConfig {
    fn read(&mut self, table: &Table<'_>) {
        if let Some((on, forced)) = table.choice("audit", &AUDIT) {
            (self.on, self.forced) = (on, forced);
        }
        self.file_mb = table.number("audit-file-mb", AUDIT_FILE_MB).unwrap_or(self.file_mb);
        self.files = table.number("audit-files", AUDIT_FILES).unwrap_or(self.files);
    }
}

impl CompileConfig {
    fn read(table: Option<Table<'_>>, cobol: Option<Table<'_>>) -> Self {
        let mut compile = Self::default();
        cobol.into_iter().for_each(one_compiler);
        let Some(table) = table else { return compile };
        let not_yet = [("refuse", Severity::Error), ("warn", Severity::Warning)];
        compile.not_yet = table.choice("not-yet", &not_yet).unwrap_or(compile.not_yet);
        for key in OF_COBC {
            if let Some(place) = table.place_of(key) {
                let text = format!(
                    "`{key}` has no effect: it was an option of GnuCOBOL, which compiles no programs any more"
                );
                table.report(Diagnostic::warning(codes::OF_COBC, text).at(place).help("take it out"));
            }
        }
        table.finish();
        compile
    }
}

/// Keys of `[compile]` that former versions handed to GnuCOBOL.
const OF_COBC: [&str; 3] = ["optimize", "flags", "timeout"];
/// The value of `compiler` in `[cobol]` that says what is so anyway, and the key beside it.
const NATIVE: &str = "native";
/// Values of `compiler`, and keys, of former versions.
const OTHERS: [&str; 2] = ["gnucobol", "auto"];

/// Refuses the compilers of former versions by name; `native` is what is so anyway.
fn one_compiler(table: Table<'_>) {
    if let Some(compiler) = table.string("compiler").filter(|compiler| compiler.value != NATIVE) {
        table.report(at(no_compiler(&compiler.value), &compiler));
    }
    table.strings(NATIVE);
    for key in OTHERS {
        for name in table.strings(key).unwrap_or_default() {
            table.report(at(no_compiler(key), &name));
        }
    }
    table.finish();
}

fn no_compiler(name: &str) -> Diagnostic {
    Diagnostic::error(codes::COMPILER, format!("`{name}` is no compiler here: Syncpoint's own compiler is the only one")).help(
        "take it out; `syncpoint check` names by line what the compiler refuses, and CHANGELOG.md the last version with GnuCOBOL",
    )
}

impl LogConfig {
    fn read(table: Option<Table<'_>>) -> Self {
        let mut log = Self { level: LogLevel::Info, file: None, format: LogFormat::Text };
        let Some(table) = table else { return log };
        let levels = [
            ("error", LogLevel::Error),
            ("warn", LogLevel::Warn),
            ("info", LogLevel::Info),
            ("debug", LogLevel::Debug),
            ("trace", LogLevel::Trace),
        ];
        log.level = table.choice("level", &levels).unwrap_or(log.level);
        log.file = table.string("file");
        let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
        log.format = table.choice("format", &formats).unwrap_or(log.format);
        table.finish();
        log
    }
}
