//! Sections and paragraphs: where they begin and end, and GO TO.
//!
//! Whatever is performed has a return cell at its end: zero while no PERFORM waits there, else which PERFORM does. Reaching the
//! end in any way goes where the cell says, as the language reference has it; see `perform`.

use std::ops::Range;

use cobol_check::NameTarget;
use cobol_source::At;
use cobol_syntax::tree::{Paragraph, Procedure as Division, Reference, Section, StatementKind, Use};

use super::alter::Altered;
use super::{Lowered, Lowering};
use cobol_ir::program::{BlockId, End, Slot};

/// A section or paragraph.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    /// Its first block.
    pub(crate) start: BlockId,
    /// The block behind its last statement, which has no steps.
    pub(crate) end: BlockId,
    /// Block behind it.
    next: BlockId,
    /// Its return cell, if it is performed.
    pub(crate) cell: Option<Slot>,
    /// Blocks where its PERFORMs go on.
    pub(crate) returns: Vec<BlockId>,
    /// Of each, the first procedure that it performs, and its statement.
    pub(crate) performs: Vec<(u32, u32)>,
    /// The blocks of its statements.
    pub(crate) blocks: Range<u32>,
}

/// All of a program.
#[derive(Debug, Default)]
pub(crate) struct Procedures {
    /// In the order of [`cobol_check::CheckedProgram::procedures`].
    pub(crate) list: Vec<Procedure>,
    /// The ends of those around the statement.
    pub(crate) paragraph_end: Option<BlockId>,
    pub(crate) section_end: Option<BlockId>,
    /// The paragraph around the statement, as long as nothing but a GO TO may have stood in it.
    pub(super) beginning: Option<usize>,
    /// GO TOs that ALTER may change.
    pub(super) altered: Vec<Altered>,
}

impl<'a> Lowering<'a> {
    /// The whole procedure division.
    pub(super) fn lower_procedures(&mut self) {
        let Some(procedure) = &self.program.syntax.procedure else { return };
        let _: Lowered<()> = self.parameters(procedure);
        for _ in &self.program.procedures {
            let [start, end, next] = [self.new_block(), self.new_block(), self.new_block()];
            self.procedures.list.push(Procedure {
                start,
                end,
                next,
                cell: None,
                returns: Vec::new(),
                performs: Vec::new(),
                blocks: 0..0,
            });
        }
        let mut index = 0;
        self.declaratives(procedure, &mut index);
        for section in &procedure.sections {
            self.section(section, &mut index);
        }
        self.line_of_end(procedure.at);
        self.leave(cobol_ir::program::Leave::Return);
        self.global_declaratives(procedure.at);
        self.describe_procedures();
        self.close_altered();
        self.close_procedures();
    }

    /// The sections of declaratives: the program begins behind them.
    fn declaratives(&mut self, procedure: &'a Division, index: &mut usize) {
        if procedure.declaratives.is_empty() {
            return;
        }
        let mut own = *index;
        for section in &procedure.declaratives {
            let paragraphs = &section.paragraphs;
            let first = paragraphs.iter().flat_map(|paragraph| &paragraph.sentences).next();
            let first = first.and_then(|sentence| sentence.statements.first()).map(|first| &first.kind);
            if let Some(StatementKind::Use(what @ Use::Exception { .. })) = first {
                self.declaratives.push((what, own));
            }
            own += paragraphs.iter().filter(|paragraph| paragraph.name.is_some()).count();
            own += usize::from(section.name.is_some());
        }
        let [first, behind] = [self.new_block(), self.new_block()];
        self.jump(behind, first);
        for section in &procedure.declaratives {
            self.section(section, index);
        }
        self.jump(behind, behind);
    }

    fn line_of_end(&mut self, at: At) {
        if self.out.lines.is_empty() {
            self.note_line(at);
        }
    }

    fn section(&mut self, section: &'a Section, index: &mut usize) {
        let own = section.name.as_ref().map(|_| {
            *index += 1;
            *index - 1
        });
        if let Some(own) = own {
            self.begin(own);
        }
        let first_block = self.out.blocks.len() as u32;
        self.procedures.section_end = own.map(|own| self.procedures.list[own].end);
        for paragraph in &section.paragraphs {
            let own = paragraph.name.as_ref().map(|_| {
                *index += 1;
                *index - 1
            });
            self.paragraph(paragraph, own);
        }
        if let Some(own) = own {
            self.finish(own);
            self.describe_procedure(own, first_block);
        }
    }

    fn paragraph(&mut self, paragraph: &'a Paragraph, own: Option<usize>) {
        match own {
            Some(own) => self.begin(own),
            None => {
                let start = self.new_block();
                self.fall_into(start);
            }
        }
        let first_block = self.out.blocks.len() as u32;
        let unnamed_end = self.new_block();
        self.procedures.paragraph_end = Some(own.map_or(unnamed_end, |own| self.procedures.list[own].end));
        for (at, sentence) in paragraph.sentences.iter().enumerate() {
            self.procedures.beginning = own.filter(|_| at == 0);
            self.sentence_end = self.new_block();
            self.statements(&sentence.statements);
            self.fall_into(self.sentence_end);
        }
        match own {
            Some(own) => {
                self.finish(own);
                self.describe_procedure(own, first_block);
            }
            None => self.fall_into(unnamed_end),
        }
    }

    fn begin(&mut self, own: usize) {
        let start = self.procedures.list[own].start;
        self.fall_into(start);
    }

    fn finish(&mut self, own: usize) {
        let Procedure { end, next, .. } = self.procedures.list[own];
        self.fall_into(end);
        self.jump(next, next);
    }

    /// The ends of what is performed go where their cells say.
    fn close_procedures(&mut self) {
        for procedure in std::mem::take(&mut self.procedures.list) {
            let Some(slot) = procedure.cell else { continue };
            let end = End::Switch { slot, targets: procedure.returns, other: procedure.next };
            self.out.blocks[procedure.end.0 as usize].end = end;
        }
    }

    /// The section or paragraph that a reference names.
    pub(crate) fn procedure(&mut self, reference: &Reference) -> Lowered<usize> {
        match self.program.target(reference.id) {
            Some(NameTarget::Procedure(index)) if index < self.procedures.list.len() => Ok(index),
            _ => self.refuse(reference.at(), format_args!("{} here", reference.name.text)),
        }
    }

    pub(super) fn go_to(
        &mut self,
        at: At,
        targets: &'a [Reference],
        depending: Option<&'a Reference>,
    ) -> Lowered<()> {
        let mut blocks = Vec::new();
        for target in targets {
            let index = self.procedure(target)?;
            blocks.push(self.procedures.list[index].start);
        }
        if let (None, Some(own), [] | [_]) = (depending, self.procedures.beginning.take(), &blocks[..]) {
            self.go_to_of_paragraph(own, blocks.first().copied());
            return Ok(());
        }
        let next = self.new_block();
        match (depending, &blocks[..]) {
            (None, [one]) => self.jump(*one, next),
            (Some(depending), _) => {
                let value = self.item_number(depending)?;
                self.end(End::Select { value, targets: blocks, other: next }, next);
            }
            _ => {
                return self.mistaken(
                    at,
                    "this GO TO names no paragraph",
                    "name one, or have an ALTER change it",
                );
            }
        }
        Ok(())
    }
}
