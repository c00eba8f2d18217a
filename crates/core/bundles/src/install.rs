//! A bundle made of its definition: its parts in the order in which they need each other.

use std::sync::Arc;

use bundle_source::{Manifest, Need, Part};
use capture::events::Events;
use csd::Definition;
use diagnostics::Source;
use kernel::name::Name8;
use kernel::region::Region;
use policies::Policy;

use crate::bundle::{Bundle, Bundles, renew};
use crate::content::{Content, ContentFault, MANIFEST};
use crate::imports;
use crate::installed::InstalledPolicy;
use crate::part::{BundlePart, PartState};
use crate::reading::{self, Reading};
use crate::resource;

/// Types of parts, those first on which others stand.
const ORDER: [&str; 15] = [
    "LIBRARY",
    "FILE",
    "OSGIBUNDLE",
    "PROGRAM",
    "TRANSACTION",
    "PIPELINE",
    "WEBSERVICE",
    "TCPIPSERVICE",
    "URIMAP",
    "WARBUNDLE",
    "EARBUNDLE",
    "EPADAPTER",
    "EPADAPTERSET",
    "EVENTBINDING",
    "POLICY",
];

/// The places of parts in the order in which they are made and enabled.
fn order(manifest: &Manifest) -> Vec<usize> {
    let rank = |place: &usize| {
        let kind = manifest.parts[*place].kind.as_str();
        ORDER.iter().position(|it| *it == kind).unwrap_or(ORDER.len())
    };
    let mut places: Vec<usize> = (0..manifest.parts.len()).collect();
    places.sort_by_key(rank);
    places
}

/// Makes the bundle of a definition; while a region starts, its parts are made by [`settle`].
pub(crate) fn install(region: &Arc<Region>, definition: &Definition) -> Result<(), String> {
    let directory = definition.get("BUNDLEDIR").unwrap_or_default();
    let (content, manifest) = opened(region, directory).map_err(|fault| fault.to_string())?;
    let wanted = !definition.is("STATUS", "DISABLED");
    let bundle = Bundle::new(definition.clone(), manifest, wanted);
    let bundles = Bundles::of(region);
    if bundles.is_settled() {
        put(region, bundle, &content);
    } else {
        bundles.wait(bundle);
    }
    Ok(())
}

/// The files of a bundle, and its manifest.
fn opened(region: &Region, directory: &str) -> Result<(Content, Manifest), ContentFault> {
    let content = Content::open(&region.options.application_folder, directory)?;
    let manifest = content.manifest()?;
    Ok((content, manifest))
}

/// Makes the parts of the bundles of a region that starts, when all else that is defined is there.
///
/// A bundle whose imports another one brings comes after that one.
pub fn settle(region: &Arc<Region>) {
    let mut waiting = Bundles::of(region).settled();
    loop {
        let is_ready =
            |bundle: &Arc<Bundle>| imports::missing(region, &bundle.manifest, Need::Required).is_empty();
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_ready);
        ready.iter().for_each(|bundle| make_again(region, bundle));
        waiting = rest;
        if ready.is_empty() || waiting.is_empty() {
            break;
        }
    }
    waiting.iter().for_each(|bundle| make_again(region, bundle));
}

/// Makes the parts of a bundle of which there is only the manifest yet.
fn make_again(region: &Arc<Region>, bundle: &Bundle) {
    match opened(region, &bundle.directory) {
        Ok((content, manifest)) => {
            put(region, Bundle::new(bundle.definition.clone(), manifest, bundle.is_wanted()), &content);
        }
        Err(fault) => tracing::warn!(target: "RL", "BUNDLE {} has no parts: {fault}", bundle.name),
    }
}

/// Puts a bundle into the place of the one of its name, with its parts.
fn put(region: &Arc<Region>, mut bundle: Bundle, content: &Content) {
    // One that is replaced takes what was its own with it.
    take_away(region, bundle.name);
    let enabled = bundle.is_wanted() && has_imports(region, &bundle);
    let order = order(&bundle.manifest);
    let mut parts: Vec<Option<BundlePart>> = bundle.manifest.parts.iter().map(|_| None).collect();
    for place in &order {
        let part = bundle.manifest.parts[*place].clone();
        let made: Vec<&BundlePart> = parts.iter().flatten().collect();
        let state = state(region, &bundle, content, (&part, &made), enabled).unwrap_or_else(|why| {
            let shown = content.shown(MANIFEST);
            tracing::warn!(
                target: "RL",
                "part {} of BUNDLE {} is disabled: {why} ({shown}, line {})", part.name, bundle.name, part.line
            );
            PartState::Refused(why)
        });
        let made = BundlePart { part, state };
        // A part that a domain makes was made so.
        if !matches!(made.state, PartState::Made(_)) {
            made.set_enabled(region, enabled);
        }
        parts[*place] = Some(made);
    }
    bundle.has_parts(parts.into_iter().flatten().collect(), order, enabled);
    Bundles::of(region).put(bundle);
    renew(region);
}

