//! The resource type BUNDLE: its definition, INQUIRE and SET.

use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Kind, Manager, NamedStatus, Resource, Set, Setting, Status, Takes};
use operation::definitions::keep_attribute;
use spec::{cmd, cond, opt};

use crate::bundle::{Bundle, Bundles, refused, renew};
use crate::install::{has_imports, install, take_away};
use crate::part::{BundlePart, PartState};

/// Characters of a path and of BASESCOPE.
const PATH: usize = 255;
/// Characters of the identifier of a bundle.
const ID: usize = 64;
/// Characters of MGMTPART.
const MANAGEMENT_PART: usize = 8;

/// The definition of a BUNDLE.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Bundle,
    create: cmd::CREATE_BUNDLE,
    discard: cmd::DISCARD_BUNDLE,
    reads: &["BASESCOPE", "BUNDLEDIR", "STATUS"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["BUNDLEDIR"]],
    refuses: |_| Ok(()),
    install,
    // While the region starts, a bundle has nothing that could be in use.
    may_replace: |region, name| match Bundles::of(region).get(Name8::new(name)) {
        Some(bundle) => bundle.may_go(region),
        None => Ok(()),
    },
    may_discard: |region, name| {
        let bundle = Bundles::of(region).get(Name8::new(name)).ok_or(cond::NOTFND.raise(NOT_FOUND))?;
        bundle.may_go(region)
    },
    remove: |region, name| {
        take_away(region, Name8::new(name));
        renew(region);
    },
    status: Some(Status { letter: b'B', all: statuses, set: set_status }),
};

/// The statuses of all bundles: 1 if it is wanted to be enabled.
fn statuses(region: &Region) -> Vec<NamedStatus> {
    let bundles = Bundles::of(region).list();
    let status = |bundle: &Arc<Bundle>| vec![u8::from(bundle.is_wanted())];
    bundles.iter().map(|bundle| (bundle.name.as_bytes().to_vec(), status(bundle))).collect()
}

/// Sets the status of a bundle while the region starts: its parts are made afterwards.
fn set_status(region: &Region, name: &[u8], status: &[u8]) -> Option<()> {
    let (bundle, [wanted]) = (Bundles::of(region).get(Name8::new(name))?, status) else { return None };
    bundle.is_to_be(*wanted != 0);
    Some(())
}

/// RESP2 of NOTFND: no such BUNDLE. Recalled, not read.
const NOT_FOUND: i32 = 1;

/// SET ENABLED and SET DISABLED. Every start but a cold one has the bundle so again, however the region has ended.
async fn set(by: &Manager, bundle: &Bundle, enabled: bool) -> Outcome {
    match enabled {
        true => enable(by, bundle).await?,
        false => disable(by, bundle).await?,
    }
    let status = if enabled { "ENABLED" } else { "DISABLED" };
    keep_attribute(by, &bundle.definition, "STATUS", status).await
}

/// Disables a bundle in whose place another one is about to be put. A region that ends meanwhile has it at its next start as it was.
///
/// # Errors
/// As of SET BUNDLE DISABLED.
pub async fn pause(by: &Manager, bundle: &Bundle) -> Outcome {
    disable(by, bundle).await
}

/// Enables a bundle, with its parts: those first on which others stand.
async fn enable(by: &Manager, bundle: &Bundle) -> Outcome {
    let _change = bundle.change()?;
    if !has_imports(&by.region, bundle) {
        return Err(cond::INVREQ.raise(refused::IMPORTS));
    }
    // One of which a part is refused is not enabled, and has to be disabled before it goes.
    bundle.is_now(true);
    let outcome = set_resources(by, bundle.in_order(), true).await;
    bundle.in_order().into_iter().for_each(|part| part.set_enabled(&by.region, true));
    renew(&by.region);
    outcome.and(settled(by, bundle).await)
}

