//! A PostgreSQL of a test's own, and `psql` to talk to it.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A private server; it ends when this is dropped.
pub struct Server {
    folder: TempDir,
    child: Child,
    binaries: PathBuf,
}

/// A start that takes longer than this is a failure.
const PATIENCE: Duration = Duration::from_secs(30);

impl Server {
    /// Starts one; `None`, with a line on standard error, where it is not installed.
    pub fn start() -> Option<Self> {
        let Some(binaries) = binaries() else {
            eprintln!("skipped: no PostgreSQL here (apt-get install postgresql)");
            return None;
        };
        // The path of a socket has 107 bytes at most.
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("a folder");
        let user = user();
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("a folder of that user");
        }
        let data = folder.path().join("data");
        let initdb = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
        let made = command(binaries.join("initdb"), user).args(initdb).arg(&data).output().expect("initdb");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-k"];
        let child = command(binaries.join("postgres"), user)
            .args(settings)
            .arg(folder.path())
            .arg("-D")
            .arg(&data)
            .spawn()
            .expect("postgres");
        let server = Self { folder, child, binaries };
        let start = Instant::now();
        while server.psql("SELECT 1").is_err() {
            assert!(start.elapsed() < PATIENCE, "PostgreSQL does not start");
            std::thread::yield_now();
        }
        Some(server)
    }

    /// Runs a script to its first error.
    pub fn run(&self, script: &str) -> Result<(), String> {
        self.psql(&format!("SET search_path TO bank, db2, pg_catalog, sysibm;\n{script}"))
    }

    fn psql(&self, script: &str) -> Result<(), String> {
        let mut child = Command::new(self.binaries.join("psql"))
            .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres", "-f", "-", "-h"])
            .arg(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        if let Some(mut input) = child.stdin.take() {
            // A server that ends the session early closes it.
            let _ = input.write_all(script.as_bytes());
        }
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing in it is kept.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The newest of Debian's folders, or that of the PATH.
fn binaries() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders =
        versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("postgres").exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let others = std::env::split_paths(&path).filter(|bin| bin.join("initdb").exists()).collect::<Vec<_>>();
    folders.max().or_else(|| others.into_iter().next())
}

/// PostgreSQL refuses root: then it runs as the user that Debian's package makes.
fn user() -> Option<(u32, u32)> {
    let number = |option: &str, name: &str| -> Option<u32> {
        let output = Command::new("id").args([option, name]).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse().ok()
    };
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.starts_with(b"0\n"));
    root.then(|| number("-u", "postgres").zip(number("-g", "postgres"))).flatten()
}

fn command(program: impl AsRef<OsStr>, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(Path::new("/")).stdout(Stdio::null()).stderr(Stdio::piped()).stdin(Stdio::null());
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command
}