/// Returns true if all is there that a bundle needs from elsewhere, and says what is not.
pub(crate) fn has_imports(region: &Arc<Region>, bundle: &Bundle) -> bool {
    let missing = |need| imports::missing(region, &bundle.manifest, need).join(", ");
    let (required, warned) = (missing(Need::Required), missing(Need::Warned));
    let name = bundle.name;
    if !required.is_empty() {
        tracing::warn!(target: "RL", "BUNDLE {name} is not enabled: it imports what is not there: {required}");
    } else if !warned.is_empty() {
        tracing::warn!(target: "RL", "BUNDLE {name} is enabled without what it imports: {warned}");
    }
    required.is_empty()
}

/// Takes a bundle away, with its parts: those first that stand on others.
pub(crate) fn take_away(region: &Arc<Region>, name: Name8) {
    let Some(gone) = Bundles::of(region).take(name) else { return };
    for part in gone.in_order().into_iter().rev() {
        match &part.state {
            PartState::Event(part) => Events::of(region).remove(region, part),
            PartState::Resource(resource) => resource.remove(region),
            PartState::Made(made) => made.remove(region),
            _ => {}
        }
    }
}

/// Makes what a part stands for. `made` are those of its bundle that are there already.
fn state(
    region: &Arc<Region>,
    bundle: &Bundle,
    content: &Content,
    (part, made): (&Part, &[&BundlePart]),
    enabled: bool,
) -> Result<PartState, String> {
    let reading = reading::read(content, &bundle.manifest, part, enabled).map_err(|fault| {
        match part.kind.as_str() {
            "POLICY" if fault.at.is_some() => format!("DFHMP2006 {fault}"),
            _ => fault.to_string(),
        }
    })?;
    match reading {
        Reading::Import => Ok(PartState::Import),
        Reading::Named => Ok(PartState::Named),
        Reading::Needless(instead) => {
            let Part { kind, name, .. } = part;
            tracing::info!(target: "RL", "{kind} {name} of BUNDLE {} is needless: {instead}", bundle.name);
            Ok(PartState::Needless(true.into()))
        }
        Reading::Resource(kind, defined, definition) => {
            resource::make(region, bundle.name, (kind, defined), &definition, enabled)
                .map(PartState::Resource)
        }
        Reading::Made(kind, source) => {
            let made = (kind.make)(region, bundle.name, &reading::file(content, part, &source), enabled);
            made.map(PartState::Made).map_err(|fault| reading::of_file(&source, fault).to_string())
        }
        Reading::Event(source) => event_part(region, bundle.name, &source, part),
        Reading::Policy(policy) => install_policy(region, bundle, content, (part, made), policy),
    }
}

/// Makes a part of event processing.
fn event_part(region: &Region, bundle: Name8, source: &Source, part: &Part) -> Result<PartState, String> {
    let (text, events) = (&source.text, Events::of(region));
    let made = match part.kind.as_str() {
        "EVENTBINDING" => events.make_binding(bundle, &part.name, text),
        "EPADAPTER" => events.make_adapter(bundle, &part.name, text),
        _ => events.make_set(bundle, &part.name, text),
    };
    made.map(PartState::Event).map_err(|why| format!("{}, {why}", source.name))
}

/// Makes a policy.
fn install_policy(
    region: &Region,
    bundle: &Bundle,
    content: &Content,
    (part, made): (&Part, &[&BundlePart]),
    policy: Policy,
) -> Result<PartState, String> {
    let Part { name, path, .. } = part;
    for rule in &policy.rules {
        let shown = content.shown(path);
        crate::actions::check(region, rule)
            .map_err(|why| format!("{shown}, line {}: rule {}: {why}", rule.line, rule.name))?;
    }
    let others = Bundles::of(region).policies();
    let own = made.iter().filter_map(|part| part.policy());
    if others.iter().chain(own).any(|other| other.name == *name) {
        return Err(format!("there is a policy {name} already"));
    }
    let Manifest { id, version, .. } = &bundle.manifest;
    let of = (bundle.name, bundle.directory.as_str());
    Ok(PartState::Policy(Arc::new(InstalledPolicy::new((name, policy), of, (id, *version)))))
}
