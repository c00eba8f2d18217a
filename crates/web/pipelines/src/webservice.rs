//! WEBSERVICE: a binding file, compiled to mappings when it is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use binding::limits::FILE_MAX;
use binding::{BindingFile, Interface, Service, fits};
use csd::{Definition, ResourceType};
use diagnostics::{Diagnostic, Source};
use kernel::clock::Stamp;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8};
use kernel::raise::{Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Kind, Resource, Set, Setting, Takes};
use parking_lot::RwLock;
use spec::{cmd, cond, opt};

use crate::{path, read};

/// The name of a WEBSERVICE: longer than others, for it may be that of a file.
pub type ServiceName = Name<32>;

/// Characters of a path, and of an endpoint.
const PATH: usize = 255;

/// Characters of a level.
const LEVEL: usize = 8;
/// The level of the published rules by which messages are mapped: the highest. A binding is made by it wherever it is read.
mod level {
    pub const VERSION: i64 = 4;
    pub const RELEASE: i64 = 3;
}

/// A WEBSERVICE.
pub struct WebService {
    /// Its name.
    pub name: ServiceName,
    /// Its PIPELINE; blank: that of the gateway.
    pub pipeline: Name8,
    /// The service.
    pub service: Service,
    /// The binding file.
    pub file: String,
    /// True if it is reached at its path without a URIMAP: one of the gateway, or picked up from WSDIR.
    pub stands_alone: bool,
    pub(crate) description: String,
    pub(crate) archive: String,
    /// When the binding file was changed last, as ABSTIME; 0 without a file.
    modified: i64,
    validates: AtomicBool,
    /// Messages for it that were served.
    pub(crate) uses: AtomicU64,
}

/// The WEBSERVICEs of a region.
#[derive(Default)]
pub struct WebServices(RwLock<Installed>);

/// Those that are installed.
#[derive(Default)]
struct Installed {
    by_name: BTreeMap<ServiceName, Arc<WebService>>,
    /// The same by their paths, for requests.
    by_path: BTreeMap<String, Vec<Arc<WebService>>>,
    /// Those at paths with names in braces, by these paths.
    by_template: Vec<(String, Arc<WebService>)>,
}

impl Installed {
    /// Changes what is installed, and arranges it again.
    fn change(&mut self, what: impl FnOnce(&mut BTreeMap<ServiceName, Arc<WebService>>)) {
        what(&mut self.by_name);
        self.by_path.clear();
        self.by_template.clear();
        for service in self.by_name.values() {
            for path in paths(&service.service) {
                match path.contains('{') {
                    true => self.by_template.push((path, Arc::clone(service))),
                    false => self.by_path.entry(path).or_default().push(Arc::clone(service)),
                }
            }
        }
    }
}

/// Paths of requests for a service: its own, and those of its operations behind it.
fn paths(service: &Service) -> BTreeSet<String> {
    let operations = service.operations.iter().map(|it| service.path_of(it));
    operations.chain([service.path().to_owned()]).filter(|path| path.starts_with('/')).collect()
}

impl WebServices {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The one of a name.
    pub fn get(&self, name: ServiceName) -> Option<Arc<WebService>> {
        self.0.read().by_name.get(&name).cloned()
    }

    /// The one of a PIPELINE at a path, which has no query.
    pub fn at(&self, path: &str, pipeline: Name8) -> Option<Arc<WebService>> {
        self.find(path, |it| it.pipeline == pipeline)
    }

    /// The one at a path that is reached without a URIMAP.
    pub fn alone_at(&self, path: &str) -> Option<Arc<WebService>> {
        self.find(path, |it| it.stands_alone)
    }

    /// One at a path, whatever its PIPELINE.
    pub(crate) fn any_at(&self, path: &str) -> Option<Arc<WebService>> {
        self.find(path, |it| !it.service.program.is_empty())
    }

