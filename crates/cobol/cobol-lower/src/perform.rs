//! PERFORM: of procedures and in line, TIMES, UNTIL, VARYING.

use cobol_syntax::tree::{Condition, Perform, Performed, Reference, Repeat, Statement, Varying};

use super::{Lowered, Lowering};
use cobol_ir::program::{BlockId, End, Number, Operation, Operator, Test};

/// Bodies of PERFORM.
#[derive(Clone, Copy)]
enum Body<'a> {
    /// From a procedure to the end of another.
    Procedures(usize, usize),
    /// Statements in line.
    InLine(&'a [Statement]),
}

impl<'a> Lowering<'a> {
    pub(super) fn perform(&mut self, perform: &'a Perform) -> Lowered<()> {
        let body = match &perform.what {
            Performed::Procedures { from, through } => self.range(from, through.as_ref())?,
            Performed::InLine(statements) => Body::InLine(statements),
        };
        match &perform.repeat {
            Repeat::Once => {
                let [again, end] = [self.new_block(), self.new_block()];
                self.run_body(body, again, end);
                self.fall_into(again);
                self.fall_into(end);
                Ok(())
            }
            Repeat::Times(count) => {
                let value = self.operand_number(count)?;
                self.times(value, body);
                Ok(())
            }
            Repeat::Until(condition) => self.until(condition, body, perform.test_after),
            Repeat::Varying(list) => match perform.test_after {
                false => self.varying(list, body),
                true => self.varying_after_test(list, body),
            },
            Repeat::Forever => {
                let [head, end] = [self.new_block(), self.new_block()];
                self.fall_into(head);
                self.run_body(body, head, end);
                self.jump(head, end);
                Ok(())
            }
        }
    }

    fn range(&mut self, from: &Reference, through: Option<&Reference>) -> Lowered<Body<'a>> {
        let first = self.procedure(from)?;
        let last = through.map_or(Ok(first), |through| self.procedure(through))?;
        Ok(Body::Procedures(first, last))
    }

    /// The body once; EXIT PERFORM CYCLE goes to `again`, EXIT PERFORM to `end`.
    fn run_body(&mut self, body: Body<'a>, again: BlockId, end: BlockId) {
        match body {
            Body::InLine(statements) => {
                self.loops.push((again, end));
                self.statements(statements);
                self.loops.pop();
            }
            Body::Procedures(first, last) => self.perform_range(first, last),
        }
    }

    /// Saves the return cell at the end of a range, sets it, goes to its start; restores it when it is back.
    pub(super) fn perform_range(&mut self, first: usize, last: usize) {
        let fresh = self.new_slot();
        let cell = *self.procedures.list[last].cell.get_or_insert(fresh);
        let saved = self.new_slot();
        let back = self.new_block();
        self.procedures.list[last].returns.push(back);
        self.procedures.list[last].performs.push((first as u32, self.line));
        let number = self.procedures.list[last].returns.len() as i64;
        self.emit(Operation::CopySlot { from: cell, to: saved });
        self.emit(Operation::SetSlot(cell, number));
        let start = self.procedures.list[first].start;
        self.jump(start, back);
        self.emit(Operation::CopySlot { from: saved, to: cell });
    }

    fn times(&mut self, value: Number, body: Body<'a>) {
        let slot = self.new_slot();
        self.emit(Operation::Count { slot, value });
        let [head, turn, again, end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(head);
        self.end(End::Branch { test: Test::Positive(slot), yes: turn, no: end }, turn);
        self.emit(Operation::AddSlot(slot, -1));
        self.run_body(body, again, end);
        self.fall_into(again);
        self.jump(head, end);
    }

    fn until(&mut self, condition: &'a Condition, body: Body<'a>, test_after: bool) -> Lowered<()> {
        let [head, turn, test, end] = std::array::from_fn(|_| self.new_block());
        let mut lowered = Ok(());
        if test_after {
            self.fall_into(turn);
            self.run_body(body, test, end);
            self.fall_into(test);
            lowered = self.condition(condition, end, turn);
        } else {
            self.fall_into(head);
            lowered = lowered.and(self.condition(condition, end, turn));
            self.continue_in(turn);
            self.run_body(body, test, end);
            self.fall_into(test);
            self.jump(head, end);
        }
        self.continue_in(end);
        lowered
    }

    /// VARYING with AFTER: each inner item begins again from its FROM when it has ended.
    fn varying(&mut self, list: &'a [Varying], body: Body<'a>) -> Lowered<()> {
        let mut lowered = Ok(());
        for varying in list {
            lowered = lowered.and(self.begin_varying(varying));
        }
        let heads: Vec<BlockId> = list.iter().map(|_| self.new_block()).collect();
        let ends: Vec<BlockId> = list.iter().map(|_| self.new_block()).collect();
        for (varying, (head, end)) in list.iter().zip(heads.iter().zip(&ends)) {
            let turn = self.new_block();
            self.fall_into(*head);
            lowered = lowered.and(self.condition(&varying.until, *end, turn));
            self.continue_in(turn);
        }
        let again = self.new_block();
        let Some(outermost) = ends.first().copied() else { return lowered };
        self.run_body(body, again, outermost);
        self.fall_into(again);
        for (level, varying) in list.iter().enumerate().rev() {
            lowered = lowered.and(self.step_varying(varying));
            if level + 1 < list.len() {
                // The item behind it has just ended: it begins again before this one is tested.
                lowered = lowered.and(self.begin_varying(&list[level + 1]));
            }
            self.jump(heads[level], ends[level]);
        }
        lowered
    }

    /// VARYING with its tests behind the body: the innermost item's first. An item that has ended begins again before the one
    /// around it goes on.
    fn varying_after_test(&mut self, list: &'a [Varying], body: Body<'a>) -> Lowered<()> {
        let mut lowered = Ok(());
        for varying in list {
            lowered = lowered.and(self.begin_varying(varying));
        }
        let [turn, mut test, end] = std::array::from_fn(|_| self.new_block());
        self.fall_into(turn);
        self.run_body(body, test, end);
        for (level, varying) in list.iter().enumerate().rev() {
            self.fall_into(test);
            let step = self.new_block();
            test = if level == 0 { end } else { self.new_block() };
            lowered = lowered.and(self.condition(&varying.until, test, step));
            self.continue_in(step);
            lowered = lowered.and(self.step_varying(varying));
            for inner in &list[level + 1..] {
                lowered = lowered.and(self.begin_varying(inner));
            }
            self.jump(turn, test);
        }
        lowered
    }

    fn begin_varying(&mut self, varying: &'a Varying) -> Lowered<()> {
        let value = self.expression(&varying.from, None)?;
        self.store_plain(&varying.item, value)
    }

    fn step_varying(&mut self, varying: &'a Varying) -> Lowered<()> {
        let item = self.item_number(&varying.item)?;
        let by = self.expression(&varying.by, None)?;
        let value = self.combine(Operator::Add, item, by, 0);
        self.store_plain(&varying.item, value)
    }
}
