//! ADD, SUBTRACT, MULTIPLY, DIVIDE, COMPUTE.

use cobol_data::Type;
use cobol_runtime::floating::Width;
use cobol_source::At;
use cobol_syntax::tree::{
    Arithmetic, ArithmeticVerb, Event, Expression, Handlers, Operand, Receiver as WrittenReceiver,
};

use super::national_edited::is_number;
use super::numbers::{WHOLE_WORD, is_approximate, word};
use super::places::{Extent, Located};
use super::reals::{is_real, width};
use super::{Lowered, Lowering};
use cobol_ir::program::{End, Form, Number, Operation, Operator, Real, Receiver, Shape, Slot, Test};

impl<'a> Lowering<'a> {
    pub(super) fn compute(
        &mut self,
        receivers: &'a [WrittenReceiver],
        value: &'a Expression,
        handlers: &'a Handlers,
    ) -> Lowered<()> {
        let error = self.begin_handlers(handlers);
        let lowered = self.computed(receivers, value, error);
        self.end_handlers(handlers, error);
        lowered
    }

    fn computed(
        &mut self,
        receivers: &'a [WrittenReceiver],
        value: &'a Expression,
        error: Option<Slot>,
    ) -> Lowered<()> {
        let mut to = Vec::new();
        for receiver in receivers {
            to.push(self.receiver(receiver)?);
        }
        let dmax = self.receivers_decimals(&to);
        let floating = to.iter().any(|receiver| matches!(receiver.form, Form::Floating(_)));
        let value = self.expression_in(value, Some(dmax), floating)?;
        self.emit_result(value, to, error);
        Ok(())
    }

    pub(super) fn arithmetic(&mut self, at: At, statement: &'a Arithmetic) -> Lowered<()> {
        let error = self.begin_handlers(&statement.handlers);
        let lowered = self.arithmetic_within(at, statement, error);
        self.floating = false;
        self.end_handlers(&statement.handlers, error);
        lowered
    }

    fn arithmetic_within(&mut self, at: At, statement: &'a Arithmetic, error: Option<Slot>) -> Lowered<()> {
        if !statement.corresponding {
            self.floating = self.is_floating_statement(statement)?;
        }
        match (statement.corresponding, &statement.remainder) {
            (true, _) => self.corresponding_sums(at, statement, error),
            (false, Some(remainder)) => self.divide_with_remainder(at, statement, remainder, error),
            (false, None) if statement.giving => self.giving(at, statement, error),
            (false, None) => self.in_place(statement, error),
        }
    }

    /// Returns true if an operand or a receiver is of floating point; its operands are prepared.
    fn is_floating_statement(&mut self, statement: &'a Arithmetic) -> Lowered<bool> {
        let mut floating = false;
        for operand in statement.operands.iter().chain(&statement.base) {
            floating |= self.prepare_operand(operand)?.1;
        }
        let is_long = |receiver: &WrittenReceiver| {
            self.item(receiver.item.id).is_some_and(|(_, item)| width(&item.kind).is_some())
        };
        Ok(floating || statement.receivers.iter().any(is_long))
    }

    /// A result to its receivers. One that floating point gives by the language reference is rounded in any case.
    fn emit_result(&mut self, value: Number, mut to: Vec<Receiver>, error: Option<Slot>) {
        if is_approximate(&value) {
            to.iter_mut().for_each(|receiver| receiver.rounded = true);
        }
        self.emit(Operation::Store { value, to, error });
    }

    /// ADD and SUBTRACT CORRESPONDING: each pair of numbers of one name is a sum of its own.
    fn corresponding_sums(&mut self, at: At, statement: &'a Arithmetic, error: Option<Slot>) -> Lowered<()> {
        let ([Operand::Reference(from)], false) = (&statement.operands[..], statement.giving) else {
            return self.refuse(at, "this CORRESPONDING");
        };
        let operator = match statement.verb {
            ArithmeticVerb::Add => Operator::Add,
            ArithmeticVerb::Subtract => Operator::Subtract,
            _ => return self.refuse(at, "this CORRESPONDING"),
        };
        for receiver in &statement.receivers {
            for (own, other) in self.corresponding_pairs(from, &receiver.item)? {
                if !own.item.kind.is_numeric() || !other.item.kind.is_numeric() {
                    continue;
                }
                let to = self.receiver_at(other.clone(), receiver.rounded, at)?;
                let number = self.located_number(own, at)?;
                let before = self.located_number(other, at)?;
                let own_decimals = before.shape().decimals.max(number.shape().decimals);
                let dmax = self.receivers_decimals(std::slice::from_ref(&to)).max(own_decimals);
                let value = self.combine(operator, before, number, dmax);
                self.emit_result(value, vec![to], error);
            }
        }
        Ok(())
    }

