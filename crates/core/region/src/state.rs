//! The state of a region: the folder of its data sets and its log.

use std::collections::HashMap;
use std::fs::{OpenOptions, Permissions, set_permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use config::{DataConfig, RegionConfig};
use csd::Definition;
use datasets::DataSets;
use diagnostics::Diagnostic;
use records::{Limits, Trust};
use vsam::Vsam;

use crate::engine_limits::limits;
use crate::folders::{
    DATA, PRIVATE_FILE, PRIVATE_FOLDER, RESTORED, SEQUENTIAL, private_file, private_folder, unwritable,
};
use crate::owner::Owner;
use crate::{codes, definitions, in_database, nowhere, protection, resources, shared, sql};

/// All data sets of an application, for work on them while no region runs. Where none has ever run, they are defined
/// and loaded as the first start would do it.
///
/// # Errors
/// The reason why they cannot be opened, or the mistakes in their definitions.
pub async fn open_site(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<DataSets, Vec<Diagnostic>> {
    let site = open_data(root, state, config, Trust::Checked).await?;
    if site.is_empty().await.map_err(|error| unopened(&state.join(DATA), &error))? {
        let (definitions, _) = definitions::read(root, config)?;
        resources::prepare(root, config, &definitions, &site).await?;
    }
    Ok(site)
}

/// The result of the data set definitions and of the files to load in a scratch folder, and files that lead to no data
/// set then.
pub(crate) async fn tried(
    root: &Path,
    scratch: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
) -> Vec<Diagnostic> {
    let site = match open_data(root, scratch, &alone(config), Trust::Checked).await {
        Ok(site) => site,
        Err(messages) => return messages,
    };
    let mut messages = match resources::define(root, config, definitions, &site).await {
        Ok(messages) => messages,
        // What is not defined would be missed everywhere.
        Err(messages) => return messages,
    };
    messages.extend(resources::load(root, config, &site.vsam, TRIED_MAX).await.err().unwrap_or_default());
    messages.extend(nowhere::files(definitions, &site.vsam));
    messages
}

/// The average and the greatest length of the records of each cluster, by the name of the data set, as the definitions make them
/// in a scratch folder; empty if they cannot be made.
pub(crate) async fn record_lengths(
    root: &Path,
    scratch: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
) -> HashMap<String, (usize, usize)> {
    let Ok(site) = open_data(root, scratch, &alone(config), Trust::Checked).await else {
        return HashMap::new();
    };
    // Mistakes in them have their messages where all is tried.
    let _ = resources::define(root, config, definitions, &site).await;
    let entries = site.vsam.entries();
    let clusters = entries.iter().filter_map(|entry| match &entry.definition {
        vsam::Definition::Cluster(cluster) => {
            Some((cluster.name.to_string(), (cluster.average, cluster.maximum)))
        }
        _ => None,
    });
    clusters.collect()
}

/// The same region with records of its own, for a scratch folder.
fn alone(config: &RegionConfig) -> RegionConfig {
    let data = DataConfig { is_short_lived: true, ..config.data.clone() };
    RegionConfig { records: None, data, ..config.clone() }
}

/// Bytes of a file to load that are loaded to see whether its records fit: larger ones are only looked for.
const TRIED_MAX: u64 = 64 << 20;

/// All data sets of a region's state, sequential ones too. No other process can have them open at the same time.
pub(crate) async fn open_data(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    trust: Trust,
) -> Result<DataSets, Vec<Diagnostic>> {
    let owner = Owner::of(root, config);
    owner.may_open(state)?;
    let vsam = open_data_sets(root, state, config, trust).await?;
    owner.mark(state)?;
    access::remove_left(state).map_err(|error| unwritable(state, &error))?;
    let data_sets = DataSets::open(vsam, &state.join(SEQUENTIAL)).await;
    data_sets.map_err(|error| unopened(&state.join(SEQUENTIAL), &error))
}

/// The data sets of a state. No other process can have them open at the same time.
async fn open_data_sets(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    trust: Trust,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    if config.records.is_some() || config.records_far.is_some() {
        return shared::open(root, state, config).await;
    }
    if let Some(database) = &config.records_database {
        return in_database::open(root, state, config, database).await;
    }
    shared::refuse_left(state)?;
    let defer = Duration::from_millis(config.sit.lgdfint.into());
    let config = &config.data;
    let keys = unseal::keys(root, config)?;
    let data = state.join(DATA);
    private_folder(&data).map_err(|error| unwritable(&data, &error))?;
    // Everything that the region keeps lies below.
    set_permissions(state, Permissions::from_mode(PRIVATE_FOLDER))
        .map_err(|error| unwritable(state, &error))?;
    let limits = Limits { defer, fills_segments: !config.is_short_lived, ..limits(&config.limits) };
    let records = records::Local::open_trusting(&data, limits, keys.clone(), trust);
    let records = records.map_err(|error| match error {
        records::Error::Key(why) => protection::refused(&data, why, config.encryption_key.as_ref()),
        error @ records::Error::Log(_) => damaged_log(&data, &error),
        error if !is_writable(&data) => unwritable(&data, &error),
        error => unopened(&data, &error),
    })?;
    protection::protect(state, &keys)?;
    // CICS-maintained data tables are copies that stand between the data sets and their readers.
    Vsam::open(records::Copies::over(records)).await.map_err(|error| unopened(&data, &error))
}

/// Compares a backup with its checksums.
///
/// # Errors
/// The fault in it.
pub fn check_backup(backup: &mut dyn Read, progress: &mut dyn FnMut(u64)) -> Result<(), String> {
    records::check_backup(backup, progress).map_err(|error| error.to_string())
}

/// Makes a state from a backup. There must be no data in it so far, and no tables unless these are to stay as they are. True: the
/// backup has tables, and they are there.
///
/// # Errors
/// The reason why it cannot be done, and what to do.
pub fn restore(
    (root, state, config): (&Path, &Path, &RegionConfig),
    backup: &mut dyn Read,
    keeps_tables: bool,
    progress: &mut dyn FnMut(u64),
) -> Result<bool, String> {
    let data = state.join(DATA);
    let folder = config.records.as_ref().map(|folder| folder.value.clone());
    let far = || config.records_far.as_ref().map(|_| String::from("another machine"));
    if let Some(place) = folder.or_else(far) {
        return Err(format!(
            "the records are those of the record server of {place}, and not in {}: `syncpoint records FOLDER --restore FILE` restores a \
             backup of the server; without [records] in region.toml one of a region is restored here",
            state.display()
        ));
    }
    if let Some(database) = &config.records_database {
        return Err(format!(
            "the records are in the database {}: its own tools restore them, while no region runs",
            database.url.value
        ));
    }
    if let Some(tables) = sql::folders(state).into_iter().next().filter(|_| !keeps_tables) {
        return Err(format!(
            "there are tables in {} already, which may be of another time than the backup: move that folder away first, or \
             say --keep-tables if they belong to the records of the backup",
            tables.display()
        ));
    }
    if data.join("base").exists() || data.join("log").exists() {
        return Err(format!("there are data in {} already: move that folder away first", data.display()));
    }
    private_folder(state).map_err(|error| format!("{}: {error}", state.display()))?;
    private_file(&state.join(RESTORED)).map_err(|error| format!("{}: {error}", state.display()))?;
    let mut has_tables = false;
    let mut files = |name: &str, piece: &[u8]| {
        let is_table =
            [sql::PRIVATE, access::DUMPS, access::SEALED].iter().any(|tables| name.starts_with(tables));
        if is_table && keeps_tables {
            return Ok(());
        }
        has_tables |= is_table;
        restore_file(state, name, piece)
    };
    records::restore(&data, backup, &mut files, progress).map_err(|error| error.to_string())?;
    sql::bring_back(root, state, config).map_err(|why| {
        // Nothing was there before: the same command may be tried again.
        for part in [DATA, access::SEALED, access::DUMPS] {
            let _ = std::fs::remove_dir_all(state.join(part));
        }
        format!("the tables cannot be restored, so the records are not either: {why}")
    })?;
    Ok(has_tables)
}

/// Adds a piece to a file of the state; the first one is empty.
fn restore_file(state: &Path, name: &str, piece: &[u8]) -> io::Result<()> {
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !inside {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name} lies outside of the state")));
    }
    let path = state.join(name);
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    if path.file_name().is_some_and(|name| name == access::FOLDER) {
        return Ok(());
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(PRIVATE_FILE).open(path)?;
    if piece.is_empty() { file.set_len(0) } else { file.write_all(piece) }
}

/// Returns true if files can be made in a folder.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!("probe-{}", std::process::id()));
    let written = std::fs::File::create(&probe).is_ok();
    let _ = std::fs::remove_file(&probe);
    written
}

/// The log is damaged. Its readable part can be had, at a price.
fn damaged_log(folder: &Path, error: &records::Error) -> Vec<Diagnostic> {
    let message = format!("the data sets in {} cannot be opened: {error}", folder.display());
    let help = "keep a copy of the whole state, then bring a backup of it back; or start once with `syncpoint run \
                --accept-log-end`: the region begins with what base and log have, and says what may be missing";
    vec![Diagnostic::error(codes::DAMAGED, message).help(help)]
}

fn unopened(folder: &Path, error: &dyn std::fmt::Display) -> Vec<Diagnostic> {
    let (why, shown) = (error.to_string(), folder.display());
    let (code, message, help) = if why.contains("in use by another process") {
        (
            codes::START,
            why,
            "a region runs on this state: end it first, or name another state with --data DIR",
        )
    } else if why.contains("no space left") {
        (codes::START, format!("the data sets in {shown} cannot be opened: {why}"), "make room on the disk")
    } else {
        (
            codes::DAMAGED,
            format!("the data sets in {shown} cannot be opened: {why}"),
            "something has changed or damaged these files: keep a copy of the whole state, then bring a backup of it back; \
             with --data DIR the region begins with fresh data",
        )
    };
    vec![Diagnostic::error(code, message).help(help)]
}
