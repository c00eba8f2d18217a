//! The operating system's accounts of processes: user and system time of the region's, and of those that work for it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Nanoseconds of a tick of the accounts: Linux shows programs hundredths of a second, whatever its own clock is.
const TICK_NS: u64 = 10_000_000;
/// The number of processes that are read at most.
const PROCESSES_MAX: usize = 4_096;

/// Processor time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In programs.
    pub user: u64,
    /// In the kernel, for them.
    pub system: u64,
}

impl Spent {
    /// Both.
    pub fn together(self) -> u64 {
        self.user.saturating_add(self.system)
    }

    /// The sum of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { user: self.user.saturating_add(other.user), system: self.system.saturating_add(other.system) }
    }

    /// The time since another account.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
        }
    }
}

/// The account of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its number, and that of its parent.
    pub number: u32,
    parent: u32,
    /// The name of its program.
    pub name: String,
    /// Its own time.
    pub own: Spent,
    /// That of its children which have ended and of which it has heard.
    pub ended: Spent,
}

/// The account of the whole machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Of all processes.
    pub processes: Spent,
    /// Interrupts and what they leave to be done, as messages of the network: they belong to no process.
    pub interrupts: u64,
}

/// Reads a line of /proc/PID/stat.
fn account(line: &str) -> Option<Account> {
    // The program's name may have blanks and brackets.
    let (number, rest) = line.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place)?.parse::<u64>().ok()?.checked_mul(TICK_NS);
    Some(Account {
        number: number.parse().ok()?,
        parent: fields.get(1)?.parse().ok()?,
        name: name.to_owned(),
        own: Spent { user: ticks(11)?, system: ticks(12)? },
        ended: Spent { user: ticks(13)?, system: ticks(14)? },
    })
}

/// Reads the first line of /proc/stat.
fn machine_of(text: &str) -> Option<Machine> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line.split_whitespace().filter_map(|ticks| ticks.parse().ok()).collect();
    let ns = |place: usize| ticks.get(place).map(|ticks| ticks.saturating_mul(TICK_NS));
    let processes = Spent { user: ns(0)?.saturating_add(ns(1)?), system: ns(2)? };
    Some(Machine { processes, interrupts: ns(5)?.saturating_add(ns(6)?) })
}

/// The account of this machine.
pub fn machine() -> Machine {
    fs::read_to_string("/proc/stat").ok().and_then(|text| machine_of(&text)).unwrap_or_default()
}

/// The account of this process, then of those that descend from it or from one of these others, these included.
pub fn family(others: &[u32]) -> Vec<Account> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let read = |number| account(&fs::read_to_string(Path::new("/proc").join(format!("{number}/stat"))).ok()?);
    let all: Vec<Account> = numbers.take(PROCESSES_MAX).filter_map(read).collect();
    of_family(all, std::process::id(), others)
}

fn of_family(all: Vec<Account>, own: u32, others: &[u32]) -> Vec<Account> {
    let parents: HashMap<u32, u32> = all.iter().map(|account| (account.number, account.parent)).collect();
    let is_one = |account: &Account| {
        let mut at = account.number;
        // A chain is no longer than there are processes, even if their numbers changed meanwhile.
        for _ in 0..=parents.len() {
            if at == own || others.contains(&at) {
                return true;
            }
            let Some(parent) = parents.get(&at) else { return false };
            at = *parent;
        }
        false
    };
    let mut family: Vec<Account> = all.iter().filter(|account| is_one(account)).cloned().collect();
    family.sort_by_key(|account| (account.number != own, account.number));
    family
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_brackets_and_times_are_hundredths_of_a_second() {
        let line = "42 (a ) (b) S 7 42 42 0 -1 4194560 1 2 3 4 150 25 7 8 20 0 1 0 99";
        let read = account(line).expect("an account");
        assert_eq!((read.number, read.parent, read.name.as_str()), (42, 7, "a ) (b"));
        assert_eq!(read.own, Spent { user: 1_500_000_000, system: 250_000_000 });
        assert_eq!(read.ended, Spent { user: 70_000_000, system: 80_000_000 });
        for broken in ["", "42 (a", "42 (a) S", "x (a) S 1 2"] {
            assert_eq!(account(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_family_has_children_of_children_and_those_of_other_roots() {
        let one = |number, parent| Account {
            number,
            parent,
            name: String::new(),
            own: Spent::default(),
            ended: Spent::default(),
        };
        let all = vec![one(1, 0), one(5, 1), one(6, 5), one(7, 1), one(8, 7), one(9, 1), one(3, 6)];
        let numbers: Vec<u32> = of_family(all, 5, &[7]).iter().map(|account| account.number).collect();
        assert_eq!(numbers, [5, 3, 6, 7, 8]);
    }

    #[test]
    fn this_process_comes_first_and_the_machine_has_its_own() {
        let family = family(&[]);
        assert_eq!(family.first().map(|account| account.number), Some(std::process::id()));
        let read = machine_of("cpu  100 20 30 400 5 6 7 0 0 0\ncpu0 1\n").expect("an account");
        assert_eq!(read.processes, Spent { user: 1_200_000_000, system: 300_000_000 });
        assert_eq!(read.interrupts, 130_000_000);
    }
}
