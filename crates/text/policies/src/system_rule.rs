//! Rules of what happens to a region: a status that changes, a count of tasks, an abend, a message.

use bundle_source::xml::{Element, Wrong};

use crate::messages;

/// A kind of occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemKind {
    /// The tasks of the region in percent of MXT.
    Tasks,
    /// The tasks of a transaction class in percent of MAXACTIVE.
    ClassTasks,
    /// A task that fails with an abend that no program handles.
    Abend,
    /// ENABLESTATUS of a BUNDLE.
    BundleEnable,
    /// ENABLESTATUS of a FILE.
    FileEnable,
    /// OPENSTATUS of a FILE.
    FileOpen,
    /// CONNECTST of the DB2CONN.
    Db2Connection,
    /// ENABLESTATUS of a PIPELINE.
    PipelineEnable,
    /// OPENSTATUS of a TCPIPSERVICE.
    ServiceOpen,
    /// ENABLESTATUS of a JVMSERVER.
    JvmServerEnable,
    /// STATUS of a PROGRAM.
    ProgramEnable,
    /// Automatic initiate descriptors: started tasks that wait for a terminal.
    Descriptors,
    /// A message with a published number.
    Message,
    /// A transaction dump.
    Dump,
    /// The health of the region in percent.
    Health,
}

/// A field of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Transaction,
    User,
    Name,
    From,
    To,
    Percent,
    Count,
    Code,
    Program,
    /// An insert of a message, by its number.
    Insert(usize),
}

impl Field {
    /// Returns true if a rule compares it with a threshold that it passes upwards or downwards.
    fn passes(self, operator: Operator) -> bool {
        match self {
            Self::Percent => matches!(operator, Operator::GoesAbove | Operator::GoesBelow),
            // Published: a request that would make too many.
            Self::Count => operator == Operator::GoesAbove,
            _ => false,
        }
    }

