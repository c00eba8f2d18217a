//! `syncpoint records`: a record server, which owns the records that several regions share.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use command_line::{ends::Ends, event_loop};
use depot::{Database, Holder, Options, is_elsewhere};
use diagnostics::Diagnostic;
use link::carrier::Identity;
use records::{EncryptionKey, Engine, Limits, Local};
use share::{Door, Port, Server, socket};
use sql::Address;
use tracing_subscriber::util::SubscriberInitExt;

use crate::application::{Messages, read};
use crate::{codes, parent, records_backup, records_status};

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the records and of the socket; it is made if it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// A file with the key of the records, 64 hexadecimal digits; they are encrypted from their beginning or never
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Keep the records in this PostgreSQL database (postgresql://USER@HOST:PORT/DATABASE) instead of the folder; one server at a time
    /// has them, and another one takes over from one that is gone
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// A file with the password of the database's user
    #[arg(long, value_name = "FILE", requires = "database")]
    password_file: Option<PathBuf>,
    /// The schema of the database that holds the records, and nothing else [default: syncpoint_records]
    #[arg(long, value_name = "NAME", requires = "database")]
    schema: Option<String>,
    /// So many seconds after a server is gone another one takes over; 2 to 300 [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "database")]
    lease: Option<u64>,
    /// Serve regions of other machines, too, at this address; both ends show certificates
    #[arg(
        long,
        value_name = "ADDRESS",
        requires_all = ["certificate", "certificate_key", "authorities", "allowed"],
        conflicts_with_all = ["status", "drop_table", "backup", "restore", "rotate_key"]
    )]
    listen: Option<SocketAddr>,
    /// The server's certificate (PEM), with those that lead to its authority; it names the host that regions know
    #[arg(long, value_name = "FILE", requires = "listen")]
    certificate: Option<PathBuf>,
    /// The key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "listen")]
    certificate_key: Option<PathBuf>,
    /// The authorities that sign the certificates of regions (PEM)
    #[arg(long, value_name = "FILE", requires = "listen")]
    authorities: Option<PathBuf>,
    /// The certificates that may come: in each line a SHA-256 and the APPLIDs that it may have
    #[arg(long, value_name = "FILE", requires = "listen")]
    allowed: Option<PathBuf>,
    /// Show what the server of the folder does for its regions, and end
    #[arg(long, conflicts_with = "key")]
    status: bool,
    /// The same as JSON
    #[arg(long, requires = "status")]
    json: bool,
    /// Delete this coupling-facility data table with all its records, and end; no region may have it open
    #[arg(long, value_name = "POOL.TABLE", conflicts_with_all = ["key", "status", "database"])]
    drop_table: Option<String>,
    /// Have the server of the folder copy all records into this file while regions work, and end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "status", "drop_table"])]
    backup: Option<PathBuf>,
    /// Make the folder from a backup, and end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "status", "database", "drop_table", "backup"])]
    restore: Option<PathBuf>,
    /// Have the server of the folder encrypt the records with the key in this file from now on, while regions work, and end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "status", "drop_table", "backup", "restore"])]
    rotate_key: Option<PathBuf>,
    /// End in order when the process of this number ends, which has started this one
    #[arg(long, hide = true, value_name = "PROCESS")]
    child_of: Option<u32>,
}

/// The schema that is not named.
const SCHEMA: &str = "syncpoint_records";

/// The records, and where they lie.
struct Opened {
    engine: Arc<Local>,
    database: Option<Database>,
}

/// The limits of the engine. What a region has heard to be done outlives this process, also where it is not recoverable.
fn limits() -> Limits {
    Limits { keeps_unforced: true, ..Limits::default() }
}

fn failed(folder: &Path, why: &dyn std::fmt::Display) -> Messages {
    let message = format!("the records in {} cannot be served: {why}", folder.display());
    let help = "one record server has a folder, and no region runs on it";
    vec![Diagnostic::error(codes::NOT_SERVED, message).help(help)]
}

/// The records of a database cannot be served.
fn not_from(why: &dyn std::fmt::Display) -> Messages {
    let message = format!("the records in the database cannot be served: {why}");
    vec![Diagnostic::error(codes::NOT_SERVED, message).help("docs/record-server.md, \"In a database\"")]
}

fn key(file: &Path) -> Result<EncryptionKey, Messages> {
    EncryptionKey::from_hex(&read(file)?).ok_or_else(|| {
        let message = format!("{} holds no key", file.display());
        vec![Diagnostic::error(codes::NO_KEY, message).help("a key of records is 64 hexadecimal digits")]
    })
}

/// Refuses a folder whose records lie elsewhere than was asked for: an empty engine would be taken for the data.
fn check_folder(folder: &Path, in_database: bool) -> Result<(), Messages> {
    if folder.join("data").join("base").exists() {
        return Err(failed(folder, &"it is the state of a region, whose records lie in the folder data"));
    }
    let has_own = folder.join("base").exists() || folder.join("log").exists();
    match in_database {
        true if has_own => Err(failed(folder, &"it has records of its own, and --database names others")),
        false if is_elsewhere(folder) => {
            Err(failed(folder, &"its records lie in a database: name it with --database"))
        }
        _ => Ok(()),
    }
}