    fn find(&self, path: &str, is: impl Fn(&WebService) -> bool) -> Option<Arc<WebService>> {
        let installed = self.0.read();
        let exact = installed.by_path.get(path).and_then(|all| all.iter().find(|it| is(it)));
        let templates = installed.by_template.iter();
        let mut fitting = templates.filter(|(template, it)| fits(template, path) && is(it)).map(|(_, it)| it);
        exact.or_else(|| fitting.next()).cloned()
    }

    /// All, by name.
    pub fn list(&self) -> Vec<Arc<WebService>> {
        self.0.read().by_name.values().cloned().collect()
    }

    /// Forgets those of a PIPELINE.
    pub(crate) fn forget(&self, pipeline: Name8) {
        self.0.write().change(|all| all.retain(|_, it| it.pipeline != pipeline));
    }

    fn install(&self, service: WebService) {
        self.0.write().change(|all| drop(all.insert(service.name, Arc::new(service))));
    }
}

/// Attributes of a WEBSERVICE definition.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Webservice,
    create: cmd::CREATE_WEBSERVICE,
    discard: cmd::DISCARD_WEBSERVICE,
    reads: &["PIPELINE", "WSBIND", "WSDLFILE", "ARCHIVEFILE", "VALIDATION"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["PIPELINE"], &["WSBIND"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let Definition { name, .. } = definition;
        let text = |attribute: &str| definition.get(attribute).unwrap_or_default();
        let service = made(region, name, Name8::from(text("PIPELINE")), text("WSBIND"))?;
        WebServices::of(region).install(WebService {
            description: text("WSDLFILE").to_owned(),
            archive: text("ARCHIVEFILE").to_owned(),
            validates: definition.is("VALIDATION", "YES").into(),
            ..service
        });
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let found = WebServices::of(region).get(ServiceName::new(name));
        found.map(drop).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))
    },
    remove: |region, name| {
        let name = ServiceName::new(name);
        WebServices::of(region).0.write().change(|all| drop(all.remove(&name)));
    },
    status: None,
};

/// RESP2 of NOTFND: no such WEBSERVICE.
const NOT_FOUND: i32 = 1;

/// Installs the WEBSERVICE of a binding file.
pub(crate) fn install_file(region: &Region, name: &str, pipeline: Name8, file: &str) -> Result<(), String> {
    let service = made(region, name, pipeline, file)?;
    WebServices::of(region).install(WebService { stands_alone: true, ..service });
    Ok(())
}

/// Installs a WEBSERVICE of the gateway: by a binding that stands in no file.
///
/// # Errors
/// The mistakes in the descriptions.
pub fn install_bare(
    region: &Region,
    name: &str,
    binding: &BindingFile,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let made = binding.make()?;
    let file = binding.description.name.clone();
    let service = of(name, Name8::BLANK, made.service, &file);
    WebServices::of(region).install(WebService { stands_alone: true, ..service });
    Ok(made.messages)
}

fn made(region: &Region, name: &str, pipeline: Name8, file: &str) -> Result<WebService, String> {
    let source = Source::new(file, read(region, file, FILE_MAX)?);
    let told =
        |messages: Vec<Diagnostic>| messages.into_iter().map(|it| it.message).collect::<Vec<_>>().join("; ");
    let made = BindingFile::read(&source).and_then(|binding| binding.make()).map_err(told)?;
    let modified = modified(region, file).unwrap_or(0);
    Ok(WebService { modified, ..of(name, pipeline, made.service, file) })
}

fn modified(region: &Region, file: &str) -> Option<i64> {
    let changed = std::fs::metadata(path(region, file)).ok()?.modified().ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    Some(Stamp::of_unix(i64::try_from(since.as_secs()).ok()?).abstime())
}

pub(crate) fn of(name: &str, pipeline: Name8, service: Service, file: &str) -> WebService {
    WebService {
        name: ServiceName::from(name),
        pipeline,
        service,
        file: file.to_owned(),
        stands_alone: false,
        description: String::new(),
        archive: String::new(),
        modified: 0,
        validates: false.into(),
        uses: AtomicU64::new(0),
    }
}

