//! The measured values: the fields of monitoring and of statistics as data.
//!
//! Every published field has a line under `monitoring/` or `statistics/`. A line with a source is kept. A field of monitoring
//! without a source has the reason: `<?` if it waits for its part of the product, `<!` if it cannot exist here. A field of
//! statistics without a source is known, and waits for its part of the product:
//!
//! ```text
//! field FCGETCT  A036 count  file reads          <- requests READ
//! field IMSREQCT A179 count  DBCTL requests      <! there is no DL/I
//! field FCIOWTT  S063 clock  file I/O wait       <- waits file
//! field USRCPUT  S008 clock  total CPU time      <- measured cpu
//! field XMGPAT   number      most tasks at once  <- peak
//! ```
//!
//! Requests are counted by command: the build gives each command one counter, which it shares with the commands that
//! are counted by the same fields. Names of waits and of other measured values are the kernel's.

use crate::CommandId;

include!(concat!(env!("OUT_DIR"), "/measures.rs"));

/// The form of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A time and how often it was taken.
    Clock,
    /// A count of events.
    Count,
    /// A number that is not added up.
    Value,
    /// A time.
    Time,
    /// A point in time.
    Stamp,
    /// Characters: at most this many; 0 if the published field gives no length.
    Text(usize),
    /// A list of names, each with a time and a count: ours.
    Named,
}

/// A field of a monitoring record.
#[derive(Debug)]
pub struct MonitoringField {
    /// Its name: `USRCPUT`.
    pub name: &'static str,
    /// Its group: `DFHTASK`.
    pub group: &'static str,
    /// The class of records that it is in: `performance`.
    pub record: &'static str,
    /// Its number in the group after the letter of its form: `S008`; `None` if it is not known.
    pub id: Option<&'static str>,
    /// Its form.
    pub form: Form,
    /// Its meaning.
    pub meaning: &'static str,
    /// The source of its value.
    pub source: Source,
}

/// The source of a monitoring field, or the reason of its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It cannot exist here, for this reason.
    Never(&'static str),
    /// It is not kept as long as this is so.
    NotYet(&'static str),
    /// The sum of these counters of requests.
    Requests(&'static [u8]),
    /// The sum of the waits with these causes.
    Waits(&'static [&'static str]),
    /// The value that the kernel measures under this name.
    Measured(&'static str),
}

/// A kind of statistics: one record for a region, or one for each resource.
#[derive(Debug)]
pub struct StatisticsKind {
    /// Its name.
    pub name: &'static str,
    /// Its published layout; `-`: ours.
    pub dsect: &'static str,
    /// The reason why nothing of it is kept; `None` if something is.
    pub absence: Option<Source>,
    /// Its fields.
    pub fields: &'static [StatisticsField],
}

/// A field of a statistics record.
#[derive(Debug)]
pub struct StatisticsField {
    /// Its name: `XMGNUM`.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// Its meaning; empty if it is not kept.
    pub meaning: &'static str,
    /// The source of its value, and the effect of a reset.
    pub from: From,
}

/// The source of a statistics field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// It is not kept.
    NotYet,
    /// It is counted; a reset sets it to 0.
    Counter,
    /// The highest value; a reset sets it to the present one.
    Peak,
    /// The present value; a reset changes nothing.
    Current,
    /// A counter of requests.
    Requests {
        /// The counters of all commands that make it up.
        slots: &'static [u8],
        /// The commands that are counted.
        commands: &'static [CommandId],
    },
}

/// A statistic's place: its kind, and the field in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatisticId {
    /// The kind's place in [`statistics_kinds`].
    pub kind: u16,
    /// The field's place in the kind.
    pub field: u16,
}

impl StatisticId {
    /// The field.
    pub fn field(self) -> &'static StatisticsField {
        &STATISTICS_KINDS[usize::from(self.kind)].fields[usize::from(self.field)]
    }
}

/// The counter to which a command adds.
///
/// # Panics
/// If the command's number is of another build.
#[inline]
pub const fn slot(command: CommandId) -> usize {
    SLOT_OF_COMMAND[command.0 as usize] as usize
}

/// All fields of monitoring.
pub fn monitoring_fields() -> &'static [MonitoringField] {
    MONITORING_FIELDS
}

/// All kinds of statistics.
pub fn statistics_kinds() -> &'static [StatisticsKind] {
    STATISTICS_KINDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd;

    fn field(name: &str) -> &'static MonitoringField {
        monitoring_fields().iter().find(|field| field.name == name).expect("a published field")
    }

    fn counts(name: &str, command: CommandId) -> bool {
        matches!(field(name).source, Source::Requests(slots) if slots.iter().any(|s| usize::from(*s) == slot(command)))
    }

    #[test]
    fn a_command_adds_to_one_counter_and_every_field_that_counts_it_has_that_counter() {
        for (name, command, counted) in [
            ("FCGETCT", cmd::READ, true),
            ("FCTOTCT", cmd::READ, true),
            ("EICTOTCT", cmd::READ, true),
            ("EICTOTCT", cmd::ASSIGN, true),
            ("FCGETCT", cmd::WRITE, false),
            ("FCTOTCT", cmd::ASSIGN, false),
        ] {
            assert_eq!(counts(name, command), counted, "{name} {command:?}");
        }
    }

    #[test]
    fn published_fields_keep_their_numbers() {
        let cpu = field("USRCPUT");
        assert_eq!((cpu.group, cpu.id, cpu.form), ("DFHTASK", Some("S008"), Form::Clock));
        assert_eq!(stat::XMGPAT.field().name, "XMGPAT");
        assert_eq!(stat::XMGPAT.field().from, From::Peak);
    }
}
