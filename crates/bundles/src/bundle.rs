//! The resource type BUNDLE.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use capture::events::Events;
use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::inputs;
use kernel::name::Name8;
use kernel::raise::{Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Kind, NamedStatus, Resource, Set, Setting, Status, Takes};
use parking_lot::RwLock;
use policies::limits::FILE_BYTES_MAX;
use policies::{Manifest, PartClass};
use spec::{cmd, cond, opt};

use crate::installed::{InstalledPolicy, InstalledRule, rules_of};
use crate::part::{BundlePart, State};
use crate::{region, tasks};

/// Characters of a path and of BASESCOPE.
const PATH: usize = 255;
/// Characters of the identifier of a bundle.
const ID: usize = 64;
/// Characters of MGMTPART.
const MANAGEMENT_PART: usize = 8;
/// The file that every bundle has.
const MANIFEST: &str = "META-INF/cics.xml";

/// A BUNDLE.
pub struct Bundle {
    pub(crate) name: Name8,
    pub(crate) directory: String,
    pub(crate) base_scope: String,
    manifest: Manifest,
    pub(crate) parts: Vec<BundlePart>,
    /// STATUS or SET says that its parts are to be enabled.
    wanted: AtomicBool,
}

impl Bundle {
    /// Returns true if it is wanted to be enabled, and all of its parts are.
    pub fn is_enabled(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) && self.parts.iter().all(BundlePart::is_enabled)
    }

    /// The number of its parts that are enabled.
    fn enabled(&self) -> usize {
        self.parts.iter().filter(|part| part.is_enabled()).count()
    }

    fn set_enabled(&self, enabled: bool) {
        self.wanted.store(enabled, Ordering::Relaxed);
        self.parts.iter().for_each(|part| part.set_enabled(enabled));
    }
}

/// The BUNDLEs of a region.
#[derive(Default)]
pub struct Bundles(RwLock<BTreeMap<Name8, Arc<Bundle>>>);

impl Bundles {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The one of a name.
    pub fn get(&self, name: Name8) -> Option<Arc<Bundle>> {
        self.0.read().get(&name).cloned()
    }

    /// All, by name.
    pub fn list(&self) -> Vec<Arc<Bundle>> {
        self.0.read().values().cloned().collect()
    }

    /// All policies, by bundle.
    pub(crate) fn policies(&self) -> Vec<Arc<InstalledPolicy>> {
        let policies = |bundle: Arc<Bundle>| {
            let policies: Vec<_> = bundle.parts.iter().filter_map(|part| part.policy().cloned()).collect();
            policies
        };
        self.list().into_iter().flat_map(policies).collect()
    }

    /// All rules.
    pub(crate) fn rules(&self) -> Vec<InstalledRule> {
        self.policies().iter().flat_map(rules_of).collect()
    }
}

/// The rules that act from now on are those of the policies that are enabled.
fn renew(region: &Region) {
    let rules: Vec<_> =
        Bundles::of(region).rules().into_iter().filter(|rule| rule.policy.is_enabled()).collect();
    tasks::set(region, &rules);
    region::set(region, &rules);
    Events::of(region).renew(region);
}

/// The definition of a BUNDLE.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Bundle,
    create: cmd::CREATE_BUNDLE,
    discard: cmd::DISCARD_BUNDLE,
    reads: &["BASESCOPE", "BUNDLEDIR", "STATUS"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["BUNDLEDIR"]],
    install,
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let bundle = Bundles::of(region).get(Name8::new(name)).ok_or(cond::NOTFND.raise(NOT_FOUND))?;
        // A published rule: it must be disabled.
        if bundle.wanted.load(Ordering::Relaxed) && bundle.enabled() > 0 {
            return Err(cond::INVREQ.raise(ENABLED));
        }
        Ok(())
    },
    remove: |region, name| {
        take_away(region, Name8::new(name));
        renew(region);
    },
    status: Some(Status { letter: b'B', all: statuses, set: set_status }),
};

