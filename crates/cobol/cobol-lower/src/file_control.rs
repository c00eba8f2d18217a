//! SELECT and FD: what a program says of its files, and the hidden block that each of them has.

use std::rc::Rc;

use cobol_check::NameTarget;
use cobol_data::{ItemId, Numeric, Type};
use cobol_source::At;
use cobol_syntax::tree::{FileDescription, FileKind, Organization, Reference, Select};

use super::borrowed::Lent;
use super::numbers::WHOLE_WORD;
use super::places::Extent;
use super::storage::BLOCK_OF_FILE;
use super::{Lowered, Lowering};
use cobol_ir::program::files::{BLOCK_LENGTH, File, FileKey, LENGTH_AT, Owner};
use cobol_ir::program::{Argument, BytePlace, Lender, Segment};

/// A file while the program is lowered.
#[derive(Clone, Debug)]
pub(crate) struct FileUse<'a> {
    /// Its place in [`cobol_ir::Program::files`].
    pub(crate) index: u32,
    /// SELECT, which a sort file may lack.
    pub(crate) select: Option<&'a Select>,
    /// FD or SD.
    pub(crate) description: &'a FileDescription,
    /// Its records.
    pub(crate) records: Rc<[ItemId]>,
    /// The record area.
    pub(crate) area: BytePlace,
    pub(super) block: (Segment, u32),
}

impl FileUse<'_> {
    /// A part of its block.
    pub(crate) fn block(&self, at: u32, length: u32) -> BytePlace {
        BytePlace::fixed(self.block.0, self.block.1 + at, length)
    }

    /// The length of the record.
    pub(crate) fn length(&self) -> (BytePlace, Numeric) {
        (self.block(LENGTH_AT, 4), WHOLE_WORD)
    }

    /// FILE STATUS stands in one of its program's items.
    pub(crate) fn has_status(&self) -> bool {
        self.select.is_some_and(|select| !select.status.is_empty())
    }
}

