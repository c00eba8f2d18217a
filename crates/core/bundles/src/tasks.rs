//! Rules of what a task uses, as thresholds of the kernel.

use std::sync::Arc;

use kernel::raise::AbendCode;
use kernel::region::Region;
use kernel::task::{Amount, Measure, Overseer, Oversight, Plan, Task, TaskControl, Threshold};
use kernel::transactions::Supplied;
use policies::task_rule::{Owner, Queues, StoragePlace};
use policies::{Action, Condition, Quantity, TaskRule};
use spec::measures::{EXEC_SQL, Source, monitoring_fields, slot};
use spec::{CommandId, cmd};

use crate::actions;
use crate::installed::InstalledRule;

/// Transactions of the product whose tasks are those of users, as published: typed commands, requests, mirrors.
const USERS_OWN: [&[u8]; 10] =
    [b"CECI", b"CPIH", b"CPMI", b"CSM1", b"CSM2", b"CSM3", b"CSM5", b"CSMI", b"CVMI", b"CWBA"];

/// The rules of a region's tasks: each with its place in the plan.
struct Rules {
    plan: Plan,
    rules: Vec<InstalledRule>,
}

/// From now on tasks that begin have these rules.
pub(crate) fn set(region: &Region, rules: &[InstalledRule]) {
    let task_rule = |rule: &InstalledRule| match &rule.rule().condition {
        Condition::Task(condition) => {
            let threshold = threshold(condition, matches!(rule.rule().action, Action::Abend(_)))?;
            Some((threshold, rule.clone()))
        }
        Condition::System(_) => None,
    };
    let mut all: Vec<_> = rules.iter().filter_map(task_rule).collect();
    // The published order: the lowest threshold first; of one threshold messages, then events, then abends.
    all.sort_by_key(|(threshold, rule)| (threshold.most, rule.order()));
    let (thresholds, rules): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let overseer = (!rules.is_empty())
        .then(|| Arc::new(Rules { plan: Plan::new(thresholds), rules }) as Arc<dyn Overseer>);
    Oversight::set(region, overseer);
}

impl Overseer for Rules {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn oversees(&self, task: &TaskControl) -> bool {
        task.transaction.supplied == Supplied::No || USERS_OWN.contains(&task.transaction.name.trimmed())
    }

    fn passed(&self, task: &mut Task, place: usize, value: u64) -> Option<AbendCode> {
        let rule = &self.rules[place];
        let Condition::Task(condition) = &rule.rule().condition else { return None };
        rule.acts();
        actions::of_task(task, rule, condition, value)
    }
}

/// The threshold of a rule; `None`: nothing can pass it.
fn threshold(rule: &TaskRule, ends: bool) -> Option<Threshold> {
    let measure = match rule.quantity {
        Quantity::Never => return None,
        Quantity::RunTransid => commands(&[cmd::RUN_TRANSID]),
        Quantity::ContainerBytes => Measure::Amount(Amount::ContainerBytes),
        Quantity::Sql => Measure::Requests(Box::new([EXEC_SQL as u8])),
        Quantity::Commands => field("EICTOTCT"),
        Quantity::Delete => commands(&[cmd::DELETE]),
        Quantity::Read => Measure::Reads,
        Quantity::ReadNext => commands(&[cmd::READNEXT]),
        Quantity::ReadPrev => commands(&[cmd::READPREV]),
        Quantity::ReadUpdate => Measure::Amount(Amount::ReadsForUpdate),
        Quantity::Rewrite => commands(&[cmd::REWRITE]),
        Quantity::StartBrowse => commands(&[cmd::STARTBR]),
        Quantity::Write => commands(&[cmd::WRITE]),
        Quantity::GetCounter => field("NCGETCT"),
        Quantity::Link => commands(&[cmd::LINK]),
        Quantity::Start => commands(&[cmd::START, cmd::START_CHANNEL]),
        Quantity::Storage(owner, place) => Measure::Amount(storage(owner, place).1),
        Quantity::Getmains(owner, place) => Measure::Amount(storage(owner, place).0),
        Quantity::Syncpoint => commands(&[cmd::SYNCPOINT, cmd::SYNCPOINT_ROLLBACK]),
        Quantity::ReadTd => commands(&[cmd::READQ_TD]),
        Quantity::WriteTd => commands(&[cmd::WRITEQ_TD]),
        Quantity::Processor => Measure::Processor,
        Quantity::Elapsed => Measure::Elapsed,
        Quantity::TsBytes(queues) => Measure::Amount(match queues {
            Queues::All => Amount::TsBytes,
            Queues::Auxiliary => Amount::TsBytesAuxiliary,
            Queues::Main => Amount::TsBytesMain,
        }),
        Quantity::TsWrites(queues) => Measure::Amount(match queues {
            Queues::All => Amount::TsWrites,
            Queues::Auxiliary => Amount::TsWritesAuxiliary,
            Queues::Main => Amount::TsWritesMain,
        }),
        Quantity::Web => field("WBTOTCT"),
        Quantity::Invoke => field("WBIWBSCT"),
    };
    Some(Threshold { measure, most: rule.most, ends })
}

/// Requests of commands whose counters are their own.
fn commands(commands: &[CommandId]) -> Measure {
    let mut slots: Vec<u8> = commands.iter().map(|command| slot(*command) as u8).collect();
    slots.dedup();
    Measure::Requests(slots.into())
}

/// The requests that a field of monitoring counts.
fn field(name: &str) -> Measure {
    let field = monitoring_fields().iter().find(|field| field.name == name);
    match field.map(|field| field.source) {
        Some(Source::Requests(slots)) => Measure::Requests(slots.into()),
        _ => Measure::Requests(Box::default()),
    }
}

/// The amounts of GETMAINs and of bytes.
fn storage(owner: Owner, place: StoragePlace) -> (Amount, Amount) {
    match (owner, place) {
        (Owner::Task, StoragePlace::Bits24) => (Amount::Getmains24, Amount::Storage24),
        (Owner::Task, StoragePlace::Bits31) => (Amount::Getmains31, Amount::Storage31),
        (Owner::Task, StoragePlace::Bits64) => (Amount::Getmains64, Amount::Storage64),
        (Owner::Shared, StoragePlace::Bits24) => (Amount::SharedGetmains24, Amount::SharedBytes24),
        (Owner::Shared, StoragePlace::Bits31) => (Amount::SharedGetmains31, Amount::SharedBytes31),
        (Owner::Shared, StoragePlace::Bits64) => (Amount::SharedGetmains64, Amount::SharedBytes64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_rules_tell_apart_have_counters_of_their_own() {
        for command in
            [cmd::READNEXT, cmd::READPREV, cmd::STARTBR, cmd::DELETE, cmd::WRITE, cmd::LINK, cmd::READ]
        {
            let others = spec::commands().iter().filter(|other| other.id != command);
            assert!(others.clone().all(|other| slot(other.id) != slot(command)), "{command:?}");
        }
        for name in ["EICTOTCT", "NCGETCT", "WBTOTCT", "WBIWBSCT"] {
            assert!(matches!(field(name), Measure::Requests(slots) if !slots.is_empty()), "{name}");
        }
    }
}
