//! The actions of rules: a message, an abend, an event, the health of the region.

use std::fmt::Display;
use std::sync::Arc;

use capture::Capture;
use capture::events::{Events, RuleEvent};
use kernel::clock::Moment;
use kernel::health::{Health, Refusal};
use kernel::lines::often;
use kernel::notices::Notices;
use kernel::raise::AbendCode;
use kernel::region::Region;
use kernel::task::{Task, TaskControl};
use policies::{Action, HealthStatus, Occurrence, Rule, TaskRule};
use serde_json::{Value, json};

use crate::installed::InstalledRule;

/// The business event of a policy, as published.
const EVENT: &str = "CICS_Policy_Event";

/// Checks that a rule can act: an adapter is installed, or is an `[[event]]` of region.toml.
pub(crate) fn check(region: &Region, rule: &Rule) -> Result<(), String> {
    let Action::Event { adapter, is_set } = &rule.action else { return Ok(()) };
    if Events::of(region).has(adapter, *is_set) || Capture::of(region).wants(adapter) {
        return Ok(());
    }
    let kind = if *is_set { "EPADAPTERSET" } else { "EPADAPTER" };
    Err(format!("there is no {kind} {adapter}, and region.toml has no [[event]] that would stand for it"))
}

/// Emits the event of a rule: by an adapter of a bundle, or as a line of the file that stands for one.
fn emit(region: &Arc<Region>, installed: &InstalledRule, task: Option<&TaskControl>, data: Value) {
    let (rule, policy) = (installed.rule(), &installed.policy);
    let Action::Event { adapter, is_set } = &rule.action else { return };
    if !Events::of(region).has(adapter, *is_set) {
        return Capture::of(region).emit(adapter, &line(region, data));
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let items = data.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value)));
    Events::of(region).emit(
        region,
        &RuleEvent {
            name: EVENT,
            of: (policy.bundle, &policy.name, &rule.name),
            user_tag: &policy.user_tag,
            schema: policy.schema,
            adapter: (adapter, *is_set),
            items: items.collect(),
            task,
        },
    );
}

/// A task has passed the threshold of a rule. The abend that ends it.
pub(crate) fn of_task(
    task: &Task,
    installed: &InstalledRule,
    condition: &TaskRule,
    value: u64,
) -> Option<AbendCode> {
    let (rule, policy) = (installed.rule(), &installed.policy);
    let (written, unit) = &condition.written;
    let (threshold, current) = (condition.shown(condition.most), condition.shown(value));
    let details = format!(
        "BundleId={}, PolicyName={}, RuleName={}, RuleType={}, Category={}, Threshold={threshold} (Value={written}, \
         Unit={unit}), CurrentCount={current}.",
        policy.bundle_id, policy.name, rule.name, condition.kind, condition.item
    );
    let (applid, who) =
        (task.region.options.applid, format!("Task {}({})", task.number, task.transaction.name));
    match &rule.action {
        Action::Message => {
            often!(warn, target: "MP", "DFHMP3001 {applid} {who} exceeded a policy threshold. {details}");
            tell_of_task(task, installed, condition, ("DFHMP3001", None), current);
            None
        }
        Action::Abend(code) => {
            often!(
                warn, target: "MP",
                "DFHMP3002 {applid} {who} exceeded a policy threshold and is abended with abend code {code}. {details}"
            );
            tell_of_task(task, installed, condition, ("DFHMP3002", Some(code)), current);
            Some(AbendCode::from(code.as_str()))
        }
        Action::Event { .. } => {
            let mut data = common(&task.region, installed, Some(task));
            data["rule_type"] = condition.kind.into();
            data["rule_item"] = condition.item.into();
            data["operator"] = "GT".into();
            data["threshold"] = threshold.into();
            data["current_count"] = current.into();
            emit(&task.region, installed, Some(&task.control), data);
            None
        }
        // Rules of tasks have neither.
        Action::Health(_) | Action::Reject => None,
    }
}

/// Those who listen hear of the message about a task that has passed a threshold. The inserts stand in their published order.
fn tell_of_task(
    task: &Task,
    installed: &InstalledRule,
    condition: &TaskRule,
    (id, code): (&str, Option<&String>),
    current: u64,
) {
    let (rule, policy) = (installed.rule(), &installed.policy);
    let (value, unit) = &condition.written;
    let threshold = condition.shown(condition.most);
    let who: [&dyn Display; 2] = [&task.number, &task.transaction.name];
    let what: [&dyn Display; 9] = [
        &policy.bundle_id,
        &policy.name,
        &rule.name,
        &condition.kind,
        &condition.item,
        &threshold,
        value,
        unit,
        &current,
    ];
    let code = code.map(|code| code as &dyn Display);
    let inserts: Vec<&dyn Display> = who.into_iter().chain(code).chain(what).collect();
    Notices::message(&task.region, Some(&task.control), id, &inserts);
}

