//! EVALUATE: each WHEN is a row of tests, and the first whose tests all hold has its statements run.

use cobol_check::NameTarget;
use cobol_data::Type;
use cobol_syntax::tree::{Branch, Condition, Expression, Operand, Statement, WhenItem};

use super::conditions::Carried;
use super::{Lowered, Lowering};
use cobol_ir::program::{BlockId, Relation};

/// Kinds of subjects.
#[derive(Clone, Copy)]
enum Subject<'a> {
    /// TRUE or FALSE.
    Truth(bool),
    /// A condition.
    Condition(&'a Condition),
    /// A value.
    Value(&'a Expression),
}

impl<'a> Lowering<'a> {
    pub(super) fn evaluate(
        &mut self,
        subjects: &'a [Condition],
        branches: &'a [Branch],
        other: &'a [Statement],
    ) -> Lowered<()> {
        let subjects: Vec<Subject<'a>> = subjects.iter().map(|subject| self.subject(subject)).collect();
        let end = self.new_block();
        let mut lowered = Ok(());
        for branch in branches {
            let [body, next_branch] = [self.new_block(), self.new_block()];
            for (index, items) in branch.whens.iter().enumerate() {
                let last = index + 1 == branch.whens.len();
                let next = if last { next_branch } else { self.new_block() };
                lowered = lowered.and(self.when(&subjects, items, body, next));
                self.continue_in(next);
            }
            self.continue_in(body);
            self.statements(&branch.body);
            self.jump(end, next_branch);
        }
        self.statements(other);
        self.fall_into(end);
        lowered
    }

    fn subject(&self, subject: &'a Condition) -> Subject<'a> {
        let Condition::Bare(expression) = subject else { return Subject::Condition(subject) };
        match expression.operand() {
            Some(Operand::Truth(truth, _)) => Subject::Truth(*truth),
            Some(Operand::Reference(reference)) => match self.program.target(reference.id) {
                Some(NameTarget::Item(id)) if self.program.items.get(id).kind == Type::Condition => {
                    Subject::Condition(subject)
                }
                Some(NameTarget::Switch(..)) => Subject::Condition(subject),
                _ => Subject::Value(expression),
            },
            _ => Subject::Value(expression),
        }
    }

    /// One WHEN: to `body` if every item fits its subject.
    fn when(
        &mut self,
        subjects: &[Subject<'a>],
        items: &'a [WhenItem],
        body: BlockId,
        next: BlockId,
    ) -> Lowered<()> {
        for (subject, item) in subjects.iter().zip(items) {
            let fits = self.new_block();
            self.when_item(*subject, item, fits, next)?;
            self.continue_in(fits);
        }
        self.jump(body, body);
        Ok(())
    }

    fn when_item(
        &mut self,
        subject: Subject<'a>,
        item: &'a WhenItem,
        yes: BlockId,
        no: BlockId,
    ) -> Lowered<()> {
        match (subject, item) {
            (_, WhenItem::Any) => {
                self.jump(yes, yes);
                Ok(())
            }
            (Subject::Truth(true), WhenItem::Value(condition)) => self.condition(condition, yes, no),
            (Subject::Truth(false), WhenItem::Value(condition)) => self.condition(condition, no, yes),
            (Subject::Condition(subject), WhenItem::Value(Condition::Bare(expression))) => {
                match expression.operand() {
                    Some(Operand::Truth(true, _)) => self.condition(subject, yes, no),
                    Some(Operand::Truth(false, _)) => self.condition(subject, no, yes),
                    _ => self.refuse(expression.at(), "this WHEN of a condition"),
                }
            }
            (Subject::Value(subject), WhenItem::Value(condition)) => {
                let carried = Carried { subject, relation: Relation::Equal };
                self.within(condition, &mut Some(carried), yes, no)
            }
            (Subject::Value(subject), WhenItem::Range { not, from, to }) => {
                let (yes, no) = if *not { (no, yes) } else { (yes, no) };
                let upper = self.new_block();
                self.compare(subject, Relation::GreaterOrEqual, from, upper, no)?;
                self.continue_in(upper);
                self.compare(subject, Relation::LessOrEqual, to, yes, no)
            }
            (_, WhenItem::Range { from, .. }) => self.refuse(from.at(), "this WHEN of a condition"),
            // Both hold, or neither does.
            (Subject::Condition(subject), WhenItem::Value(condition)) => {
                let [holds, fails] = [self.new_block(), self.new_block()];
                self.condition(subject, holds, fails)?;
                self.continue_in(holds);
                self.condition(condition, yes, no)?;
                self.continue_in(fails);
                self.condition(condition, no, yes)
            }
        }
    }
}
