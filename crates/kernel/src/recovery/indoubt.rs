//! Units of work that are indoubt: the names under which the record engine keeps them.

use crate::name::{Name8, TerminalName, TransactionName};

/// Who a unit of work was, as long as it is indoubt: what is known of it after its task, and its region's last run.
///
/// It is the name that the record engine knows it by:
///
/// ```text
/// unit:8 task:4 transaction:4 terminal:4 user:8 coordinator's name
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The number of the unit of work, which no other ever had in this region.
    pub unit: u64,
    /// The number of its task.
    pub task: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// Its terminal; blank if it had none.
    pub terminal: TerminalName,
    /// Its user.
    pub user: Name8,
    /// What its coordinator calls it.
    pub coordinated_as: Vec<u8>,
}

impl Identity {
    /// As the name for the record engine.
    pub fn to_name(&self) -> Vec<u8> {
        let mut name = self.unit.to_be_bytes().to_vec();
        name.extend(self.task.to_be_bytes());
        name.extend(self.transaction.as_bytes());
        name.extend(self.terminal.as_bytes());
        name.extend(self.user.as_bytes());
        name.extend(&self.coordinated_as);
        name
    }

    /// From the record engine's name; nothing if somebody else has given it.
    pub fn from_name(mut name: &[u8]) -> Option<Self> {
        Some(Self {
            unit: u64::from_be_bytes(take(&mut name)?),
            task: u32::from_be_bytes(take(&mut name)?),
            transaction: TransactionName::new(take::<4>(&mut name)?),
            terminal: TerminalName::new(take::<4>(&mut name)?),
            user: Name8::new(take::<8>(&mut name)?),
            coordinated_as: name.to_vec(),
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