    /// A result to receivers that are no operands.
    fn giving(&mut self, at: At, statement: &'a Arithmetic, error: Option<Slot>) -> Lowered<()> {
        let mut to = Vec::new();
        for receiver in &statement.receivers {
            to.push(self.receiver(receiver)?);
        }
        let dmax = self.dmax(&statement.operands, &statement.base, &to)?;
        let value = self.result_of(at, statement, dmax)?;
        self.emit_result(value, to, error);
        Ok(())
    }

    fn result_of(&mut self, at: At, statement: &'a Arithmetic, dmax: i32) -> Lowered<Number> {
        let sum = self.sum(&statement.operands, dmax)?;
        let base = match &statement.base[..] {
            [] => return Ok(sum),
            [one] => self.operand_number(one)?,
            _ => return self.refuse(at, "several items here"),
        };
        let (operator, left, right) = match statement.verb {
            ArithmeticVerb::Add => (Operator::Add, sum, base),
            ArithmeticVerb::Subtract => (Operator::Subtract, base, sum),
            ArithmeticVerb::Multiply => (Operator::Multiply, sum, base),
            ArithmeticVerb::DivideInto => (Operator::Divide, base, sum),
            ArithmeticVerb::DivideBy => (Operator::Divide, sum, base),
        };
        Ok(self.combine(operator, left, right, dmax))
    }

    /// Each receiver is an operand of its own result; the others are evaluated once.
    fn in_place(&mut self, statement: &'a Arithmetic, error: Option<Slot>) -> Lowered<()> {
        let mut receivers = Vec::new();
        for receiver in &statement.receivers {
            receivers.push((self.receiver(receiver)?, self.item_number(&receiver.item)?));
        }
        let all: Vec<Receiver> = receivers.iter().map(|(receiver, _)| receiver.clone()).collect();
        let own = receivers.iter().map(|(_, number)| number.shape().decimals).max().unwrap_or(0);
        let dmax = self.dmax(&statement.operands, &[], &all)?.max(own);
        let sum = self.sum(&statement.operands, dmax)?;
        let sum = if receivers.len() > 1 { self.hold(sum, error) } else { sum };
        for (receiver, number) in receivers {
            let (operator, left, right) = match statement.verb {
                ArithmeticVerb::Add => (Operator::Add, number, sum.clone()),
                ArithmeticVerb::Subtract => (Operator::Subtract, number, sum.clone()),
                ArithmeticVerb::Multiply => (Operator::Multiply, number, sum.clone()),
                ArithmeticVerb::DivideInto | ArithmeticVerb::DivideBy => {
                    (Operator::Divide, number, sum.clone())
                }
            };
            let value = self.combine(operator, left, right, dmax);
            self.emit_result(value, vec![receiver], error);
        }
        Ok(())
    }

    /// The remainder is what the quotient, cut to the decimals of its receiver, leaves of the dividend.
    fn divide_with_remainder(
        &mut self,
        at: At,
        statement: &'a Arithmetic,
        remainder: &'a WrittenReceiver,
        error: Option<Slot>,
    ) -> Lowered<()> {
        let ([receiver], [first], [second]) =
            (&statement.receivers[..], &statement.operands[..], &statement.base[..])
        else {
            return self.refuse(at, "REMAINDER here");
        };
        if self.floating {
            return self.refuse(at, "REMAINDER in floating point");
        }
        let (dividend, divisor) = match statement.verb {
            ArithmeticVerb::DivideInto => (second, first),
            _ => (first, second),
        };
        let quotient_to = self.receiver(receiver)?;
        let remainder_to = self.receiver(remainder)?;
        let dividend = self.operand_number(dividend)?;
        let divisor = self.operand_number(divisor)?;
        let dividend = self.hold(dividend, error);
        let divisor = self.hold(divisor, error);
        let decimals = self.form_decimals(&quotient_to.form);
        let dmax = decimals + i32::from(quotient_to.rounded);
        let quotient = self.combine(Operator::Divide, dividend.clone(), divisor.clone(), dmax);
        let whole = quotient.shape();
        let cut = Shape { integers: whole.integers, decimals };
        let held = self.new_held();
        self.emit(Operation::Hold { held, value: quotient.clone(), shape: cut, error });
        self.emit(Operation::Store { value: quotient, to: vec![quotient_to], error });
        let back = self.combine(Operator::Multiply, Number::Held(held, cut), divisor, dmax);
        let left = self.combine(Operator::Subtract, dividend, back, dmax);
        match error {
            None => self.emit(Operation::Store { value: left, to: vec![remainder_to], error }),
            Some(slot) => {
                // After a size error of the quotient the remainder is left alone.
                let [store, end] = [self.new_block(), self.new_block()];
                self.branch(Test::Positive(slot), end, store);
                self.continue_in(store);
                self.emit(Operation::Store { value: left, to: vec![remainder_to], error });
                self.fall_into(end);
            }
        }
        Ok(())
    }

