//! INQUIRE POLICY and INQUIRE POLICYRULE.

use std::sync::Arc;

use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Key, Kind, Manager, Resource};
use kernel::task::Task;
use policies::limits::{NAME_MAX, USER_TAG_MAX};
use policies::{Action, Condition, Quantity, SystemKind};
use spec::{cmd, cond, opt};

use crate::bundle::Bundles;
use crate::installed::{InstalledPolicy, InstalledRule};

/// Characters of the names of adapters, and of an item.
const ADAPTER: usize = 32;

/// RESP2 of NOTFND. Recalled, not read.
const NOT_FOUND: i32 = 1;

/// These commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_POLICY, Handler::Now(|task, call| POLICIES.inquire(task, call))),
    (cmd::INQUIRE_POLICYRULE, Handler::Now(inquire_rule)),
];

/// The resource types.
pub(crate) static POLICY_KIND: Kind =
    Kind { name: "POLICY", table: &POLICIES, inquire: cmd::INQUIRE_POLICY, set: None, defined: None };
pub(crate) static RULE_KIND: Kind =
    Kind { name: "POLICYRULE", table: &RULES, inquire: cmd::INQUIRE_POLICYRULE, set: None, defined: None };

/// A name as INQUIRE gives it.
fn padded(name: &str) -> Vec<u8> {
    format!("{name:<NAME_MAX$}").into_bytes()
}

static POLICIES: Resource<Arc<InstalledPolicy>> = Resource {
    name: opt::POLICY,
    key: Key::Name,
    names: |by| Bundles::of(&by.region).policies().iter().map(|policy| padded(&policy.name)).collect(),
    find: |by, name| {
        let all = Bundles::of(&by.region).policies();
        all.into_iter().find(|policy| policy.name.as_bytes() == name.trim_ascii_end())
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::BUNDLE, |_, it| Value::text(it.bundle.as_bytes())),
        (opt::ENABLESTATUS, |_, it| Value::either(it.is_enabled(), "ENABLED", "DISABLED")),
        (opt::USERTAG, |_, it| Value::padded(&it.user_tag, USER_TAG_MAX)),
    ],
    settings: &[],
};

/// The table of rules, whose names are the rule's and its policy's: rules of several policies may have one name.
static RULES: Resource<InstalledRule> = Resource {
    name: opt::POLICYRULE,
    key: Key::Name,
    names: |by| Bundles::of(&by.region).rules().iter().map(rule_key).collect(),
    find: |by, name| Bundles::of(&by.region).rules().into_iter().find(|rule| rule_key(rule) == name),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ABENDCODE, |_, it| {
            Value::padded(if let Action::Abend(code) = &it.rule().action { code } else { "" }, 4)
        }),
        (opt::ACTIONCOUNT, |_, it| Value::Number(it.actions() as i64)),
        (opt::ACTIONTYPE, |_, it| {
            Value::Cvda(match it.rule().action {
                Action::Message => "MESSAGE",
                Action::Abend(_) => "ABEND",
                Action::Event { .. } => "EVENT",
                Action::Health(_) => "HEALTH",
                Action::Reject => "REJECT",
            })
        }),
        (opt::EPADAPTER, |_, it| Value::padded(adapter(it, false), ADAPTER)),
        (opt::EPADAPTERSET, |_, it| Value::padded(adapter(it, true), ADAPTER)),
        (opt::LASTACTTIME, |_, it| Value::Number(it.last_action())),
        (opt::POLICY, |_, it| Value::padded(&it.policy.name, NAME_MAX)),
        (opt::RULEGROUP, |_, it| {
            Value::either(matches!(it.rule().condition, Condition::System(_)), "SYSTEM", "TASK")
        }),
        (opt::RULEITEM, |_, it| {
            Value::padded(
                if let Condition::Task(rule) = &it.rule().condition { rule.item } else { "" },
                ADAPTER,
            )
        }),
        (opt::RULETYPE, |_, it| Value::Cvda(type_of(it))),
        (opt::THRESHOLD, |_, it| {
            let threshold =
                if let Condition::Task(rule) = &it.rule().condition { rule.shown(rule.most) } else { 0 };
            Value::Number(i64::try_from(threshold).unwrap_or(i64::MAX))
        }),
        (opt::WLMOPENST, |_, it| {
            Value::Cvda(if let Action::Health(to) = it.rule().action { to.cvda() } else { "NOTAPPLIC" })
        }),
    ],
    settings: &[],
};

