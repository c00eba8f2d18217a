//! PIPELINE: a configuration file, and the folder from which WEBSERVICEs are picked up.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Kind, Resource, Set, Setting, Takes};
use kernel::task::Task;
use parking_lot::RwLock;
use soap::Level;
use spec::{cmd, cond, opt};

use crate::configuration::{Configuration, Form};
use crate::limits::{CONFIGURATION_MAX, PICKUP_MAX};
use crate::mtom::Mtom;
use crate::webservice::{self, WebServices};
use crate::{path, read};

/// Characters of a path.
const PATH: usize = 255;
/// Characters of MSGFORMAT.
const FORMAT: usize = 8;
/// Value of RESPWAIT by default.
const DEFAULT_WAIT: u32 = u32::MAX;
/// Extension of binding files in a pickup directory.
const BINDING: &str = "wsbind";

/// A PIPELINE.
pub struct Pipeline {
    /// Its name.
    pub name: Name8,
    /// Content of its file.
    pub configuration: Configuration,
    /// The file.
    pub file: String,
    /// The pickup directory; empty: none.
    pub folder: String,
    pub(crate) shelf: String,
    enabled: AtomicBool,
    /// Seconds that a requester waits; the greatest number: as the transport has it.
    wait: AtomicU32,
    /// Messages that it has served.
    pub(crate) uses: AtomicU64,
}

impl Pipeline {
    /// Returns true if it takes messages.
    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }

    /// Seconds that a requester waits for its reply, where the definition says so.
    pub fn wait(&self) -> Option<u32> {
        Some(self.wait.load(Ordering::Relaxed)).filter(|seconds| *seconds != DEFAULT_WAIT)
    }

    fn level(&self) -> Option<Level> {
        if let Form::Soap(level) = self.configuration.form { Some(level) } else { None }
    }
}

/// The PIPELINEs of a region.
#[derive(Default)]
pub struct Pipelines(RwLock<BTreeMap<Name8, Arc<Pipeline>>>);

impl Pipelines {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The one of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<Pipeline>> {
        self.0.read().get(&name).cloned()
    }

    /// All, by name.
    pub(crate) fn list(&self) -> Vec<Arc<Pipeline>> {
        self.0.read().values().cloned().collect()
    }
}

/// Attributes of a PIPELINE definition.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Pipeline,
    create: cmd::CREATE_PIPELINE,
    discard: cmd::DISCARD_PIPELINE,
    reads: &["CONFIGFILE", "RESPWAIT", "SHELF", "STATUS", "WSDIR"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["CONFIGFILE"]],
    refuses: |_| Ok(()),
    install,
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let pipeline = Pipelines::of(region).get(Name8::new(name)).ok_or(cond::NOTFND.raise(NOT_FOUND))?;
        // A published rule: it must be disabled, and its WEBSERVICEs go with it.
        if pipeline.is_enabled() { Err(cond::INVREQ.raise(ENABLED)) } else { Ok(()) }
    },
    remove: |region, name| {
        let name = Name8::new(name);
        Pipelines::of(region).0.write().remove(&name);
        WebServices::of(region).forget(name);
    },
    status: None,
};

/// RESP2 of NOTFND: no such PIPELINE.
const NOT_FOUND: i32 = 3;
/// RESP2 of INVREQ of DISCARD: it is enabled. Recalled, not read.
const ENABLED: i32 = 25;

fn install(region: &Arc<Region>, definition: &Definition) -> Result<(), String> {
    let text = |name: &str| definition.get(name).unwrap_or_default().to_owned();
    let file = text("CONFIGFILE");
    let configuration = Configuration::read(&read(region, &file, CONFIGURATION_MAX)?)
        .map_err(|why| format!("{file} is no pipeline configuration: {why}"))?;
    let wait = definition.get("RESPWAIT").and_then(|seconds| seconds.parse().ok()).unwrap_or(DEFAULT_WAIT);
    let pipeline = Arc::new(Pipeline {
        name: Name8::from(definition.name.as_str()),
        configuration,
        file,
        folder: text("WSDIR"),
        shelf: text("SHELF"),
        enabled: (!definition.is("STATUS", "DISABLED")).into(),
        wait: wait.into(),
        uses: AtomicU64::new(0),
    });
    Pipelines::of(region).0.write().insert(pipeline.name, Arc::clone(&pipeline));
    scan(region, &pipeline)
}

/// Makes a WEBSERVICE of each binding file of the pickup directory, named as the file.
fn scan(region: &Arc<Region>, pipeline: &Pipeline) -> Result<(), String> {
    if pipeline.folder.is_empty() {
        return Ok(());
    }
    let folder = path(region, &pipeline.folder);
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| format!("WSDIR {} cannot be read: {error}", pipeline.folder))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == BINDING))
        .take(PICKUP_MAX)
        .collect();
    names.sort_unstable();
    for name in names {
        let file = format!("{}/{name}", pipeline.folder.trim_end_matches('/'));
        let name = name.trim_end_matches(&format!(".{BINDING}")).to_owned();
        // One file that is wrong takes no other with it.
        if let Err(why) = webservice::install_file(region, &name, pipeline.name, &file) {
            tracing::warn!(target: "PI", "WEBSERVICE {name} of PIPELINE {} is not installed: {why}", pipeline.name);
        }
    }
    Ok(())
}