impl<'a> Lowering<'a> {
    /// The file that a statement names.
    pub(super) fn file(&mut self, reference: &'a Reference) -> Lowered<FileUse<'a>> {
        match self.program.target(reference.id) {
            Some(NameTarget::File(index)) => self.file_of(index, reference.at()),
            Some(NameTarget::GlobalFile(level, index)) => self.file_around(level, index, reference.at()),
            _ => self.refuse(reference.at(), format_args!("{} here", reference.name.text)),
        }
    }

    /// The file that a record belongs to.
    pub(super) fn file_of_record(&mut self, record: &'a Reference) -> Lowered<FileUse<'a>> {
        let found = self.item(record.id);
        let item = found.map(|(_, item)| item.area);
        let files = &self.program.files;
        let of = |at: usize| files.iter().position(|file| file.description.is_some_and(|(_, own)| own == at));
        match item {
            Some(cobol_data::Area::File(at)) if of(at).is_some() => {
                self.file_of(of(at).unwrap_or_default(), record.at())
            }
            Some(cobol_data::Area::Around(level)) => {
                let first = self.program.around.get(level - 1).map_or(0, |first| first.0);
                let own = found.map(|(id, _)| ItemId(id.0 - first));
                let files = self.around.at(level).map_or(&[][..], |outer| &outer.program.files);
                match files.iter().position(|file| own.is_some_and(|own| file.records.contains(&own))) {
                    Some(index) => self.file_around(level, index, record.at()),
                    None => self.refuse(record.at(), format_args!("{} here", record.name.text)),
                }
            }
            _ => self.refuse(record.at(), format_args!("{} here", record.name.text)),
        }
    }

    /// A file by its place among the program's; its description is made when it is first used.
    fn file_of(&mut self, index: usize, used: At) -> Lowered<FileUse<'a>> {
        if let Some(known) = self.files.get(&(0, index)) {
            return Ok(known.clone());
        }
        let program = self.program;
        let file = &program.files[index];
        let Some((kind, described)) = file.description else {
            return self.mistaken(used, "this file has no FD", "describe it in the file section");
        };
        let description = &program.syntax.data.files[described];
        let select = file.select.and_then(|at| program.syntax.environment.files.get(at));
        let Some((segment, at)) = file.records.first().and_then(|id| self.record_base(*id)) else {
            return self.refuse(used, "a file without records");
        };
        let lengths = lengths(self, &file.records, description);
        let assigned = match (kind, select) {
            (FileKind::Sort, _) => String::new(),
            (FileKind::File, Some(select)) => assigned(select),
            (FileKind::File, None) => {
                return self.mistaken(
                    used,
                    "this file has no SELECT",
                    "write SELECT and ASSIGN in FILE-CONTROL",
                );
            }
        };
        let own = File {
            name: file.name.text.to_string(),
            assigned,
            organization: select.map_or(Organization::Sequential, |select| select.organization),
            access: select.map_or_else(Default::default, |select| select.access),
            optional: select.is_some_and(|select| select.optional),
            variable: description.record.varying || lengths.0 != lengths.1,
            lengths,
            keys: self.keys(select)?,
            owner: if description.external { Owner::External } else { Owner::Own },
        };
        let area = BytePlace::fixed(segment, at, lengths.1.max(file.record_length as u32));
        self.out.files.push(own);
        let name = &file.name.text;
        let block = match description.external {
            true => {
                let lender = Lender::External(format!("{name}{BLOCK_OF_FILE}"));
                self.borrow(name, BLOCK_LENGTH as usize, lender)
            }
            false => (Segment::Working, self.hidden_storage(BLOCK_LENGTH).at.constant as u32),
        };
        let index_of = self.out.files.len() as u32 - 1;
        let records = file.records.as_slice().into();
        let known = FileUse { index: index_of, select, description, records, area, block };
        self.files.insert((0, index), known.clone());
        Ok(known)
    }

    /// A GLOBAL file of a program around this one.
    fn file_around(&mut self, level: usize, index: usize, used: At) -> Lowered<FileUse<'a>> {
        if let Some(known) = self.files.get(&(level, index)) {
            return Ok(known.clone());
        }
        let first = self.program.around.get(level - 1).map_or(0, |first| first.0);
        let Some(Lent { program, file: lent, area, block }) = self.lent_file(level, index) else {
            return self.refuse(used, "this GLOBAL file");
        };
        let file = &program.files[index];
        let Some((_, described)) = file.description else {
            return self.mistaken(used, "this file has no FD", "describe it in the file section");
        };
        let length = lent.lengths.1.max(file.record_length as u32);
        self.out.files.push(lent);
        let known = FileUse {
            index: self.out.files.len() as u32 - 1,
            select: file.select.and_then(|at| program.syntax.environment.files.get(at)),
            description: &program.syntax.data.files[described],
            records: file.records.iter().map(|id| ItemId(id.0 + first)).collect(),
            area: BytePlace::fixed(area.0, area.1, length),
            block,
        };
        self.files.insert((level, index), known.clone());
        Ok(known)
    }

    /// GLOBAL files have their descriptions before programs within this one use them.
    pub(super) fn describe_global_files(&mut self) {
        for (index, file) in self.program.files.iter().enumerate() {
            let described = file.description.and_then(|(_, at)| self.program.syntax.data.files.get(at));
            if described.is_some_and(|described| described.global) {
                // Told there.
                let _: Lowered<FileUse<'a>> = self.file_of(index, file.name.at);
            }
        }
    }

    fn record_base(&self, id: ItemId) -> Option<(Segment, u32)> {
        self.storage.base(id, self.program.items.get(id))
    }

    fn keys(&mut self, select: Option<&'a Select>) -> Lowered<Vec<FileKey>> {
        let Some(select) = select.filter(|select| select.organization == Organization::Indexed) else {
            return Ok(Vec::new());
        };
        let prime = select.record_key.iter().map(|key| (key, false));
        let all = prime.chain(select.alternate_keys.iter().map(|(key, duplicates)| (key, *duplicates)));
        let mut keys = Vec::new();
        for (reference, duplicates) in all {
            let Some((_, item)) = self.item(reference.id) else {
                return self.refuse(reference.at(), "this key");
            };
            keys.push(FileKey { offset: item.offset as u32, length: item.length as u32, duplicates });
        }
        if keys.is_empty() {
            return self.mistaken(
                select.at,
                "this indexed file has no RECORD KEY",
                "write RECORD KEY IS item of its record",
            );
        }
        Ok(keys)
    }

