//! `[records]` of a region, and what both it and a topology say of a record server: the place of records that several regions share.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::{self, OpenListener};
use crate::reader::Table;
use crate::{Located, at, codes};

/// The limits of copies of a record server's records; 0: none.
const COPIES_MB: RangeInclusive<u32> = 0..=65_536;
/// Megabytes for copies if the configuration does not say how many.
const DEFAULT_COPIES_MB: u32 = 64;
/// Seconds of a lease, as `syncpoint records --lease` has them.
const LEASE: RangeInclusive<u32> = 2..=300;
/// Places at which a region looks for its record server, at most.
const SERVERS_MAX: usize = 8;

/// The keys of the three files by which both ends of a connection show who they are.
const FILES: [&str; 3] = ["certificate", "certificate-key", "authorities"];

/// The record server of another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarRecords {
    /// Its places, hosts and ports: of several, the one that can be reached.
    pub servers: Vec<Located<(String, u16)>>,
    /// The region's files.
    pub files: RecordFiles,
}

/// The files by which both ends of a connection to a record server show who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFiles {
    /// The certificate of this end, with those that lead to its authority.
    pub certificate: Located<String>,
    /// Its key.
    pub key: Located<String>,
    /// The authorities of the other end.
    pub authorities: Located<String>,
}

/// The port of a record server, for regions of other machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPort {
    /// Its address.
    pub listen: Located<SocketAddr>,
    /// The server's files.
    pub files: RecordFiles,
    /// The file of the certificates that may come.
    pub allowed: Located<String>,
}

/// The database of a record server's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDatabase {
    /// The server, the user and the database.
    pub url: Located<String>,
    /// The file with the user's password.
    pub password_file: Option<Located<String>>,
    /// The schema of the tables.
    pub schema: Option<Located<String>>,
    /// Seconds after which another server takes over from one that is gone.
    pub lease_s: Option<u32>,
}

/// The place of the records of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub folder: Option<Located<String>>,
    pub far: Option<FarRecords>,
    pub database: Option<RecordDatabase>,
    pub copies_mb: u32,
}

impl Places {
    /// Those of a region without `[records]`.
    pub fn own() -> Self {
        Self { copies_mb: DEFAULT_COPIES_MB, ..Self::default() }
    }

    /// `[records]` of a region: the folder of a record server and megabytes for copies of its records, or its places on other machines, or a
    /// database.
    pub fn read(table: Table<'_>) -> Self {
        let database = record_database(&table);
        let far = far(&table);
        let copies = table.number("copies-limit-mb", COPIES_MB);
        let is_elsewhere = database.is_some() || table.place_of("server").is_some();
        if let (true, Some(place)) = (is_elsewhere, table.place_of("copies-limit-mb")) {
            let message = "`copies-limit-mb` of [records] goes with `folder`";
            let help = "of records in a database, or at a server of another machine, no copies are kept: each read asks there";
            table.report(Diagnostic::error(codes::VALUE, message).at(place).help(help));
        }
        let folder = match is_elsewhere {
            false => table.required_string("folder", "/var/lib/syncpoint/records"),
            true => {
                one_place(&table);
                None
            }
        };
        table.finish();
        Self { folder, far, database, copies_mb: copies.unwrap_or(DEFAULT_COPIES_MB) }
    }
}

/// Refuses a second place of the records.
fn one_place(table: &Table<'_>) {
    let others = ["folder", "server", "database"].map(|key| (key, table.place_of(key)));
    let mut named = others.into_iter().filter_map(|(key, place)| Some((key, place?)));
    if let (Some((first, place)), Some((second, _))) = (named.next(), named.next()) {
        let message = format!("`{first}` and `{second}` of [records] name two places of the records");
        let help = "a record server's records lie in a database by `syncpoint records FOLDER --database URL`";
        table.report(Diagnostic::error(codes::VALUE, message).at(place).help(help));
    }
}

/// The keys of a record server whose records lie in a database; without `database` the others say nothing, and are refused.
pub(crate) fn record_database(table: &Table<'_>) -> Option<RecordDatabase> {
    let (url, password_file) = (table.string("database"), table.string("password-file"));
    let (schema, lease_s) = (table.string("schema"), table.number("lease", LEASE));
    let Some(url) = url else {
        for key in ["password-file", "schema", "lease"] {
            if let Some(place) = table.place_of(key) {
                let message = format!("`{key}` of [records] goes with `database`");
                let help = "add database = \"postgresql://USER@HOST/DATABASE\"";
                table.report(Diagnostic::error(codes::MISSING, message).at(place).help(help));
            }
        }
        return None;
    };
    Some(RecordDatabase { url, password_file, schema, lease_s })
}

