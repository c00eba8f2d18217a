//! The tables of a private server as one file, and back: PostgreSQL's own programs make the file of one moment, and a new server's
//! data of the file. They are the release's own, beside `postgres`.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use thiserror::Error;

use super::account::Account;
use super::binaries::Binaries;
use super::cluster::Cluster;
use super::program::{listen, succeeded};
use super::{CannotStart, DATABASE, OWNER, Private, Server, plain, process, roles, turn};
use crate::failure::Failure;
use crate::session::Session;
use crate::wire::CannotConnect;

/// The reason that tables are not dumped.
#[derive(Debug, Error)]
pub enum CannotDump {
    /// A unit of work waits for its end there: a dump does not have it, and its records may.
    #[error("a unit of work waits at the server for its end")]
    InDoubt,
    /// There is no session with the server.
    #[error(transparent)]
    Connect(#[from] CannotConnect),
    /// The server refuses.
    #[error("{0}")]
    Refused(Failure),
    /// A program of PostgreSQL is not there, cannot be run, or has failed.
    #[error(transparent)]
    Program(#[from] CannotStart),
    /// The file cannot be written.
    #[error("the dump cannot be written: {0}")]
    Write(io::Error),
}

/// One moment of a server: what had been committed by then, for as long as this is there.
pub struct Moment {
    session: Session,
    snapshot: String,
}

impl Moment {
    /// Takes the moment: now.
    ///
    /// # Errors
    /// See [`CannotDump`].
    pub async fn of(server: &Server) -> Result<Self, CannotDump> {
        let mut session = Session::connect(&server.owner(), &plain()).await?;
        let taken = snapshot(&mut session).await;
        match taken {
            Ok(snapshot) => Ok(Self { session, snapshot }),
            Err(why) => {
                session.close().await;
                Err(why)
            }
        }
    }

    /// Writes what the tables were at that moment. Blocks the calling thread.
    ///
    /// # Errors
    /// See [`CannotDump`].
    pub fn dump(&self, server: &Server, private: &Private, out: &mut dyn Write) -> Result<(), CannotDump> {
        let program = Binaries::find(private.binaries.as_deref())?.program("pg_dump");
        let mut command = Command::new(&program);
        // Little is gained by more work, and a region runs beside it.
        command.args(["--format=custom", "--compress=1", "--no-password"]);
        command.arg(format!("--snapshot={}", self.snapshot));
        of_cluster(&mut command, &server.cluster);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = spawn(&program, command)?;
        let said = listen(&mut child);
        let copied = match child.stdout.take() {
            Some(mut from) => io::copy(&mut from, out).map(drop),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if copied.is_err() {
            let _ = child.kill();
        }
        let status = child.wait();
        copied.map_err(CannotDump::Write)?;
        Ok(succeeded(&program, status, said)?)
    }

    /// Lets the moment go.
    pub async fn close(self) {
        self.session.close().await;
    }
}

async fn snapshot(session: &mut Session) -> Result<String, CannotDump> {
    let prepared = session.script("SELECT 1 FROM pg_prepared_xacts LIMIT 1").await;
    if !prepared.map_err(CannotDump::Refused)?.rows.is_empty() {
        return Err(CannotDump::InDoubt);
    }
    let text = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_export_snapshot()";
    let answer = session.script(text).await.map_err(CannotDump::Refused)?;
    let name = answer.rows.row(0).next().flatten();
    Ok(name.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default())
}

/// Makes a private server's data of a dump. There are none so far; afterwards they are there as a whole, and no server runs.
///
/// # Errors
/// See [`CannotStart`].
pub async fn load(private: &Private, dump: &mut (dyn Read + Send)) -> Result<(), CannotStart> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| CannotStart::Io { path, error }
    };
    // Under another name until it is whole.
    let making = making(&private.folder);
    if making.exists() {
        fs::remove_dir_all(&making).map_err(io(&making))?;
    }
    let private = Private { folder: making.clone(), is_tied: true, ..private.clone() };
    let made = fill(&private, dump).await;
    if made.is_err() {
        let _ = fs::remove_dir_all(&making);
        return made;
    }
    let folder = private_folder(&making);
    fs::rename(&making, &folder).map_err(io(&folder))
}

/// The beginning of the name of a folder whose server is not whole yet.
const MAKING: &str = "restoring-";

fn making(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{MAKING}{name}"))
}

fn private_folder(making: &Path) -> PathBuf {
    let name = making.file_name().unwrap_or_default().to_string_lossy();
    making.with_file_name(name.strip_prefix(MAKING).unwrap_or(&name))
}

async fn fill(private: &Private, dump: &mut (dyn Read + Send)) -> Result<(), CannotStart> {
    let binaries = Binaries::find(private.binaries.as_deref())?;
    let account = Account::for_server(&private.user)?;
    let cluster = Cluster::folder(private, account)?;
    let _turn = turn::take(&cluster).await?;
    cluster.prepare(&binaries).await?;
    let beginning = Server::spawn(&cluster, private, &binaries).await?;
    let server = Server::of(cluster, beginning)?;
    let filled = fill_running(&server, &binaries, dump).await;
    let log = server.cluster.log();
    let stopped = server.stop().await;
    filled?;
    stopped.map_err(|error| CannotStart::Io { path: log, error })
}

async fn fill_running(
    server: &Server,
    binaries: &Binaries,
    dump: &mut (dyn Read + Send),
) -> Result<(), CannotStart> {
    let failed = |error: &dyn std::fmt::Display| CannotStart::Schema(error.to_string());
    let mut first = roles::connect(&server.cluster).await.map_err(|error| failed(&error))?;
    let made = roles::make(&mut first).await;
    first.close().await;
    made.map_err(|error| failed(&error))?;
    restore(&server.cluster, binaries, dump)?;
    // A dump leaves out what was changed in PostgreSQL's own catalogue: the next start does that once more.
    let mut owner = Session::connect(&server.owner(), &plain()).await.map_err(|error| failed(&error))?;
    let again = owner.script("COMMENT ON FUNCTION db2.cut_numeric(numeric, int) IS NULL").await;
    owner.close().await;
    again.map(drop).map_err(|error| failed(&error))
}

fn restore(cluster: &Cluster, binaries: &Binaries, dump: &mut (dyn Read + Send)) -> Result<(), CannotStart> {
    let program = binaries.program("pg_restore");
    let mut command = Command::new(&program);
    command.args(["--exit-on-error", "--single-transaction", "--no-password"]);
    of_cluster(&mut command, cluster);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = spawn(&program, command)?;
    let said = listen(&mut child);
    // What it does not read it says why.
    let given = child.stdin.take().map_or(Ok(0), |mut into| io::copy(dump, &mut into));
    succeeded(&program, child.wait(), said)?;
    given.map(drop).map_err(|error| CannotStart::Program { program, why: error.to_string() })
}

/// Has a program work on a server's database as its owner; settings of this process's environment are none of its business.
fn of_cluster(command: &mut Command, cluster: &Cluster) {
    process::as_account(command, cluster.account.as_ref(), cluster.path());
    command.env_clear();
    command.arg(format!("--host={}", cluster.socket_folder().display()));
    command.arg(format!("--port={}", cluster.port()));
    command.args([format!("--username={OWNER}"), format!("--dbname={DATABASE}")]);
}

fn spawn(program: &Path, mut command: Command) -> Result<Child, CannotStart> {
    command.stderr(Stdio::piped()).spawn().map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => {
                String::from("it is not installed: PostgreSQL's programs for clients are needed, too")
            }
            _ => error.to_string(),
        };
        CannotStart::Program { program: program.to_owned(), why }
    })
}