    /// Which key of a file an item is: the one that begins where it does. A shorter item is the first part of a key.
    pub(super) fn key_of(&mut self, file: &FileUse<'a>, reference: &'a Reference) -> Lowered<(u32, u32)> {
        let found = self.item(reference.id).map(|(_, item)| (item.offset as u32, item.length as u32));
        let keys = &self.out.files[file.index as usize].keys;
        let fits = |key: &FileKey, (offset, length): (u32, u32)| key.offset == offset && length <= key.length;
        let whole = |key: &FileKey, (_, length): (u32, u32)| key.length == length;
        let at = found.and_then(|own| {
            let exact = keys.iter().position(|key| fits(key, own) && whole(key, own));
            exact.or_else(|| keys.iter().position(|key| fits(key, own)))
        });
        match (at, found) {
            (Some(at), Some((_, length))) => Ok((at as u32, length)),
            _ => self.refuse(reference.at(), format_args!("{} as a key", reference.name.text)),
        }
    }

    /// LINAGE and LINAGE-COUNTER, as arguments.
    pub(super) fn linage(&mut self, file: &FileUse<'a>) -> Lowered<Option<[Argument; 5]>> {
        let Some(linage) = &file.description.linage else { return Ok(None) };
        let others = self.program.syntax.data.files.iter().filter(|other| other.linage.is_some());
        let counter = self
            .program
            .items
            .all()
            .find(|(_, item)| item.name.as_ref().is_some_and(|name| &*name.text == "LINAGE-COUNTER"));
        if counter.is_some() && others.count() > 1 {
            return self.refuse(file.description.name.at, "LINAGE-COUNTER of several files");
        }
        let lines = Argument::Number(self.operand_number(&linage.lines)?);
        let mut arguments = [lines, Argument::None, Argument::None, Argument::None, Argument::None];
        for (at, operand) in [&linage.footing, &linage.top, &linage.bottom].into_iter().enumerate() {
            if let Some(operand) = operand {
                arguments[at + 1] = Argument::Number(self.operand_number(operand)?);
            }
        }
        if let Some((id, item)) = counter
            && let (Some((segment, at)), Type::Numeric(numeric)) = (self.record_base(id), &item.kind)
        {
            let numeric = self.numeric(*numeric);
            arguments[4] = Argument::Field(BytePlace::fixed(segment, at, item.length as u32), numeric);
        }
        Ok(Some(arguments))
    }

    /// RELATIVE KEY.
    pub(super) fn relative_key(&mut self, file: &FileUse<'a>) -> Lowered<Option<(BytePlace, Numeric)>> {
        let Some(reference) = file.select.and_then(|select| select.relative_key.as_ref()) else {
            return Ok(None);
        };
        let located = self.locate(reference, Extent::Present)?;
        match located.kind() {
            Type::Numeric(numeric) if numeric.is_integer() => {
                let numeric = self.numeric(*numeric);
                Ok(Some((located.place, numeric)))
            }
            kind => self.refuse(reference.at(), format_args!("{} as RELATIVE KEY", kind.name())),
        }
    }
}

/// The name of the DD statement: the last part of what stands behind ASSIGN.
fn assigned(select: &Select) -> String {
    let name =
        select.assign.last().map_or_else(|| select.name.text.to_string(), |name| name.text.to_string());
    name.trim_matches(['"', '\'']).rsplit('-').next().unwrap_or_default().to_uppercase()
}

/// The length of an item whose tables are as short as they can be.
fn least(lowering: &Lowering<'_>, id: ItemId) -> usize {
    let items = &lowering.program.items;
    let item = items.get(id);
    let shorter: usize = item
        .parts
        .iter()
        .map(|part| {
            let own = items.get(*part);
            match &own.occurs {
                Some(occurs) if occurs.depending.is_some() => {
                    occurs.stride * occurs.max.unwrap_or(occurs.min).saturating_sub(occurs.min)
                }
                _ if own.redefines.is_some() => 0,
                _ => own.length - least(lowering, *part),
            }
        })
        .sum();
    item.length.saturating_sub(shorter)
}

/// The shortest and the longest record.
fn lengths(lowering: &Lowering<'_>, records: &[ItemId], description: &FileDescription) -> (u32, u32) {
    let items = &lowering.program.items;
    let described = records.iter().map(|id| (least(lowering, *id), items.get(*id).length));
    let (mut min, mut max) =
        described.fold((usize::MAX, 0), |(min, max), own| (min.min(own.0), max.max(own.1)));
    let clause = &description.record;
    if let Some(own) = clause.max {
        // RECORD CONTAINS n: all records have this length.
        max = max.max(own);
        if !clause.varying && clause.min.is_none() {
            min = max;
        }
    }
    if let Some(own) = clause.min {
        min = min.min(own);
    }
    (min.min(max) as u32, max as u32)
}
