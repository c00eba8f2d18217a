//! Storage of others: what is EXTERNAL, and what is GLOBAL in a program around this one. Each is a record of the linkage section
//! whose address comes with the program's activation.

use std::collections::HashMap;
use std::rc::Rc;

use cobol_check::CheckedProgram;
use cobol_data::{Area, ItemId, Type};
use cobol_source::At;
use cobol_syntax::tree::{OpenMode, Use};

use super::passed::Passed;
use super::storage::Shared;
use super::storage::{SEGMENT_MAX, Storage};
use super::{Lowered, Lowering};
use cobol_ir::program::files::{File, Owner};
use cobol_ir::program::{Borrowed, End, Leave, Lender, Linkage, Segment, Service};

/// The programs around one, innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Around<'a>(Vec<Rc<Lends<'a>>>);

/// Records that a lowered program lends those that it contains.
#[derive(Debug)]
pub(super) struct Lends<'a> {
    /// Its place among all programs of the source.
    place: u32,
    pub(super) program: &'a CheckedProgram,
    storage: Storage,
    borrowed: Vec<Borrowed>,
    /// Its records of the linkage section that are seen, and where the address of each lies.
    passed: Vec<Passed>,
    /// Its sections of declaratives that are GLOBAL, each with its entry.
    declaratives: Vec<(&'a Use, u32)>,
    /// Its GLOBAL files that have a description, each with the places of its area and its block.
    files: HashMap<usize, LentFile>,
}

/// A GLOBAL file.
#[derive(Clone, Debug)]
struct LentFile {
    file: File,
    owner: Owner,
    area: (Segment, u32),
    block: (Segment, u32),
}

/// A GLOBAL file of a program around this one: its area and its block lie where they are lent.
pub(super) struct Lent<'a> {
    pub(super) program: &'a CheckedProgram,
    pub(super) file: File,
    pub(super) area: (Segment, u32),
    pub(super) block: (Segment, u32),
}

impl<'a> Around<'a> {
    /// With one more program between them and what it contains.
    pub(super) fn with(&self, program: Lends<'a>) -> Self {
        Self([Rc::new(program)].into_iter().chain(self.0.iter().cloned()).collect())
    }

    pub(super) fn innermost(&self) -> Option<u32> {
        self.0.first().map(|program| program.place)
    }

    /// The program that contains all of them.
    pub(super) fn outermost(&self) -> Option<Rc<Lends<'a>>> {
        self.0.last().cloned()
    }

    /// The program so many levels out.
    pub(super) fn at(&self, level: usize) -> Option<Rc<Lends<'a>>> {
        self.0.get(level.checked_sub(1)?).cloned()
    }
}

impl Lends<'_> {
    /// Its place among all programs of the source.
    pub(super) fn place(&self) -> u32 {
        self.place
    }

    /// A register that it has for those within it, too.
    pub(super) fn register(&self, name: &str) -> Option<&Shared> {
        self.storage.shared.get(name)
    }

    /// The word that has the address of a record of its linkage section.
    fn word_of(&self, (segment, _): (Segment, u32)) -> Option<Lender> {
        let own = self.passed.iter().find(|own| Segment::Linkage(own.linkage) == segment)?;
        Some(Lender::Around { program: self.place, at: own.word.at.constant as u32 })
    }

    /// The lender of what lies at a place of the program; `None` for what lasts no longer than a CALL of it.
    fn lender(&self, (segment, at): (Segment, u32)) -> Option<Lender> {
        match segment {
            Segment::Working => Some(Lender::Around { program: self.place, at }),
            Segment::Linkage(index) => {
                let own = self.borrowed.iter().find(|own| own.linkage == index)?;
                Some(own.from.clone())
            }
            _ => None,
        }
    }
}

