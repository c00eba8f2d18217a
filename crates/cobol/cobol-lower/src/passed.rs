//! Records of the linkage section that programs within see: GLOBAL, or used by a section with USE GLOBAL. Such a record has no place of
//! its own, so its address stands in a word of WORKING-STORAGE, which is lent as any GLOBAL item is. A program writes its words in front
//! of each CALL and where it is left, and takes the addresses from them behind each CALL and where it is entered.

use std::collections::HashSet;

use cobol_data::Area;

use super::Lowering;
use super::numbers::WHOLE_WORD;
use cobol_ir::program::{
    Block, BlockId, BytePlace, End, Form, Leave, Lender, Linkage, Number, Operation, Receiver, Segment,
    Service, Step,
};

/// Bytes of an address.
const WORD: u32 = 4;

/// A record of the linkage section and the word that has its address.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    /// The record.
    pub(super) linkage: u32,
    /// The word.
    pub(super) word: BytePlace,
    /// A program around this one has described the record.
    is_lent: bool,
}

impl Lowering<'_> {
    /// Records that programs within may see have a word each, from the beginning.
    pub(super) fn lay_out_words(&mut self) {
        if self.program.contained.is_empty() {
            return;
        }
        let all = self.has_global_use();
        let items = &self.program.items;
        let records = self.program.records.iter().filter_map(|id| {
            let item = items.get(*id);
            let is_seen = item.area == Area::Linkage && (all || item.global);
            match self.storage.base(*id, item) {
                Some((Segment::Linkage(linkage), 0)) if is_seen => Some(linkage),
                _ => None,
            }
        });
        let seen: HashSet<u32> = records.collect();
        let mut seen: Vec<u32> = seen.into_iter().collect();
        seen.sort_unstable();
        for linkage in seen {
            let word = self.hidden_storage(WORD);
            self.passed.push(Passed { linkage, word, is_lent: false });
        }
    }

    /// A record of the linkage section for one of a program around this one, whose address stands in a word of that program.
    pub(super) fn record_by_word(&mut self, name: &str, length: usize, word: Lender) -> (Segment, u32) {
        let (segment, at) = self.borrow(&format!("ADDRESS OF {name}"), WORD as usize, word);
        let word = BytePlace::fixed(segment, at, WORD);
        if let Some(known) = self.passed.iter().find(|known| known.word == word) {
            let linkage = &mut self.out.linkage[known.linkage as usize];
            linkage.length = linkage.length.max(length as u32);
            return (Segment::Linkage(known.linkage), 0);
        }
        let linkage = self.out.linkage.len() as u32;
        self.out.linkage.push(Linkage { name: name.to_owned(), length: length as u32 });
        self.passed.push(Passed { linkage, word, is_lent: true });
        (Segment::Linkage(linkage), 0)
    }

    /// Writes and reads the words, once all statements are lowered.
    pub(super) fn pass_addresses(&mut self) {
        if self.passed.is_empty() {
            return;
        }
        for at in 0..self.out.blocks.len() {
            match self.out.blocks[at].end.clone() {
                End::Host { site, next, failed } if self.runs_programs(site) => {
                    self.write_words(at);
                    let next = self.reading_words(next);
                    let failed = failed.map(|failed| self.reading_words(failed));
                    self.out.blocks[at].end = End::Host { site, next, failed };
                }
                End::Leave(Leave::Return) => self.write_words(at),
                _ => {}
            }
        }
        self.read_words_at_entries();
    }

    /// Returns true if a call of the host may run a program that sees the words.
    fn runs_programs(&self, site: u32) -> bool {
        let service = self.out.sites.get(site as usize).map(|site| &site.service);
        matches!(service, Some(Service::Call(_) | Service::CallNamed(_) | Service::Declarative { .. }))
    }

    /// The addresses go to their words at the end of a block.
    fn write_words(&mut self, at: usize) {
        let linkage = &self.out.linkage;
        let block = &mut self.out.blocks[at];
        for passed in &self.passed {
            let length = linkage[passed.linkage as usize].length;
            let value = Number::Address(BytePlace::fixed(Segment::Linkage(passed.linkage), 0, length));
            let to = Receiver { place: passed.word.clone(), form: Form::Number(WHOLE_WORD), rounded: false };
            let operation = Operation::Store { value, to: vec![to], error: None };
            block.steps.push(Step { line: block.line, operation });
        }
    }

    /// A block that takes the addresses from their words and goes on.
    fn reading_words(&mut self, next: BlockId) -> BlockId {
        let line = self.out.blocks[next.0 as usize].line;
        let steps = self.steps_of_reading(line, |_| true);
        self.add_block(steps, next)
    }

    /// A block with these steps that goes on in `next`.
    fn add_block(&mut self, steps: Vec<Step>, next: BlockId) -> BlockId {
        let id = self.new_block();
        let line = self.out.blocks[next.0 as usize].line;
        self.out.blocks[id.0 as usize] = Block { steps, line, end: End::Jump(next) };
        id
    }

    fn steps_of_reading(&self, line: u32, which: impl Fn(&Passed) -> bool) -> Vec<Step> {
        let read = |passed: &Passed| {
            let value = Number::Field(passed.word.clone(), WHOLE_WORD);
            Step { line, operation: Operation::SetAddress { linkage: passed.linkage, value } }
        };
        self.passed.iter().filter(|passed| which(passed)).map(read).collect()
    }

    /// At the beginning of the program, and at an ENTRY, its own records have their addresses of the CALL; where a section with USE
    /// GLOBAL is carried out, all of them come from the words.
    fn read_words_at_entries(&mut self) {
        if let Some(first) = self.out.blocks.first() {
            let mut steps = self.steps_of_reading(first.line, |passed| passed.is_lent);
            steps.extend(std::mem::take(&mut self.out.blocks[0].steps));
            self.out.blocks[0].steps = steps;
        }
        let entries = std::mem::take(&mut self.entry_blocks);
        for (index, next) in entries.into_iter().enumerate() {
            let is_declarative = self.global_uses.iter().any(|(_, entry)| *entry as usize == index);
            let line = self.out.blocks[next.0 as usize].line;
            let steps = self.steps_of_reading(line, |passed| passed.is_lent || is_declarative);
            let entered = self.add_block(steps, next);
            self.entry_blocks.push(entered);
        }
    }
}
