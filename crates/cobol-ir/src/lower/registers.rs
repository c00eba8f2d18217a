//! Registers: what they hold at the beginning, those that hold the present moment, and those that nothing here fills.

use cobol_data::{Area, Item, ItemId, Numeric, Type};
use cobol_runtime::moments::moment;

use super::storage::ALIGNMENT;
use super::{Lowered, Lowering};
use crate::program::{Place, Segment, Service, Site};

/// Registers of OS/VS COBOL that hold the present moment, and what the host is asked for whenever one is read.
const MOMENTS: [(&str, &str); 2] =
    [("CURRENT-DATE", "REGISTER CURRENT-DATE"), ("TIME-OF-DAY", "REGISTER TIME-OF-DAY")];
/// What the register WHEN-COMPILED has of the moment.
const COMPILED: &str = "REGISTER WHEN-COMPILED";

/// Numbers that begin as zero, and that statements store into: those statements that are not built are refused themselves.
const ZEROS: [&str; 10] = [
    "LINAGE-COUNTER",
    "RETURN-CODE",
    "SORT-RETURN",
    "TALLY",
    "XML-CODE",
    "JSON-CODE",
    "JSON-STATUS",
    "SORT-CORE-SIZE",
    "SORT-FILE-SIZE",
    "SORT-MODE-SIZE",
];
/// Characters that are there from the beginning.
const TEXTS: [(&str, &[u8]); 4] = [
    ("SHIFT-OUT", &[0x0E]),
    ("SHIFT-IN", &[0x0F]),
    ("SORT-CONTROL", b"IGZSRTCD"),
    ("SORT-MESSAGE", b"SYSOUT  "),
];

impl Lowering<'_> {
    /// What a register holds at the beginning. One that nothing fills is refused by its name.
    pub(super) fn fill_register(&mut self, id: ItemId) -> Lowered<()> {
        let item = self.program.items.get(id);
        let (Some(name), Some((Segment::Working, at))) = (&item.name, self.storage.base(id, item)) else {
            return Ok(());
        };
        let name = &*name.text;
        let text = match TEXTS.iter().find(|(own, _)| *own == name) {
            Some((_, text)) => text.to_vec(),
            None if name == "WHEN-COMPILED" => moment(COMPILED, self.compiled).unwrap_or_default(),
            None if name == "XML-EVENT" => vec![b' '; item.length],
            None if ZEROS.contains(&name) || moment_of(name).is_some() || super::xml::varies(name) => {
                return Ok(());
            }
            None => return self.refuse(item.at, format_args!("the register {name}")),
        };
        let storage = &mut self.out.working[at as usize..at as usize + item.length];
        let length = text.len().min(storage.len());
        storage[..length].copy_from_slice(&text[..length]);
        Ok(())
    }

    /// A register that holds a number, if the program names it.
    pub(super) fn register_number(&mut self, name: &str) -> Option<(Place, Numeric)> {
        let is = |item: &Item| {
            item.area == Area::Register && item.name.as_ref().is_some_and(|own| &*own.text == name)
        };
        let (id, item) = self.program.items.all().find(|(_, item)| is(item))?;
        let (Type::Numeric(numeric), Some((segment, at))) = (&item.kind, self.storage.base(id, item)) else {
            return None;
        };
        Some((Place::fixed(segment, at, item.length as u32), self.numeric(*numeric)))
    }

    /// A program that CALLs has RETURN-CODE, whether it names it or not: what the other one leaves there goes on to its own caller. A
    /// program within a program has that of the outermost one.
    pub(super) fn keep_return_code(&mut self) {
        let calls = |site: &Site| matches!(site.service, Service::Call(_) | Service::CallNamed(_));
        let has_none = self.out.return_code.is_none() && self.out.container.is_none();
        if has_none && self.out.sites.iter().any(calls) {
            self.out.return_code = Some(self.out.working.len() as u32);
            self.out.working.extend([0; ALIGNMENT]);
        }
    }

    /// Asks the host for the present moment where a register holds it.
    pub(super) fn read_register(&mut self, item: &Item) {
        if item.area != Area::Register || item.kind == Type::IndexName {
            return;
        }
        let words = item.name.as_ref().and_then(|name| moment_of(&name.text));
        if let (Some(words), Some((segment, at))) = (words, self.storage.base(item.record, item)) {
            self.call_accept(words.to_owned(), Place::fixed(segment, at, item.length as u32));
        }
    }
}

fn moment_of(name: &str) -> Option<&'static str> {
    MOMENTS.iter().find(|(own, _)| *own == name).map(|(_, words)| *words)
}
