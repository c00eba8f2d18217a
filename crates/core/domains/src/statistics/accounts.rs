//! The operating system's accounts of the region and of what works for it: HBZT shows them, statistics record them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use spec::measures::stat;

use super::{Collected, Collector, Statistics};
use kernel::meters::{self, Machine, Spent};
use kernel::region::Region;
use kernel::ticks;

/// Names of programs with lines of their own; all others are one line.
const NAMES_MAX: usize = 5;
const OTHERS: &str = "others";
/// Private database servers of a region have folders in its state that begin so.
const DATABASES: &str = "postgresql";

/// Processor time at one moment, or between two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Nanoseconds of the region's clock.
    pub at: u64,
    /// The region's process.
    pub region: Spent,
    /// Its TCBs by name, in nanoseconds.
    pub tcbs: Vec<(String, u64)>,
    /// Processes that work for it, by the names of their programs: how many there are, and their time.
    pub children: BTreeMap<String, (usize, Spent)>,
    /// Processes that have ended, of which the region has heard.
    pub ended: Spent,
    /// The machine.
    pub machine: Machine,
    /// Tasks of the application that have ended.
    pub tasks: u64,
}

impl Accounts {
    /// The accounts at this moment.
    pub fn now(region: &Region) -> Self {
        let mut accounts = Self::of_processes(&region.options.record_folder);
        for meter in Statistics::of(region).meters() {
            accounts.tcbs.push((meter.name.clone(), meter.processor_ns()));
            accounts.tasks += meter.tasks.get();
        }
        accounts
    }

    /// The accounts of processes, and of the machine; the folder is that of records.
    fn of_processes(folder: &Path) -> Self {
        let mut accounts = Self { at: ticks::now(), machine: meters::machine(), ..Self::default() };
        let family = meters::family(&databases(folder));
        let mut family = family.iter();
        if let Some(own) = family.next() {
            (accounts.region, accounts.ended) = (own.own, own.ended);
        }
        for account in family {
            let is_known =
                accounts.children.contains_key(&account.name) || accounts.children.len() < NAMES_MAX;
            let name = if is_known { account.name.clone() } else { OTHERS.to_owned() };
            let (count, spent) = accounts.children.entry(name).or_default();
            // A parent has the time of its own children that have ended: it is that of the same program.
            (*count, *spent) = (*count + 1, spent.and(account.own).and(account.ended));
        }
        accounts
    }

    /// The growth since a baseline.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let tcb = |(place, (name, ns)): (usize, &(String, u64))| {
            let earlier = before.tcbs.get(place).map_or(0, |(_, ns)| *ns);
            (name.clone(), ns.saturating_sub(earlier))
        };
        let child = |(name, (count, spent)): (&String, &(usize, Spent))| {
            let earlier = before.children.get(name).map(|(_, spent)| *spent).unwrap_or_default();
            (name.clone(), (*count, spent.since(earlier)))
        };
        Self {
            at: self.at.saturating_sub(before.at),
            region: self.region.since(before.region),
            tcbs: self.tcbs.iter().enumerate().map(tcb).collect(),
            children: self.children.iter().map(child).collect(),
            ended: self.ended.since(before.ended),
            machine: Machine {
                processes: self.machine.processes.since(before.machine.processes),
                interrupts: self.machine.interrupts.saturating_sub(before.machine.interrupts),
            },
            tasks: self.tasks.saturating_sub(before.tasks),
        }
    }

    /// The region and all that works for it.
    pub fn together(&self) -> Spent {
        self.children.values().fold(self.region.and(self.ended), |sum, (_, spent)| sum.and(*spent))
    }
}

/// The processes of the region's private database servers, which may have been started by an earlier run. Their folders lie
/// beside that of records.
fn databases(folder: &Path) -> Vec<u32> {
    let state = folder.parent().unwrap_or(Path::new("."));
    let entries = fs::read_dir(state).into_iter().flatten().flatten();
    let servers = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(DATABASES));
    let process = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path().join("data/postmaster.pid")).ok()?;
        text.lines().next()?.trim().parse().ok()
    };
    servers.filter_map(process).collect()
}

/// The teller of the accounts.
pub(super) fn teller(folder: &Path) -> Arc<dyn Collector> {
    Arc::new(Teller { first: Accounts::of_processes(folder), children: Mutex::default() })
}

struct Teller {
    /// The accounts when the region began.
    first: Accounts,
    /// The most that was told of each process by name: no counter becomes smaller.
    children: Mutex<BTreeMap<String, Spent>>,
}

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        let now = Accounts::now(region);
        let grown = now.since(&self.first);
        let mut told = self.children.lock();
        let mut tell = |name: String, spent: Spent, processes: usize| {
            into.resource(name)
                .number(stat::SPAUSER, spent.user)
                .number(stat::SPASYS, spent.system)
                .number(stat::SPAPROCS, processes as u64);
        };
        tell("REGION".to_owned(), now.region, 1);
        tell("ENDED".to_owned(), now.ended, 0);
        for (name, (processes, spent)) in grown.children {
            let most = told.entry(name.clone()).or_default();
            *most = Spent { user: spent.user.max(most.user), system: spent.system.max(most.system) };
            tell(format!("PROCESS.{name}"), *most, processes);
        }
        tell("MACHINE".to_owned(), grown.machine.processes, 0);
        tell("INTERRUPTS".to_owned(), Spent { user: 0, system: grown.machine.interrupts }, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_difference_and_a_process_that_was_not_there_counts_from_nothing() {
        let spent = |user, system| Spent { user, system };
        let before = Accounts {
            at: 5,
            region: spent(10, 20),
            tcbs: vec![("QR".to_owned(), 7)],
            tasks: 3,
            ..Accounts::default()
        };
        let mut now = Accounts { at: 9, region: spent(15, 21), tasks: 4, ..before.clone() };
        now.tcbs = vec![("QR".to_owned(), 9), ("L8".to_owned(), 2)];
        now.children.insert("postgres".to_owned(), (2, spent(1, 1)));
        let grown = now.since(&before);
        assert_eq!((grown.at, grown.region, grown.tasks), (4, spent(5, 1), 1));
        assert_eq!(grown.tcbs, [("QR".to_owned(), 2), ("L8".to_owned(), 2)]);
        assert_eq!(grown.together(), spent(6, 2));
    }
}
