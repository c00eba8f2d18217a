//! `[records]`: the data sets of a region whose records are a record server's.
//!
//! The state folder has the rest: compiled programs, sequential data sets, journals, dumps. A file in it names the record server,
//! so that no start takes an empty folder for the records.

use std::fs::{Permissions, read_to_string, set_permissions, write};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{RegionConfig, at};
use diagnostics::Diagnostic;
use share::Remote;
use vsam::Vsam;

use crate::state::{DATA, PRIVATE_FOLDER, limits, private_folder, unwritable};
use crate::{codes, in_database, protection};

/// The file of a state that names the folder of its record server.
pub(crate) const FILE: &str = "records-are-in";

/// Bytes of a megabyte.
const MEGABYTE: usize = 1 << 20;

/// The data sets of the record server that the configuration names.
pub(crate) async fn open(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let Some(named) = &config.records else { return Err(Vec::new()) };
    let folder = root.join(&named.value);
    let refused = |message: String, help: &str| {
        vec![at(Diagnostic::error(codes::NO_RECORDS, message).help(help.to_owned()), named)]
    };
    if state.join(DATA).join("base").exists() {
        let text = format!(
            "the state in {} has records of its own, and region.toml names a record server",
            state.display()
        );
        let help = "take [records] out of region.toml, or name another state: records of a region do not move to a record \
                    server by themselves";
        return Err(refused(text, help));
    }
    if let Some(noted) =
        noted(state)?.filter(|noted| in_database::is_database(noted) || is_another(noted, &folder))
    {
        let text = format!(
            "the records of {} are in {}, and region.toml names another folder",
            state.display(),
            noted.display()
        );
        let help = format!("name {} in [records], or another state", noted.display());
        return Err(refused(text, &help));
    }
    let keys = unseal::keys(root, &config.data)?;
    private_folder(state).map_err(|error| unwritable(state, &error))?;
    set_permissions(state, Permissions::from_mode(PRIVATE_FOLDER))
        .map_err(|error| unwritable(state, &error))?;
    let socket = share::socket(&folder);
    let locks = limits(&config.data.limits).locks_per_owner;
    let engine = Remote::open(&socket, &config.applid, locks).await.map_err(|why| {
        let text = format!("the records of {} cannot be had: {why}", folder.display());
        refused(
            text,
            "`syncpoint records FOLDER` starts the record server; one region of an APPLID uses it at a time",
        )
    })?;
    engine.copies_take(config.copies_mb as usize * MEGABYTE);
    note(state, &folder)?;
    protection::protect(state, &keys)?;
    let opened = Vsam::open(engine).await;
    opened.map_err(|error| {
        let text = format!("the records of {} cannot be read: {error}", folder.display());
        refused(text, "the log of the record server says more")
    })
}

/// The folder, or the database, that a state names.
pub(crate) fn noted(state: &Path) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let path = state.join(FILE);
    match read_to_string(&path) {
        Ok(text) => Ok(Some(PathBuf::from(text.trim()))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unwritable(&path, &error)),
    }
}

/// Returns true if a folder that is noted is there, and is not this one. One that was moved is not there any more.
fn is_another(noted: &Path, folder: &Path) -> bool {
    noted.canonicalize().is_ok_and(|noted| folder.canonicalize().is_ok_and(|folder| folder != noted))
}

/// Notes in a state where its records are.
pub(crate) fn note(state: &Path, place: &Path) -> Result<(), Vec<Diagnostic>> {
    let path = state.join(FILE);
    let text = format!("{}\n", place.display());
    if read_to_string(&path).is_ok_and(|noted| noted == text) {
        return Ok(());
    }
    write(&path, text).map_err(|error| unwritable(&path, &error))
}

/// Refuses a state whose records are a record server's, where the configuration names none.
pub(crate) fn refuse_left(state: &Path) -> Result<(), Vec<Diagnostic>> {
    let Some(folder) = noted(state)? else { return Ok(()) };
    let path = state.join(FILE);
    if in_database::is_database(&folder) {
        return Err(in_database::is_left(state, &folder, &path));
    }
    let text = format!(
        "the records of {} are those of the record server of {}, and region.toml names none",
        state.display(),
        folder.display()
    );
    let help = format!(
        "write [records] and folder = \"{}\" into region.toml; or, to begin with no records, remove {}",
        folder.display(),
        path.display()
    );
    Err(vec![Diagnostic::error(codes::NO_RECORDS, text).help(help)])
}
