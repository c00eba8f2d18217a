//! Data sets: defined and loaded; and the files of queues.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use config::{Load, LoadFormat, Located, RegionConfig, at};
use copybook::Layout;
use csd::{Definition, ResourceType};
use datasets::{Content, DataSets, File, LoadError, Run, Shape};
use diagnostics::{Diagnostic, Severity, Source, any_error};
use domains::transient_data::{Extrapartition, Queue, RecordShape, TransientData};
use kernel::name::Name;
use kernel::region::Region;
use vsam::Vsam;

use crate::{bundle_parts, codes, definitions, texts};

/// The longest time without a word while data are loaded.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// Sees to it that all data sets are there as the application describes them: defined, recoverable, filled. What is
/// there already stays as it is.
///
/// # Errors
/// The mistakes in the descriptions.
pub(crate) async fn prepare(
    root: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
    site: &DataSets,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    // Another region that shares the records may be about to do the same.
    let alone = site.vsam.prepare().await.map_err(|error| {
        let text = format!("another region prepares the data sets: {error}");
        vec![Diagnostic::error(codes::START, text)]
    })?;
    let messages = define(root, config, definitions, site).await?;
    make_recoverable(definitions, &site.vsam).await?;
    load(root, config, &site.vsam, u64::MAX).await?;
    alone.end();
    Ok(messages)
}

/// Defines the data sets of the IDCAMS inputs that are not there yet.
pub(crate) async fn define(
    root: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
    site: &DataSets,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut messages = Vec::new();
    let wants_recovery = |name: &str| is_recoverable(definitions, name);
    for pattern in &config.definitions.idcams {
        for path in toolchain::files(root, pattern).map_err(|message| vec![message])? {
            let parsed = idcams::parse(&texts::source(root, &path)?, &definitions::tokens(config));
            // What cannot be read must not be half done.
            let steps = if any_error(&parsed.messages) { &[] } else { parsed.steps.as_slice() };
            messages.extend(parsed.messages);
            for step in steps {
                let outcome = Run::new(site, &wants_recovery).at_start().statements(&step.statements).await;
                messages.extend(outcome.messages);
            }
        }
    }
    if any_error(&messages) { Err(messages) } else { Ok(messages) }
}

/// Makes the data sets recoverable whose FILE definitions ask for it since the last start.
async fn make_recoverable(definitions: &[Definition], vsam: &Vsam) -> Result<(), Vec<Diagnostic>> {
    for name in recoverable(definitions) {
        // What is not there yet becomes what it is to be when it is defined; what is no data set is not opened.
        let Ok(name) = name.parse() else { continue };
        match vsam.make_recoverable(&name).await {
            Ok(true) => tracing::info!(target: "FC", "changes of {name} are backed out from now on"),
            Ok(false) | Err(vsam::Error::NoEntry(_)) => {}
            Err(error) => {
                let text = format!("{name} cannot be made recoverable: {error}");
                return Err(vec![Diagnostic::error(codes::START, text)]);
            }
        }
    }
    Ok(())
}

/// Returns true if a FILE definition wants the changes of a data set backed out.
pub(crate) fn is_recoverable(definitions: &[Definition], dataset: &str) -> bool {
    definitions.iter().any(|definition| {
        definition.resource == ResourceType::File
            && definition.get("DSNAME").is_some_and(|name| name.eq_ignore_ascii_case(dataset))
            && ["BACKOUTONLY", "ALL"].into_iter().any(|value| definition.is("RECOVERY", value))
    })
}

/// The data sets of which a FILE definition wants the changes backed out.
///
/// # Errors
/// The mistakes in the CSD texts.
pub fn recoverable_data_sets(root: &Path, config: &RegionConfig) -> Result<Vec<String>, Vec<Diagnostic>> {
    let (definitions, _) = definitions::read(root, config)?;
    let parts = bundle_parts::brought(root, &definitions).definitions;
    Ok(recoverable(&[definitions, parts].concat()).collect())
}

fn recoverable(definitions: &[Definition]) -> impl Iterator<Item = String> {
    let names = definitions.iter().filter_map(|definition| definition.get("DSNAME"));
    names.map(str::to_ascii_uppercase).filter(|name| is_recoverable(definitions, name))
}

/// Fills data sets that are empty from files up to a size, and says how many records each got.
///
/// # Errors
/// The mistake in each of the files.
pub(crate) async fn load(
    root: &Path,
    config: &RegionConfig,
    vsam: &Arc<Vsam>,
    bytes_max: u64,
) -> Result<(), Vec<Diagnostic>> {
    let mut messages = Vec::new();
    for one in &config.loads {
        if let Err(message) = load_one(root, one, vsam, bytes_max).await {
            messages.push(message);
        }
    }
    if messages.is_empty() { Ok(()) } else { Err(messages) }
}

