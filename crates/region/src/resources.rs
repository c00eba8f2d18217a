//! Data sets, files and queues: defined, loaded, installed.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use config::{Load, LoadFormat, Located, RegionConfig, at};
use copybook::Layout;
use csd::{Definition, ResourceType};
use datasets::{Content, DataSets, File, LoadError, Run, Shape};
use diagnostics::{Diagnostic, Source, any_error};
use kernel::files::{
    Access, Attributes, EnableStatus, FileDefinition, FileRecovery, Mode, TableAttributes, TableKind,
    UpdateModel,
};
use kernel::journals::{self, StreamType};
use kernel::name::{Name, Name8};
use kernel::region::Region;
use kernel::temporary_storage::{Location, Model};
use kernel::transient_data::{Extrapartition, Intrapartition, Queue, RecordShape, Recovery, Trigger};
use vsam::{Integrity, Vsam};

use crate::{codes, definitions};

/// The longest time without a word while data are loaded.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// Sees to it that all data sets are there as the application describes them: defined, recoverable, filled. What is
/// there already stays as it is.
///
/// # Errors
/// What is wrong with the descriptions.
pub(crate) async fn prepare(
    root: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
    site: &DataSets,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let messages = define(root, config, definitions, site).await?;
    make_recoverable(definitions, &site.vsam).await?;
    load(root, config, &site.vsam, u64::MAX).await?;
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
            let parsed = idcams::parse(&definitions::source(root, &path)?, &definitions::tokens(config));
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

/// Whether a FILE definition wants the changes of a data set backed out.
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
/// What is wrong with the CSD texts.
pub fn recoverable_data_sets(root: &Path, config: &RegionConfig) -> Result<Vec<String>, Vec<Diagnostic>> {
    let (definitions, _) = definitions::read(root, config)?;
    Ok(recoverable(&definitions).collect())
}

fn recoverable(definitions: &[Definition]) -> impl Iterator<Item = String> {
    let names = definitions.iter().filter_map(|definition| definition.get("DSNAME"));
    names.map(str::to_ascii_uppercase).filter(|name| is_recoverable(definitions, name))
}

/// Fills data sets that are empty from files up to a size, and says how many records each got.
///
/// # Errors
/// What is wrong with each of the files.
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
    let loading = File { content: Content::Path(file), shape, code_page: load.code_page, layout };
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

/// The first record of a copybook.
fn record_layout(root: &Path, copybook: &Located<String>) -> Result<Layout, Diagnostic> {
    let refuse = |what: String| at(Diagnostic::error(codes::LOAD, what), copybook);
    let text = std::fs::read(root.join(&copybook.value))
        .map_err(|error| refuse(format!("{} cannot be read: {error}", copybook.value)))?;
    let parsed = copybook::parse(&Source::new(copybook.value.clone(), String::from_utf8_lossy(&text)));
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

/// Installs files and queues.
pub(crate) fn install(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    definitions: &[Definition],
    region: &Region,
) {
    let messages = state.join(MESSAGES);
    // As below: whether it can be written shows when it is.
    let _ = std::fs::create_dir_all(&messages);
    region.transient_data.install_supplied(&messages);
    for definition in definitions {
        match definition.resource {
            ResourceType::File => region.files.install(file(definition)),
            ResourceType::Tdqueue => {
                if let Some(queue) = queue(definition, root) {
                    region.transient_data.install(Name::from(definition.name.as_str()), queue);
                }
            }
            ResourceType::Journalmodel => region.journals.install(journal(definition)),
            ResourceType::Tsmodel => region.temporary_storage.install(model(definition)),
            _ => {}
        }
    }
    for queue in &config.queues {
        let path = root.join(&queue.file.value);
        if let Some(folder) = path.parent() {
            // Whether it can be written shows when it is: a queue that is never used may be anywhere.
            let _ = kernel::private::folder(folder);
        }
        // The line says where the file is; what its records are is the definition's.
        let defined =
            definitions.iter().rfind(|d| d.resource == ResourceType::Tdqueue && d.name == queue.queue);
        let file = Extrapartition::new(path, defined.map_or(RecordShape::Any, record_shape));
        region.transient_data.install(Name::from(queue.queue.as_str()), Queue::Extrapartition(file));
    }
}

fn file(definition: &Definition) -> FileDefinition {
    let number = |attribute| definition.number(attribute).map_or(0, |number| number as i64);
    let attributes = Attributes {
        dataset: definition.get("DSNAME").unwrap_or_default().to_owned(),
        access: Access {
            add: definition.flag("ADD"),
            browse: definition.flag("BROWSE"),
            delete: definition.flag("DELETE"),
            read: definition.flag("READ"),
            update: definition.flag("UPDATE"),
        },
        mode: Mode {
            rls: definition.flag("RLSACCESS"),
            integrity: match definition.get("READINTEG") {
                Some("CONSISTENT") => Integrity::Consistent,
                Some("REPEATABLE") => Integrity::Repeatable,
                _ => Integrity::Uncommitted,
            },
            fixed: definition.is("RECORDFORMAT", "F"),
        },
        recovery: match definition.get("RECOVERY") {
            Some("ALL") => FileRecovery::Forward,
            Some("BACKOUTONLY") => FileRecovery::Backout,
            _ => FileRecovery::None,
        },
        table: table(definition),
        old: definition.is("DISPOSITION", "OLD"),
        empty_required: false,
        strings: number("STRINGS").max(1),
        lsr_pool: number("LSRPOOLNUM"),
        key_length: number("KEYLENGTH"),
        record_size: number("RECORDSIZE"),
    };
    FileDefinition {
        name: Name8::from(definition.name.as_str()),
        attributes,
        status: match definition.get("STATUS") {
            Some("DISABLED") => EnableStatus::Disabled,
            Some("UNENABLED") => EnableStatus::Unenabled,
            _ => EnableStatus::Enabled,
        },
        open_at_startup: definition.is("OPENTIME", "STARTUP"),
    }
}

fn table(definition: &Definition) -> TableAttributes {
    let name = |attribute| Name8::from(definition.get(attribute).unwrap_or_default());
    TableAttributes {
        kind: match definition.get("TABLE") {
            Some("CICS") => TableKind::Cics,
            Some("USER") => TableKind::User,
            Some("CF") => TableKind::Coupling,
            _ => TableKind::None,
        },
        records_max: definition.number("MAXNUMRECS").map(|number| number as u32),
        pool: name("CFDTPOOL"),
        name: name("TABLENAME"),
        update_model: match definition.get("UPDATEMODEL") {
            Some("CONTENTION") => UpdateModel::Contention,
            _ => UpdateModel::Locking,
        },
        load: definition.flag("LOAD"),
    }
}

fn queue(definition: &Definition, root: &Path) -> Option<Queue> {
    match definition.get("TYPE")? {
        "INDIRECT" => Some(Queue::Indirect(Name::from(definition.get("INDIRECTNAME")?))),
        "EXTRA" => {
            let file = definition.get("DSNAME").unwrap_or(&definition.name).to_owned();
            Some(Queue::Extrapartition(Extrapartition::new(root.join(file), record_shape(definition))))
        }
        _ => {
            let name = Name::from(definition.name.as_str());
            let trigger = definition.get("TRANSID").map(|transaction| Trigger {
                queue: name,
                transaction: Name::from(transaction),
                level: definition.number("TRIGGERLEVEL").unwrap_or(1) as usize,
                terminal: definition
                    .is("ATIFACILITY", "TERMINAL")
                    .then(|| Name::from(definition.get("FACILITYID").unwrap_or(&definition.name))),
                user: definition.get("USERID").map(Name::from),
            });
            let recovery = match definition.get("RECOVSTATUS") {
                Some("LOGICAL") => Recovery::Logical,
                Some("PHYSICAL") => Recovery::Physical,
                _ => Recovery::None,
            };
            let mut queue = Intrapartition::new(name, recovery, trigger);
            queue.waits_for_indoubt = definition.is("WAITACTION", "QUEUE");
            Some(Queue::Intrapartition(queue))
        }
    }
}

/// RECORDFORMAT and RECORDSIZE of a file; without a size, any record will do.
fn record_shape(definition: &Definition) -> RecordShape {
    match definition.number("RECORDSIZE").unwrap_or(0) as usize {
        0 => RecordShape::Any,
        size if definition.is("RECORDFORMAT", "FIXED") => RecordShape::Fixed(size),
        size => RecordShape::Variable(size),
    }
}

/// Seconds of a minute, in which EXPIRYINTMIN counts.
const MINUTE: u64 = 60;

fn model(definition: &Definition) -> Model {
    let prefix = match definition.get("XPREFIX") {
        Some(digits) => bytes_of(digits),
        None => definition.get("PREFIX").unwrap_or_default().as_bytes().to_vec(),
    };
    let expires_after = definition.number("EXPIRYINTMIN").filter(|minutes| *minutes > 0);
    Model {
        name: Name8::from(definition.name.as_str()),
        prefix,
        location: if definition.is("LOCATION", "MAIN") { Location::Main } else { Location::Auxiliary },
        recoverable: definition.flag("RECOVERY") && !definition.is("LOCATION", "MAIN"),
        expires_after: expires_after.map(|minutes| Duration::from_secs(minutes * MINUTE)),
    }
}

fn journal(definition: &Definition) -> journals::Model {
    let is_dummy = definition.is("TYPE", "DUMMY");
    journals::Model {
        name: Name8::from(definition.name.as_str()),
        journal: definition.get("JOURNALNAME").unwrap_or_default().to_ascii_uppercase(),
        stream_name: definition.get("STREAMNAME").unwrap_or_default().to_owned(),
        stream_type: if is_dummy { StreamType::Dummy } else { StreamType::File },
    }
}

/// The bytes that hexadecimal digits stand for.
pub(crate) fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}