    /// Returns true if it may be compared with a value.
    fn takes(self, value: &str) -> bool {
        match self {
            Self::Percent => value.parse().is_ok_and(|percent: u32| percent <= 100),
            Self::Count => value.parse::<u32>().is_ok(),
            _ => true,
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equals,
    Differs,
    StartsWith,
    StartsOtherwise,
    GoesAbove,
    GoesBelow,
}

/// A rule: all of its filters must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemRule {
    /// The kind of occurrence.
    pub kind: SystemKind,
    filters: Vec<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Filter {
    field: Field,
    operator: Operator,
    value: String,
}

/// An occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its kind.
    pub kind: SystemKind,
    /// The transaction of the task by which it has come; empty: of none.
    pub transaction: String,
    /// The user of that task.
    pub user: String,
    /// The resource; empty: the region.
    pub name: String,
    /// The status before, or the percentage; of an abend its code.
    pub from: String,
    /// The status now, or the percentage; of an abend its program.
    pub to: String,
    /// Inserts of a message, in the published order: INSERT1 is the first.
    pub inserts: Vec<String>,
}

/// The fields of filters, by the names that they may have.
type Fields = &'static [(&'static [&'static str], Field)];

const ENABLE: [(&[&str], Field); 2] = [
    (&["FROM_ENABLESTATUS", "FROM_ENABLE_STATUS"], Field::From),
    (&["TO_ENABLESTATUS", "TO_ENABLE_STATUS"], Field::To),
];
const OPEN: [(&[&str], Field); 2] = [
    (&["FROM_OPENSTATUS", "FROM_OPEN_STATUS"], Field::From),
    (&["TO_OPENSTATUS", "TO_OPEN_STATUS"], Field::To),
];

/// All kinds: the type, as a rule has it, and the fields of its filter.
static KINDS: &[(&str, SystemKind, Fields)] = &[
    ("taskThreshold", SystemKind::Tasks, &[(&["PERCENT_MAXTASKS"], Field::Percent)]),
    (
        "tranclassTaskThreshold",
        SystemKind::ClassTasks,
        &[
            (&["TRANCLASS_NAME", "TRANCLASS"], Field::Name),
            (&["PERCENT_MAXACTIVE", "PERCENT_MAXTASKS"], Field::Percent),
        ],
    ),
    (
        "unhandledTransactionAbend",
        SystemKind::Abend,
        &[(&["ABEND_CODE", "ABCODE"], Field::Code), (&["PROGRAM", "CURRENT_PGM"], Field::Program)],
    ),
    (
        "bundleEnableStatus",
        SystemKind::BundleEnable,
        &[(&["BUNDLE", "BUNDLE_NAME"], Field::Name), ENABLE[0], ENABLE[1]],
    ),
    (
        "fileEnableStatus",
        SystemKind::FileEnable,
        &[(&["FILE", "FILE_NAME"], Field::Name), ENABLE[0], ENABLE[1]],
    ),
    (
        "db2ConnectionStatus",
        SystemKind::Db2Connection,
        &[
            (&["FROM_CONNECTST", "FROM_CONNECTSTATUS"], Field::From),
            (&["TO_CONNECTST", "TO_CONNECTSTATUS"], Field::To),
        ],
    ),
    ("fileOpenStatus", SystemKind::FileOpen, &[(&["FILE", "FILE_NAME"], Field::Name), OPEN[0], OPEN[1]]),
    (
        "pipelineEnableStatus",
        SystemKind::PipelineEnable,
        &[(&["PIPELINE", "PIPELINE_NAME"], Field::Name), ENABLE[0], ENABLE[1]],
    ),
    (
        "tcpipserviceStatus",
        SystemKind::ServiceOpen,
        &[(&["TCPIPSERVICE", "TCPIPSERVICE_NAME"], Field::Name), OPEN[0], OPEN[1]],
    ),
    (
        "jvmserverEnableStatus",
        SystemKind::JvmServerEnable,
        &[(&["JVMSERVER", "JVMSERVER_NAME"], Field::Name), ENABLE[0], ENABLE[1]],
    ),
    (
        "programEnableStatus",
        SystemKind::ProgramEnable,
        &[(&["PROGRAM", "PROGRAM_NAME"], Field::Name), ENABLE[0], ENABLE[1]],
    ),
    ("aidThreshold", SystemKind::Descriptors, &[(&["AID_COUNT", "AID_THRESHOLD"], Field::Count)]),
    ("message", SystemKind::Message, &[(&["MESSAGE_ID"], Field::Name)]),
    ("transactionDump", SystemKind::Dump, &[(&["DUMP_CODE", "DUMPCODE", "TRANDUMPCODE"], Field::Name)]),
    ("healthPercentage", SystemKind::Health, &[(&["PERCENT_HEALTH", "HEALTH"], Field::Percent)]),
];

/// Types that are published in two spellings: the other one, and that of [`KINDS`].
static OTHER_SPELLINGS: &[(&str, &str)] = &[("jvmServerEnableStatus", "jvmserverEnableStatus")];

/// Published types that are not built, and why.
static NOT_BUILT: &[(&str, &str)] = &[
    ("bundleAvailableStatus", "bundles have no application entry points"),
    ("dbctlConnectionStatus", "there is no DL/I"),
    ("ipicConnectionStatus", "the region does not follow the status of links"),
    ("mroConnectionStatus", "the region does not follow the status of links"),
];

impl SystemKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(_, kind, _)| *kind)
    }

    /// The type of its rules.
    pub fn type_name(self) -> &'static str {
        KINDS.iter().find(|(_, kind, _)| *kind == self).map_or("", |(name, ..)| name)
    }

    fn of(name: &str) -> Option<(Self, Fields)> {
        let name = OTHER_SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
        KINDS.iter().find(|(known, ..)| *known == name).map(|(_, kind, fields)| (*kind, *fields))
    }
}

