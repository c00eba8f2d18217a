//! Bundles that come over HTTP: a zip takes the place of the bundle whose definition the texts have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bundle_source::Archive;
use bundles::deploy::{Placed, folder_of, manifest, place};
use bundles::{Bundle, Bundles, pause};
use csd::{Definition, ResourceType, Verb};
use http::RequestHead;
use http::form::{Field, fields};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::registry::{Given, Kind, Manager};
use kernel::task::WaitKind;
use operation::definitions::{NotMade, Shelf, command_of, install_one};
use serde_json::{Value, json};
use spec::{CommandId, cmd, opt};
use web::Answer as Reply;
use webdomain::Asked;

use crate::change::may_change;
use crate::limits::{DISABLE_STEP, DISABLE_WAIT_MAX};
use crate::look;
use crate::region::Surroundings;

/// The last step of a deployment's path.
const PATH: &str = "managedcicsbundles";

/// Returns true if a request is a deployment, whatever stands before the last step of its path.
pub(crate) fn is_meant(head: &RequestHead) -> bool {
    head.path().rsplit('/').next() == Some(PATH)
}

/// The deployment of a region: there is one at a time.
#[derive(Default)]
pub(crate) struct Deployment(AtomicBool);

/// The one that goes on.
struct Alone<'d>(&'d Deployment);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Release);
    }
}

impl Deployment {
    fn begin(&self) -> Result<Alone<'_>, Not> {
        match self.0.swap(true, Ordering::Acquire) {
            true => Err(Not::Now),
            false => Ok(Alone(self)),
        }
    }
}

