//! A policy: rules, each with a condition and an action.

use bundle_source::xml::{Element, Wrong};

use crate::limits::{NAME_MAX, RULES_MAX, USER_TAG_MAX};
use crate::system_rule::{SystemKind, SystemRule};
use crate::task_rule::TaskRule;

/// The namespace of policies.
const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/cics/managedplatform/policy";

/// The schema of V5.6, which has brought the actions about health and requests, has version 6.
const SCHEMA_MAX: u32 = 6;

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its user tag; empty: none.
    pub user_tag: String,
    /// Version and release of its schema.
    pub schema: (u32, u32),
    /// Its rules, in their order.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Its condition.
    pub condition: Condition,
    /// Its action.
    pub action: Action,
    /// The line on which it begins.
    pub line: usize,
}

/// The condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A task uses too much.
    Task(TaskRule),
    /// Something happens to the region.
    System(SystemRule),
}

/// The action of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A message.
    Message,
    /// The task ends with this abend.
    Abend(String),
    /// An event, to the adapter of a name or to the adapters of a set.
    Event {
        /// The name.
        adapter: String,
        /// It is that of a set.
        is_set: bool,
    },
    /// The health of the region begins to rise or fall, as by SET WLMHEALTH.
    Health(HealthStatus),
    /// The command that a rule is about is refused.
    Reject,
}

/// OPENSTATUS of SET WLMHEALTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthStatus {
    /// The health rises.
    Open,
    /// It falls.
    Closed,
    /// It is 0 at once.
    ImmClose,
}

impl HealthStatus {
    const ALL: [Self; 3] = [Self::Open, Self::Closed, Self::ImmClose];

    /// Its CVDA.
    pub fn cvda(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Closed => "CLOSED",
            Self::ImmClose => "IMMCLOSE",
        }
    }
}

impl Action {
    /// Its type, as messages and statistics name it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Abend(_) => "abend",
            Self::Event { .. } => "event",
            Self::Health(_) => "setWlmHealth",
            Self::Reject => "reject",
        }
    }
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// It is none, or has something that is not known.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        let root = Element::read(text)?;
        if root.name != "policy" || root.namespace != NAMESPACE {
            return Err(root.wrong(format!("{root} is no policy")));
        }
        root.knows(&["policySchemaVersion", "policySchemaRelease"])?;
        let number = |name: &str| {
            let digits = root.need(name)?;
            let number = digits.parse().ok().filter(|number: &u32| *number <= 99);
            number.ok_or_else(|| root.wrong(format!("{name} is no number up to 99: '{digits}'")))
        };
        let schema = (number("policySchemaVersion")?, number("policySchemaRelease")?);
        if schema.0 > SCHEMA_MAX {
            return Err(root.wrong(format!(
                "the schema {}.{} is not known, only those up to {SCHEMA_MAX}",
                schema.0, schema.1
            )));
        }
        let user_tag = root.one("userTag")?.map_or("", |tag| tag.text.trim());
        if !is_tag(user_tag) {
            return Err(root.wrong(format!("the userTag '{user_tag}' is none")));
        }
        let parts = root.parts_of(&["description", "userTag", "rule"])?;
        let rules = parts.iter().filter(|part| part.name == "rule").map(Rule::read);
        let rules: Vec<Rule> = rules.collect::<Result<_, _>>()?;
        if rules.is_empty() || rules.len() > RULES_MAX {
            return Err(root.wrong(format!("a policy has 1 to {RULES_MAX} rules")));
        }
        for (place, rule) in rules.iter().enumerate() {
            if rules[..place].iter().any(|other| other.name == rule.name) {
                return Err(Wrong::new(rule.line, format!("there is a second rule '{}'", rule.name)));
            }
        }
        Ok(Self { user_tag: user_tag.to_owned(), schema, rules })
    }
}