    // Parts.

    fn receiver(&mut self, receiver: &'a WrittenReceiver) -> Lowered<Receiver> {
        let located = self.locate(&receiver.item, Extent::Received)?;
        self.receiver_at(located, receiver.rounded, receiver.item.at())
    }

    fn receiver_at(&mut self, located: Located<'a>, rounded: bool, at: At) -> Lowered<Receiver> {
        let form = match located.kind().clone() {
            Type::Numeric(numeric) => Form::Number(self.numeric(numeric)),
            Type::NumericEdited(picture) => Form::Edited {
                picture: self.picture(&picture),
                blank_when_zero: located.item.blank_when_zero,
            },
            Type::NationalEdited(picture) if is_number(&picture) => Form::NationalEdited {
                picture: self.picture(&picture),
                blank_when_zero: located.item.blank_when_zero,
            },
            Type::FloatShort => Form::Floating(Width::Short),
            Type::FloatLong => Form::Floating(Width::Long),
            Type::IndexName => Form::Number(WHOLE_WORD),
            Type::Index | Type::Pointer => Form::Number(word(located.item.length)),
            kind => return self.refuse(at, format_args!("a result in {}", kind.name())),
        };
        Ok(Receiver { place: located.place, form, rounded })
    }

    fn form_decimals(&self, form: &Form) -> i32 {
        match form {
            Form::Number(numeric) => i32::from(numeric.scale),
            Form::Edited { picture, .. } | Form::NationalEdited { picture, .. } => {
                self.out.pictures[*picture as usize].scale
            }
            Form::Floating(_) => 0,
        }
    }

    /// The greatest number of decimals that receivers take, one more where they are rounded.
    fn receivers_decimals(&self, receivers: &[Receiver]) -> i32 {
        let of = |receiver: &Receiver| self.form_decimals(&receiver.form) + i32::from(receiver.rounded);
        receivers.iter().map(of).max().unwrap_or(0).max(0)
    }

    fn dmax(&mut self, operands: &'a [Operand], base: &'a [Operand], receivers: &[Receiver]) -> Lowered<i32> {
        let mut dmax = self.receivers_decimals(receivers);
        for operand in operands.iter().chain(base) {
            dmax = dmax.max(self.prepare_operand(operand)?.0.decimals);
        }
        Ok(dmax)
    }

    fn sum(&mut self, operands: &'a [Operand], dmax: i32) -> Lowered<Number> {
        let mut numbers = operands.iter();
        let mut sum = match numbers.next() {
            Some(first) => self.operand_number(first)?,
            None => Number::whole(0),
        };
        for next in numbers {
            let next = self.operand_number(next)?;
            sum = self.combine(Operator::Add, sum, next, dmax);
        }
        Ok(sum)
    }

    /// A number that is used several times and evaluated once.
    fn hold(&mut self, value: Number, error: Option<Slot>) -> Number {
        if let Number::Literal { .. } = value {
            return value;
        }
        let shape = value.shape();
        let held = self.new_held();
        let real = is_real(&value);
        self.emit(Operation::Hold { held, value, shape, error });
        if real { Number::Real(Box::new(Real::Held(held))) } else { Number::Held(held, shape) }
    }

    // ON SIZE ERROR.

    /// The flag of size errors, where a phrase asks for it.
    fn begin_handlers(&mut self, handlers: &Handlers) -> Option<Slot> {
        let asked = handlers.list.iter().any(|handler| handler.event == Event::SizeError);
        self.strict = asked;
        asked.then(|| {
            let slot = self.new_slot();
            self.emit(Operation::SetSlot(slot, 0));
            slot
        })
    }

    fn end_handlers(&mut self, handlers: &'a Handlers, error: Option<Slot>) {
        self.strict = false;
        let Some(slot) = error else { return };
        let [failed, done, end] = std::array::from_fn(|_| self.new_block());
        self.end(End::Branch { test: Test::Positive(slot), yes: failed, no: done }, failed);
        for (not, next) in [(false, done), (true, end)] {
            for handler in handlers.list.iter().filter(|handler| handler.not == not) {
                self.statements(&handler.body);
            }
            self.jump(end, next);
        }
    }
}
