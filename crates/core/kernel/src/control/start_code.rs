//! Start codes of tasks.

use super::Facility;
use crate::name::QueueName;

/// Start code of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartCode {
    /// Terminal input, or RETURN TRANSID.
    Terminal,
    /// START without data.
    Start,
    /// START with data.
    StartWithData,
    /// RUN TRANSID.
    Child,
    /// The trigger level of a transient data queue.
    Trigger(QueueName),
    /// Attached by the region itself.
    System,
    /// A LINK of another region; true: its unit of work ends when the program returns (SYNCONRETURN).
    Linked(bool),
}

impl StartCode {
    /// The two characters that ASSIGN STARTCODE gives.
    pub fn as_bytes(self) -> &'static [u8; 2] {
        match self {
            Self::Terminal => b"TD",
            Self::Start | Self::Child => b"S ",
            Self::StartWithData => b"SD",
            Self::Trigger(_) => b"QD",
            Self::System => b"U ",
            Self::Linked(false) => b"D ",
            Self::Linked(true) => b"DS",
        }
    }

    /// Returns true if a START asked for the task.
    pub fn is_start(self) -> bool {
        matches!(self, Self::Start | Self::StartWithData)
    }

    /// Returns true if a LINK of another region asked for the task.
    pub fn is_link(self) -> bool {
        matches!(self, Self::Linked(_))
    }

    /// The queue whose trigger level started the task.
    pub fn trigger_queue(self) -> Option<QueueName> {
        match self {
            Self::Trigger(queue) => Some(queue),
            _ => None,
        }
    }
}

/// Starter of a task, as INQUIRE ASSOCIATION shows it: its FACILTYPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartedBy {
    /// The region itself.
    Region,
    /// A terminal's input, or RETURN TRANSID there.
    Terminal,
    /// START with TERMID.
    StartAtTerminal,
    /// START.
    Start,
    /// RUN TRANSID.
    Parent,
    /// The trigger level of a transient data queue.
    Trigger,
    /// A client of a listener or conversation.
    Socket,
    /// A request of the web.
    Web,
}

impl StartedBy {
    /// All of them with the names of their CVDAs.
    const NAMES: [(Self, &'static str); 8] = [
        (Self::Region, "NONE"),
        (Self::Terminal, "TERMINAL"),
        (Self::StartAtTerminal, "STARTTERM"),
        (Self::Start, "START"),
        (Self::Parent, "ASRUNTRAN"),
        (Self::Trigger, "TRANDATA"),
        (Self::Socket, "SOCKET"),
        (Self::Web, "WEB"),
    ];

    /// Starter of a task with this start code and this principal facility.
    pub fn of(start_code: StartCode, facility: &Facility) -> Self {
        match (start_code, facility) {
            (_, Facility::Socket(_)) => Self::Socket,
            (_, Facility::Request(_)) => Self::Web,
            (StartCode::Trigger(_), _) => Self::Trigger,
            (StartCode::Child, _) => Self::Parent,
            (StartCode::Start | StartCode::StartWithData, Facility::Terminal(_)) => Self::StartAtTerminal,
            (StartCode::Start | StartCode::StartWithData, Facility::None) => Self::Start,
            (StartCode::Terminal | StartCode::System, Facility::Terminal(_)) => Self::Terminal,
            (StartCode::Linked(_), _) | (StartCode::Terminal | StartCode::System, Facility::None) => {
                Self::Region
            }
        }
    }

    /// The name of its CVDA.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// That of a CVDA's name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| known.as_bytes() == name).map(|(by, _)| *by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_starter_stands_at_its_place_and_its_cvda_has_a_number() {
        for (place, (by, name)) in StartedBy::NAMES.into_iter().enumerate() {
            assert_eq!(by as usize, place, "{name}");
            assert!(spec::cvda(name).is_some(), "{name}");
            assert_eq!(StartedBy::named(name.as_bytes()), Some(by));
        }
    }
}
