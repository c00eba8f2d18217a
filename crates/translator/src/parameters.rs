//! How a program comes by the EXEC interface block, the communication area and its own parameters.
//!
//! A program that is started, linked to or transferred to is called with two: the block and the area. A subprogram
//! that COBOL calls and that has EXEC CICS is called in two ways: with its own parameters alone, or, as other
//! translators want it, with the block and the area in front of them. Such a program takes what it is given under
//! names of the translator, sees from the first whether the block is there, and sets the addresses of its own.

use crate::token::{Kind, Token};
use crate::unit::{COMMAREA, INTERFACE_BLOCK};

/// The ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parameters {
    /// The block and the area come first.
    Passed,
    /// These come alone or behind the block and the area.
    Either(Vec<String>),
    /// Only its own: some are passed by value, which leaves no address to set.
    Pointer,
    /// It knows nothing of CICS, or asks for nothing to be put in.
    Own,
}

/// The program's pointer to the EXEC interface block.
pub(crate) const INTERFACE_POINTER: &str = "DFHEIEIB";
/// The names under which parameters are taken: this and a number from 1.
const TAKEN: &str = "DFHEIA";
/// What the block and the area take up.
const IN_FRONT: usize = 2;

impl Parameters {
    /// Of a program with EXEC CICS, from the words between PROCEDURE DIVISION and the full stop.
    pub(crate) fn read(header: &[Token]) -> Self {
        let own = own(header);
        if own.is_empty() || own.iter().any(|t| t.is(INTERFACE_BLOCK) || t.is(COMMAREA)) {
            Self::Passed
        } else if own.iter().any(|t| t.is_any(&["VALUE", "ANY", "OPTIONAL", "SIZE"])) {
            Self::Pointer
        } else {
            let names = own.iter().filter(|t| t.kind == Kind::Word && !t.is_any(&["BY", "REFERENCE"]));
            Self::Either(names.map(|t| t.upper()).collect())
        }
    }

    /// The words behind USING; `None` if they are as they were.
    pub(crate) fn header(&self, header: &[Token]) -> Option<String> {
        match self {
            Self::Passed if header.iter().any(|t| t.is(INTERFACE_BLOCK)) => None,
            Self::Passed if own(header).is_empty() => Some(format!("{INTERFACE_BLOCK} {COMMAREA}")),
            Self::Passed => Some(INTERFACE_BLOCK.to_string()),
            Self::Either(names) => Some(taken(names).collect::<Vec<_>>().join(" ")),
            Self::Pointer | Self::Own => None,
        }
    }

    /// Whether what the program says behind USING is not kept.
    pub(crate) fn replaces_own(&self) -> bool {
        matches!(self, Self::Either(_))
    }

    /// Whether the host is asked for the block's address: always, for COBOL may call any program without it.
    pub(crate) fn by_pointer(&self) -> bool {
        *self != Self::Own
    }

    /// Whether the program needs a communication area in its linkage.
    pub(crate) fn has_commarea(&self) -> bool {
        matches!(self, Self::Passed | Self::Either(_))
    }

    /// Records for what is taken.
    pub(crate) fn linkage(&self) -> Vec<String> {
        match self {
            Self::Either(names) => taken(names).map(|name| format!("01 {name} PIC X.")).collect(),
            _ => Vec::new(),
        }
    }

    /// Statements behind the program's first, which has the block's address.
    pub(crate) fn statements(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.by_pointer() {
            lines.push(format!("SET ADDRESS OF {INTERFACE_BLOCK} TO {INTERFACE_POINTER}"));
        }
        if let Self::Either(names) = self {
            let set =
                |name: &str, number: usize| format!("   SET ADDRESS OF {name} TO ADDRESS OF {TAKEN}{number}");
            lines.push(format!("IF ADDRESS OF {TAKEN}1 = {INTERFACE_POINTER}"));
            lines.push(set(COMMAREA, IN_FRONT));
            lines.extend(names.iter().zip(IN_FRONT + 1..).map(|(name, number)| set(name, number)));
            lines.push("ELSE".into());
            lines.extend(names.iter().zip(1..).map(|(name, number)| set(name, number)));
            lines.push("END-IF".into());
        }
        lines
    }
}

/// The words of the program's own behind USING.
fn own(header: &[Token]) -> &[Token] {
    let start = header.iter().position(|t| t.is("USING")).map_or(header.len(), |using| using + 1);
    let end = header.iter().position(|t| t.is("RETURNING")).unwrap_or(header.len());
    header.get(start..end).unwrap_or(&[])
}

fn taken(names: &[String]) -> impl Iterator<Item = String> {
    (1..=names.len() + IN_FRONT).map(|number| format!("{TAKEN}{number}"))
}
