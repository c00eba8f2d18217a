//! The places at which statements begin, for code that counts them: in front of them a program that is walked rests (`cobol_run`).

use std::collections::{BTreeMap, HashSet};

use cobol_ir::Program;
use cobol_ir::program::{Block, BlockId, End};

use crate::left::Left;

/// The statement that a program stands in when it comes to a block, by its place in the program's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing leads to the block, as far as is known.
    Unknown,
    /// Always the same one.
    One(u32),
    /// One or another, or none.
    Any,
}

impl Before {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (one, same) if one == same => one,
            _ => Self::Any,
        }
    }
}

/// The places of a block that belong to statements, in their order.
fn places(program: &Program, id: BlockId, block: &Block) -> Vec<(Option<u32>, u32)> {
    // A PERFORM that comes back only restores what it has saved.
    let first = usize::from(program.anatomy.is_back(id));
    let steps = block.steps.iter().enumerate().skip(first);
    let mut places: Vec<_> = steps.map(|(at, step)| (Some(at as u32), step.line)).collect();
    if !matches!(block.end, End::Jump(_) | End::Switch { .. }) {
        places.push((None, block.line));
    }
    places
}

/// The blocks to which one leads.
fn next(block: &Block) -> Vec<BlockId> {
    match &block.end {
        End::Jump(to) => vec![*to],
        End::Branch { yes, no, .. } => vec![*yes, *no],
        End::Switch { targets, other, .. } | End::Select { targets, other, .. } => {
            targets.iter().chain([other]).copied().collect()
        }
        End::Host { next, failed, .. } => [Some(*next), *failed].into_iter().flatten().collect(),
        End::Leave(_) => Vec::new(),
    }
}

/// The beginnings of a program's statements.
#[derive(Debug, Default)]
pub(crate) struct Begun {
    /// The places at which a statement begins, by any way.
    pub(crate) places: HashSet<Left>,
    /// The blocks with which a statement begins, unless it goes on there from a block in front.
    pub(crate) entered: BTreeMap<BlockId, u32>,
    /// The ways, from one block to another, on which it goes on.
    pub(crate) on: HashSet<(BlockId, BlockId)>,
}

/// The beginnings of statements, of the blocks that something leads to. A statement that goes on in another block begins once; one that is a
/// loop begins each time round.
pub(crate) fn statements(program: &Program, reached: &[bool]) -> Begun {
    let before = before(program);
    let mut begun = Begun::default();
    let blocks = || (0..).map(BlockId).zip(&program.blocks).zip(reached);
    let blocks = || blocks().filter(|(_, reached)| **reached).map(|(block, _)| block);
    for (id, block) in blocks() {
        let mut within = before[id.0 as usize];
        for (step, line) in places(program, id, block) {
            if within != Before::One(line) {
                begun.places.insert(Left { block: id, step });
            }
            within = Before::One(line);
        }
        for to in next(block).into_iter().filter(|to| *to > id) {
            let first = places(program, to, &program.blocks[to.0 as usize]).first().copied();
            let Some((_, line)) = first.filter(|(_, line)| within == Before::One(*line)) else { continue };
            if before[to.0 as usize] != Before::One(line) {
                begun.on.insert((id, to));
                begun.entered.insert(to, line);
            }
        }
    }
    let is_entered = |place: &Left| {
        let first = places(program, place.block, &program.blocks[place.block.0 as usize]).first().copied();
        begun.entered.contains_key(&place.block) && first.is_some_and(|(step, _)| step == place.step)
    };
    begun.places.retain(|place| !is_entered(place));
    begun
}

/// The statement that a program stands in where each block begins.
fn before(program: &Program) -> Vec<Before> {
    let mut before = vec![Before::Unknown; program.blocks.len()];
    let mut open: Vec<BlockId> = [BlockId(0)].into_iter().chain(program.labels.iter().copied()).collect();
    open.iter().for_each(|entry| before[entry.0 as usize] = Before::Any);
    while let Some(id) = open.pop() {
        let block = &program.blocks[id.0 as usize];
        let last = places(program, id, block).last().map(|(_, line)| Before::One(*line));
        let last = last.unwrap_or(before[id.0 as usize]);
        for to in next(block) {
            let known = &mut before[to.0 as usize];
            let joined = known.or(if to <= id { Before::Any } else { last });
            if joined != *known {
                *known = joined;
                open.push(to);
            }
        }
    }
    before
}