/// INQUIRE, SET and PERFORM PIPELINE.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_PIPELINE, Handler::Now(|task, call| PIPELINES.inquire(task, call))),
    (cmd::SET_PIPELINE, Handler::Waits(|task, call| Box::pin(PIPELINES.set(task, call)))),
    (cmd::PERFORM_PIPELINE, Handler::Now(perform)),
];

/// The resource type.
pub(crate) static KIND: Kind = Kind {
    name: "PIPELINE",
    table: &PIPELINES,
    inquire: cmd::INQUIRE_PIPELINE,
    set: Some(cmd::SET_PIPELINE),
    defined: Some(&DEFINED),
};

/// RESP2 of INVREQ of PERFORM PIPELINE: no such PIPELINE, no pickup directory, one that cannot be read. Recalled.
mod refused {
    pub const NO_PIPELINE: i32 = 1;
    pub const NO_FOLDER: i32 = 3;
    pub const UNREADABLE: i32 = 4;
    pub const ACTION: i32 = 2;
    pub const VALUE: i32 = 0;
}

/// PERFORM PIPELINE SCAN: WEBSERVICEs of files that have come since.
fn perform(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name8 = call.need_name(opt::PIPELINE)?;
    let scans = spec::cvda("SCAN").map(i64::from);
    if call.number(opt::ACTION)?.is_some_and(|action| Some(action) != scans) {
        return Err(cond::INVREQ.raise(refused::ACTION));
    }
    let pipeline =
        Pipelines::of(&task.region).get(name).ok_or_else(|| cond::INVREQ.raise(refused::NO_PIPELINE))?;
    if pipeline.folder.is_empty() {
        return Err(cond::INVREQ.raise(refused::NO_FOLDER));
    }
    scan(&task.region, &pipeline).map_err(|why| {
        tracing::warn!(target: "PI", "PIPELINE {name} is not scanned: {why}");
        cond::INVREQ.raise(refused::UNREADABLE)
    })
}

/// INQUIRE and SET of a PIPELINE.
static PIPELINES: Resource<Arc<Pipeline>> = Resource {
    name: opt::PIPELINE,
    key: Key::Name,
    names: |by| Pipelines::of(&by.region).0.read().keys().map(|name| name.as_bytes().to_vec()).collect(),
    find: |by, name| Pipelines::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::CIDDOMAIN, |_, it| Value::padded(mtom(it).map_or("", |mtom| mtom.domain.as_str()), PATH)),
        (opt::CONFIGFILE, |_, it| Value::padded(&it.file, PATH)),
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::MODE, |_, it| Value::either(it.configuration.provides, "PROVIDER", "REQUESTER")),
        (opt::MSGFORMAT, |_, it| Value::padded(format_of(it), FORMAT)),
        (opt::MTOMNOXOPST, |_, it| {
            Value::either(mtom(it).is_some_and(Mtom::sends_without), "MTOMNOXOP", "NOMTOMNOXOP")
        }),
        (opt::MTOMST, |_, it| Value::either(mtom(it).is_some(), "MTOM", "NOMTOM")),
        (opt::RESPWAIT, |_, it| Value::Number(it.wait().map_or(0, i64::from))),
        (opt::SENDMTOMST, |_, it| Value::Cvda(mtom(it).map_or("NOSENDMTOM", Mtom::sends))),
        (opt::SHELF, |_, it| Value::padded(&it.shelf, PATH)),
        (opt::SOAPLEVEL, |_, it| Value::padded(it.level().map_or("NOTSOAP", level_name), FORMAT)),
        (opt::SOAPRNUM, |_, it| Value::Number(it.level().map_or(0, |level| level.number().into()))),
        (opt::SOAPVNUM, |_, it| Value::Number(it.level().map_or(0, |_| 1))),
        (opt::WSDIR, |_, it| Value::padded(&it.folder, PATH)),
        // Attachments are put into the message for every end.
        (opt::XOPDIRECTST, |_, _| Value::Cvda("NOXOPDIRECT")),
        (opt::XOPSUPPORTST, |_, _| Value::Cvda("NOXOPSUPPORT")),
    ],
    settings: &[
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: refused::VALUE,
            set: Set::Now(|_, pipeline, to| {
                pipeline.enabled.store(to.is("ENABLED"), Ordering::Relaxed);
                Ok(())
            }),
        },
        Setting {
            option: opt::RESPWAIT,
            takes: Takes::Number(0..=9999),
            resp2: refused::VALUE,
            set: Set::Now(|_, pipeline, to| {
                pipeline.wait.store(to.number().try_into().unwrap_or(DEFAULT_WAIT), Ordering::Relaxed);
                Ok(())
            }),
        },
    ],
};

fn mtom(pipeline: &Pipeline) -> Option<&Mtom> {
    pipeline.configuration.mtom.as_ref()
}

pub(crate) fn format_of(pipeline: &Pipeline) -> &'static str {
    match pipeline.configuration.form {
        Form::Soap(level) => level_name(level),
        Form::Json | Form::Bare => "JSON",
        Form::Program(_) => "UNKNOWN",
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Soap11 => "SOAP11",
        Level::Soap12 => "SOAP12",
    }
}
