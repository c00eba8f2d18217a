//! Rules of what a task uses: a quantity, and the most of it that is in order.

use bundle_source::xml::{Element, Wrong};

/// A quantity that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// RUN TRANSID.
    RunTransid,
    /// Bytes of containers.
    ContainerBytes,
    /// SQL statements.
    Sql,
    /// Requests that no program can make here: DL/I, and queues of messages. Such a rule never acts.
    Never,
    /// EXEC CICS commands.
    Commands,
    /// DELETE of a file.
    Delete,
    /// READ without UPDATE.
    Read,
    /// READNEXT.
    ReadNext,
    /// READPREV.
    ReadPrev,
    /// READ with UPDATE.
    ReadUpdate,
    /// REWRITE.
    Rewrite,
    /// STARTBR.
    StartBrowse,
    /// WRITE of a file.
    Write,
    /// GET COUNTER and GET DCOUNTER.
    GetCounter,
    /// LINK.
    Link,
    /// START.
    Start,
    /// Bytes of storage of the task's own or shared, at a place.
    Storage(Owner, StoragePlace),
    /// GETMAINs of it.
    Getmains(Owner, StoragePlace),
    /// SYNCPOINT.
    Syncpoint,
    /// READQ TD.
    ReadTd,
    /// WRITEQ TD.
    WriteTd,
    /// Nanoseconds of processor time.
    Processor,
    /// Nanoseconds since the attach.
    Elapsed,
    /// Bytes of WRITEQ TS.
    TsBytes(Queues),
    /// WRITEQ TS.
    TsWrites(Queues),
    /// WEB commands.
    Web,
    /// INVOKE SERVICE.
    Invoke,
}

/// The owner of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The task.
    Task,
    /// The region.
    Shared,
}

/// The place of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoragePlace {
    /// Below 16 MB.
    Bits24,
    /// Between 16 MB and 2 GB.
    Bits31,
    /// Above.
    Bits64,
}

/// Queues of temporary storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queues {
    /// Of all kinds.
    All,
    /// On disk.
    Auxiliary,
    /// In main storage.
    Main,
}

/// The form of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A number of requests.
    Count,
    /// Bytes, at most as many as a place has.
    Bytes(u64),
    /// Nanoseconds.
    Time,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRule {
    /// Its type, as messages and statistics name it.
    pub kind: &'static str,
    /// Its subtype.
    pub item: &'static str,
    /// The quantity.
    pub quantity: Quantity,
    /// The most that is in order: requests, bytes or nanoseconds.
    pub most: u64,
    /// The threshold as it was written, and its unit.
    pub written: (u64, String),
}

/// The subtypes of a type. The first name of each is the one that messages have; others mean the same.
type Items = &'static [(&'static [&'static str], Quantity, Form)];

/// A type: its names, the names of its condition, its subtypes.
struct Kind {
    names: &'static [&'static str],
    condition: &'static [&'static str],
    items: Items,
}

const MB16: u64 = (16 << 20) - 1;
const GB2: u64 = (2 << 30) - 1;
const ALL: u64 = u64::MAX;

use Form::{Bytes, Count, Time};
use Owner::{Shared, Task};
use StoragePlace::{Bits24, Bits31, Bits64};