/// Waits for parts that domains make: all of them have been begun, since they may stand on each other.
async fn settled(by: &Manager, bundle: &Bundle) -> Outcome {
    let mut outcome = Ok(());
    for part in bundle.in_order() {
        let PartState::Made(made) = &part.state else { continue };
        match made.settled(by).await {
            Err(refused @ Raise::Condition(..)) => outcome = outcome.and(Err(refused)),
            changed => changed?,
        }
    }
    outcome
}

/// Disables a bundle, with its parts: those last on which others stand. Work that has begun goes on.
async fn disable(by: &Manager, bundle: &Bundle) -> Outcome {
    let _change = bundle.change()?;
    bundle.is_now(false);
    bundle.in_order().into_iter().rev().for_each(|part| part.set_enabled(&by.region, false));
    renew(&by.region);
    let parts = bundle.in_order().into_iter().rev().collect();
    // One of which a part stays enabled has to be disabled again before it goes.
    set_resources(by, parts, false).await.inspect_err(|_| bundle.is_now(true))?;
    settled(by, bundle).await
}

/// Enables or disables resources. The first condition is the outcome, and the others are changed nevertheless.
async fn set_resources(by: &Manager, parts: Vec<&BundlePart>, enabled: bool) -> Outcome {
    let mut outcome = Ok(());
    for part in parts {
        let PartState::Resource(resource) = &part.state else { continue };
        match resource.set_enabled(by, enabled).await {
            Err(refused @ Raise::Condition(..)) => outcome = outcome.and(Err(refused)),
            changed => changed?,
        }
    }
    outcome
}

/// Gives the programs of a bundle that is enabled new copies.
async fn phase_in(by: &Manager, bundle: &Bundle) -> Outcome {
    let _change = bundle.change()?;
    if bundle.status(&by.region) != "ENABLED" {
        return Err(cond::INVREQ.raise(refused::NOT_ENABLED));
    }
    for part in bundle.in_order() {
        match &part.state {
            PartState::Resource(resource) => resource.phase_in(by).await?,
            PartState::Made(made) => made.phase_in(&by.region),
            _ => {}
        }
    }
    settled(by, bundle).await
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
    names: |by| Bundles::of(&by.region).list().iter().map(|it| it.name.as_bytes().to_vec()).collect(),
    find: |by, name| Bundles::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        // A bundle without an entry point of an application.
        (opt::AVAILSTATUS, |_, _| Value::Cvda("NONE")),
        (opt::BASESCOPE, |_, it| Value::padded(&it.base_scope, PATH)),
        (opt::BUNDLEDIR, |_, it| Value::padded(&it.directory, PATH)),
        (opt::BUNDLEID, |_, it| Value::padded(&it.manifest.id, ID)),
        (opt::ENABLEDCOUNT, |by, it| Value::Number(it.enabled(&by.region) as i64)),
        (opt::ENABLESTATUS, |by, it| Value::Cvda(it.status(&by.region))),
        (opt::MAJORVERSION, |_, it| Value::Number(it.manifest.version[0].into())),
        (opt::MGMTPART, |_, _| Value::padded("", MANAGEMENT_PART)),
        (opt::MICROVERSION, |_, it| Value::Number(it.manifest.version[2].into())),
        (opt::MINORVERSION, |_, it| Value::Number(it.manifest.version[1].into())),
        (opt::PARTCOUNT, |_, it| Value::Number(it.parts.len() as i64)),
        (opt::TARGETCOUNT, |_, it| Value::Number(it.own().count() as i64)),
    ],
    settings: &[
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: refused::VALUE,
            set: Set::Waits(|by, bundle, to| Box::pin(set(by, bundle, to.is("ENABLED")))),
        },
        Setting {
            option: opt::COPY,
            takes: Takes::OneOf(&[("PHASEIN", opt::PHASEIN)]),
            resp2: refused::VALUE,
            set: Set::Waits(|by, bundle, _| Box::pin(phase_in(by, bundle))),
        },
    ],
};
