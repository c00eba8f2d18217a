//! A captured event.

use std::sync::Arc;

use jiff::Timestamp;
use kernel::recovery::NetworkName;
use kernel::security::User;
use policies::event_values::FieldType;

use super::binding::Binding;

/// The place of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPlace {
    /// A command of an application, or the beginning of a program.
    Command,
    /// The region, or a rule of a policy: no program, response and unit of work is that of the event, as published.
    Region,
}

/// An event.
pub(crate) struct Event {
    pub place: EventPlace,
    /// Its binding.
    pub binding: Arc<Binding>,
    /// Its name.
    pub name: String,
    /// The capture specification.
    pub capture: String,
    /// The application identifier of the region.
    pub applid: String,
    pub transaction: String,
    pub program: String,
    pub user: Arc<User>,
    pub task: u32,
    /// The response of the command.
    pub response: u32,
    /// The network name of the unit of work.
    pub unit: Vec<u8>,
    pub at: Timestamp,
    pub abstime: i64,
    pub items: Vec<Item>,
}

/// An item of an event.
pub(crate) struct Item {
    pub name: String,
    /// In its format.
    pub text: String,
    /// As it was captured.
    pub raw: Vec<u8>,
    pub kind: FieldType,
    pub precision: usize,
    /// The length and the precision of its format.
    pub format: (usize, usize),
}

impl Event {
    /// Bytes that it takes while it waits.
    pub fn size(&self) -> usize {
        let own = |item: &Item| item.name.len() + item.text.len() + item.raw.len();
        size_of::<Self>() + self.items.iter().map(own).sum::<usize>()
    }

    /// The date and time of the capture, with so much behind the milliseconds.
    pub fn stamp(&self, zone: &str) -> String {
        format!("{}{zone}", self.at.strftime("%Y-%m-%dT%H:%M:%S.%3f"))
    }

    /// The network name of its unit of work in hexadecimal digits.
    pub fn unit_digits(&self) -> String {
        FieldType::Hex.text(&self.unit)
    }

    /// The same in the context of a flattened event: X'00' where it is of no unit of work.
    pub fn unit_of_context(&self) -> String {
        match self.place {
            EventPlace::Command => self.unit_digits(),
            EventPlace::Region => "\0".repeat(2 * NetworkName::LENGTH),
        }
    }
}