/// All types.
static KINDS: &[Kind] = &[
    Kind {
        names: &["asyncrequest"],
        condition: &["asyncRequestCondition"],
        items: &[(&["runtransid"], Quantity::RunTransid, Count)],
    },
    Kind {
        names: &["container", "containerstorage"],
        condition: &["containerCondition", "containerStorageCondition", "containerStorageUsedCondition"],
        items: &[(&["containerstorage", "used"], Quantity::ContainerBytes, Bytes(ALL))],
    },
    Kind {
        names: &["databaserequest"],
        condition: &["databaseRequestCondition"],
        items: &[(&["sqlcommand"], Quantity::Sql, Count), (&["dlicommand"], Quantity::Never, Count)],
    },
    Kind {
        names: &["execcicsrequest", "execrequest"],
        condition: &["execCicsRequestCondition", "execRequestCondition"],
        items: &[(&["execcicscommand", "all"], Quantity::Commands, Count)],
    },
    Kind {
        names: &["filerequest"],
        condition: &["fileRequestCondition"],
        items: &[
            (&["delete"], Quantity::Delete, Count),
            (&["read"], Quantity::Read, Count),
            (&["readnext"], Quantity::ReadNext, Count),
            (&["readprev"], Quantity::ReadPrev, Count),
            (&["readupdate"], Quantity::ReadUpdate, Count),
            (&["rewrite"], Quantity::Rewrite, Count),
            (&["startbr"], Quantity::StartBrowse, Count),
            (&["write"], Quantity::Write, Count),
        ],
    },
    Kind {
        names: &["mqrequest", "wmqrequest"],
        condition: &["mqRequestCondition", "wmqRequestCondition"],
        items: &[(&["mqcommand", "wmqcommand"], Quantity::Never, Count)],
    },
    Kind {
        names: &["ncrequest", "namedcounterrequest"],
        condition: &["ncRequestCondition", "namedCounterRequestCondition"],
        items: &[(&["get", "getcounter"], Quantity::GetCounter, Count)],
    },
    Kind {
        names: &["programrequest"],
        condition: &["programRequestCondition"],
        items: &[(&["link"], Quantity::Link, Count)],
    },
    Kind {
        names: &["startrequest"],
        condition: &["startRequestCondition"],
        items: &[(&["start"], Quantity::Start, Count)],
    },
    Kind {
        names: &["storage"],
        condition: &["storageUsedCondition"],
        items: &[
            (&["task24"], Quantity::Storage(Task, Bits24), Bytes(MB16)),
            (&["shared24"], Quantity::Storage(Shared, Bits24), Bytes(MB16)),
            (&["task31"], Quantity::Storage(Task, Bits31), Bytes(GB2)),
            (&["shared31"], Quantity::Storage(Shared, Bits31), Bytes(GB2)),
            (&["task64"], Quantity::Storage(Task, Bits64), Bytes(ALL)),
            (&["shared64"], Quantity::Storage(Shared, Bits64), Bytes(ALL)),
        ],
    },
    Kind {
        names: &["storagerequest"],
        condition: &["storageRequestCondition"],
        items: &[
            (&["task24request"], Quantity::Getmains(Task, Bits24), Count),
            (&["shared24request"], Quantity::Getmains(Shared, Bits24), Count),
            (&["task31request"], Quantity::Getmains(Task, Bits31), Count),
            (&["shared31request"], Quantity::Getmains(Shared, Bits31), Count),
            (&["task64request"], Quantity::Getmains(Task, Bits64), Count),
            (&["shared64request"], Quantity::Getmains(Shared, Bits64), Count),
        ],
    },
    Kind {
        names: &["syncpointrequest"],
        condition: &["syncpointRequestCondition"],
        items: &[(&["syncpoint"], Quantity::Syncpoint, Count)],
    },
    Kind {
        names: &["tdqrequest", "tdqueuerequest"],
        condition: &["tdqRequestCondition", "tdqueueRequestCondition"],
        items: &[
            (&["readq", "readtdq"], Quantity::ReadTd, Count),
            (&["writeq", "writetdq"], Quantity::WriteTd, Count),
        ],
    },
    Kind {
        names: &["time"],
        condition: &["timeCondition"],
        items: &[
            (&["cpulimit", "cpu"], Quantity::Processor, Time),
            (&["elapsedlimit", "elapsed"], Quantity::Elapsed, Time),
        ],
    },
    Kind {
        names: &["tsqbytes", "tsqueuebytes"],
        condition: &["tsqBytesCondition", "tsqueueBytesCondition"],
        items: &[
            (&["all", "total"], Quantity::TsBytes(Queues::All), Bytes(ALL)),
            (&["auxiliary", "aux"], Quantity::TsBytes(Queues::Auxiliary), Bytes(ALL)),
            (&["main"], Quantity::TsBytes(Queues::Main), Bytes(ALL)),
        ],
    },
    Kind {
        names: &["tsqrequest", "tsqueuerequest"],
        condition: &["tsqRequestCondition", "tsqueueRequestCondition"],
        items: &[
            (&["all", "total"], Quantity::TsWrites(Queues::All), Count),
            (&["auxiliary", "aux"], Quantity::TsWrites(Queues::Auxiliary), Count),
            (&["main"], Quantity::TsWrites(Queues::Main), Count),
        ],
    },
    Kind {
        names: &["webrequest"],
        condition: &["webRequestCondition"],
        items: &[
            (&["web", "webcommand"], Quantity::Web, Count),
            (&["invokeservice"], Quantity::Invoke, Count),
        ],
    },
];

