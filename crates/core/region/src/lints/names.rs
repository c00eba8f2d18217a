//! Names in commands that no definition has, and names that end with X'00'.

use cobol_source::At;
use cobol_syntax::tree::{Expression, LiteralKind};
use diagnostics::{Diagnostic, nearest};
use spec::Kind;

use super::constants::Constants;
use super::{Found, Known, Used};
use crate::codes;

/// A kind of resource that commands name.
struct Named {
    /// As a definition calls it.
    kind: &'static str,
    /// The commands, and the option.
    commands: &'static [&'static str],
    option: &'static str,
    /// The consequence.
    meaning: &'static str,
}

const NAMED: [Named; 5] = [
    Named {
        kind: "FILE",
        commands: &[
            "READ", "READNEXT", "READPREV", "WRITE", "REWRITE", "DELETE", "STARTBR", "RESETBR", "ENDBR",
            "UNLOCK",
        ],
        option: "FILE",
        meaning: "raises FILENOTFOUND",
    },
    Named {
        kind: "PROGRAM",
        commands: &["LINK", "XCTL", "LOAD"],
        option: "PROGRAM",
        meaning: "raises PGMIDERR",
    },
    Named {
        kind: "TRANSACTION",
        commands: &["START", "START ATTACH", "START CHANNEL", "RETURN", "RUN TRANSID"],
        option: "TRANSID",
        meaning: "nothing is started",
    },
    Named {
        kind: "MAPSET",
        commands: &["SEND MAP", "RECEIVE MAP"],
        option: "MAPSET",
        meaning: "ends with abend ABM0",
    },
    Named {
        kind: "TDQUEUE",
        commands: &["WRITEQ TD", "READQ TD", "DELETEQ TD"],
        option: "QUEUE",
        meaning: "raises QIDERR",
    },
];

/// Beginnings of the names of programs that come with a region.
const SUPPLIED: [&str; 3] = ["DFH", "EZA", "CEE"];

pub(super) fn look<'a>(used: &Used<'a>, constants: &Constants<'a>, known: &Known, found: &mut Found) {
    for (option, value) in &used.exec.operands {
        let item = used.item(*option);
        let is_name = item.and_then(|item| used.command.takes(&item.name));
        if is_name.is_some_and(|option| option.kind == Kind::Name) && ends_with_null(value, constants) {
            let option = item.map_or("", |item| item.name.as_str());
            let message =
                Diagnostic::warning(codes::NULL_NAME, format!("the name in {option} ends with X'00'"));
            let help =
                format!("z/OS takes X'00' for a part of the name: fill it with blanks; {}", off("null-name"));
            found.push((place(used, value), message.help(help)));
        }
    }
    // What another region has is defined there.
    if used.has("SYSID") {
        return;
    }
    for named in NAMED.iter().filter(|named| named.commands.contains(&used.command.name)) {
        let value = used.value(named.option).or_else(|| map_as_mapset(used, named));
        let Some(value) = value else { continue };
        let Some(name) = constants.name(value).filter(|name| !known.has(named.kind, name)) else { continue };
        let kind = named.kind.to_ascii_lowercase();
        let group = known.group_of(named.kind, &name);
        let text = match group {
            Some(group) => format!("{kind} {name} is defined in group {group} only, which is not installed"),
            None => format!("{kind} {name} is not defined"),
        };
        let near = nearest(&name, known.names(named.kind));
        let help = match (group, near) {
            (Some(group), _) => {
                format!("name {group}, or a list that has it, in grplist; {}", off("undefined-name"))
            }
            (None, Some(near)) => format!("did you mean {near}? {}", off("undefined-name")),
            (None, None) => format!(
                "add DEFINE {}({name}) to a group that is installed; {}",
                named.kind,
                off("undefined-name")
            ),
        };
        let message = Diagnostic::warning(codes::UNDEFINED_NAME, text).label(named.meaning).help(help);
        found.push((place(used, value), message));
    }
}

/// Says how a lint is switched off at a line.
pub(super) fn off(lint: &str) -> String {
    format!("a comment `*> syncpoint: off {lint}` in front of it says that it is meant so")
}

/// The place of the option of a value, or else of the command.
pub(super) fn place(used: &Used<'_>, value: &Expression) -> At {
    let own = used.exec.operands.iter().find(|(_, other)| std::ptr::eq(other, value));
    own.and_then(|(option, _)| used.item(*option)).map_or(used.block.at, |item| item.at)
}

/// Without MAPSET the map's name is that of the mapset, too.
fn map_as_mapset<'a>(used: &Used<'a>, named: &Named) -> Option<&'a Expression> {
    (named.kind == "MAPSET").then(|| used.value("MAP")).flatten()
}

fn ends_with_null<'a>(value: &'a Expression, constants: &Constants<'a>) -> bool {
    constants.literal(value).is_some_and(|literal| match literal.kind {
        LiteralKind::NullTerminated => true,
        LiteralKind::Hexadecimal => literal.text.ends_with("00"),
        _ => false,
    })
}

impl Known {
    fn has(&self, kind: &str, name: &str) -> bool {
        match kind {
            "FILE" => self.files.contains_key(name),
            "PROGRAM" => {
                self.programs.contains(name) || SUPPLIED.iter().any(|supplied| name.starts_with(supplied))
            }
            "TRANSACTION" => self.transactions.contains(name) || operation::supplied::is_transaction(name),
            "MAPSET" => self.mapsets.contains(name) || name.starts_with("DFH"),
            // Supplied queues begin with C.
            _ => self.queues.contains(name) || name.starts_with('C'),
        }
    }

    /// Returns the group of a definition that is not installed.
    fn group_of(&self, kind: &str, name: &str) -> Option<&str> {
        let of_kind = |definition: &&csd::Definition| definition.resource.name() == kind;
        let definition = self.everywhere.iter().filter(of_kind).find(|definition| definition.name == name)?;
        Some(&definition.group)
    }

    fn names(&self, kind: &str) -> impl Iterator<Item = &str> {
        let names: Vec<&String> = match kind {
            "FILE" => self.files.keys().collect(),
            "PROGRAM" => self.programs.iter().collect(),
            "TRANSACTION" => self.transactions.iter().collect(),
            "MAPSET" => self.mapsets.iter().collect(),
            _ => self.queues.iter().collect(),
        };
        // Names of few characters are near to too many others.
        let long = names.into_iter().filter(|name| name.len() > 4);
        let mut long: Vec<&str> = long.map(String::as_str).collect();
        long.sort_unstable();
        long.into_iter()
    }
}
