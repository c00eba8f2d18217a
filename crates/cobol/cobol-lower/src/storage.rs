//! Places of records in the segments, parameters, and the content of storage at the beginning.

use std::collections::{BTreeMap, HashMap};

use cobol_data::{Area, Item, ItemId, Type};
use cobol_syntax::tree::Procedure;

use super::{Lowered, Lowering};
use cobol_ir::program::{Block, BytePlace, Form, Lender, Linkage, Number, Receiver, Record, Segment};

/// Records begin on a doubleword.
pub(super) const ALIGNMENT: usize = 8;
/// Bytes of a segment, at most: what a task can have.
pub(super) const SEGMENT_MAX: usize = 256 << 20;
/// Ending that makes the name of an EXTERNAL file that of its record area, and that of its block; no name of a
/// program has a blank.
const RECORD_OF_FILE: &str = " RECORD";
pub(super) const BLOCK_OF_FILE: &str = " FILE";
/// The interface block and the communication area: the first parameters of every program with EXEC CICS.
const INTERFACE: [&str; 2] = ["DFHEIBLK", "DFHCOMMAREA"];

/// The register with the return code.
pub(super) const RETURN_CODE: &str = "RETURN-CODE";

/// A register that the outermost program of a source has for all of them.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) at: u32,
    pub(super) kind: Type,
    pub(super) length: usize,
}

/// Place of each record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    records: HashMap<ItemId, (Segment, u32)>,
    indexes: HashMap<ItemId, u32>,
    /// Place of the present length of each item of DYNAMIC LENGTH.
    pub(super) lengths: HashMap<ItemId, (Segment, u32)>,
    /// Place of the record area of each file, by the file's place in the file section.
    file_areas: HashMap<usize, (Segment, u32)>,
    /// The registers that the programs of a source share, where this is the outermost one.
    pub(super) shared: BTreeMap<String, Shared>,
    working: usize,
    local: usize,
}

impl Storage {
    /// Start of an item's record; of an index-name, itself.
    pub(crate) fn base(&self, id: ItemId, item: &Item) -> Option<(Segment, u32)> {
        if item.kind == Type::IndexName {
            let own = self.indexes.get(&id).map(|at| (Segment::Working, *at));
            return own.or_else(|| self.records.get(&id).copied());
        }
        self.records.get(&item.record).copied()
    }

    /// Returns true if the place of a record, or of an index-name of another program, is known.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.records.contains_key(&id)
    }

    /// Room for a register.
    pub(super) fn register(&mut self, length: usize) -> (Segment, u32) {
        (Segment::Working, take(&mut self.working, length))
    }

    /// A record, or an index-name of another program, lies there.
    pub(super) fn put(&mut self, id: ItemId, place: (Segment, u32)) {
        self.records.insert(id, place);
    }
}

fn take(end: &mut usize, length: usize) -> u32 {
    let at = end.next_multiple_of(ALIGNMENT);
    *end = at.saturating_add(length);
    at as u32
}

impl<'a> Lowering<'a> {
    /// Gives each record its place.
    pub(super) fn lay_out_storage(&mut self) {
        let items = &self.program.items;
        let shown = self.shows_local_storage();
        let is_shown = |id: &ItemId| shown && items.get(*id).area == Area::LocalStorage;
        let (apart, own): (Vec<ItemId>, Vec<ItemId>) =
            self.program.records.iter().partition(|id| is_shown(id));
        own.into_iter().for_each(|id| self.lay_out_record(id, Segment::Local));
        if shown {
            let at = self.storage.working.next_multiple_of(ALIGNMENT);
            apart.into_iter().for_each(|id| self.lay_out_record(id, Segment::Working));
            self.lasts(at, self.storage.working.max(at));
        }
        for (id, item) in items.all() {
            if matches!(item.area, Area::Around(_)) {
                continue;
            }
            if item.kind == Type::IndexName {
                let at = take(&mut self.storage.working, 4);
                self.storage.indexes.insert(id, at);
            } else if item.area == Area::Register && item.record == id {
                let name = item.display_name();
                let place = self.register_base(item, name);
                self.storage.records.insert(id, place);
                if name == RETURN_CODE {
                    self.out.return_code = Some(place);
                }
            }
        }
        self.lay_out_registers_of_contained();
        if self.storage.working.max(self.storage.local) > SEGMENT_MAX {
            let at = self.program.syntax.name.at;
            let _: Lowered<()> = self.refuse(at, "storage of more than 256 MiB");
            return;
        }
        self.out.working = vec![0; self.storage.working.next_multiple_of(ALIGNMENT)].into();
        self.out.local = vec![0; self.storage.local.next_multiple_of(ALIGNMENT)].into();
        self.fill_registers();
        self.lay_out_words();
    }