/// Seconds of a threshold of time.
const SECONDS_MAX: u64 = 86_400;
/// Requests of a threshold, and bytes in the unit that was written.
const NUMBER_MAX: u64 = 4_294_967_295;

impl TaskRule {
    /// Returns true if rules of what a task uses have such a type.
    pub(crate) fn is_type(name: &str) -> bool {
        kind(name).is_some()
    }

    /// Reads the condition of a rule of a type.
    pub(crate) fn read(name: &str, rule: &Element) -> Result<Self, Wrong> {
        let kind = kind(name).ok_or_else(|| rule.wrong(format!("the rule type '{name}' is not known")))?;
        let condition = rule.parts.iter().find(|part| part.name.ends_with("Condition"));
        let condition = condition.ok_or_else(|| rule.wrong(format!("it has no <{}>", kind.condition[0])))?;
        if !kind.condition.contains(&condition.name.as_str()) {
            return Err(condition.wrong(format!("{condition} is no condition of the rule type '{name}'")));
        }
        condition.knows(&["item", "operator", "unit", "value"])?;
        condition.parts_of(&[])?;
        let item = condition.need("item")?;
        let known = kind.items.iter().find(|(names, ..)| names.contains(&item));
        let (items, quantity, form) = *known.ok_or_else(|| {
            condition.wrong(format!("the item '{item}' of the rule type '{name}' is not known"))
        })?;
        let operator = condition.attribute("operator").unwrap_or("GT");
        if operator != "GT" {
            return Err(condition.wrong(format!("the operator '{operator}' is not GT")));
        }
        let unit = condition.attribute("unit").unwrap_or_default();
        let digits = condition.need("value")?;
        let value: u64 = digits.parse().ok().filter(|value| *value <= NUMBER_MAX).ok_or_else(|| {
            condition.wrong(format!("the value '{digits}' is no number up to {NUMBER_MAX}"))
        })?;
        let (factor, most) = form.unit(unit).ok_or_else(|| {
            condition.wrong(format!("the unit '{unit}' is none of the rule type '{name}': {}", form.units()))
        })?;
        let threshold = value.checked_mul(factor).filter(|threshold| *threshold <= most);
        let threshold = threshold.ok_or_else(|| {
            condition.wrong(format!("the threshold {value}{unit} is too high for '{item}'"))
        })?;
        Ok(Self {
            kind: kind.names[0],
            item: items[0],
            quantity,
            most: threshold,
            written: (value, unit.to_owned()),
        })
    }

    /// All types and subtypes, as messages name them, with their quantities.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str, Quantity)> {
        let of = |kind: &'static Kind| {
            kind.items.iter().map(|(names, quantity, _)| (kind.names[0], names[0], *quantity))
        };
        KINDS.iter().flat_map(of)
    }

    /// A value in the unit in which thresholds of its type are published: nanoseconds are microseconds.
    pub fn shown(&self, value: u64) -> u64 {
        if matches!(self.quantity, Quantity::Processor | Quantity::Elapsed) { value / 1_000 } else { value }
    }
}

fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.names.contains(&name))
}

impl Form {
    /// The factor of a unit, and the highest threshold.
    fn unit(self, unit: &str) -> Option<(u64, u64)> {
        Some(match (self, unit) {
            (Count, "") => (1, NUMBER_MAX),
            (Count, "K") => (1_000, NUMBER_MAX),
            (Bytes(most), "" | "B") => (1, most),
            (Bytes(most), "K") => (1 << 10, most),
            (Bytes(most), "M") => (1 << 20, most),
            (Bytes(most), "G") => (1 << 30, most),
            (Time, "" | "O") => (1_000, SECONDS_MAX * 1_000_000_000),
            (Time, "M") => (1_000_000, SECONDS_MAX * 1_000_000_000),
            (Time, "S") => (1_000_000_000, SECONDS_MAX * 1_000_000_000),
            _ => return None,
        })
    }

    fn units(self) -> &'static str {
        match self {
            Count => "K, or none",
            Bytes(_) => "B, K, M or G",
            Time => "O, M or S",
        }
    }
}
