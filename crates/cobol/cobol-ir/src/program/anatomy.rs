//! A program as its author knows it: items by name, paragraphs by name. Dumps and debuggers read it; code does not.

use std::ops::Range;

use cobol_types::Type;

use super::{BlockId, Segment, Slot};
use serde::{Deserialize, Serialize};

/// An author's knowledge of a program, for dumps and debuggers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anatomy {
    /// The items of the data division, each in front of its parts.
    pub items: Vec<Described>,
    /// Sections and paragraphs in their order.
    pub procedures: Vec<ProcedureText>,
}

/// An item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// Its name; none is FILLER.
    pub name: Option<String>,
    /// Its level number.
    pub level: u8,
    /// Type of the item.
    pub kind: Type,
    /// Segment of its record.
    pub segment: Segment,
    /// Its first byte from the segment's base, with every subscript 1 and every table in front of it full.
    pub offset: u32,
    /// The bytes of one occurrence.
    pub length: u32,
    /// OCCURS.
    pub table: Option<Table>,
    /// Tables of varying size in front of it in its record, by their places: it slides with them.
    pub slides_behind: Vec<u32>,
    /// True if other items describe the same bytes, and stand in front of it.
    pub redefines: bool,
    /// Its parts, by their places, in order.
    pub parts: Vec<u32>,
}

/// OCCURS of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The greatest number of occurrences.
    pub max: u32,
    /// The item that says how many there are.
    pub depending: Option<u32>,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// A section or paragraph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcedureText {
    /// Its name.
    pub name: String,
    /// Its first block.
    pub start: BlockId,
    /// Its other blocks; a section has those of its paragraphs, too.
    pub blocks: Range<u32>,
    /// The frame's number that tells which PERFORM waits for its end, from 1; `None` if nothing performs it.
    pub cell: Option<Slot>,
    /// Those PERFORMs.
    pub performs: Vec<PerformText>,
}

/// A PERFORM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerformText {
    /// The first procedure that it performs; the last one is where it stands.
    pub first: u32,
    /// Block where it goes on.
    pub back: BlockId,
    /// Its statement, by its place in [`super::Program::lines`].
    pub line: u32,
}

impl Anatomy {
    /// The innermost procedure that a block is in.
    pub fn procedure_of(&self, block: BlockId) -> Option<usize> {
        let around = |(_, procedure): &(usize, &ProcedureText)| {
            procedure.start == block || procedure.blocks.contains(&block.0)
        };
        let found = self.procedures.iter().enumerate().filter(around);
        found.min_by_key(|(_, procedure)| procedure.blocks.len()).map(|(place, _)| place)
    }

    /// Returns true if a PERFORM goes on at a block.
    pub fn is_back(&self, block: BlockId) -> bool {
        self.procedures.iter().flat_map(|procedure| &procedure.performs).any(|perform| perform.back == block)
    }

    /// The items that are part of no other.
    pub fn records(&self) -> impl Iterator<Item = u32> + '_ {
        let mut is_part = vec![false; self.items.len()];
        for part in self.items.iter().flat_map(|item| &item.parts) {
            is_part[*part as usize] = true;
        }
        (0..self.items.len() as u32).filter(move |place| !is_part[*place as usize])
    }
}

impl ProcedureText {
    /// Returns true if another one lies within it: a paragraph of a section.
    pub fn holds(&self, other: &Self) -> bool {
        !other.blocks.is_empty()
            && self.blocks.contains(&other.blocks.start)
            && self.blocks.contains(&(other.blocks.end - 1))
    }
}
