//! TERMINAL and TYPETERM definitions: names of terminals that programs can know, and printers.

use csd::{Definition, ResourceType};
use spec::{cmd, cond};
use tn3270::datastream::Size;
use tn3270::telnet::PrinterLanguage;

use kernel::name::{Name8, TerminalName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::Defined;
use kernel::terminals::defined::{self, Device, Printers, Typeterm};
use kernel::terminals::{Terminals, UpperCase};

/// RESP2 of DISCARD TERMINAL.
mod resp2 {
    /// TERMIDERR: no definition has that name.
    pub const NOT_FOUND: i32 = 1;
    /// INVREQ: the terminal is there.
    pub const IN_USE: i32 = 43;
}

/// The row of TERMINAL definitions.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Terminal,
    create: cmd::CREATE_TERMINAL,
    discard: cmd::DISCARD_TERMINAL,
    reads: &["TYPETERM", "NETNAME", "PRINTER", "ALTPRINTER"],
    without_effect: &[
        ("ALTPRINTCOPY", "the region itself makes copies of screens"),
        ("POOL", "there are no pools of terminals"),
        ("PRINTERCOPY", "the region itself makes copies of screens"),
        ("TRANSACTION", "what is typed names the transaction"),
        ("USERID", "the one who signs on, or the default user, works at it"),
    ],
    elsewhere: Some("it is installed as a terminal of this region"),
    needs: &[&["TYPETERM"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let name = TerminalName::from(definition.name.as_str());
        Terminals::of(region).defined.install(defined::Definition {
            name,
            netname: Name8::from(definition.get("NETNAME").unwrap_or(&definition.name)),
            typeterm: Name8::from(definition.get("TYPETERM").unwrap_or_default()),
            printers: Printers {
                first: definition.get("PRINTER").map_or(TerminalName::BLANK, TerminalName::from),
                second: definition.get("ALTPRINTER").map_or(TerminalName::BLANK, TerminalName::from),
            },
        });
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| {
        Terminals::of(region).defined.remove(TerminalName::new(name));
    },
    status: None,
};

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = TerminalName::new(name);
    let terminals = Terminals::of(region);
    if terminals.defined.get(name).is_none() {
        return Err(cond::TERMIDERR.raise(resp2::NOT_FOUND));
    }
    if terminals.get(name).is_some() { Err(cond::INVREQ.raise(resp2::IN_USE)) } else { Ok(()) }
}

/// Installs a TYPETERM: it is not a resource of its own, but is named by TERMINAL definitions.
pub fn install_typeterm(region: &Region, definition: &Definition) -> Result<(), String> {
    let device = match definition.get("DEVICE") {
        Some("3270P" | "LUTYPE3") => Device::Printer(PrinterLanguage::DataStream),
        Some("SCSPRINT") => Device::Printer(PrinterLanguage::Scs),
        // Only 3270s come; any other device never does.
        _ => Device::Display,
    };
    let page = match definition.numbers("PAGESIZE")[..] {
        [rows, columns] if rows > 0 && columns > 0 => size(rows, columns),
        _ => None,
    };
    let upper_case = match definition.get("UCTRAN") {
        Some("YES") => Some(UpperCase::Yes),
        Some("TRANID") => Some(UpperCase::Transaction),
        _ => None,
    };
    Terminals::of(region).defined.install_typeterm(
        Name8::from(definition.name.as_str()),
        Typeterm {
            page: page.unwrap_or(Size::MODEL_2),
            form_feed: definition.flag("FORMFEED"),
            upper_case,
            ..Typeterm::of(device)
        },
    );
    Ok(())
}

/// Attributes of a TYPETERM that count.
pub const TYPETERM_READS: &[&str] = &["DEVICE", "PAGESIZE", "FORMFEED", "UCTRAN"];

fn size(rows: u64, columns: u64) -> Option<Size> {
    Some(Size { rows: rows.try_into().ok()?, columns: columns.try_into().ok()? })
}
