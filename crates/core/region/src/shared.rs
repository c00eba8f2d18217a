//! `[records]`: the data sets of a region whose records are a record server's.
//!
//! The state folder has the rest: compiled programs, sequential data sets, journals, dumps. A file in it names the record server,
//! so that no start takes an empty folder for the records.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use config::{FarRecords, Located, RegionConfig, at};
use diagnostics::Diagnostic;
use link::carrier::Identity;
use share::{Elsewhere, Remote};
use vsam::Vsam;

use crate::engine_limits::limits;
use crate::folders::{DATA, PRIVATE_FOLDER, private_folder, unwritable};
use crate::noted::{FILE, note, noted};
use crate::{codes, in_database, protection};

/// Bytes of a megabyte.
const MEGABYTE: usize = 1 << 20;

/// The data sets of the record server that the configuration names.
pub(crate) async fn open(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    match (&config.records, &config.records_far) {
        (Some(named), _) => open_here(root, state, config, named).await,
        (None, Some(far)) => open_elsewhere(root, state, config, far).await,
        (None, None) => Err(Vec::new()),
    }
}

/// A refusal that is about the name of the record server.
fn refused<T>(named: &Located<T>, text: String, help: &str) -> Vec<Diagnostic> {
    vec![at(Diagnostic::error(codes::NO_RECORDS, text).help(help.to_owned()), named)]
}

/// Refuses a state with other records than those of the record server that is named.
fn check_state<T>(
    state: &Path,
    named: &Located<T>,
    is_another: impl FnOnce(&Path) -> bool,
) -> Result<(), Vec<Diagnostic>> {
    if state.join(DATA).join("base").exists() {
        let text = format!(
            "the state in {} has records of its own, and region.toml names a record server",
            state.display()
        );
        let help = "take [records] out of region.toml, or name another state: records of a region do not move to a record \
                    server by themselves";
        return Err(refused(named, text, help));
    }
    if let Some(noted) = noted(state)?.filter(|noted| is_another(noted)) {
        let text = format!(
            "the records of {} are in {}, and region.toml names others",
            state.display(),
            noted.display()
        );
        let help = format!("name {} in [records], or another state", noted.display());
        return Err(refused(named, text, &help));
    }
    Ok(())
}

/// Makes the folder of the state, where it is missing.
fn prepare(state: &Path) -> Result<(), Vec<Diagnostic>> {
    private_folder(state).map_err(|error| unwritable(state, &error))?;
    set_permissions(state, Permissions::from_mode(PRIVATE_FOLDER)).map_err(|error| unwritable(state, &error))
}

/// The data sets of the record server of a folder.
async fn open_here(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    named: &Located<String>,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let folder = root.join(&named.value);
    let is_other =
        |noted: &Path| in_database::is_database(noted) || is_elsewhere(noted) || is_another(noted, &folder);
    check_state(state, named, is_other)?;
    let keys = unseal::keys(root, &config.data)?;
    prepare(state)?;
    let locks = limits(&config.data.limits).locks_per_owner;
    let engine = Remote::open(&share::socket(&folder), &config.applid, locks).await.map_err(|why| {
        let text = format!("the records of {} cannot be had: {why}", folder.display());
        let help =
            "`syncpoint records FOLDER` starts the record server; one region of an APPLID uses it at a time";
        refused(named, text, help)
    })?;
    engine.copies_take(config.copies_mb as usize * MEGABYTE);
    note(state, &folder)?;
    protection::protect(state, &keys)?;
    let opened = Vsam::open(engine).await;
    opened.map_err(|error| {
        let text = format!("the records of {} cannot be read: {error}", folder.display());
        refused(named, text, "the log of the record server says more")
    })
}

/// The beginning of what a state notes of records of another machine, before their number.
const ELSEWHERE: &str = "a record server, records ";

fn is_elsewhere(noted: &Path) -> bool {
    noted.to_str().is_some_and(|noted| noted.starts_with(ELSEWHERE))
}

/// The number of the records that a state notes; 0: it notes none.
fn number_noted(state: &Path) -> Result<u64, Vec<Diagnostic>> {
    let noted = noted(state)?;
    let number = noted.as_deref().and_then(Path::to_str).and_then(|noted| noted.strip_prefix(ELSEWHERE));
    Ok(number.and_then(|number| u64::from_str_radix(number, 16).ok()).unwrap_or_default())
}

/// The data sets of a record server of another machine: one of the places that are named, which serves the records that the state notes.
async fn open_elsewhere(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    far: &FarRecords,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let named = &far.files.certificate;
    check_state(state, named, |noted| !is_elsewhere(noted))?;
    let file = |file: &Located<String>| root.join(&file.value);
    let identity = Identity {
        chain: file(&far.files.certificate),
        key: file(&far.files.key),
        authorities: file(&far.files.authorities),
    };
    if let Err(why) = identity.read() {
        let help = "all files must be PEM; the certificate comes before its chain";
        return Err(vec![at(Diagnostic::error(codes::CERTIFICATE, why.to_string()).help(help), named)]);
    }
    let keys = unseal::keys(root, &config.data)?;
    prepare(state)?;
    let servers = far.servers.iter().map(|server| server.value.clone()).collect();
    let locks = limits(&config.data.limits).locks_per_owner;
    let elsewhere = Elsewhere { servers, identity };
    let engine = Remote::open_elsewhere(elsewhere, number_noted(state)?, &config.applid, locks).await;
    let engine = engine.map_err(|why| {
        let help = "`syncpoint records FOLDER --listen ADDRESS` serves regions of other machines: docs/record-server.md, \
                    \"On another machine\"";
        refused(named, format!("the records of another machine cannot be had: {why}"), help)
    })?;
    note(state, Path::new(&format!("{ELSEWHERE}{:016x}", engine.records())))?;
    protection::protect(state, &keys)?;
    let opened = Vsam::open(engine).await;
    opened.map_err(|error| {
        let text = format!("the records of another machine cannot be read: {error}");
        refused(named, text, "the log of the record server says more")
    })
}

/// Returns true if a folder that is noted is there, and is not this one. One that was moved is not there any more.
fn is_another(noted: &Path, folder: &Path) -> bool {
    noted.canonicalize().is_ok_and(|noted| folder.canonicalize().is_ok_and(|folder| folder != noted))
}

/// Refuses a state whose records are a record server's, where the configuration names none.
pub(crate) fn refuse_left(state: &Path) -> Result<(), Vec<Diagnostic>> {
    let Some(folder) = noted(state)? else { return Ok(()) };
    let path = state.join(FILE);
    if in_database::is_database(&folder) {
        return Err(in_database::is_left(state, &folder, &path));
    }
    if is_elsewhere(&folder) {
        let text = format!(
            "the records of {} are those of a record server of another machine, and region.toml names none",
            state.display()
        );
        let help =
            format!("name its places in [records]; or, to begin with no records, remove {}", path.display());
        return Err(vec![Diagnostic::error(codes::NO_RECORDS, text).help(help)]);
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