/// Something has happened that a rule is about.
pub(crate) fn of_region(
    region: &Arc<Region>,
    installed: &InstalledRule,
    task: Option<&TaskControl>,
    seen: &Occurrence,
) {
    match installed.rule().action {
        Action::Message | Action::Abend(_) => {
            let applid = region.options.applid;
            let triggered = triggered(installed, task, seen);
            often!(warn, target: "MP", "DFHMP3009 {applid} {triggered}.");
            tell_of_region(region, installed, task, ("DFHMP3009", seen));
        }
        Action::Health(to) => {
            let (applid, done) = (region.options.applid, set_health(region, to));
            let triggered = triggered(installed, task, seen);
            often!(warn, target: "MP", "DFHMP3015 {applid} {triggered}: {done}.");
            tell_of_region(region, installed, task, ("DFHMP3015", seen));
        }
        Action::Event { .. } => {
            let mut data = common(region, installed, task);
            data["rule_type"] = seen.kind.type_name().into();
            data["name"] = seen.name.as_str().into();
            data["from"] = seen.from.as_str().into();
            data["to"] = seen.to.as_str().into();
            for (place, insert) in seen.inserts.iter().enumerate() {
                data[format!("insert{}", place + 1)] = insert.as_str().into();
            }
            emit(region, installed, task, data);
        }
        // The one who gives the request hears it.
        Action::Reject => {}
    }
}

/// The sentence about a rule that has been set off.
fn triggered(installed: &InstalledRule, task: Option<&TaskControl>, seen: &Occurrence) -> String {
    let (rule, policy, kind) = (installed.rule(), &installed.policy, seen.kind.type_name());
    let who = task.map_or_else(
        || String::from("The region"),
        |task| format!("Task {} ({})", task.number, task.transaction.name),
    );
    format!(
        "{who} has triggered a {kind} system rule {} ({}) defined by policy {} in bundle {}",
        rule.name,
        details(seen),
        policy.name,
        policy.bundle
    )
}

/// The occurrence, in brief. A message and a dump have no status before and behind.
fn details(seen: &Occurrence) -> String {
    let name = (!seen.name.is_empty()).then(|| format!("NAME={}", seen.name));
    let has_change = !seen.from.is_empty() || !seen.to.is_empty();
    let change = has_change.then(|| format!("FROM={}, TO={}", seen.from, seen.to));
    name.into_iter().chain(change).collect::<Vec<_>>().join(", ")
}

/// Those who listen hear of the message about a rule that has been set off.
fn tell_of_region(
    region: &Arc<Region>,
    installed: &InstalledRule,
    task: Option<&TaskControl>,
    (id, seen): (&str, &Occurrence),
) {
    let (rule, policy) = (installed.rule(), &installed.policy);
    let number = task.map_or(0, |task| task.number);
    let transaction = task.map(|task| task.transaction.name).unwrap_or_default();
    let inserts: [&dyn Display; 7] = [
        &number,
        &transaction,
        &seen.kind.type_name(),
        &rule.name,
        &details(seen),
        &policy.name,
        &policy.bundle,
    ];
    Notices::message(region, task, id, &inserts);
}

/// Has the health of the region rise or fall, as SET WLMHEALTH does. The outcome, in words.
fn set_health(region: &Region, to: HealthStatus) -> String {
    let health = Health::of(region);
    let set = match to {
        HealthStatus::Open => health.open(),
        HealthStatus::Closed => health.close(),
        HealthStatus::ImmClose => health.close_now(),
    };
    let (status, value) = (to.cvda(), health.value());
    match set {
        Ok(()) => format!("the health of the region is set {status} and is {value} now"),
        Err(refusal) => {
            let why = match refusal {
                Refusal::Off => "WLMHEALTH is OFF",
                Refusal::RisesAlready => "it rises already, or is 100",
                Refusal::FallsAlready => "it falls already, or is 0",
                Refusal::NoInterval => "its interval is 0",
            };
            format!("the health of the region is not set {status}: {why}")
        }
    }
}

/// The data of every event of a policy.
fn common(region: &Region, installed: &InstalledRule, task: Option<&TaskControl>) -> Value {
    let policy = &installed.policy;
    let [major, minor, micro] = policy.bundle_version;
    json!({
        "version": format!("{}.{}", policy.schema.0, policy.schema.1),
        "task_id": task.map_or(0, |task| task.number),
        "tran_id": task.map(|task| task.transaction.name.to_string()).unwrap_or_default(),
        "user_id": task.map(|task| task.user.id.to_string()).unwrap_or_default(),
        "applid": region.options.applid.to_string(),
        "policy_name": policy.name,
        "policy_user_tag": policy.user_tag,
        "rule_name": installed.rule().name,
        "bundle_name": policy.bundle.to_string(),
        "bundle_id": policy.bundle_id,
        "bundle_version": format!("{major}.{minor}.{micro}"),
    })
}

fn line(region: &Region, data: Value) -> Value {
    json!({
        "event": EVENT,
        "unix-ms": Moment::now().unix_ms,
        "applid": region.options.applid.to_string(),
        "data": data,
    })
}
