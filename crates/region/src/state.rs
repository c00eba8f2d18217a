//! The state of a region: the folder of its data sets and its log.

use std::path::Path;
use std::sync::Arc;

use config::{DataConfig, DataLimits, RegionConfig};
use datasets::DataSets;
use diagnostics::Diagnostic;
use records::Limits;
use vsam::Vsam;

use crate::{codes, definitions, protection, resources};

/// The folder of data sets and log within the state.
const DATA: &str = "data";
/// The folder of sequential data sets within the state.
const SEQUENTIAL: &str = "sequential";

/// All data sets of an application, for work on them while no region runs. Where none has ever run, they are defined
/// and loaded as the first start would do it.
///
/// # Errors
/// Why they cannot be opened, or what is wrong with their definitions.
pub async fn open_site(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
) -> Result<DataSets, Vec<Diagnostic>> {
    let site = open_data(root, state, &config.data).await?;
    if site.is_empty().await.map_err(|error| unopened(&error.to_string()))? {
        let (definitions, _) = definitions::read(root, config)?;
        resources::prepare(root, config, &definitions, &site).await?;
    }
    Ok(site)
}

/// All data sets of a state, sequential ones too. Nobody else can have them open at the same time.
pub(crate) async fn open_data(
    root: &Path,
    state: &Path,
    config: &DataConfig,
) -> Result<DataSets, Vec<Diagnostic>> {
    let vsam = open_data_sets(root, state, config).await?;
    DataSets::open(vsam, &state.join(SEQUENTIAL)).await.map_err(|error| unopened(&error.to_string()))
}

/// The data sets of a state. Nobody else can have them open at the same time.
pub(crate) async fn open_data_sets(
    root: &Path,
    state: &Path,
    config: &DataConfig,
) -> Result<Arc<Vsam>, Vec<Diagnostic>> {
    let key = config.encryption_key.as_ref().map(|source| protection::key(root, source)).transpose()?;
    let data = state.join(DATA);
    std::fs::create_dir_all(&data).map_err(|error| unwritable(&data, &error))?;
    let records = records::Local::open_with(&data, limits(&config.limits), key);
    let records = records.map_err(|error| match error {
        records::Error::Key(why) => protection::refused(&data, why, config.encryption_key.as_ref()),
        error if !is_writable(&data) => unwritable(&data, &error),
        error => unopened(&error.to_string()),
    })?;
    // CICS-maintained data tables are copies that stand between the data sets and whoever reads them.
    Vsam::open(records::Copies::over(records)).await.map_err(|error| unopened(&error.to_string()))
}

/// Whether files can be made in a folder.
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!("probe-{}", std::process::id()));
    let written = std::fs::File::create(&probe).is_ok();
    let _ = std::fs::remove_file(&probe);
    written
}

fn unopened(why: &str) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::START, format!("the data sets cannot be opened: {why}"));
    vec![message.help("if a region runs on this state, end it first, or name another state with --data DIR")]
}

/// The record engine's limits, with those that the configuration sets.
fn limits(config: &DataLimits) -> Limits {
    const MEGABYTE: u64 = 1 << 20;
    let bytes = |megabytes: Option<u32>| megabytes.map(|mb| u64::from(mb) * MEGABYTE);
    let size = |megabytes, default| bytes(megabytes).map_or(default, |bytes| bytes as usize);
    let default = Limits::default();
    let overlay_bytes = size(config.memory_mb, default.overlay_bytes);
    Limits {
        log_bytes: bytes(config.log_mb).unwrap_or(default.log_bytes),
        overlay_bytes,
        // While a checkpoint writes one half, the other can fill.
        checkpoint_bytes: default.checkpoint_bytes.min(overlay_bytes / 2),
        base_bytes: size(config.size_mb, default.base_bytes),
        segment_bytes: bytes(config.unit_mb).unwrap_or(default.segment_bytes),
        locks_per_owner: config.locks.map_or(default.locks_per_owner, |locks| locks as usize),
        ..default
    }
}

/// That a folder or file of the state cannot be used.
pub(crate) fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Vec<Diagnostic> {
    let message = format!("the region keeps its state in {}, which cannot be used: {error}", path.display());
    vec![
        Diagnostic::error(codes::UNWRITABLE, message)
            .help("name another folder with --data DIR, or mend its rights"),
    ]
}