/// The choices with which the database is opened.
fn options(arguments: &Arguments, url: &str) -> Result<Options, Messages> {
    let mut address = Address::parse(url).map_err(|why| not_from(&why))?;
    if address.password.is_some() {
        return Err(not_from(
            &"a password does not belong on a command line, where everybody sees it: name a file with --password-file",
        ));
    }
    if let Some(file) = &arguments.password_file {
        address.password = Some(read(file)?.trim_end_matches(['\r', '\n']).to_owned());
    }
    let holder = Holder::of(&arguments.folder).map_err(|why| failed(&arguments.folder, &why))?;
    let schema = arguments.schema.clone().unwrap_or_else(|| SCHEMA.to_owned());
    let lease = arguments.lease.map_or(depot::limits::LEASE, Duration::from_secs);
    Ok(Options { address, schema, holder, lease })
}

/// Opens the records; nothing if the process is to end before it has the lease.
async fn open(arguments: &Arguments, ends: &mut Ends) -> Result<Option<Opened>, Messages> {
    let folder = &arguments.folder;
    let key = arguments.key.as_deref().map(key).transpose()?;
    check_folder(folder, arguments.database.is_some())?;
    let Some(url) = &arguments.database else {
        let opened = Local::open_with(folder, limits(), key);
        let engine = opened.map_err(|why| failed(folder, &why))?;
        return Ok(Some(Opened { engine, database: None }));
    };
    let database = tokio::select! {
        database = Database::open(options(arguments, url)?) => database.map_err(|why| not_from(&why))?,
        _ = ends.next() => return Ok(None),
    };
    let engine = database.engine(limits(), key).map_err(|why| not_from(&why))?;
    Ok(Some(Opened { engine, database: Some(database) }))
}

/// Serves regions until Ctrl-C or SIGTERM; then what they have committed is done, and the engine ends in order.
pub(crate) fn records(arguments: &Arguments) -> Result<(), Messages> {
    if arguments.status {
        return records_status::show(&arguments.folder, arguments.json);
    }
    let folder = &arguments.folder;
    if let Some(table) = &arguments.drop_table {
        return records_status::drop_table(folder, table);
    }
    if let Some(file) = &arguments.backup {
        return records_backup::backup(folder, file);
    }
    if let Some(file) = &arguments.restore {
        check_folder(folder, false)?;
        return records_backup::restore(folder, file);
    }
    if let Some(file) = &arguments.rotate_key {
        return records_backup::rotate(folder, file);
    }
    parent::ends_with(arguments.child_of);
    let lines =
        tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    // Another subscriber is there already in tests alone.
    let _ = lines.finish().try_init();
    event_loop::run(async {
        let mut ends = Ends::new()?;
        match open(arguments, &mut ends).await? {
            Some(opened) => serve(arguments, opened, ends).await,
            None => Ok(()),
        }
    })
}

/// Opens the socket, and the port if there is to be one.
fn open_door(arguments: &Arguments, server: Server) -> Result<Door, Messages> {
    let folder = &arguments.folder;
    let mut door = Door::open(folder, server).map_err(|why| {
        let message = format!("the socket {} cannot be made: {why}", socket(folder).display());
        vec![
            Diagnostic::error(codes::NO_SOCKET, message)
                .help("the folder must be on a disk that takes sockets"),
        ]
    })?;
    if let Some(port) = port(arguments) {
        door.open_port(port).map_err(|why| {
            let message = format!("regions of other machines cannot be served: {why}");
            vec![
                Diagnostic::error(codes::NOT_SERVED, message)
                    .help("docs/record-server.md, \"On another machine\""),
            ]
        })?;
    }
    Ok(door)
}

/// The choices of the port.
fn port(arguments: &Arguments) -> Option<Port> {
    let Arguments { listen, certificate, certificate_key, authorities, allowed, .. } = arguments;
    let identity = Identity {
        chain: certificate.clone()?,
        key: certificate_key.clone()?,
        authorities: authorities.clone()?,
    };
    Some(Port { listen: (*listen)?, identity, allowed: allowed.clone()? })
}

async fn serve(arguments: &Arguments, opened: Opened, ends: Ends) -> Result<(), Messages> {
    let (Opened { engine, database }, folder) = (opened, &arguments.folder);
    let failure = engine.failure();
    let server = Server::open(engine.clone(), Rc::new(link::Timer::default())).await;
    let server = server.map_err(|why| failed(folder, &why))?;
    if database.is_some() {
        server.may_be_succeeded();
    }
    let door = open_door(arguments, server)?;
    println!("The record server of {} is ready.", folder.display());
    // A script may wait for this line; one that does not read it misses nothing else.
    let _ = std::io::stdout().flush();
    let lost = async {
        match &database {
            Some(database) => database.lost().await,
            None => std::future::pending().await,
        }
    };
    // What has failed has no answers any more: regions ask the next server.
    tokio::select! {
        () = ends.asked() => {}
        why = lost => return Err(not_from(&why)),
        why = failure => return Err(failed(folder, &why)),
    }
    door.close().await;
    // A task that still uses the engine may have something to write: then the lease runs out by itself.
    if let Some(engine) = Arc::into_inner(engine)
        && let Some(database) = database
    {
        drop(engine);
        database.close().await;
    }
    Ok(())
}
