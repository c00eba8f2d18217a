//! LOCAL-STORAGE that others see: where items of it are GLOBAL, or a section with USE GLOBAL may work on it, it lies in the program's
//! WORKING-STORAGE and gets its initial values at each CALL. No program can tell: one that contains others is not entered twice.

use cobol_data::Area;
use cobol_syntax::tree::{StatementKind, Use};

use super::{Lowered, Lowering};
use cobol_ir::program::{BytePlace, Operation, Segment, Text};

/// The place of LOCAL-STORAGE that lasts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lasting {
    /// Its first byte in WORKING-STORAGE.
    at: u32,
    length: u32,
    /// Its initial values among the constants.
    values: u32,
}

impl<'a> Lowering<'a> {
    /// Returns true if LOCAL-STORAGE of the program is seen by others.
    pub(super) fn shows_local_storage(&self) -> bool {
        let mut records = self.program.records.iter().map(|id| self.program.items.get(*id));
        if !records.any(|item| item.area == Area::LocalStorage) || self.program.syntax.recursive {
            return false;
        }
        let items = self.program.items.all();
        let mut global = items.filter(|(_, item)| item.area == Area::LocalStorage && item.global);
        global.next().is_some() || self.has_global_use()
    }

    /// Returns true if a section of declaratives is GLOBAL.
    pub(super) fn has_global_use(&self) -> bool {
        let sections = self.program.syntax.procedure.iter().flat_map(|procedure| &procedure.declaratives);
        let sentences = sections.flat_map(|section| &section.paragraphs).flat_map(|one| &one.sentences);
        let mut kinds = sentences.flat_map(|sentence| &sentence.statements).map(|statement| &statement.kind);
        kinds.any(|kind| matches!(kind, StatementKind::Use(Use::Exception { global: true, .. })))
    }

    /// LOCAL-STORAGE has its place in WORKING-STORAGE, from `at` on.
    pub(super) fn lasts(&mut self, at: usize, end: usize) {
        let values = self.out.constants.len() as u32;
        self.out.constants.resize(self.out.constants.len() + (end - at), 0);
        self.lasting = Some(Lasting { at: at as u32, length: (end - at) as u32, values });
    }

    /// Gives it its initial values.
    pub(super) fn begin_lasting(&mut self) {
        let Some(Lasting { at, length, values }) = self.lasting.filter(|lasting| lasting.length > 0) else {
            return;
        };
        let from = Text::Place(BytePlace::fixed(Segment::Constant, values, length));
        let to = BytePlace::fixed(Segment::Working, at, length);
        self.emit(Operation::Move { from, to, right: false });
    }

    /// Its initial values are those that VALUE clauses have left.
    pub(super) fn keep_values_of_lasting(&mut self) {
        let Some(Lasting { at, length, values }) = self.lasting else { return };
        let (at, length, values) = (at as usize, length as usize, values as usize);
        let known = self.out.working.to_vec();
        let own = self.out.constants.get_mut(values..values + length);
        if let (Some(known), Some(own)) = (known.get(at..at + length), own) {
            own.copy_from_slice(known);
        }
    }

    /// Refuses GLOBAL items of records that do not last.
    pub(super) fn refuse_passing<T>(&mut self, at: cobol_source::At) -> Lowered<T> {
        self.refuse(at, "GLOBAL items of LOCAL-STORAGE in a RECURSIVE program")
    }
}
