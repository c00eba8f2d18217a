//! Numbers that nearly always fit into 64 bits, although their digits do not say so: each operation that may go beyond is
//! looked at when it is done, and what goes beyond is the interpreter's.

use std::mem::offset_of;

use cobol_ir::program::{BytePlace, Function, Linear, Number, Operator, Receiver, Relation, Slot};
use cobol_run::ProgramFault;
use cobol_types::{Numeric, Representation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::emit::Emitter;
use crate::fits::{self, Bound, DIGITS_MAX, ten};
use crate::numbers::{Whole, condition};
use crate::pictures;
use native::Context;

/// Digits of a number of 64 bits that may be any.
const DIGITS_ANY: i32 = DIGITS_MAX + 1;
/// A number to which half of a decimal may be added, at most.
const ROUNDED_MAX: i64 = 4_000_000_000_000_000_000;

/// The bound of a number that is tried.
pub(crate) fn bound(number: &Number) -> Option<Bound> {
    if let Some(bound) = fits::number(number) {
        return Some(bound);
    }
    let found = match number {
        Number::Field(place, numeric) => {
            fits::place(place)?;
            field(*numeric)?
        }
        Number::Text(place) => characters(place)?,
        Number::Linear(linear) => linear_bound(linear)?,
        Number::Negative(inner) | Number::Absolute(inner) => bound(inner)?,
        Number::Function(function, arguments, _) => of_function(*function, arguments)?,
        Number::Binary(operator, left, right, shape) => {
            of_operator(*operator, bound(left)?, bound(right)?, shape.decimals)?
        }
        _ => return None,
    };
    let digits = found.digits.min(DIGITS_ANY);
    (0..=DIGITS_MAX).contains(&found.scale).then_some(Bound { digits, ..found })
}

/// Items that only an attempt takes: eight bytes of a binary number.
fn field(numeric: Numeric) -> Option<Bound> {
    let binary = matches!(numeric.representation, Representation::Binary | Representation::Native);
    let is_long = binary && numeric.length() == 8 && numeric.scale >= 0;
    is_long.then_some(Bound { digits: DIGITS_ANY, scale: numeric.scale.into() })
}

/// Characters that are digits, as they nearly always are.
fn characters(place: &BytePlace) -> Option<Bound> {
    let length = fits::place(place).filter(|length| (1..=DIGITS_MAX as u32).contains(length))?;
    Some(Bound { digits: length as i32, scale: 0 })
}

fn linear_bound(linear: &Linear) -> Option<Bound> {
    let all = linear.terms.iter().all(|(_, number)| bound(number).is_some());
    all.then_some(Bound { digits: DIGITS_ANY, scale: 0 })
}

fn of_function(function: Function, arguments: &[Number]) -> Option<Bound> {
    let bounds: Vec<Bound> = arguments.iter().map(bound).collect::<Option<_>>()?;
    let scale = bounds.iter().map(|own| own.scale).max()?;
    let digits = bounds.iter().map(|own| own.digits + scale - own.scale).max()?;
    match (function, &bounds[..]) {
        (Function::Greatest | Function::Least, _) => Some(Bound { digits, scale }),
        (Function::Mod | Function::Remainder, [_, _]) => Some(Bound { digits, scale }),
        (Function::Integer | Function::IntegerPart, [one]) => {
            Some(Bound { digits: (one.digits - one.scale).max(0) + 1, scale: 0 })
        }
        (Function::Sign, [_]) => Some(Bound { digits: 1, scale: 0 }),
        _ => None,
    }
}

/// The bound of two numbers to a third. A result with more decimals than are kept loses them.
fn of_operator(operator: Operator, left: Bound, right: Bound, decimals: i32) -> Option<Bound> {
    let natural = natural(operator, left, right, decimals)?;
    let lost = natural.scale - decimals;
    let kept = Bound { digits: (natural.digits - lost).max(1), scale: decimals };
    Some(if lost > 0 { kept } else { natural })
}

/// The same with all of its decimals.
fn natural(operator: Operator, left: Bound, right: Bound, decimals: i32) -> Option<Bound> {
    let natural = match operator {
        Operator::Add | Operator::Subtract => {
            let scale = left.scale.max(right.scale);
            let aligned = |own: Bound| own.digits + scale - own.scale;
            Bound { digits: aligned(left).max(aligned(right)) + 1, scale }
        }
        Operator::Multiply => Bound { digits: left.digits + right.digits, scale: left.scale + right.scale },
        Operator::Divide => {
            let more = decimals + right.scale - left.scale;
            if !(0..=DIGITS_MAX).contains(&more) {
                return None;
            }
            Bound { digits: left.digits + more, scale: decimals }
        }
    };
    (natural.scale <= DIGITS_MAX).then_some(natural)
}

impl Emitter<'_> {
    /// A number that is tried, to one receiver. Returns true if it was written out.
    pub(crate) fn try_store(
        &mut self,
        value: &Number,
        to: &[Receiver],
        error: Option<Slot>,
        which: u64,
    ) -> bool {
        let ([to], Some(bound)) = (to, bound(value)) else { return false };
        let Some(scale) = self.stored_scale(to) else { return false };
        let attempt = self.begin_attempt();
        let number = self.tried(value);
        let more = (scale - bound.scale).max(0);
        let value = self.times_ten_if_it_fits(number.value, bound.digits, more);
        let bound = Bound { digits: (bound.digits + more).min(DIGITS_ANY), scale: bound.scale + more };
        if to.rounded && bound.scale > scale && bound.digits > DIGITS_MAX {
            let magnitude = self.b.ins().iabs(value);
            let beyond = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, magnitude, ROUNDED_MAX);
            self.fault_if(beyond, ProgramFault::Range);
        }
        self.store_number(Whole { value, scale: bound.scale }, bound, to, error);
        self.end_attempt(&attempt, offset_of!(Context, step), which);
        true
    }

    /// Decimals of a receiver that instructions store to.
    fn stored_scale(&self, to: &Receiver) -> Option<i32> {
        let scale = match &to.form {
            cobol_ir::program::Form::Number(numeric) => numeric.scale.into(),
            form => pictures::scale(self.program, pictures::of(self.program, form)?),
        };
        let any = Bound { digits: 1, scale: 0 };
        ((0..DIGITS_MAX).contains(&scale) && fits::receiver(self.program, to, any)).then_some(scale)
    }

    /// The comparison of two numbers that are tried; `None` if the interpreter has to say.
    pub(crate) fn try_compare(
        &mut self,
        relation: Relation,
        left: &Number,
        right: &Number,
        block: u64,
    ) -> Option<Value> {
        let (one, other) = (bound(left)?, bound(right)?);
        let scale = one.scale.max(other.scale);
        let attempt = self.begin_attempt();
        let left = self.tried_at(left, one, scale);
        let right = self.tried_at(right, other, scale);
        let answer = self.b.ins().icmp(condition(relation), left, right);
        Some(self.end_attempted_test(&attempt, answer, offset_of!(Context, test), block))
    }

    /// A number that is tried, without decimals, to the frame. Returns true if it was written out.
    pub(crate) fn try_count(&mut self, slot: Slot, value: &Number, which: u64) -> bool {
        if bound(value).is_none() {
            return false;
        }
        let attempt = self.begin_attempt();
        let number = self.tried(value);
        let whole = self.scaled(number, 0);
        self.set_slot(slot, whole);
        self.end_attempt(&attempt, offset_of!(Context, step), which);
        true
    }

    /// A number that [`bound`] takes.
    pub(crate) fn tried(&mut self, number: &Number) -> Whole {
        if fits::number(number).is_some() {
            return self.number(number);
        }
        let scale = bound(number).map_or(0, |bound| bound.scale);
        let value = match number {
            Number::Field(place, numeric) => {
                let from = self.readable(place);
                let value = self.load_big(from, 0, 8);
                if !numeric.signed {
                    let beyond = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, value, 0);
                    self.fault_if(beyond, ProgramFault::Range);
                }
                value
            }
            Number::Text(place) => {
                let length = place.fixed_length().unwrap_or(1);
                let from = self.readable(place);
                let others = self.not_digits(from, 0, length);
                self.fault_if(others, ProgramFault::Data);
                self.load_zoned(from, length, false)
            }
            Number::Linear(linear) => self.tried_linear(linear),
            Number::Negative(inner) => {
                let inner = self.tried(inner).value;
                self.fault_if_lowest(inner);
                self.b.ins().ineg(inner)
            }
            Number::Absolute(inner) => {
                let inner = self.tried(inner).value;
                self.fault_if_lowest(inner);
                self.b.ins().iabs(inner)
            }
            Number::Function(function, arguments, _) => self.tried_function(*function, arguments, scale),
            Number::Binary(operator, left, right, shape) => {
                self.tried_operator(*operator, left, right, shape.decimals)
            }
            _ => self.constant(0),
        };
        Whole { value, scale }
    }

    /// The same at a scale that is not below its own.
    fn tried_at(&mut self, number: &Number, bound: Bound, scale: i32) -> Value {
        let value = self.tried(number).value;
        self.times_ten_if_it_fits(value, bound.digits, scale - bound.scale)
    }

    fn tried_linear(&mut self, linear: &Linear) -> Value {
        let mut sum = self.constant(linear.constant);
        for (factor, number) in &linear.terms {
            let value = self.tried(number);
            let value = self.scaled(value, 0);
            let factor = self.constant(*factor);
            let product = self.b.ins().smul_overflow(value, factor);
            let product = self.unless_over(product);
            let added = self.b.ins().sadd_overflow(sum, product);
            sum = self.unless_over(added);
        }
        sum
    }

    fn tried_function(&mut self, function: Function, arguments: &[Number], scale: i32) -> Value {
        let all = arguments.iter().filter_map(|argument| Some((argument, bound(argument)?)));
        let all: Vec<(&Number, Bound)> = all.collect();
        let common = all.iter().map(|(_, own)| own.scale).max().unwrap_or(scale);
        let values: Vec<Value> =
            all.into_iter().map(|(argument, own)| self.tried_at(argument, own, common)).collect();
        let first = values[0];
        match function {
            Function::Greatest | Function::Least => {
                values[1..].iter().fold(first, |best, next| match function {
                    Function::Greatest => self.b.ins().smax(best, *next),
                    _ => self.b.ins().smin(best, *next),
                })
            }
            Function::Sign => {
                let sign = self.b.ins().sshr_imm_u(first, 63);
                let positive = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, first, 0);
                let positive = self.b.ins().uextend(I64, positive);
                self.b.ins().bor(sign, positive)
            }
            Function::Integer if common > 0 => {
                // Below zero the quotient is one less, unless nothing is left.
                let divisor = self.constant(ten(common));
                let whole = self.b.ins().sdiv(first, divisor);
                let rest = self.b.ins().srem(first, divisor);
                let below = self.b.ins().sshr_imm_u(rest, 63);
                self.b.ins().iadd(whole, below)
            }
            Function::IntegerPart if common > 0 => {
                let divisor = self.constant(ten(common));
                self.b.ins().sdiv(first, divisor)
            }
            Function::Mod | Function::Remainder => self.tried_rest(function, first, values[1]),
            _ => first,
        }
    }

    /// The rest of a division: with the sign of the dividend, or of the divisor.
    fn tried_rest(&mut self, function: Function, dividend: Value, divisor: Value) -> Value {
        self.fault_unless_divisor(divisor);
        let rest = self.b.ins().srem(dividend, divisor);
        if function == Function::Remainder {
            return rest;
        }
        let differ = self.b.ins().bxor(rest, divisor);
        let differ = self.b.ins().sshr_imm_u(differ, 63);
        let other = self.b.ins().band(divisor, differ);
        let with = self.b.ins().iadd(rest, other);
        let none = self.b.ins().icmp_imm_u(IntCC::Equal, rest, 0);
        self.b.ins().select(none, rest, with)
    }

    fn tried_operator(&mut self, operator: Operator, left: &Number, right: &Number, decimals: i32) -> Value {
        let (Some(one), Some(other)) = (bound(left), bound(right)) else { return self.constant(0) };
        let Some(natural) = natural(operator, one, other, decimals) else { return self.constant(0) };
        let fits = natural.digits <= DIGITS_MAX;
        let value = match operator {
            Operator::Add | Operator::Subtract => {
                let left = self.tried_at(left, one, natural.scale);
                let right = self.tried_at(right, other, natural.scale);
                match (operator, fits) {
                    (Operator::Add, true) => self.b.ins().iadd(left, right),
                    (Operator::Add, false) => {
                        let sum = self.b.ins().sadd_overflow(left, right);
                        self.unless_over(sum)
                    }
                    (_, true) => self.b.ins().isub(left, right),
                    (_, false) => {
                        let rest = self.b.ins().ssub_overflow(left, right);
                        self.unless_over(rest)
                    }
                }
            }
            Operator::Multiply => {
                let (left, right) = (self.tried(left).value, self.tried(right).value);
                if fits {
                    self.b.ins().imul(left, right)
                } else {
                    let product = self.b.ins().smul_overflow(left, right);
                    self.unless_over(product)
                }
            }
            Operator::Divide => {
                let left = self.tried_at(left, one, decimals + other.scale);
                let right = self.tried(right).value;
                self.fault_unless_divisor(right);
                self.b.ins().sdiv(left, right)
            }
        };
        let lost = natural.scale - decimals;
        if lost <= 0 {
            return value;
        }
        let divisor = self.constant(ten(lost));
        self.b.ins().sdiv(value, divisor)
    }

    /// The machine divides by no zero, and the lowest number by no -1.
    fn fault_unless_divisor(&mut self, divisor: Value) {
        let behind = self.b.ins().iadd_imm_s(divisor, 1);
        let zero_or_less = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, behind, 1);
        self.fault_if(zero_or_less, ProgramFault::Divide);
    }

    /// Nothing is the lowest number without its sign.
    fn fault_if_lowest(&mut self, value: Value) {
        let lowest = self.b.ins().icmp_imm_s(IntCC::Equal, value, i64::MIN);
        self.fault_if(lowest, ProgramFault::Range);
    }

    /// A result, unless it does not fit.
    fn unless_over(&mut self, (value, over): (Value, Value)) -> Value {
        self.fault_if(over, ProgramFault::Range);
        value
    }

    /// A number of so many digits times ten to a power.
    fn times_ten_if_it_fits(&mut self, value: Value, digits: i32, power: i32) -> Value {
        if power <= 0 {
            return value;
        }
        if digits + power <= DIGITS_MAX {
            return self.b.ins().imul_imm_s(value, ten(power));
        }
        if power > DIGITS_MAX {
            self.fault_if(value, ProgramFault::Range);
            return value;
        }
        let factor = self.constant(ten(power));
        let product = self.b.ins().smul_overflow(value, factor);
        self.unless_over(product)
    }
}