    /// Gives a record its place; one of LOCAL-STORAGE lies in the segment `local`.
    fn lay_out_record(&mut self, id: ItemId, local: Segment) {
        let items = &self.program.items;
        let item = items.get(id);
        if matches!(item.kind, Type::Condition | Type::Constant | Type::IndexName) {
            return;
        }
        // What redefines a record lies where that does; the record is as long as the longest of them.
        if let Some(first) = item.redefines {
            if let Some(place) = self.storage.records.get(&first).copied() {
                self.storage.records.insert(id, place);
                self.note_record(id, place);
            }
            return;
        }
        let longest = items
            .all()
            .filter(|(_, other)| other.redefines == Some(id) && other.record != id)
            .map(|(other, _)| items.extent(other))
            .fold(items.extent(id), usize::max);
        let place = match item.area {
            Area::WorkingStorage if item.external => {
                if self.begins_with_value(id) {
                    let help = "move the value to it in the program that runs first; VALUE is for its condition-names";
                    let _: Lowered<()> = self.mistaken(item.at, "an EXTERNAL item has no VALUE", help);
                }
                let name = item.display_name();
                self.borrow(name, longest, Lender::External(name.to_owned()))
            }
            Area::LocalStorage if local == Segment::Local => (local, take(&mut self.storage.local, longest)),
            Area::WorkingStorage | Area::LocalStorage | Area::Register => {
                (Segment::Working, take(&mut self.storage.working, longest))
            }
            Area::File(at) => self.file_area(at),
            Area::Around(_) => return,
            Area::Linkage => {
                let length = longest.min(u32::MAX as usize) as u32;
                self.out.linkage.push(Linkage { name: item.display_name().to_owned(), length });
                (Segment::Linkage(self.out.linkage.len() as u32 - 1), 0)
            }
        };
        self.storage.records.insert(id, place);
        if item.dynamic {
            self.lay_out_length(id, place.0);
        }
        self.note_record(id, place);
    }

    /// The length of an item of DYNAMIC LENGTH lies beside it.
    fn lay_out_length(&mut self, id: ItemId, segment: Segment) {
        let end = match segment {
            Segment::Local => &mut self.storage.local,
            _ => &mut self.storage.working,
        };
        let at = take(end, 4);
        self.storage.lengths.insert(id, (segment, at));
    }

    /// The record area of a file: as long as the longest record of all the files that share it.
    fn file_area(&mut self, at: usize) -> (Segment, u32) {
        if let Some(known) = self.storage.file_areas.get(&at) {
            return *known;
        }
        let files = &self.program.syntax.data.files;
        let shared =
            self.program.syntax.environment.same_areas.iter().filter(|same| same.record).find(|same| {
                let own = files.get(at).map(|file| &file.name.text);
                same.files.iter().any(|file| Some(&file.name.text) == own)
            });
        let together: Vec<usize> = match shared {
            Some(same) => (0..files.len())
                .filter(|index| same.files.iter().any(|file| file.name.text == files[*index].name.text))
                .collect(),
            None => vec![at],
        };
        let items = &self.program.items;
        let clause = together.iter().filter_map(|index| files[*index].record.max);
        let longest = items
            .all()
            .filter(|(_, item)| matches!(item.area, Area::File(own) if together.contains(&own)))
            .map(|(id, _)| items.extent(id))
            .chain(clause)
            .fold(1, usize::max);
        let place = match files.get(at).filter(|file| file.external) {
            Some(file) => {
                let name = &file.name.text;
                self.borrow(name, longest, Lender::External(format!("{name}{RECORD_OF_FILE}")))
            }
            None => (Segment::Working, take(&mut self.storage.working, longest)),
        };
        self.storage.file_areas.extend(together.into_iter().map(|index| (index, place)));
        place
    }