/// Takes a bundle away, with its parts of event processing.
fn take_away(region: &Region, name: Name8) {
    let gone = Bundles::of(region).0.write().remove(&name);
    for part in gone.iter().flat_map(|bundle| &bundle.parts) {
        if let State::Event(part) = &part.state {
            Events::of(region).remove(region, part);
        }
    }
}

/// The statuses of all bundles: 1 if it is wanted to be enabled.
fn statuses(region: &Region) -> Vec<NamedStatus> {
    let bundles = Bundles::of(region).list();
    let status = |bundle: &Arc<Bundle>| vec![u8::from(bundle.wanted.load(Ordering::Relaxed))];
    bundles.iter().map(|bundle| (bundle.name.as_bytes().to_vec(), status(bundle))).collect()
}

fn set_status(region: &Region, name: &[u8], status: &[u8]) -> Option<()> {
    let (bundle, [wanted]) = (Bundles::of(region).get(Name8::new(name))?, status) else { return None };
    bundle.set_enabled(*wanted != 0);
    renew(region);
    Some(())
}

/// RESP2 of NOTFND: no such BUNDLE. Recalled, not read.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ of DISCARD: it is enabled. Recalled, not read.
const ENABLED: i32 = 6;
/// RESP2 of INVREQ of SET: ENABLESTATUS has another value. Recalled, not read.
const VALUE: i32 = 9;

fn install(region: &Arc<Region>, definition: &Definition) -> Result<(), String> {
    let text = |name: &str| definition.get(name).unwrap_or_default().to_owned();
    let directory = text("BUNDLEDIR");
    let manifest = read(region, &directory, MANIFEST)?;
    let manifest = Manifest::read(&manifest).map_err(|wrong| format!("{directory}/{MANIFEST}, {wrong}"))?;
    let name = Name8::from(definition.name.as_str());
    let is_scoped = manifest.parts.iter().any(|part| part.kind == "POLICYSCOPE");
    let others: Vec<String> = Bundles::of(region)
        .policies()
        .iter()
        .filter(|it| it.bundle != name)
        .map(|it| it.name.clone())
        .collect();
    // One that is replaced takes what was its own with it.
    take_away(region, name);
    let mut parts: Vec<BundlePart> = Vec::with_capacity(manifest.parts.len());
    for part in &manifest.parts {
        let state = match (part.class, part.kind.as_str()) {
            (PartClass::Definition, "POLICY") if is_scoped => {
                Err("its bundle has a POLICYSCOPE: there are no applications whose operations it could name"
                    .to_owned())
            }
            (PartClass::Definition, "POLICY") => policy(region, part, (name, &directory), &manifest)
                .and_then(|policy| {
                    let own = parts.iter().filter_map(|part| part.policy()).map(|policy| &policy.name);
                    match others.iter().chain(own).any(|other| *other == policy.name) {
                        true => Err(format!("there is a policy {} already", policy.name)),
                        false => Ok(State::Policy(Arc::new(policy))),
                    }
                }),
            (PartClass::Definition, "EVENTBINDING" | "EPADAPTER" | "EPADAPTERSET") => {
                event_part(region, part, (name, &directory))
            }
            (PartClass::Definition, kind) => Err(format!("parts of type {kind} are not built")),
            (PartClass::Import | PartClass::Export, _) => Ok(State::Named),
            (PartClass::EntryPoint, _) => Err("there are no applications".to_owned()),
        };
        let state = state.unwrap_or_else(|why| {
            tracing::warn!(
                target: "RL",
                "part {} of BUNDLE {name} is disabled: {why} ({directory}/{MANIFEST}, line {})", part.name, part.line
            );
            State::Refused
        });
        parts.push(BundlePart { part: part.clone(), state });
    }
    let bundle = Arc::new(Bundle {
        name,
        directory,
        base_scope: text("BASESCOPE"),
        manifest,
        parts,
        wanted: AtomicBool::new(false),
    });
    bundle.set_enabled(!definition.is("STATUS", "DISABLED"));
    Bundles::of(region).0.write().insert(name, bundle);
    renew(region);
    Ok(())
}

