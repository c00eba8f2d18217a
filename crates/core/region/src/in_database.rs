//! `[records]` with a database: the data sets of a region whose records lie in PostgreSQL, without a record server.
//!
//! As beside a record server, the state folder has the rest, and a file in it says where the records are.

use std::fs::{Permissions, read_to_string, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::sql::Address;
use config::{RecordDatabase, RegionConfig, at};
use depot::{Direct, Holder, Options};
use diagnostics::Diagnostic;
use vsam::Vsam;

use crate::engine_limits::limits;
use crate::folders::{DATA, PRIVATE_FOLDER, private_folder, unwritable};
use crate::{codes, noted, protection};

/// The schema that is not named. That of a record server has another name, since its tables are others.
const SCHEMA: &str = "syncpoint_regions";
/// The folder of a state that belongs to one process of the region at a time.
const HOLDER: &str = "place";
/// The beginning of the names of databases.
const DATABASE: &str = "postgresql://";

/// Returns true if what a state names is a database.
pub(crate) fn is_database(noted: &Path) -> bool {
    noted.to_str().is_some_and(|noted| noted.starts_with(DATABASE))
}

/// The refusal of a state whose records are in a database, where the configuration names none.
pub(crate) fn is_left(state: &Path, noted: &Path, file: &Path) -> Vec<Diagnostic> {
    let text =
        format!("the records of {} are in {}, and region.toml names none", state.display(), noted.display());
    let help = format!(
        "write [records] and `database` into region.toml; or, to begin with no records, remove {}",
        file.display()
    );
    vec![Diagnostic::error(codes::NO_RECORDS, text).help(help)]
}

/// The data sets in the database that the configuration names.
pub(crate) async fn open(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    database: &RecordDatabase,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let refused = |message: String, help: &str| {
        vec![at(Diagnostic::error(codes::NO_RECORDS, message).help(help.to_owned()), &database.url)]
    };
    let cannot = |why: &dyn std::fmt::Display| {
        refused(
            format!("the records of the database cannot be had: {why}"),
            "docs/record-server.md, \"Directly in a database\"",
        )
    };
    if state.join(DATA).join("base").exists() {
        let text = format!(
            "the state in {} has records of its own, and region.toml names a database",
            state.display()
        );
        return Err(refused(text, "take [records] out of region.toml, or name another state"));
    }
    if config.data.encryption_key.is_some() {
        let text =
            "the region has a key, and records in a database without a record server are in clear".to_owned();
        return Err(refused(text, "let a record server with --database and --key have the records"));
    }
    let mut address = Address::parse(&database.url.value).map_err(|why| cannot(&why))?;
    if address.password.is_some() {
        return Err(refused(
            "the password of a database does not belong in region.toml".to_owned(),
            "name a file with `password-file`",
        ));
    }
    if let Some(file) = &database.password_file {
        let path = root.join(&file.value);
        let text = read_to_string(&path).map_err(|error| cannot(&format!("{}: {error}", path.display())))?;
        address.password = Some(text.trim_end_matches(['\r', '\n']).to_owned());
    }
    let schema = database.schema.as_ref().map_or_else(|| SCHEMA.to_owned(), |schema| schema.value.clone());
    let place = PathBuf::from(format!("{} schema {schema}", database.url.value));
    if let Some(noted) = noted::noted(state)?.filter(|noted| *noted != place) {
        let text = format!(
            "the records of {} are in {}, and region.toml names another place",
            state.display(),
            noted.display()
        );
        return Err(refused(text, "name that place in [records], or another state"));
    }
    private_folder(state).map_err(|error| unwritable(state, &error))?;
    set_permissions(state, Permissions::from_mode(PRIVATE_FOLDER))
        .map_err(|error| unwritable(state, &error))?;
    let keys = unseal::keys(root, &config.data)?;
    let holder = Holder::of(&state.join(HOLDER)).map_err(|why| cannot(&why))?;
    let lease = database.lease_s.map_or(depot::limits::LEASE, |seconds| Duration::from_secs(seconds.into()));
    let options = Options { address, schema, holder, lease };
    let locks = limits(&config.data.limits).locks_per_owner;
    let engine = Direct::open(options, &config.applid, locks).await.map_err(|why| cannot(&why))?;
    noted::note(state, &place)?;
    protection::protect(state, &keys)?;
    Vsam::open(engine).await.map_err(|error| cannot(&error))
}