impl Rule {
    fn read(rule: &Element) -> Result<Self, Wrong> {
        rule.knows(&["group", "type"])?;
        let name = rule.one("name")?.map_or("", |name| name.text.trim());
        if !is_rule_name(name) {
            return Err(rule.wrong(format!("the name of a rule is missing, or is none: '{name}'")));
        }
        let known = |part: &&Element| {
            matches!(part.name.as_str(), "name" | "description" | "action")
                || part.name.ends_with("Condition")
        };
        if let Some(part) = rule.parts.iter().find(|part| !known(part)) {
            return Err(part.wrong(format!("{part} is not known in {rule}")));
        }
        let conditions: Vec<_> = rule.parts.iter().filter(|part| part.name.ends_with("Condition")).collect();
        if let [_, second, ..] = conditions[..] {
            return Err(second.wrong(format!("{rule} has a second condition")));
        }
        let kind = rule.need("type")?;
        let is_of_system = match rule.attribute("group") {
            None => !TaskRule::is_type(kind),
            Some("TASK") => false,
            Some("SYSTEM") => true,
            Some(other) => return Err(rule.wrong(format!("the group '{other}' of rules is not known"))),
        };
        let condition = if is_of_system {
            Condition::System(SystemRule::read(kind, rule)?)
        } else {
            Condition::Task(TaskRule::read(kind, rule)?)
        };
        let action = rule.one("action")?.ok_or_else(|| rule.wrong("it has no <action>"))?;
        let action = Action::read(action, &condition)?;
        Ok(Self { name: name.to_owned(), condition, action, line: rule.line })
    }
}

impl Action {
    fn read(action: &Element, condition: &Condition) -> Result<Self, Wrong> {
        let [what] =
            action.parts_of(&["message", "abend", "event", "setWlmHealth", "setHealth", "reject"])?
        else {
            return Err(action.wrong("a rule has one action"));
        };
        match (what.name.as_str(), condition) {
            ("message", _) => what.knows(&[]).map(|()| Self::Message),
            ("abend", Condition::System(_)) => {
                Err(what.wrong("a rule about the region has no task that could abend"))
            }
            ("abend", Condition::Task(_)) => Self::abend(what),
            ("event", _) => Self::event(what),
            ("reject", Condition::System(rule)) if rule.kind == SystemKind::Descriptors => {
                what.knows(&[])?;
                what.parts_of(&[]).map(|_| Self::Reject)
            }
            ("reject", _) => {
                Err(what.wrong("only a rule of the type 'aidThreshold' has a request to refuse"))
            }
            (_, Condition::System(_)) => Self::health(what),
            (name, Condition::Task(_)) => {
                Err(what.wrong(format!("the action '{name}' is one of rules about the region alone")))
            }
        }
    }

    fn abend(what: &Element) -> Result<Self, Wrong> {
        what.knows(&["abendCode"])?;
        let code = what.one("abendCode")?.map(|code| code.text.trim());
        let code = code.or(what.attribute("abendCode")).filter(|code| !code.is_empty()).unwrap_or("AMPB");
        let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@#$".contains(&byte);
        if code.len() > 4 || !code.bytes().all(is_one) {
            return Err(what.wrong(format!("the abend code '{code}' is none")));
        }
        what.parts_of(&["abendCode"])?;
        Ok(Self::Abend(code.to_owned()))
    }

    fn event(what: &Element) -> Result<Self, Wrong> {
        what.knows(&["epAdapter", "epAdapterSet"])?;
        what.parts_of(&["epAdapter", "epAdapterSet"])?;
        let named = |name: &str| {
            let within = what.one(name)?.map(|adapter| adapter.text.trim());
            Ok(within.or(what.attribute(name)).filter(|adapter| !adapter.is_empty()))
        };
        match (named("epAdapter")?, named("epAdapterSet")?) {
            (Some(adapter), None) => Ok(Self::Event { adapter: adapter.to_owned(), is_set: false }),
            (None, Some(adapter)) => Ok(Self::Event { adapter: adapter.to_owned(), is_set: true }),
            _ => Err(what.wrong("an event goes to an <epAdapter> or an <epAdapterSet>")),
        }
    }

    fn health(what: &Element) -> Result<Self, Wrong> {
        what.knows(&["openStatus"])?;
        what.parts_of(&["openStatus"])?;
        let within = what.one("openStatus")?.map(|status| status.text.trim());
        let status = within.or(what.attribute("openStatus")).unwrap_or_default();
        let known = HealthStatus::ALL.into_iter().find(|known| known.cvda() == status);
        known
            .map(Self::Health)
            .ok_or_else(|| what.wrong(format!("the openStatus '{status}' is none: OPEN, CLOSED or IMMCLOSE")))
    }
}

fn is_rule_name(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte == b'.';
    !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_one)
}

/// Returns true if a policy may have this name.
pub fn is_policy_name(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins
        && name.len() <= NAME_MAX
        && name.bytes().all(is_one)
        && !name.to_ascii_lowercase().starts_with("xml")
}

fn is_tag(tag: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = tag.bytes().next().is_none_or(|byte| byte.is_ascii_alphabetic());
    begins && tag.len() <= USER_TAG_MAX && tag.bytes().all(is_one)
}