/// Makes a part of event processing.
fn event_part(
    region: &Region,
    part: &policies::Part,
    (bundle, directory): (Name8, &str),
) -> Result<State, String> {
    let (text, events) = (read(region, directory, &part.path)?, Events::of(region));
    let made = match part.kind.as_str() {
        "EVENTBINDING" => events.make_binding(bundle, &part.name, &text),
        "EPADAPTER" => events.make_adapter(bundle, &part.name, &text),
        _ => events.make_set(bundle, &part.name, &text),
    };
    made.map(State::Event).map_err(|why| format!("{directory}/{}, {why}", part.path))
}

/// Reads a policy of a bundle.
fn policy(
    region: &Region,
    part: &policies::Part,
    (bundle, directory): (Name8, &str),
    manifest: &Manifest,
) -> Result<InstalledPolicy, String> {
    if !policies::policy::is_policy_name(&part.name) {
        return Err(format!("'{}' is no name of a policy", part.name));
    }
    let text = read(region, directory, &part.path)?;
    let policy = policies::Policy::read(&text)
        .map_err(|wrong| format!("DFHMP2006 {directory}/{}, {wrong}", part.path))?;
    for rule in &policy.rules {
        crate::actions::check(region, rule).map_err(|why| {
            format!("{directory}/{}, line {}: rule {}: {why}", part.path, rule.line, rule.name)
        })?;
    }
    Ok(InstalledPolicy::new((&part.name, policy), (bundle, directory), (&manifest.id, manifest.version)))
}

/// Reads a file of a bundle.
fn read(region: &Region, directory: &str, name: &str) -> Result<String, String> {
    let path = region.options.application_folder.join(directory).join(name);
    inputs::text(&path, &format!("{directory}/{name}"), FILE_BYTES_MAX)
}

/// INQUIRE and SET BUNDLE.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_BUNDLE, Handler::Now(|task, call| BUNDLES.inquire(task, call))),
    (cmd::SET_BUNDLE, Handler::Waits(|task, call| Box::pin(BUNDLES.set(task, call)))),
];

/// The resource type.
pub(crate) static KIND: Kind = Kind {
    name: "BUNDLE",
    table: &BUNDLES,
    inquire: cmd::INQUIRE_BUNDLE,
    set: Some(cmd::SET_BUNDLE),
    defined: Some(&DEFINED),
};

/// The table of BUNDLE.
static BUNDLES: Resource<Arc<Bundle>> = Resource {
    name: opt::BUNDLE,
    key: Key::Name,
    names: |by| Bundles::of(&by.region).0.read().keys().map(|name| name.as_bytes().to_vec()).collect(),
    find: |by, name| Bundles::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        // A bundle without an entry point of an application.
        (opt::AVAILSTATUS, |_, _| Value::Cvda("NONE")),
        (opt::BASESCOPE, |_, it| Value::padded(&it.base_scope, PATH)),
        (opt::BUNDLEDIR, |_, it| Value::padded(&it.directory, PATH)),
        (opt::BUNDLEID, |_, it| Value::padded(&it.manifest.id, ID)),
        (opt::ENABLEDCOUNT, |_, it| Value::Number(it.enabled() as i64)),
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::MAJORVERSION, |_, it| Value::Number(it.manifest.version[0].into())),
        (opt::MGMTPART, |_, _| Value::padded("", MANAGEMENT_PART)),
        (opt::MICROVERSION, |_, it| Value::Number(it.manifest.version[2].into())),
        (opt::MINORVERSION, |_, it| Value::Number(it.manifest.version[1].into())),
        (opt::PARTCOUNT, |_, it| Value::Number(it.parts.len() as i64)),
        (opt::TARGETCOUNT, |_, it| Value::Number(it.parts.len() as i64)),
    ],
    settings: &[Setting {
        option: opt::ENABLESTATUS,
        takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
        resp2: VALUE,
        set: Set::Now(|by, bundle, to| {
            bundle.set_enabled(to.is("ENABLED"));
            renew(&by.region);
            Ok(())
        }),
    }],
};
