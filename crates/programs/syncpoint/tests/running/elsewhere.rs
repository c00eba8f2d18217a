//! A PostgreSQL that the regions do not run themselves, for regions that find it by its `url`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sql::server::{Private, Server};
use sql::{Session, Settings};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use crate::house::PATIENCE;
use crate::with_database::signal_all;

/// The server. It ends with the test's thread.
pub struct Elsewhere {
    /// The folder of its files.
    folder: TempDir,
    private: Private,
    server: Option<Server>,
    runtime: Runtime,
}

impl Elsewhere {
    /// One with so many sessions at once.
    pub fn start(sessions: u16) -> Self {
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("a short path");
        // The server is not root where the test is.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).expect("its owner");
        let settings = vec![String::from("fsync=off")];
        let private =
            Private { settings, sessions, is_tied: true, ..Private::new(folder.path().join("server")) };
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut elsewhere = Self { folder, private, server: None, runtime };
        elsewhere.starts();
        elsewhere
    }

    /// Starts it again.
    pub fn starts(&mut self) {
        let started = LocalSet::new().block_on(&self.runtime, Server::start(&self.private));
        self.server = Some(started.unwrap_or_else(|error| panic!("{error}")));
    }

    /// Stops it in order.
    pub fn stops(&mut self) {
        if let Some(server) = self.server.take() {
            LocalSet::new().block_on(&self.runtime, server.stop()).expect("it stops");
        }
    }

    /// Kills it.
    pub fn dies(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        signal_all(&server.pid().to_string(), "KILL");
        let begun = Instant::now();
        while !server.has_ended() {
            assert!(begun.elapsed() < PATIENCE, "it is killed");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Starts it with other data: the old ones are gone.
    pub fn starts_with_other_data(&mut self) {
        fs::remove_dir_all(self.private.folder.join("data")).expect("its data");
        self.starts();
    }

    /// Starts it again with more settings, as `postgres -c` takes them, and rules of who may connect before its own.
    pub fn restarts_with(&mut self, settings: &[String], rules: &str) {
        self.stops();
        self.private.settings.extend_from_slice(settings);
        let file = self.private.folder.join("data/pg_hba.conf");
        let own = fs::read_to_string(&file).expect("its rules");
        fs::write(file, format!("{rules}{own}")).expect("written");
        self.starts();
    }

    /// Has it listen on this port of the machine, too.
    pub fn listens_on(&mut self, port: u16) {
        self.private.port = port;
    }

    /// The `url` of region.toml.
    pub fn url(&self) -> String {
        let server = self.server.as_ref().expect("it runs");
        match server.address().place {
            sql::ListenPlace::Socket { folder, port } => {
                format!("postgresql://syncpoint@:{port}/syncpoint?host={}", folder.display())
            }
            sql::ListenPlace::Host { .. } => unreachable!("a private server has a socket"),
        }
    }

    /// A session of its administrator's; the server's objection if there is none to be had.
    pub fn session(&self) -> Result<Session, String> {
        self.session_at(self.server.as_ref().expect("it runs").owner())
    }

    /// The same in another database.
    pub fn session_in(&self, database: &str) -> Result<Session, String> {
        let owner = self.server.as_ref().expect("it runs").owner();
        self.session_at(sql::Address { database: database.to_owned(), ..owner })
    }

    /// A session like those of regions.
    pub fn session_of_programs(&self) -> Result<Session, String> {
        self.session_at(self.server.as_ref().expect("it runs").address())
    }

    fn session_at(&self, address: sql::Address) -> Result<Session, String> {
        let settings = Settings::default();
        let session = Session::connect(&address, &settings);
        LocalSet::new().block_on(&self.runtime, session).map_err(|error| error.to_string())
    }

    /// Runs statements in a session: the first column of the first row.
    pub fn run(&self, session: &mut Session, statements: &str) -> Option<String> {
        let answer = LocalSet::new().block_on(&self.runtime, session.script(statements));
        let answer = answer.unwrap_or_else(|failure| panic!("{statements}: {failure}"));
        let first = answer.rows.row(0).next().flatten();
        first.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// A file of the server's own, which no other user may read.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, text).expect("written");
        self.owns(&file, 0o600);
        file
    }

    /// Gives a file or folder to the server.
    pub fn owns(&self, path: &Path, mode: u32) {
        let owner = fs::metadata(self.private.folder.join("data")).expect("its data");
        chown(path, Some(owner.uid()), Some(owner.gid())).expect("its owner");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("its owner");
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.stops();
    }
}
