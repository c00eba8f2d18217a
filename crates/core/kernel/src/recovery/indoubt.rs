//! Numbers of units of work, and the names under which the record engine keeps those that are in doubt.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::name::{Name8, TerminalName, TransactionName};
use crate::region::Region;

/// The number of a unit of work, which no other ever had in this region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitId(pub u64);

impl UnitId {
    /// Bytes that programs have it in.
    pub const LENGTH: usize = 16;
    /// Units of work that a run can count before the numbers meet those of a run begun a microsecond later.
    const RUN_BITS: u32 = 12;

    /// First part of a run's numbers: later runs have greater ones.
    pub fn first_of_run() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since.as_micros() as u64) << Self::RUN_BITS
    }

    /// The unit of work that a run has counted so.
    pub fn of_run(region: &Region, count: u64) -> Self {
        Self(region.first_unit + count)
    }

    /// One whose name another system has given.
    pub fn of_name(name: &[u8]) -> Self {
        let mut number = [0; 8];
        number.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
        Self(u64::from_be_bytes(number))
    }

    /// One that was written as [`Self`] writes itself.
    pub fn of_digits(digits: &[u8]) -> Option<Self> {
        let digits = std::str::from_utf8(digits).ok()?;
        u64::from_str_radix(digits.trim(), 16).ok().map(Self)
    }

    /// As programs have it.
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.0.to_be_bytes());
        bytes
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016X}", self.0)
    }
}

/// Identity of a unit of work as long as it is indoubt: facts that outlive its task, and its region's last run.
///
/// It is the name that the record engine knows it by:
///
/// ```text
/// unit:8 task:4 transaction:4 terminal:4 user:8 coordinator's name
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its number.
    pub unit: UnitId,
    /// The number of its task.
    pub task: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// Its terminal; blank if it had none.
    pub terminal: TerminalName,
    /// Its user.
    pub user: Name8,
    /// Its coordinator's name for it.
    pub coordinated_as: Vec<u8>,
}

impl Identity {
    /// Bytes of the name of a log, with which a region's name for a unit of work ends at its partners.
    const LOG_LENGTH: usize = 8;

    /// As the name for the record engine.
    pub fn to_name(&self) -> Vec<u8> {
        let mut name = self.unit.0.to_be_bytes().to_vec();
        name.extend(self.task.to_be_bytes());
        name.extend(self.transaction.as_bytes());
        name.extend(self.terminal.as_bytes());
        name.extend(self.user.as_bytes());
        name.extend(&self.coordinated_as);
        name
    }

    /// The region that decides about it, and the number that it has there; `None` if no region does.
    pub fn coordinator(&self) -> Option<(Name8, UnitId)> {
        let (applid, rest) = self.coordinated_as.split_first_chunk::<8>()?;
        let (number, log) = rest.split_first_chunk::<8>()?;
        let is_of_a_region = log.len() == Self::LOG_LENGTH;
        is_of_a_region.then(|| (Name8::new(applid), UnitId(u64::from_be_bytes(*number))))
    }

    /// The name that it has in all regions that take part in it.
    pub fn network_name(&self, region: &Region) -> NetworkName {
        let (applid, unit) = self.coordinator().unwrap_or((region.options.applid, self.unit));
        NetworkName::new(applid, unit)
    }

    /// Reads the record engine's name; `None` if another system has given it.
    pub fn from_name(mut name: &[u8]) -> Option<Self> {
        Some(Self {
            unit: UnitId(u64::from_be_bytes(take(&mut name)?)),
            task: u32::from_be_bytes(take(&mut name)?),
            transaction: TransactionName::new(take::<4>(&mut name)?),
            terminal: TerminalName::new(take::<4>(&mut name)?),
            user: Name8::new(take::<8>(&mut name)?),
            coordinated_as: name.to_vec(),
        })
    }
}

/// The name of a unit of work in all regions that take part in it, as the published interface has it: lengths, the APPLID of the
/// region that decides, six bytes of time, two of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkName([u8; Self::LENGTH]);

impl NetworkName {
    /// Bytes that programs have it in.
    pub const LENGTH: usize = 27;

    /// The name of a unit of work by the region that decides about it.
    pub fn new(applid: Name8, unit: UnitId) -> Self {
        let name = applid.trimmed();
        let mut text = vec![(1 + name.len() + size_of::<u64>()) as u8, name.len() as u8];
        text.extend(name);
        text.extend(unit.0.to_be_bytes());
        let mut bytes = [0; Self::LENGTH];
        bytes[..text.len()].copy_from_slice(&text);
        Self(bytes)
    }

    /// As programs have it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
