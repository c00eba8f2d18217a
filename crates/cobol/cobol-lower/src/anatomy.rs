//! Knowledge of a program for dumps and debuggers: its items and their places, its procedures and their PERFORMs.

use std::collections::HashMap;

use cobol_data::{Item, ItemId, Type};

use super::Lowering;
use cobol_ir::program::{Anatomy, Described, PerformText, ProcedureText, Table};

impl Lowering<'_> {
    /// Notes the items that have storage, each in front of its parts. Level 66 and 88 describe others, and are left out.
    pub(super) fn describe_items(&mut self) {
        let mut places = HashMap::new();
        let mut ids = Vec::new();
        for id in &self.program.records {
            self.count_items(*id, &mut places, &mut ids);
        }
        let items = ids.iter().filter_map(|id| self.described(*id, &places)).collect();
        self.out.anatomy = Anatomy { items, procedures: std::mem::take(&mut self.out.anatomy.procedures) };
    }

    fn count_items(&self, id: ItemId, places: &mut HashMap<ItemId, u32>, ids: &mut Vec<ItemId>) {
        let item = self.program.items.get(id);
        let has_storage =
            !matches!(item.kind, Type::Condition | Type::Constant | Type::IndexName | Type::Unknown);
        if !has_storage || item.renames.is_some() || self.storage.base(id, item).is_none() {
            return;
        }
        places.insert(id, ids.len() as u32);
        ids.push(id);
        for part in &item.parts {
            self.count_items(*part, places, ids);
        }
    }

    fn described(&self, id: ItemId, places: &HashMap<ItemId, u32>) -> Option<Described> {
        let item = self.program.items.get(id);
        let (segment, base) = self.storage.base(id, item)?;
        let known = |ids: &[ItemId]| ids.iter().filter_map(|id| places.get(id).copied()).collect();
        Some(Described {
            name: item.name.as_ref().map(|name| name.text.to_string()),
            level: item.level,
            kind: item.kind.clone(),
            segment,
            offset: base + u32::try_from(item.offset).ok()?,
            length: u32::try_from(item.length).ok()?,
            table: self.table(item, places),
            slides_behind: known(&item.moves_behind),
            redefines: item.redefines.is_some(),
            parts: known(&item.parts),
        })
    }

    fn table(&self, item: &Item, places: &HashMap<ItemId, u32>) -> Option<Table> {
        let occurs = item.occurs.as_ref()?;
        let depending = occurs.depending.as_ref().and_then(|reference| self.item(reference.id));
        Some(Table {
            max: u32::try_from(occurs.max.unwrap_or(1)).ok()?,
            depending: depending.and_then(|(id, _)| places.get(&id).copied()),
            stride: u32::try_from(occurs.stride).ok()?,
        })
    }

    /// Notes a procedure, whose blocks from `first_block` on are all there.
    pub(super) fn describe_procedure(&mut self, own: usize, first_block: u32) {
        let blocks = first_block..self.out.blocks.len() as u32;
        self.procedures.list[own].blocks = blocks;
    }

    /// Notes all procedures, when it is known who performs them.
    pub(super) fn describe_procedures(&mut self) {
        let names = self.program.procedures.iter().map(|procedure| procedure.name.text.to_string());
        let list = names.zip(&self.procedures.list).map(|(name, procedure)| ProcedureText {
            name,
            start: procedure.start,
            blocks: procedure.blocks.clone(),
            cell: procedure.cell,
            performs: (procedure.returns.iter().zip(&procedure.performs))
                .map(|(back, (first, line))| PerformText { first: *first, back: *back, line: *line })
                .collect(),
        });
        self.out.anatomy.procedures = list.collect();
    }
}