impl SystemRule {
    /// Reads the condition of a rule of a type.
    pub(crate) fn read(name: &str, rule: &Element) -> Result<Self, Wrong> {
        let Some((kind, fields)) = SystemKind::of(name) else {
            return Err(rule.wrong(match NOT_BUILT.iter().find(|(known, _)| *known == name) {
                Some((_, why)) => format!("the rule type '{name}' is not built: {why}"),
                None => format!("the rule type '{name}' is not known"),
            }));
        };
        let wanted = format!("{name}Condition");
        let condition = rule.one(&wanted)?.ok_or_else(|| rule.wrong(format!("it has no <{wanted}>")))?;
        let own = format!("{name}Filter");
        let mut filters = Vec::new();
        for part in condition.parts_of(&["contextFilter", &own])? {
            const CONTEXT: Fields = &[(&["TRANSACTION_ID"], Field::Transaction), (&["USER_ID"], Field::User)];
            let fields = if part.name == own { fields } else { CONTEXT };
            for filter in &part.parts {
                filters.extend(Filter::read(filter, fields)?);
            }
        }
        Ok(Self { kind, filters })
    }

    /// Returns true if it is about an occurrence.
    pub fn is_about(&self, occurrence: &Occurrence) -> bool {
        self.kind == occurrence.kind && self.filters.iter().all(|filter| filter.holds(occurrence))
    }
}

/// The field that a filter names, where a rule has these.
fn field(name: &str, fields: Fields) -> Option<Field> {
    let named = fields.iter().find(|(names, _)| names.contains(&name)).map(|(_, field)| *field);
    let has_inserts = fields.iter().any(|(names, _)| names.contains(&messages::ID));
    named.or_else(|| messages::insert(name).filter(|_| has_inserts).map(Field::Insert))
}

impl Filter {
    /// Reads a filter; `None` if it is off.
    fn read(element: &Element, fields: Fields) -> Result<Option<Self>, Wrong> {
        element.knows(&["filterFieldLength", "filterOperator", "filterValue", "keyword"])?;
        element.parts_of(&[])?;
        let field = field(&element.name, fields)
            .ok_or_else(|| element.wrong(format!("the filter {element} is not known here")))?;
        let operator = match element.need("filterOperator")? {
            "OFF" => return Ok(None),
            "EQ" => Operator::Equals,
            "NEQ" | "NE" => Operator::Differs,
            "STW" | "SW" => Operator::StartsWith,
            "DNSW" | "NSTW" | "NSW" => Operator::StartsOtherwise,
            "GHT" => Operator::GoesAbove,
            "GLT" => Operator::GoesBelow,
            other => return Err(element.wrong(format!("the operator '{other}' of {element} is not known"))),
        };
        let value = element.need("filterValue")?.trim_end().to_owned();
        let is_threshold = matches!(field, Field::Percent | Field::Count);
        let passes = matches!(operator, Operator::GoesAbove | Operator::GoesBelow);
        if is_threshold != passes || passes && !field.passes(operator) || !field.takes(&value) {
            return Err(element.wrong(format!("{element} cannot be compared so with '{value}'")));
        }
        if element.name == messages::ID && operator == Operator::Equals {
            messages::check(&value).map_err(|why| element.wrong(why))?;
        }
        Ok(Some(Self { field, operator, value }))
    }

    fn holds(&self, occurrence: &Occurrence) -> bool {
        let of = match self.field {
            Field::Transaction => &occurrence.transaction,
            Field::User => &occurrence.user,
            Field::Name => &occurrence.name,
            Field::From | Field::Code => &occurrence.from,
            Field::To | Field::Program | Field::Percent | Field::Count => &occurrence.to,
            Field::Insert(number) => match occurrence.inserts.get(number - 1) {
                Some(insert) => insert,
                // A message that has no such insert is none that the filter is about.
                None => return false,
            },
        };
        let percent = |text: &str| text.parse::<u32>().unwrap_or_default();
        match self.operator {
            Operator::Equals => *of == self.value,
            Operator::Differs => *of != self.value,
            Operator::StartsWith => of.starts_with(&self.value),
            Operator::StartsOtherwise => !of.starts_with(&self.value),
            Operator::GoesAbove => {
                let limit = percent(&self.value);
                percent(&occurrence.from) <= limit && percent(of) > limit
            }
            Operator::GoesBelow => {
                let limit = percent(&self.value);
                percent(&occurrence.from) >= limit && percent(of) < limit
            }
        }
    }
}
