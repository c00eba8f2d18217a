//! A server's process: how it is started.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use super::account::Account;
use super::binaries::Binaries;
use super::cluster::Cluster;
use super::{CannotStart, Private};

/// The rights of its log.
const PRIVATE: u32 = 0o600;

/// Sessions for the care of the server, beside those of programs.
const RESERVED: u16 = 3;

/// Has a program run as a server's account, in a folder that it may enter.
pub(super) fn as_account(command: &mut Command, account: Option<&Account>, folder: &Path) {
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    command.current_dir(folder).stdin(Stdio::null());
}

/// Starts the server.
pub(super) fn spawn(cluster: &Cluster, private: &Private, binaries: &Binaries) -> Result<Child, CannotStart> {
    let program = binaries.program("postgres");
    let log = cluster.log();
    let opened = OpenOptions::new().create(true).append(true).mode(PRIVATE).open(&log);
    let opened = opened.map_err(|error| CannotStart::Io { path: log.clone(), error })?;
    let mut command =
        if private.is_tied { tied(cluster.account.as_ref(), &program) } else { Command::new(&program) };
    command.arg("-D").arg(cluster.data());
    for setting in settings(cluster, private).iter().chain(&private.settings) {
        command.arg("-c").arg(setting);
    }
    let account = cluster.account.as_ref().filter(|_| !private.is_tied);
    as_account(&mut command, account, &cluster.data());
    // A group of its own: an interrupt at the region's terminal is the region's business.
    command.stdout(Stdio::null()).stderr(opened).process_group(0);
    let failed = |error: io::Error| CannotStart::Program { program: program.clone(), why: error.to_string() };
    if private.is_tied { spawn_tied(command).map_err(failed) } else { command.spawn().map_err(failed) }
}

/// Settings that a private server is started with, the same at each start.
fn settings(cluster: &Cluster, private: &Private) -> Vec<String> {
    let fixed = [
        "listen_addresses=",
        "unix_socket_permissions=0700",
        "wal_level=minimal",
        "max_wal_senders=0",
        "shared_buffers=32MB",
        "jit=off",
        "max_parallel_workers_per_gather=0",
        "autovacuum_max_workers=1",
        "update_process_title=off",
        "lc_messages=C",
        "logging_collector=off",
        "log_destination=stderr",
        // A statement whose client is gone is of no use.
        "client_connection_check_interval=1s",
    ];
    let mut settings: Vec<String> = fixed.iter().map(|&setting| setting.to_owned()).collect();
    settings.push(format!("unix_socket_directories={}", cluster.socket_folder().display()));
    settings.push(format!("port={}", private.port));
    // Those that PostgreSQL keeps for superusers are the owner's.
    settings.push(format!("max_connections={}", private.sessions.saturating_add(RESERVED)));
    settings.push(format!("superuser_reserved_connections={RESERVED}"));
    settings.push(format!("max_prepared_transactions={}", private.sessions));
    settings
}

/// A server that the system ends with the thread that has started it. `setpriv` asks for that; it takes the account, too,
/// since a change of it would undo the request.
fn tied(account: Option<&Account>, program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "QUIT"]);
    if let Some(account) = account {
        command
            .arg(format!("--reuid={}", account.uid))
            .arg(format!("--regid={}", account.gid))
            .arg("--clear-groups");
    }
    command.arg("--").arg(program);
    command
}

/// Starts it from a thread that lasts as long as this process does.
fn spawn_tied(mut command: Command) -> io::Result<Child> {
    let (send, receive) = mpsc::sync_channel(1);
    thread::Builder::new().name("postgresql".to_owned()).spawn(move || {
        if send.send(command.spawn()).is_ok() {
            loop {
                thread::park();
            }
        }
    })?;
    receive.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
}