/// The reason why nothing is deployed.
enum Not {
    /// A field of the form is at fault.
    Asked(&'static str, String),
    /// The user has no right to it, or the region takes no deployments.
    Permitted(String),
    /// Another deployment goes on.
    Now,
    /// The method is another one.
    So,
    /// Refusals of the region.
    Done(Vec<String>),
    /// The task ends.
    Raised(Raise),
}

impl From<Raise> for Not {
    fn from(raise: Raise) -> Self {
        Self::Raised(raise)
    }
}

impl Not {
    fn done(why: impl Into<String>) -> Self {
        Self::Done(vec![why.into()])
    }
}

/// Answers a request that is meant to deploy.
///
/// # Errors
/// The abend of a task that was purged.
pub(crate) async fn answer(by: &Manager, asked: &Asked) -> Outcome<Reply> {
    let (status, body) = match deploy(by, asked).await {
        Ok(name) => (200, json!({ "message": format!("BUNDLE {name} is deployed and enabled") })),
        Err(Not::Asked(field, why)) => (
            400,
            json!({ "message": "Some of the supplied parameters were invalid", "requestErrors": { field: why } }),
        ),
        Err(Not::Permitted(why)) => (403, json!({ "message": why })),
        Err(Not::Now) => (409, json!({ "message": "Another deployment goes on" })),
        Err(Not::So) => (405, json!({ "message": "A bundle is deployed by POST" })),
        Err(Not::Done(all)) => {
            let all: Vec<Value> = all.into_iter().map(|why| json!({ "message": why })).collect();
            (500, json!({ "message": "Bundle deployment failure", "deployments": all }))
        }
        Err(Not::Raised(raise)) => return Err(raise),
    };
    let mut reply = Reply { status, body: body.to_string().into_bytes(), ..Reply::default() };
    let fixed = [
        ("Content-Type", "application/json; charset=UTF-8"),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    for (name, value) in fixed.into_iter().chain((status == 405).then_some(("Allow", "POST"))) {
        // All are fixed texts.
        let _ = reply.fields.push(name, value);
    }
    Ok(reply)
}

/// The form of a request.
struct Form {
    zip: Vec<u8>,
    name: String,
    group: String,
}

impl Form {
    fn read(by: &Manager, asked: &Asked) -> Result<Self, Not> {
        let media = asked.head().fields().get("Content-Type").map(String::from_utf8_lossy);
        let mut fields = fields(&media.unwrap_or_default(), asked.body())
            .map_err(|why| Not::Asked("bundle", why.to_string()))?;
        let applid = by.region.options.applid.to_string();
        for place in ["cicsplex", "region"] {
            let given = text(&fields, place).filter(|given| !given.is_empty());
            if given.is_some_and(|given| !given.eq_ignore_ascii_case(applid.trim())) {
                return Err(Not::Asked(place, format!("the region stands alone: it is {applid}")));
            }
        }
        let name = |field| {
            let given = text(&fields, field).map(|name| name.to_ascii_uppercase());
            given
                .filter(|name| !name.is_empty())
                .ok_or_else(|| Not::Asked(field, "it must be given".to_owned()))
        };
        let (name, group) = (name("bunddef")?, name("csdgroup")?);
        let zip = fields.iter_mut().find(|field| field.name == b"bundle");
        let zip = zip.ok_or_else(|| Not::Asked("bundle", "it must be given".to_owned()))?;
        Ok(Self { zip: std::mem::take(&mut zip.value), name, group })
    }
}

fn text(fields: &[Field], name: &str) -> Option<String> {
    let field = fields.iter().find(|field| field.name == name.as_bytes())?;
    Some(String::from_utf8_lossy(&field.value).trim().to_owned())
}

/// Checks that the user may have a bundle disabled, discarded, installed and enabled.
fn may(by: &Manager, name: &str) -> Result<(), Not> {
    let needed: [CommandId; 4] =
        [cmd::SET_BUNDLE, cmd::DISCARD_BUNDLE, command_of(Verb::Install), command_of(Verb::View)];
    let is_of_bundles = |command| command == cmd::SET_BUNDLE || command == cmd::DISCARD_BUNDLE;
    let may = |command: CommandId| {
        by.may_do(command, None) && (!is_of_bundles(command) || by.may_do(command, Some(name.as_bytes())))
    };
    match may_change(by) && needed.into_iter().all(may) {
        true => Ok(()),
        false => Err(Not::Permitted("The user may not deploy a bundle".to_owned())),
    }
}

/// Deploys the bundle of a request. Its name.
async fn deploy(by: &Manager, asked: &Asked) -> Result<String, Not> {
    if asked.head().method() != "POST" {
        return Err(Not::So);
    }
    let root = Surroundings::deploys(&by.region);
    let root = root.ok_or_else(|| {
        Not::Permitted("No bundles are deployed here: `deploy` in region.toml names no folder".to_owned())
    })?;
    let Form { zip, name, group } = Form::read(by, asked)?;
    may(by, &name)?;
    let archive = off_the_thread(by, move || Archive::read(&zip)).await?;
    let archive = archive.map_err(|why| Not::Asked("bundle", why.to_string()))?;
    let folder = folder_of(&manifest(&archive).map_err(|why| Not::Asked("bundle", why))?);
    let definition =
        definition(by, (&name, &group), &format!("{}/{folder}", root.trim_end_matches('/'))).await?;
    let _alone = by.region.part::<Deployment>().begin()?;
    replace(by, &definition, (root, folder), archive).await?;
    Ok(name)
}

/// The definition of the BUNDLE, which names the folder.
async fn definition(by: &Manager, (name, group): (&str, &str), folder: &str) -> Result<Definition, Not> {
    let unreadable = |_| Not::done("The definitions cannot be read");
    let csd = Shelf::read(by).await?.map_err(unreadable)?;
    let is_it = |it: &&Definition| it.resource == ResourceType::Bundle && it.name == name;
    let found = csd.group(group).iter().find(is_it);
    let found = found.ok_or_else(|| Not::Asked("bunddef", format!("group {group} has no BUNDLE {name}")))?;
    let directory = found.get("BUNDLEDIR").unwrap_or_default().trim_end_matches('/');
    match directory == folder {
        true => Ok(found.clone()),
        false => Err(Not::Asked(
            "bundle",
            format!(
                "its id and version belong to BUNDLEDIR({folder}), and BUNDLE {name} has BUNDLEDIR({directory})"
            ),
        )),
    }
}

/// Has the new bundle in the place of the one that the region has. If that fails, or the task is purged, the old one comes back.
async fn replace(
    by: &Manager,
    definition: &Definition,
    folder: (String, String),
    archive: Archive,
) -> Result<(), Not> {
    let kind = look::kind("BUNDLE").map_err(|_| Not::done("The region has no bundles"))?;
    let name = Name8::from(definition.name.as_str());
    let old = Bundles::of(&by.region).get(name);
    let was_enabled = old.as_ref().is_some_and(|old| old.is_enabled(&by.region));
    match put_in_place(by, (kind, definition), old.as_ref(), folder, archive).await {
        Ok(()) => enabled(by, kind, name).await,
        Err(not) => {
            if was_enabled {
                // A task that was purged may wait for nothing any more.
                let beside = Manager::new(&by.region, by.user());
                set(&beside, kind, name, "ENABLED").await?;
            }
            Err(not)
        }
    }
}

/// Puts the new bundle into its folder, and installs it. Its folder has the old one again, if that is the one that stays.
async fn put_in_place(
    by: &Manager,
    (kind, definition): (&Kind, &Definition),
    old: Option<&Arc<Bundle>>,
    (root, folder): (String, String),
    archive: Archive,
) -> Result<(), Not> {
    let name = Name8::from(definition.name.as_str());
    if let Some(old) = old {
        stand_still(by, kind, old).await?;
    }
    let root = by.region.options.application_folder.join(root);
    let (placed, purged) = to_its_end(by, move || place(&root, &folder, &archive, &mut || {})).await;
    let placed =
        placed?.map_err(|error| Not::done(format!("The bundle cannot be put into its folder: {error}")))?;
    let made = match purged {
        Some(raise) => Err(NotMade { raise, why: String::new() }),
        None => install_one(by, definition).await,
    };
    let now = Bundles::of(&by.region).get(name);
    let is_old = match (old, &now) {
        (Some(old), Some(now)) => Arc::ptr_eq(old, now),
        (None, None) => true,
        _ => false,
    };
    let end: fn(Placed) -> std::io::Result<()> = if is_old { Placed::take_back } else { Placed::keep };
    let (ended, _) = to_its_end(by, move || end(placed)).await;
    if let Err(error) = ended? {
        tracing::warn!(target: "RL", "what is left of a deployment cannot be cleared away: {error}");
    }
    made.map_err(|NotMade { raise, why }| match raise {
        Raise::Abend(_) => Not::Raised(raise),
        Raise::Condition(..) => Not::done(why),
    })
}

/// Disables the bundle that is to go, and waits until no task uses its resources: for a limited time.
async fn stand_still(by: &Manager, kind: &Kind, old: &Bundle) -> Result<(), Not> {
    let name = old.name();
    match pause(by, old).await {
        Err(raise @ Raise::Condition(..)) => {
            return Err(Not::done(format!("BUNDLE {name} cannot be disabled: {raise}")));
        }
        paused => paused?,
    }
    let Some(defined) = kind.defined else { return Ok(()) };
    let until = Instant::now() + DISABLE_WAIT_MAX;
    while (defined.may_discard)(&by.region, name.as_bytes()).is_err() {
        if Instant::now() >= until {
            return Err(Not::done(format!(
                "BUNDLE {name} is in use for longer than {} seconds (DISABLE_WAIT_MAX)",
                DISABLE_WAIT_MAX.as_secs()
            )));
        }
        let step: Duration = DISABLE_STEP;
        by.wait(WaitKind::PROGRAM, tokio::time::sleep(step)).await?;
    }
    Ok(())
}

/// Enables the new bundle, unless its definition has done so.
async fn enabled(by: &Manager, kind: &Kind, name: Name8) -> Result<(), Not> {
    let bundle = || -> Option<Arc<Bundle>> { Bundles::of(&by.region).get(name) };
    if !bundle().is_some_and(|bundle| bundle.is_enabled(&by.region)) {
        // Its troubles say more than the condition.
        let outcome = set(by, kind, name, "ENABLED").await;
        if let Err(raised @ Not::Raised(_)) = outcome {
            return Err(raised);
        }
    }
    match bundle() {
        Some(bundle) if bundle.is_enabled(&by.region) => Ok(()),
        Some(bundle) => {
            let mut all = vec![format!("BUNDLE {name} is installed and not enabled")];
            all.extend(bundle.troubles(&by.region));
            Err(Not::Done(all))
        }
        None => Err(Not::done(format!("BUNDLE {name} was discarded meanwhile"))),
    }
}

/// SET BUNDLE.
async fn set(by: &Manager, kind: &Kind, name: Name8, status: &'static str) -> Result<(), Not> {
    let changes = [(opt::ENABLESTATUS, Given::Cvda(status))];
    match kind.table.change(by, name.as_bytes(), &changes).await {
        Ok(()) => Ok(()),
        Err(raise @ Raise::Condition(..)) => {
            Err(Not::done(format!("SET BUNDLE({name}) ENABLESTATUS({status}) raises {raise}")))
        }
        Err(abend) => Err(Not::Raised(abend)),
    }
}

/// Does what takes the file system's time, or the processor's.
async fn off_the_thread<T: Send + 'static>(
    by: &Manager,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Not> {
    let done = by.wait(WaitKind::TCB, tokio::task::spawn_blocking(work)).await?;
    done.map_err(not_worked)
}

/// Does what must not be left half done: it comes to its end even if the task is purged meanwhile, whose abend is the second value.
async fn to_its_end<T: Send + 'static>(
    by: &Manager,
    work: impl FnOnce() -> T + Send + 'static,
) -> (Result<T, Not>, Option<Raise>) {
    let mut work = tokio::task::spawn_blocking(work);
    let (done, purged) = match by.wait(WaitKind::TCB, &mut work).await {
        Ok(done) => (done, None),
        Err(raise) => (work.await, Some(raise)),
    };
    (done.map_err(not_worked), purged)
}

fn not_worked(_: tokio::task::JoinError) -> Not {
    Not::done("The region ends, or the work has failed")
}