/// The places of a record server on other machines.
pub(crate) fn far(table: &Table<'_>) -> Option<FarRecords> {
    let named = table.strings("server");
    let files = files(table, ("server", named.is_some()));
    let named = named?;
    let servers: Vec<_> = named.iter().filter_map(|server| place(table, server)).collect();
    let wrong = match named.len() {
        0 => Some(String::from("names none")),
        many if many > SERVERS_MAX => Some(format!("names more than {SERVERS_MAX}")),
        _ => None,
    };
    if let (Some(wrong), Some(place)) = (wrong, table.place_of("server")) {
        let message = format!("`server` of [records] {wrong}");
        table.report(
            Diagnostic::error(codes::VALUE, message)
                .at(place)
                .help(format!("1 to {SERVERS_MAX} places: a host and a port each")),
        );
        return None;
    }
    Some(FarRecords { servers, files: files? })
}

/// A host and a port.
fn place(table: &Table<'_>, text: &Located<String>) -> Option<Located<(String, u16)>> {
    let read = text.value.rsplit_once(':').and_then(|(host, port)| {
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let port = port.parse().ok().filter(|port| *port > 0)?;
        (!host.is_empty()).then(|| (host.to_owned(), port))
    });
    if read.is_none() {
        let message = Diagnostic::error(codes::ADDRESS, "a record server is a host and a port")
            .label("this is not one");
        table.report(at(message, text).help("write \"records.example:4700\""));
    }
    read.map(|value| Located { value, place: text.place.clone() })
}

/// The port of a record server.
pub(crate) fn port(table: &Table<'_>) -> Option<RecordPort> {
    let listen = table.string("listen");
    let files = files(table, ("listen", listen.is_some()));
    let allowed = with(table, "allowed", ("listen", listen.is_some()));
    let listen = address::listener(table, listen?, OpenListener::Secure);
    Some(RecordPort { listen: listen?, files: files?, allowed: allowed? })
}

/// The three files, which go with a key, and must be there if it is. A key of both ends is asked for once in a table.
fn files(table: &Table<'_>, with_key: (&str, bool)) -> Option<RecordFiles> {
    let [certificate, key, authorities] = FILES.map(|file| with(table, file, with_key));
    Some(RecordFiles { certificate: certificate?, key: key?, authorities: authorities? })
}

/// A file that goes with a key, and must be there if it is.
fn with(table: &Table<'_>, file: &'static str, (key, is_there): (&str, bool)) -> Option<Located<String>> {
    let (named, place) = (table.string(file), table.place_of(file));
    match (place, is_there) {
        (Some(place), false) => {
            let message = format!("`{file}` of [records] goes with `{key}`");
            table.report(Diagnostic::error(codes::MISSING, message).at(place).help(format!("add {key}")));
        }
        (None, true) => {
            let message = format!("`{key}` of [records] needs `{file}`: both ends show who they are");
            table.report(
                Diagnostic::error(codes::MISSING, message)
                    .at(table.place())
                    .help(format!("add {file} = \"FILE\"")),
            );
        }
        _ => {}
    }
    named
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    use crate::{REGION_FILE, RegionConfig, region};

    const ALL: &str = "certificate = \"a.pem\"\ncertificate-key = \"a.key\"\nauthorities = \"b.pem\"\n";

    fn read(text: &str) -> (RegionConfig, Vec<String>) {
        let (config, messages) = region(&Source::new(REGION_FILE, text));
        (config, messages.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_server_of_another_machine_has_places_and_three_files() {
        let servers = "server = [\"one.example:4700\", \"[::1]:4701\"]\n";
        let (config, messages) = read(&format!("[records]\n{servers}{ALL}"));
        assert!(messages.is_empty(), "{messages:?}");
        let far = config.records_far.expect("a server");
        let places: Vec<_> = far.servers.iter().map(|server| server.value.clone()).collect();
        assert_eq!(places, [("one.example".to_owned(), 4_700), ("::1".to_owned(), 4_701)]);
        assert_eq!(far.files.key.value, "a.key");
        assert!(config.records.is_none() && config.records_database.is_none());
        let (config, _) = read(&format!("[records]\nserver = \"one.example:4700\"\n{ALL}"));
        assert_eq!(config.records_far.map(|far| far.servers.len()), Some(1));
    }

    #[test]
    fn what_is_missing_or_too_much_is_refused() {
        let server = "server = \"a:1\"\n";
        for (text, message) in [
            (server.to_owned(), "`server` of [records] needs `certificate`"),
            (format!("folder = \"r\"\n{ALL}"), "`certificate` of [records] goes with `server`"),
            (format!("folder = \"r\"\n{server}{ALL}"), "`folder` and `server` of [records] name two places"),
            (
                format!("{server}{ALL}copies-limit-mb = 3\n"),
                "`copies-limit-mb` of [records] goes with `folder`",
            ),
            (format!("server = \"a\"\n{ALL}"), "a record server is a host and a port"),
            (format!("server = \"a:0\"\n{ALL}"), "a record server is a host and a port"),
            (format!("server = []\n{ALL}"), "`server` of [records] names none"),
            (
                format!("server = [{}]\n{ALL}", "\"a:1\",".repeat(9)),
                "`server` of [records] names more than 8",
            ),
        ] {
            let (_, messages) = read(&format!("[records]\n{text}"));
            assert!(messages.iter().any(|said| said.contains(message)), "{text}: {messages:?}");
        }
    }
}
