//! Terminals that are defined by TERMINAL and TYPETERM: the names by which programs know them, the language of printers, the printers of
//! displays.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use tn3270::datastream::Size;
use tn3270::telnet::PrinterLanguage;

use crate::name::{Name8, TerminalName};

/// Parts of a terminal's input that are translated to upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpperCase {
    /// Nothing.
    No,
    /// The transaction's name only.
    Transaction,
    /// Everything.
    Yes,
}

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A display.
    Display,
    /// A printer, and what it is sent.
    Printer(PrinterLanguage),
}

/// A TYPETERM: what its terminals have in common.
#[derive(Clone, Debug)]
pub struct Typeterm {
    /// The kind of device.
    pub device: Device,
    /// The page of a printer.
    pub page: Size,
    /// True if the device begins a page at a form feed.
    pub form_feed: bool,
    /// The part of a display's input that is translated to upper case; `None`: as the region's own setting says.
    pub upper_case: Option<UpperCase>,
}

impl Typeterm {
    /// A type of device with the page of model 2.
    pub fn of(device: Device) -> Self {
        Self { device, page: Size::MODEL_2, form_feed: false, upper_case: None }
    }
}

/// A display's printers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Printers {
    /// PRINTER; blank: none.
    pub first: TerminalName,
    /// ALTPRINTER: the one that is taken where the first is not free; blank: none.
    pub second: TerminalName,
}

/// A TERMINAL definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: TerminalName,
    /// Its network name.
    pub netname: Name8,
    /// The name of its TYPETERM.
    pub typeterm: Name8,
    /// The printers that belong to it.
    pub printers: Printers,
}

/// TYPETERMs that every region has, as in the supplied group DFHTYPE.
const SUPPLIED: [(&str, Device); 6] = [
    ("DFHLU2", Device::Display),
    ("DFHLU3", Device::Printer(PrinterLanguage::DataStream)),
    ("DFHSCSP", Device::Printer(PrinterLanguage::Scs)),
    ("DFH3270", Device::Display),
    ("DFH3270P", Device::Printer(PrinterLanguage::DataStream)),
    ("DFHLU2M2", Device::Display),
];

/// The definitions of a region.
#[derive(Default)]
pub struct Definitions {
    terminals: RwLock<BTreeMap<TerminalName, Arc<Definition>>>,
    typeterms: RwLock<BTreeMap<Name8, Arc<Typeterm>>>,
}

impl Definitions {
    /// Installs a terminal's definition in the place of one of its name.
    pub fn install(&self, definition: Definition) {
        self.terminals.write().insert(definition.name, Arc::new(definition));
    }

    /// Takes one away. Returns true if it was there.
    pub fn remove(&self, name: TerminalName) -> bool {
        self.terminals.write().remove(&name).is_some()
    }

    /// Changes the printers of one. Returns true if it was there.
    pub(super) fn set_printers(&self, name: TerminalName, printers: Printers) -> bool {
        let mut terminals = self.terminals.write();
        let changed = terminals.get(&name).map(|defined| Definition { printers, ..(**defined).clone() });
        changed.map(|changed| terminals.insert(name, Arc::new(changed))).is_some()
    }

    /// Installs a TYPETERM in the place of one of its name.
    pub fn install_typeterm(&self, name: Name8, typeterm: Typeterm) {
        self.typeterms.write().insert(name, Arc::new(typeterm));
    }

    /// The definition of a terminal.
    pub fn get(&self, name: TerminalName) -> Option<Arc<Definition>> {
        self.terminals.read().get(&name).cloned()
    }

    /// The definition of a network name.
    pub fn of_netname(&self, netname: Name8) -> Option<Arc<Definition>> {
        self.terminals.read().values().find(|definition| definition.netname == netname).cloned()
    }

    /// All names, in order.
    pub fn names(&self) -> Vec<TerminalName> {
        self.terminals.read().keys().copied().collect()
    }

    /// A TYPETERM: a defined one, or one that every region has.
    pub fn typeterm(&self, name: Name8) -> Option<Arc<Typeterm>> {
        let supplied = || {
            let (_, device) = SUPPLIED.iter().find(|(supplied, _)| Name8::from(*supplied) == name)?;
            Some(Arc::new(Typeterm::of(*device)))
        };
        self.typeterms.read().get(&name).cloned().or_else(supplied)
    }
}
