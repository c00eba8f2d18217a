//! Registers: what they hold at the beginning, those that hold the present moment, and those that nothing here fills.

use cobol_check::CheckedProgram;
use cobol_data::{Area, Item, Numeric, Representation, Type};
use cobol_runtime::moments::moment;
use cobol_source::At;

use super::storage::{ALIGNMENT, RETURN_CODE, Shared, Storage};
use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, Lender, Segment, Service, Site};

/// Registers of OS/VS COBOL that hold the present moment, and what the host is asked for whenever one is read.
const MOMENTS: [(&str, &str); 2] =
    [("CURRENT-DATE", "REGISTER CURRENT-DATE"), ("TIME-OF-DAY", "REGISTER TIME-OF-DAY")];
/// Format of the moment in the register WHEN-COMPILED.
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

/// Registers that an event fills: with those above, the programs of a source share them, for they are GLOBAL in the outermost one.
const EVENT: &str = "XML-EVENT";
const COUNTER: &str = "LINAGE-COUNTER";

/// RETURN-CODE is S9(4) BINARY.
const RETURN_CODE_TYPE: Type =
    Type::Numeric(Numeric { digits: 4, scale: 0, signed: true, representation: Representation::Binary });

/// Returns true if the programs of a source have one register of this name: those that statements store into. The
/// others hold the same in each of them.
fn is_shared(name: &str) -> bool {
    name != COUNTER
        && (ZEROS.contains(&name) || name == EVENT || TEXTS[2..].iter().any(|(own, _)| *own == name))
}

/// The registers that a program names, but not its index-names.
fn named(program: &CheckedProgram) -> impl Iterator<Item = (&str, &Item)> {
    let registers = program.items.all().filter(|(id, item)| {
        item.area == Area::Register && item.kind != Type::IndexName && item.record == *id
    });
    registers.filter_map(|(_, item)| Some((&*item.name.as_ref()?.text, item)))
}

/// Number of programs of a source that name a register.
fn naming(program: &CheckedProgram, name: &str) -> usize {
    let own = usize::from(named(program).any(|(other, _)| other == name));
    own + program.contained.iter().map(|within| naming(within, name)).sum::<usize>()
}

impl Storage {
    /// The register of this name that the programs of a source share.
    fn shared_register(&mut self, name: &str, kind: &Type, length: usize) -> &Shared {
        if !self.shared.contains_key(name) {
            let (_, at) = self.register(length);
            self.shared.insert(name.to_owned(), Shared { at, kind: kind.clone(), length });
        }
        &self.shared[name]
    }
}

impl<'a> Lowering<'a> {
    /// The registers that only programs within this one name, and RETURN-CODE, which each of those has.
    pub(super) fn lay_out_registers_of_contained(&mut self) {
        if self.out.container.is_some() {
            return;
        }
        let mut open: Vec<&CheckedProgram> = self.program.contained.iter().collect();
        if !open.is_empty() {
            self.out.return_code = Some((Segment::Working, self.return_code()));
        }
        while let Some(program) = open.pop() {
            for (name, item) in named(program).filter(|(name, _)| is_shared(name)) {
                self.storage.shared_register(name, &item.kind, item.length);
            }
            open.extend(&program.contained);
        }
    }

    /// The place of a register in WORKING-STORAGE; in that of the outermost program, if the programs of the source share it.
    pub(super) fn register_base(&mut self, item: &Item, name: &str) -> (Segment, u32) {
        if !is_shared(name) {
            return self.storage.register(item.length);
        }
        match self.lent_register(name) {
            Some((place, _)) => place,
            None => (Segment::Working, self.storage.shared_register(name, &item.kind, item.length).at),
        }
    }

    /// A register that the outermost program has for this one, which stands within it.
    fn lent_register(&mut self, name: &str) -> Option<((Segment, u32), Shared)> {
        let outermost = self.around.outermost()?;
        let shared = outermost.register(name)?.clone();
        let lender = Lender::Around { program: outermost.place(), at: shared.at };
        Some((self.borrow(name, shared.length, lender), shared))
    }

    fn return_code(&mut self) -> u32 {
        self.storage.shared_register(RETURN_CODE, &RETURN_CODE_TYPE, size_of::<i16>()).at
    }

