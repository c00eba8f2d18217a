//! An application whose region has a private PostgreSQL, which gets signals, too.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use sql::server::plain;
use sql::{Address, Session};
use tempfile::TempDir;
use tokio::runtime::Builder;

use crate::house::{FREE_PORT, PATIENCE, application};

/// The folder of the usual database in the state; further ones have a name behind it.
pub const USUAL: &str = "postgresql";

/// The application; its PostgreSQL is killed when this goes out of scope.
pub struct WithDatabase(TempDir);

impl WithDatabase {
    /// One with these files; `tables.sql` is run in the database.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let region = format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n");
        Self::of(application(&[&[("region.toml", region.as_str())], files].concat()))
    }

    /// The one in this folder.
    pub fn of(folder: TempDir) -> Self {
        // The server is not root where the region is.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).expect("its owner");
        Self(folder)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A file that is there while the database runs.
    pub fn lock_file(&self) -> PathBuf {
        self.path().join(".syncpoint/postgresql/data/postmaster.pid")
    }

    /// Lets programs count the units of work that wait at each database for their end: the view LOOKS.WAITING. Waits until the
    /// region has made them.
    pub fn shows_units_in_doubt(&self) {
        const VIEW: &str = "CREATE SCHEMA looks; GRANT USAGE ON SCHEMA looks TO syncpoint; \
            CREATE FUNCTION looks.count() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM pg_prepared_xacts'; \
            CREATE VIEW looks.waiting AS SELECT generate_series(1, looks.count()) AS n; GRANT SELECT ON looks.waiting TO syncpoint";
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        for folder in self.folders() {
            let begun = Instant::now();
            loop {
                let address = Address::socket(&folder.join("run"), 5432, "syncpoint_owner", "syncpoint");
                let made = runtime.block_on(async {
                    let mut session =
                        Session::connect(&address, &plain()).await.map_err(|why| why.to_string())?;
                    // As soon as programs have their rights.
                    session
                        .script("SELECT 'syncpoint'::regrole, 'db2.cut_numeric'::regproc")
                        .await
                        .map_err(|why| why.to_string())?;
                    session.script(VIEW).await.map_err(|why| why.to_string())
                });
                match made {
                    Ok(_) => break,
                    Err(why) => assert!(begun.elapsed() < PATIENCE, "{why}"),
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
    }

    /// The folders of its databases.
    fn folders(&self) -> Vec<PathBuf> {
        let begun = Instant::now();
        loop {
            let entries = fs::read_dir(self.path().join(".syncpoint")).into_iter().flatten().flatten();
            let folders: Vec<_> = entries
                .filter(|entry| entry.file_name().to_string_lossy().starts_with(USUAL))
                .map(|entry| entry.path())
                .collect();
            let wanted = 1 + usize::from(self.path().join("kept.sql").exists());
            if folders.len() == wanted {
                return folders;
            }
            assert!(begun.elapsed() < PATIENCE, "the region makes no database");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Sends a signal to every database's first process and then to its children; nothing if none runs.
    pub fn signal(&self, name: &str) {
        let folders = fs::read_dir(self.path().join(".syncpoint")).into_iter().flatten().flatten();
        for folder in folders.filter(|folder| folder.file_name().to_string_lossy().starts_with(USUAL)) {
            self.signal_to(&folder.file_name().to_string_lossy(), name);
        }
    }

    /// The same to the database in a folder of the state.
    pub fn signal_to(&self, folder: &str, name: &str) {
        let lock_file = self.path().join(".syncpoint").join(folder).join("data/postmaster.pid");
        let Ok(text) = fs::read_to_string(lock_file) else { return };
        let Some(first) = text.lines().next() else { return };
        signal_all(first, name);
    }
}

/// Sends a signal to a process and then to its children.
pub fn signal_all(first: &str, name: &str) {
    // Killed children of a first process that is gone are no failure.
    let kill =
        format!("all=$(cat /proc/{first}/task/{first}/children); kill -{name} {first} $all 2>/dev/null");
    let sent = Command::new("sh").args(["-c", &kill]).status();
    assert!(sent.is_ok(), "{kill}");
}

impl Drop for WithDatabase {
    fn drop(&mut self) {
        self.signal("CONT");
        self.signal("KILL");
    }
}