async fn load_one(root: &Path, load: &Load, vsam: &Arc<Vsam>, bytes_max: u64) -> Result<(), Diagnostic> {
    let refuse_at = |value: &Located<String>, what: String| at(Diagnostic::error(codes::LOAD, what), value);
    let file = root.join(&load.file.value);
    let size = match std::fs::metadata(&file) {
        Ok(metadata) => metadata.len(),
        Err(error) => {
            let message = refuse_at(&load.file, format!("{} cannot be read: {error}", load.file.value));
            return Err(message.help("paths are relative to the folder of region.toml"));
        }
    };
    let layout = load.copybook.as_ref().map(|copybook| record_layout(root, copybook)).transpose()?;
    let shape = match load.format {
        LoadFormat::Fixed { length } => Shape::Fixed(length.map(|length| length as usize)),
        LoadFormat::Lines => Shape::Lines,
    };
    let refused = |error: vsam::Error| {
        let help = match error {
            vsam::Error::NoEntry(_) => {
                "define it in an IDCAMS input (`idcams` in region.toml), or correct the name"
            }
            _ => "",
        };
        refuse_at(&load.dataset, format!("{} cannot be loaded: {error}", load.dataset.value)).help(help)
    };
    let name: vsam::Name = load.dataset.value.parse().map_err(refused)?;
    if size > bytes_max {
        return vsam.entry(&name).map(|_| ()).map_err(refused);
    }
    let loading =
        File { content: Content::Path(file), shape, code_page: load.code_page, layout, extends: false };
    match datasets::load_empty(vsam, &name, &loading, &mut progress(&load.dataset.value)).await {
        Ok(Some(records)) => {
            tracing::info!(target: "FC", "{records} records of {} loaded into {}", load.file.value, load.dataset.value);
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(LoadError::DataSet(error @ vsam::Error::NoEntry(_))) => Err(refused(error)),
        Err(LoadError::DataSet(vsam::Error::OutOfOrder(_) | vsam::Error::Duplicate)) => {
            let text = format!("{} has two records of one key for {}", load.file.value, load.dataset.value);
            Err(refuse_at(&load.file, text).help("KEYS of the data set says where in a record the key is"))
        }
        Err(error) => {
            let text = format!("{} does not fit {}: {error}", load.file.value, load.dataset.value);
            let help = "RECORDSIZE and KEYS of the data set, and `format`, `length` and `code-page` here, say what a record is";
            Err(refuse_at(&load.file, text).help(help))
        }
    }
}

fn record_source(root: &Path, copybook: &Located<String>) -> Result<Arc<Source>, Diagnostic> {
    let text = std::fs::read(root.join(&copybook.value)).map_err(|error| {
        at(Diagnostic::error(codes::LOAD, format!("{} cannot be read: {error}", copybook.value)), copybook)
    })?;
    Ok(Source::new(copybook.value.clone(), String::from_utf8_lossy(&text)))
}

/// The first record of a copybook.
fn record_layout(root: &Path, copybook: &Located<String>) -> Result<Layout, Diagnostic> {
    let refuse = |what: String| at(Diagnostic::error(codes::LOAD, what), copybook);
    let parsed = copybook::parse(&record_source(root, copybook)?);
    if let Some(wrong) = parsed.messages.iter().find(|message| message.severity == Severity::Error) {
        return Err(wrong.clone());
    }
    let layout = parsed.layouts.into_iter().next();
    layout.ok_or_else(|| {
        refuse(format!("{} describes no record", copybook.value)).help("it begins with a 01 level")
    })
}

/// Says how far a load is, once it lasts longer than a person should wait without a word.
fn progress(dataset: &str) -> impl FnMut(u64) {
    let mut said = Instant::now();
    move |records| {
        if said.elapsed() >= SILENCE_MAX {
            said = Instant::now();
            tracing::info!(target: "FC", "{dataset}: {records} records so far");
        }
    }
}

/// The folder of the supplied queues' files within the state.
const MESSAGES: &str = "messages";

/// Installs the queues that come with a region; an application's definitions of the same names come behind them.
pub(crate) fn install_supplied(state: &Path, region: &Region) {
    let messages = state.join(MESSAGES);
    // Whether it can be written shows when it is.
    let _ = std::fs::create_dir_all(&messages);
    TransientData::of(region).install_supplied(&messages);
}

/// Gives the queues of `[queues]` their files. The line says where a file is; what its records are is the definition's.
pub(crate) fn install_queues(root: &Path, config: &RegionConfig, region: &Region) {
    for queue in &config.queues {
        let path = root.join(&queue.file.value);
        if let Some(folder) = path.parent() {
            // As above: a queue that is never used may be anywhere.
            let _ = kernel::private::folder(folder);
        }
        let name = Name::from(queue.queue.as_str());
        let file = match TransientData::of(region).definition(name).as_deref() {
            Some(Queue::Extrapartition(defined)) => defined.elsewhere(path),
            _ => Extrapartition::new(path, RecordShape::Any),
        };
        TransientData::of(region).install(name, Queue::Extrapartition(file));
    }
}