/// INQUIRE and SET WEBSERVICE.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_WEBSERVICE, Handler::Now(|task, call| SERVICES.inquire(task, call))),
    (cmd::SET_WEBSERVICE, Handler::Waits(|task, call| Box::pin(SERVICES.set(task, call)))),
];

/// The resource type.
pub(crate) static KIND: Kind = Kind {
    name: "WEBSERVICE",
    table: &SERVICES,
    inquire: cmd::INQUIRE_WEBSERVICE,
    set: Some(cmd::SET_WEBSERVICE),
    defined: Some(&DEFINED),
};

/// RESP2 of INVREQ of SET: no such value.
const REFUSED: i32 = 0;

/// INQUIRE and SET of a WEBSERVICE.
static SERVICES: Resource<Arc<WebService>> = Resource {
    name: opt::WEBSERVICE,
    key: Key::Name,
    names: |by| WebServices::of(&by.region).list().iter().map(|it| it.name.as_bytes().to_vec()).collect(),
    find: |by, name| WebServices::of(&by.region).get(ServiceName::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ARCHIVEFILE, |_, it| Value::padded(&it.archive, PATH)),
        (opt::BINDING, |_, it| Value::padded(&it.service.name, PATH)),
        (opt::CCSID, |_, it| Value::Number(it.service.page.number().into())),
        (opt::CONTAINER, |_, it| match &it.service.interface {
            Interface::Channel(container) => Value::padded(container, 16),
            Interface::Commarea => Value::padded("", 16),
        }),
        (opt::ENDPOINT, |_, it| Value::padded(&it.service.uri, PATH)),
        (opt::LASTMODTIME, |_, it| Value::Number(it.modified)),
        (opt::MAPPINGLEVEL, |_, _| Value::padded(&format!("{}.{}", level::VERSION, level::RELEASE), LEVEL)),
        (opt::MAPPINGRNUM, |_, _| Value::Number(level::RELEASE)),
        (opt::MAPPINGVNUM, |_, _| Value::Number(level::VERSION)),
        (opt::MINRUNLEVEL, |_, _| Value::padded(&format!("{}.{}", level::VERSION, level::RELEASE), LEVEL)),
        (opt::MINRUNRNUM, |_, _| Value::Number(level::RELEASE)),
        (opt::MINRUNVNUM, |_, _| Value::Number(level::VERSION)),
        (opt::PGMINTERFACE, |_, it| match it.service.interface {
            _ if it.service.program.is_empty() => Value::Cvda("NOTAPPLIC"),
            Interface::Commarea => Value::Cvda("COMMAREA"),
            Interface::Channel(_) => Value::Cvda("CHANNEL"),
        }),
        (opt::PIPELINE, |_, it| Value::text(it.pipeline)),
        (opt::PROGRAM, |_, it| Value::padded(&it.service.program, 8)),
        (opt::STATE, |_, _| Value::Cvda("INSERVICE")),
        // No URIMAP is made for a binding: it is reached at its path.
        (opt::URIMAP, |_, _| Value::padded("", 8)),
        (opt::VALIDATIONST, |_, it| {
            Value::either(it.validates.load(Ordering::Relaxed), "VALIDATION", "NOVALIDATION")
        }),
        (opt::WSBIND, |_, it| Value::padded(&it.file, PATH)),
        (opt::WSDLFILE, |_, it| Value::padded(&it.description, PATH)),
        (opt::XOPDIRECTST, |_, _| Value::Cvda("NOXOPDIRECT")),
        (opt::XOPSUPPORTST, |_, _| Value::Cvda("NOXOPSUPPORT")),
    ],
    settings: &[Setting {
        option: opt::VALIDATIONST,
        takes: Takes::OneOf(&[("VALIDATION", opt::VALIDATION), ("NOVALIDATION", opt::NOVALIDATION)]),
        resp2: REFUSED,
        set: Set::Now(|_, it, to| {
            it.validates.store(to.is("VALIDATION"), Ordering::Relaxed);
            Ok(())
        }),
    }],
};