impl<'a> Lowering<'a> {
    /// Records that the contained programs see.
    pub(super) fn lends(&self, place: u32) -> Lends<'a> {
        let own = self.files.iter().filter(|((level, _), _)| *level == 0);
        let files = own.map(|((_, at), known)| {
            let file = self.out.files[known.index as usize].clone();
            let owner = match file.owner {
                Owner::Own => Owner::Around { program: place, file: known.index },
                owner => owner,
            };
            let area = (known.area.segment, known.area.at.constant as u32);
            (*at, LentFile { file, owner, area, block: known.block })
        });
        Lends {
            place,
            program: self.program,
            storage: self.storage.clone(),
            borrowed: self.out.borrowed.clone(),
            passed: self.passed.clone(),
            declaratives: self.global_uses.clone(),
            files: files.collect(),
        }
    }

    /// Sections of declaratives that are GLOBAL have an entry each: programs within this one have them carried out there.
    pub(super) fn global_declaratives(&mut self, at: At) {
        for (what, section) in self.declaratives.clone() {
            let Use::Exception { global: true, .. } = what else { continue };
            if !self.out.local.is_empty() {
                let _: Lowered<()> = self.refuse(at, "USE GLOBAL in a RECURSIVE program with LOCAL-STORAGE");
                return;
            }
            let entry = self.out.entries.len();
            let block = self.enter_here(&format!("use {entry}"));
            self.perform_range(section, section);
            self.end(End::Leave(Leave::Return), block);
            self.global_uses.push((what, entry as u32));
        }
    }

    /// The GLOBAL declaratives of the programs around this one that may take a failure of a file, the nearest ones first: of each
    /// the mode that it is for, if it is for one, and its place.
    pub(super) fn declaratives_around(&self, file: &str, is_lent: bool) -> Vec<(Option<OpenMode>, Service)> {
        let mut found = Vec::new();
        for outer in &self.around.0 {
            let service = |entry: u32| Service::Declarative { program: outer.place, entry };
            let mut of_modes = Vec::new();
            for (what, entry) in &outer.declaratives {
                let Use::Exception { files, mode, .. } = what else { continue };
                if is_lent && files.iter().any(|own| *own.name.text == *file) {
                    found.push((None, service(*entry)));
                }
                of_modes.extend(mode.map(|mode| (Some(mode), service(*entry))));
            }
            found.extend(of_modes);
        }
        found
    }

    /// A record of the linkage section for storage of others.
    pub(super) fn borrow(&mut self, name: &str, length: usize, from: Lender) -> (Segment, u32) {
        if length > SEGMENT_MAX {
            let _: Lowered<()> = self.refuse(self.program.syntax.name.at, "storage of more than 256 MiB");
        }
        if let Some(known) = self.lenders.get(&from) {
            let linkage = &mut self.out.linkage[*known as usize];
            linkage.length = linkage.length.max(length as u32);
            return (Segment::Linkage(*known), 0);
        }
        let index = self.out.linkage.len() as u32;
        self.lenders.insert(from.clone(), index);
        self.out.linkage.push(Linkage { name: name.to_owned(), length: length as u32 });
        self.out.borrowed.push(Borrowed { linkage: index, from });
        (Segment::Linkage(index), 0)
    }

    /// Gives an item of a program around this one its place; of others, nothing is done.
    pub(super) fn reach(&mut self, id: ItemId, at: At) -> Lowered<()> {
        let items = &self.program.items;
        let item = items.get(id);
        let Area::Around(level) = item.area else { return Ok(()) };
        let own = if item.kind == Type::IndexName { id } else { item.record };
        if self.storage.has(own) {
            return Ok(());
        }
        let (Some(outer), Some(first)) = (self.around.at(level), self.program.around.get(level - 1)) else {
            return self.refuse(at, format_args!("the storage of {}", item.display_name()));
        };
        let theirs = ItemId(own.0 - first.0);
        let base = outer.storage.base(theirs, outer.program.items.get(theirs));
        let record = items.get(own);
        let length = if record.kind == Type::IndexName { 4 } else { items.extent(own) };
        let lender = base.and_then(|base| outer.lender(base));
        let word = base.and_then(|base| outer.word_of(base));
        let place = match (lender, word) {
            (Some(lender), _) => self.borrow(record.display_name(), length, lender),
            (None, Some(word)) => self.record_by_word(record.display_name(), length, word),
            (None, None) => return self.refuse_passing(at),
        };
        self.storage.put(own, place);
        Ok(())
    }

    /// The file of a program around this one: what is known of it, and where its area and its block lie here.
    pub(super) fn lent_file(&mut self, level: usize, index: usize) -> Option<Lent<'a>> {
        let outer = self.around.at(level)?;
        let lent = outer.files.get(&index)?.clone();
        let name = &lent.file.name;
        let (area, block) = (outer.lender(lent.area)?, outer.lender(lent.block)?);
        let length = outer.program.files.get(index)?.record_length.max(lent.file.lengths.1 as usize);
        let area = self.borrow(name, length, area);
        let block = self.borrow(name, cobol_ir::program::files::BLOCK_LENGTH as usize, block);
        Some(Lent { program: outer.program, file: File { owner: lent.owner, ..lent.file }, area, block })
    }
}