fn rule_key(rule: &InstalledRule) -> Vec<u8> {
    [padded(&rule.rule().name), padded(&rule.policy.name)].concat()
}

fn adapter(rule: &InstalledRule, wants_set: bool) -> &str {
    match &rule.rule().action {
        Action::Event { adapter, is_set } if *is_set == wants_set => adapter,
        _ => "",
    }
}

/// RULETYPE of a rule.
fn type_of(rule: &InstalledRule) -> &'static str {
    match &rule.rule().condition {
        Condition::Task(rule) => match rule.quantity {
            Quantity::RunTransid => "ASYNCREQUEST",
            Quantity::ContainerBytes => "CONTAINER",
            Quantity::Sql => "DATABASEREQ",
            Quantity::Never => "NOTAPPLIC",
            Quantity::Commands => "EXECREQUEST",
            Quantity::Delete
            | Quantity::Read
            | Quantity::ReadNext
            | Quantity::ReadPrev
            | Quantity::ReadUpdate
            | Quantity::Rewrite
            | Quantity::StartBrowse
            | Quantity::Write => "FILEREQUEST",
            Quantity::GetCounter => "NCREQUEST",
            Quantity::Link => "PROGRAMREQ",
            Quantity::Start => "STARTREQUEST",
            Quantity::Storage(..) => "STORAGE",
            Quantity::Getmains(..) => "STORAGEREQ",
            Quantity::Syncpoint => "SYNCPOINTREQ",
            Quantity::ReadTd | Quantity::WriteTd => "TDQREQUEST",
            Quantity::Processor | Quantity::Elapsed => "TIME",
            Quantity::TsBytes(_) => "TSQBYTES",
            Quantity::TsWrites(_) => "TSQREQUEST",
            Quantity::Web | Quantity::Invoke => "WEBREQUEST",
        },
        Condition::System(rule) => match rule.kind {
            SystemKind::Tasks => "TASKTHRESH",
            SystemKind::ClassTasks => "TCLASSTHRESH",
            SystemKind::Abend => "UNHNDABEND",
            SystemKind::BundleEnable => "BUNDLEENABLE",
            SystemKind::Db2Connection => "DB2CONN",
            SystemKind::FileEnable => "FILEENABLE",
            SystemKind::FileOpen => "FILEOPEN",
            SystemKind::PipelineEnable => "PIPELINEENBL",
            SystemKind::ServiceOpen => "TCPIPSOPEN",
            SystemKind::JvmServerEnable => "JVMSENABLE",
            SystemKind::ProgramEnable => "PROGENABLE",
            SystemKind::Descriptors => "AIDTHRESH",
            SystemKind::Message => "MESSAGE",
            SystemKind::Dump => "TRANDUMP",
            SystemKind::Health => "HEALTH",
        },
    }
}

/// INQUIRE POLICYRULE: by its name and its policy's, or by a browse.
fn inquire_rule(task: &mut Task, call: &Call<'_>) -> Outcome {
    if call.keyword(opt::START) || call.keyword(opt::NEXT) || call.keyword(opt::END) {
        return RULES.inquire(task, call);
    }
    let text = |option| -> Outcome<Vec<u8>> {
        let bytes = call.bytes(option)?.unwrap_or_default();
        Ok(padded(&String::from_utf8_lossy(bytes.trim_ascii_end())))
    };
    let name = [text(opt::POLICYRULE)?, text(opt::POLICY)?].concat();
    let by = Manager::of(task);
    let rule = (RULES.find)(&by, &name).ok_or(cond::NOTFND.raise(NOT_FOUND))?;
    let mut told = RULES.rows.iter().filter(|(option, _)| *option != opt::POLICY && call.has(*option));
    told.try_for_each(|(option, value)| call.put_value(*option, &value(&by, &rule)))
}
