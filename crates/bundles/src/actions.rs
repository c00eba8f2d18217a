//! The actions of rules: a message, an abend, an event.

use std::sync::Arc;

use capture::Capture;
use capture::events::{Events, RuleEvent};
use kernel::clock::Moment;
use kernel::lines::often;
use kernel::raise::AbendCode;
use kernel::region::Region;
use kernel::task::{Task, TaskControl};
use policies::{Action, Occurrence, Rule, TaskRule};
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
            None
        }
        Action::Abend(code) => {
            often!(
                warn, target: "MP",
                "DFHMP3002 {applid} {who} exceeded a policy threshold and is abended with abend code {code}. {details}"
            );
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
    }
}

/// Something has happened that a rule is about.
pub(crate) fn of_region(
    region: &Arc<Region>,
    installed: &InstalledRule,
    task: Option<&TaskControl>,
    seen: &Occurrence,
) {
    let (rule, policy) = (installed.rule(), &installed.policy);
    let kind = seen.kind.type_name();
    match &rule.action {
        Action::Message | Action::Abend(_) => {
            let applid = region.options.applid;
            let who = task.map_or_else(
                || String::from("The region"),
                |task| format!("Task {} ({})", task.number, task.transaction.name),
            );
            let of = if seen.name.is_empty() { String::new() } else { format!("NAME={}, ", seen.name) };
            often!(
                warn, target: "MP",
                "DFHMP3009 {applid} {who} has triggered a {kind} system rule {} ({of}FROM={}, TO={}) defined by policy {} in \
                 bundle {}.", rule.name, seen.from, seen.to, policy.name, policy.bundle
            );
        }
        Action::Event { .. } => {
            let mut data = common(region, installed, task);
            data["rule_type"] = kind.into();
            data["name"] = seen.name.as_str().into();
            data["from"] = seen.from.as_str().into();
            data["to"] = seen.to.as_str().into();
            emit(region, installed, task, data);
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