    /// Returns true if a record, or a part of it, has a VALUE.
    fn begins_with_value(&self, record: ItemId) -> bool {
        let items = self.program.items.all();
        let of_record = items.filter(|(_, item)| item.record == record && item.kind != Type::Condition);
        of_record.into_iter().any(|(_, item)| !item.values.is_empty())
    }

    fn note_record(&mut self, id: ItemId, (segment, offset): (Segment, u32)) {
        let item = self.program.items.get(id);
        if let Some(name) = &item.name {
            let length = self.program.items.extent(id) as u32;
            self.out.records.push(Record { name: name.text.to_string(), segment, offset, length });
        }
    }

    /// USING; programs with EXEC CICS have the interface block and the communication area in front.
    pub(super) fn parameters(&mut self, procedure: &'a Procedure) -> Lowered<()> {
        let mut parameters = Vec::new();
        let named = |name: &str| {
            let given = procedure.using.iter().any(|parameter| &*parameter.item.name.text == name);
            let at = self.out.linkage.iter().position(|linkage| linkage.name == name);
            at.filter(|_| !given).map(|at| at as u32)
        };
        if let Some(block) = named(INTERFACE[0]) {
            parameters.push(block);
            parameters.extend(named(INTERFACE[1]));
        }
        for parameter in &procedure.using {
            parameters.push(self.parameter(parameter)?);
        }
        if let Some(returning) = &procedure.returning {
            let base = self.item(returning.id).and_then(|(id, item)| self.storage.base(id, item));
            match base {
                Some((Segment::Linkage(index), 0)) => self.out.returning = Some(index),
                _ => return self.refuse(returning.at(), "this RETURNING"),
            }
        }
        self.out.parameters = parameters;
        Ok(())
    }

    /// Runs the moves that VALUE stands for, and keeps what they leave.
    pub(super) fn fill_storage(&mut self) {
        let code = std::mem::take(&mut self.out.blocks);
        let (slots, held) = (self.out.slots, self.out.held);
        self.block = self.new_block();
        for id in self.program.records.clone() {
            let item = self.program.items.get(id);
            let Some((segment, offset)) = self.storage.base(id, item) else { continue };
            let described = !matches!(item.kind, Type::Condition | Type::Constant);
            if item.redefines.is_none() && Self::is_initialized(segment) && described {
                self.note_line(item.at);
                let place = BytePlace::fixed(segment, offset, item.length as u32);
                let _: Lowered<()> = self.initial(id, place);
            }
        }
        for at in self.storage.indexes.clone().into_values() {
            let place = BytePlace::fixed(Segment::Working, at, 4);
            let form = Form::Number(super::numbers::WHOLE_WORD);
            self.store_one(Number::whole(1), Receiver { place, form, rounded: false });
        }
        let blocks: Vec<Block> = std::mem::replace(&mut self.out.blocks, code);
        if self.messages.is_empty()
            && let Err(abend) = cobol_run::initialize(&mut self.out, blocks)
        {
            let at = self.program.syntax.name.at;
            let _: Lowered<()> = self.refuse(at, format_args!("a VALUE that cannot be stored ({abend})"));
        }
        (self.out.slots, self.out.held) = (slots.max(self.out.slots), held.max(self.out.held));
        self.keep_values_of_lasting();
    }
}