    /// Content of a program's registers at the beginning. One that nothing fills is refused by its name.
    pub(super) fn fill_registers(&mut self) {
        for (name, item) in named(self.program) {
            // Told for each.
            let _: Lowered<()> = self.check_register(name, item.at);
        }
        let own = self.program.items.all().filter_map(|(id, item)| {
            let is_own = item.area == Area::Register && item.record == id && item.kind != Type::IndexName;
            let (segment, at) = self.storage.base(id, item).filter(|_| is_own)?;
            (segment == Segment::Working).then(|| (item.display_name().to_owned(), at, item.length))
        });
        let mut all: Vec<(String, u32, usize)> = own.collect();
        all.extend(self.storage.shared.iter().map(|(name, own)| (name.clone(), own.at, own.length)));
        let compiled = moment(COMPILED, self.compiled).unwrap_or_default();
        let fill = |(name, at, length): (String, u32, usize), working: &mut Vec<u8>| {
            let storage = &mut working[at as usize..at as usize + length];
            match TEXTS.iter().find(|(own, _)| *own == name) {
                Some((_, text)) => storage[..text.len()].copy_from_slice(text),
                None if name == EVENT => storage.fill(b' '),
                None if name == "WHEN-COMPILED" => {
                    let length = compiled.len().min(length);
                    storage[..length].copy_from_slice(&compiled[..length]);
                }
                None => {}
            }
        };
        self.out.working.change(|working| all.into_iter().for_each(|register| fill(register, working)));
    }

    fn check_register(&mut self, name: &str, at: At) -> Lowered<()> {
        let varies = super::xml::varies(name);
        let is_known = ZEROS.contains(&name) || TEXTS.iter().any(|(own, _)| *own == name);
        if !is_known && !["WHEN-COMPILED", EVENT].contains(&name) && moment_of(name).is_none() && !varies {
            return self.refuse(at, format_args!("the register {name}"));
        }
        let Some(outermost) = self.around.outermost() else { return Ok(()) };
        // How many characters they have is known to the program that parses.
        if name == COUNTER || varies && naming(outermost.program, name) > 1 {
            return self.refuse(at, format_args!("the register {name} of another program of the source"));
        }
        Ok(())
    }

    /// A register that holds a number, if the program, or one that shares it, names it.
    pub(super) fn register_number(&mut self, name: &str) -> Option<(BytePlace, Numeric)> {
        let is = |item: &Item| {
            item.area == Area::Register && item.name.as_ref().is_some_and(|own| &*own.text == name)
        };
        let named = self.program.items.all().find(|(_, item)| is(item));
        let (kind, length, (segment, at)) = match named {
            Some((id, item)) => (item.kind.clone(), item.length, self.storage.base(id, item)?),
            None => match self.storage.shared.get(name).cloned() {
                Some(Shared { at, kind, length }) => (kind, length, (Segment::Working, at)),
                None => {
                    let (place, Shared { kind, length, .. }) = self.lent_register(name)?;
                    (kind, length, place)
                }
            },
        };
        let Type::Numeric(numeric) = kind else { return None };
        Some((BytePlace::fixed(segment, at, length as u32), self.numeric(numeric)))
    }

    /// A program that CALLs has RETURN-CODE, whether it names it or not: what the other one leaves there goes on to its own caller. A
    /// program within a program has that of the outermost one.
    pub(super) fn keep_return_code(&mut self) {
        let calls = |site: &Site| matches!(site.service, Service::Call(_) | Service::CallNamed(_));
        if self.out.return_code.is_none() {
            self.out.return_code = self.lent_register(RETURN_CODE).map(|(place, _)| place);
        }
        if self.out.return_code.is_none() && self.out.sites.iter().any(calls) {
            self.out.return_code = Some((Segment::Working, self.out.working.len() as u32));
            self.out.working.change(|bytes| bytes.extend([0; ALIGNMENT]));
        }
    }

    /// Asks the host for the present moment where a register holds it.
    pub(super) fn read_register(&mut self, item: &Item) {
        if item.area != Area::Register || item.kind == Type::IndexName {
            return;
        }
        let words = item.name.as_ref().and_then(|name| moment_of(&name.text));
        if let (Some(words), Some((segment, at))) = (words, self.storage.base(item.record, item)) {
            self.call_accept(words.to_owned(), BytePlace::fixed(segment, at, item.length as u32));
        }
    }
}

fn moment_of(name: &str) -> Option<&'static str> {
    MOMENTS.iter().find(|(own, _)| *own == name).map(|(_, words)| *words)
}
