//! Items: what descriptions become.

use cobol_source::At;
use cobol_syntax::tree::{Literal, Name, Operand, Reference};

use cobol_types::Type;

/// An item of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub u32);

/// Areas of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// The record area of a file, by its place in the file section.
    File(usize),
    /// WORKING-STORAGE.
    WorkingStorage,
    /// LOCAL-STORAGE.
    LocalStorage,
    /// LINKAGE.
    Linkage,
    /// Registers, which no description makes.
    Register,
    /// In a program around this one, so many levels out: [`Items::adopt`].
    Around(usize),
}

/// A table.
#[derive(Clone, Debug)]
pub struct Occurs {
    /// The least number of occurrences.
    pub min: usize,
    /// The greatest; none for UNBOUNDED.
    pub max: Option<usize>,
    /// DEPENDING ON.
    pub depending: Option<Reference>,
    /// Keys, with whether they ascend.
    pub keys: Vec<(Reference, bool)>,
    /// Its index-names.
    pub indexes: Vec<ItemId>,
    /// Bytes from one occurrence to the next.
    pub stride: usize,
}

/// A value, or a range of them.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value, or the first.
    pub from: Operand,
    /// The last.
    pub to: Option<Operand>,
}

/// One item.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name; none for FILLER.
    pub name: Option<Name>,
    /// Its level number; 0 for an index-name.
    pub level: u8,
    /// Place where its description begins.
    pub at: At,
    /// Area of its record.
    pub area: Area,
    /// The group it belongs to; the conditional variable of a condition-name, the table of an index-name.
    pub parent: Option<ItemId>,
    /// The record it belongs to: itself for a level 01 or 77.
    pub record: ItemId,
    /// Its parts in order; level 66 and 88 and indexes are not among them.
    pub parts: Vec<ItemId>,
    /// Its condition-names.
    pub conditions: Vec<ItemId>,
    /// Type of the item.
    pub kind: Type,
    /// The PICTURE as it was written.
    pub picture: Option<std::rc::Rc<str>>,
    /// Offset in its record, tables at their greatest size; of the first occurrence.
    pub offset: usize,
    /// The length of one occurrence in bytes, tables in it at their greatest size.
    pub length: usize,
    /// DYNAMIC LENGTH: its length is how many characters it has room for.
    pub dynamic: bool,
    /// Slack bytes in front of it.
    pub slack: usize,
    /// OCCURS.
    pub occurs: Option<Occurs>,
    /// The tables that it stands in, outermost first, itself among them: one subscript each.
    pub dimensions: Vec<ItemId>,
    /// The tables of varying size in front of it in its record: it moves with them.
    pub moves_behind: Vec<ItemId>,
    /// The item whose storage it redefines.
    pub redefines: Option<ItemId>,
    /// True if it, or a group around it, redefines another.
    pub within_redefinition: bool,
    /// RENAMES: the first and the last item.
    pub renames: Option<(ItemId, ItemId)>,
    /// VALUE.
    pub values: Vec<Value>,
    /// WHEN SET TO FALSE.
    pub when_false: Option<Literal>,
    /// JUSTIFIED RIGHT.
    pub justified: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// EXTERNAL.
    pub external: bool,
    /// GLOBAL.
    pub global: bool,
    /// In the LINKAGE SECTION of its program, which may be one around the program that sees it.
    pub linkage: bool,
}

/// All items of a program.
#[derive(Clone, Debug, Default)]
pub struct Items {
    pub(crate) list: Vec<Item>,
}

impl Items {
    /// An item.
    pub fn get(&self, id: ItemId) -> &Item {
        &self.list[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: ItemId) -> &mut Item {
        &mut self.list[id.0 as usize]
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in the order of their descriptions.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (ItemId, &Item)> {
        (0..self.list.len()).map(|index| (ItemId(index as u32), &self.list[index]))
    }

    /// Adds one that no description makes: a register.
    pub fn add(&mut self, item: Item) -> ItemId {
        self.list.push(item);
        ItemId((self.list.len() - 1) as u32)
    }

    /// Takes over the first items of a program around this one, as many as it has itself described, so that what is GLOBAL there
    /// is an item like others: which is the first of them.
    pub fn adopt(&mut self, outer: &Self, described: usize, level: usize) -> ItemId {
        let first = self.list.len() as u32;
        let shifted = |id: ItemId| ItemId(id.0 + first);
        let all = |ids: &mut Vec<ItemId>| ids.iter_mut().for_each(|id| *id = shifted(*id));
        for item in outer.list.iter().take(described) {
            let mut item = Item { area: Area::Around(level), ..item.clone() };
            item.record = shifted(item.record);
            item.parent = item.parent.map(shifted);
            item.redefines = item.redefines.map(shifted);
            item.renames = item.renames.map(|(from, to)| (shifted(from), shifted(to)));
            [&mut item.parts, &mut item.conditions, &mut item.dimensions, &mut item.moves_behind]
                .into_iter()
                .for_each(all);
            if let Some(occurs) = &mut item.occurs {
                all(&mut occurs.indexes);
            }
            self.list.push(item);
        }
        ItemId(first)
    }

    /// An item of that name without anything else to it.
    pub fn register(&mut self, name: Name, kind: Type, length: usize) -> ItemId {
        let id = ItemId(self.list.len() as u32);
        let at = name.at;
        self.add(Item { kind, length, name: Some(name), ..Item::empty(1, at, Area::Register, id) })
    }

    /// The groups around an item, innermost first.
    pub fn groups(&self, id: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        std::iter::successors(self.get(id).parent, |group| self.get(*group).parent)
    }

    /// The length of all occurrences, at the greatest number.
    pub fn extent(&self, id: ItemId) -> usize {
        let item = self.get(id);
        match &item.occurs {
            Some(occurs) => occurs.stride.saturating_mul(occurs.max.unwrap_or(1)),
            None => item.length,
        }
    }

    /// Returns true if an item holds a table of varying size.
    pub fn varies(&self, id: ItemId) -> bool {
        self.get(id).parts.iter().any(|part| {
            self.get(*part).occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some())
                || self.varies(*part)
        })
    }
}

impl Item {
    pub(crate) fn empty(level: u8, at: At, area: Area, record: ItemId) -> Self {
        Self {
            name: None,
            level,
            at,
            area,
            parent: None,
            record,
            parts: Vec::new(),
            conditions: Vec::new(),
            kind: Type::Unknown,
            picture: None,
            offset: 0,
            length: 0,
            dynamic: false,
            slack: 0,
            occurs: None,
            dimensions: Vec::new(),
            moves_behind: Vec::new(),
            redefines: None,
            within_redefinition: false,
            renames: None,
            values: Vec::new(),
            when_false: None,
            justified: false,
            blank_when_zero: false,
            external: false,
            global: false,
            linkage: area == Area::Linkage,
        }
    }

    /// Returns true if it is a group.
    pub fn is_group(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Its name, or FILLER.
    pub fn display_name(&self) -> &str {
        self.name.as_ref().map_or("FILLER", |name| &name.text)
    }
}
