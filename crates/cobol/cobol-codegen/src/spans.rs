//! Characters at places that vary, or of varying or great length: code finds the places, and a helper does with the bytes what the
//! step says.

use std::mem::offset_of;

use cobol_ir::program::{BytePlace, Linear, Test, Text};
use cobol_run::ProgramFault;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, InstBuilder, SigRef, Signature, Value};

use crate::emit::Emitter;
use crate::fits;
use native::Context;

/// Numbers in displacements and lengths, at most: nothing lies farther.
const NUMBER_MAX: i64 = 1 << 31;
/// Digits of a number that needs no comparison: times a factor it stays within 64 bits.
const DIGITS_SMALL: i32 = 10;

/// The place of a text that is one, or is made of one of literals.
fn place_of(text: &Text) -> Option<&BytePlace> {
    match text {
        Text::Place(place) | Text::Repeated(place) => Some(place).filter(|place| fits::found(place)),
        _ => None,
    }
}

fn varies(place: &BytePlace) -> bool {
    !place.at.is_constant() || !place.length.is_constant()
}

impl Emitter<'_> {
    /// A move of characters at places that code finds. Returns true if it was written out.
    pub(crate) fn move_found(&mut self, from: &Text, to: &BytePlace, which: u64) -> bool {
        let Some(from) = place_of(from).filter(|_| fits::found(to)) else { return false };
        let helper = offset_of!(Context, moved);
        if !varies(from) && !varies(to) {
            let spans = [self.found(from), self.found(to)];
            self.help_found(helper, which, spans);
            return true;
        }
        let attempt = self.begin_attempt();
        let spans = [self.found(from), self.found(to)];
        let answer = self.ask_found(helper, which, spans);
        self.fault_below_zero(answer);
        self.end_attempt(&attempt, offset_of!(Context, step), which);
        true
    }

    /// A comparison of characters, or a test of their class, at places that code finds; `None` if the interpreter has to say.
    pub(crate) fn test_found(&mut self, block: u64, test: &Test) -> Option<Value> {
        let (left, right) = self.places_of_test(test)?;
        let helper = offset_of!(Context, tested);
        if !varies(left) && !right.is_some_and(varies) {
            let spans = [self.found(left), self.found_or_none(right)];
            return Some(self.help_found(helper, block, spans));
        }
        let attempt = self.begin_attempt();
        let spans = [self.found(left), self.found_or_none(right)];
        let answer = self.ask_found(helper, block, spans);
        self.fault_below_zero(answer);
        Some(self.end_attempted_test(&attempt, answer, offset_of!(Context, test), block))
    }

    fn places_of_test<'t>(&self, test: &'t Test) -> Option<(&'t BytePlace, Option<&'t BytePlace>)> {
        match test {
            Test::Texts(_, Text::Repeated(_), Text::Repeated(_)) => None,
            Test::Texts(_, left, right) if self.program.collating.is_none() => {
                Some((place_of(left)?, Some(place_of(right)?)))
            }
            Test::Class(text @ Text::Place(_), _) => Some((place_of(text)?, None)),
            _ => None,
        }
    }

    /// The beginning of a place in its segment, and its length.
    pub(crate) fn found(&mut self, place: &BytePlace) -> (Value, Value) {
        (self.linear(&place.at), self.linear(&place.length))
    }

    fn found_or_none(&mut self, place: Option<&BytePlace>) -> (Value, Value) {
        match place {
            Some(place) => self.found(place),
            None => (self.constant(0), self.constant(0)),
        }
    }

    /// A number that depends on items, as [`fits::found`] takes it.
    pub(crate) fn linear(&mut self, linear: &Linear) -> Value {
        let mut sum: Option<Value> = None;
        for (factor, number) in &linear.terms {
            let digits = fits::number(number).map_or(fits::DIGITS_MAX, |bound| bound.digits - bound.scale);
            let number = self.number(number);
            let mut value = self.scaled(number, 0);
            if digits > DIGITS_SMALL {
                let behind = self.b.ins().iadd_imm_s(value, NUMBER_MAX);
                let beyond = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, behind, 2 * NUMBER_MAX);
                self.fault_if(beyond, ProgramFault::Protection);
            }
            if *factor != 1 {
                value = self.b.ins().imul_imm_s(value, *factor);
            }
            sum = Some(match sum {
                None => value,
                Some(before) => self.b.ins().iadd(before, value),
            });
        }
        match sum {
            None => self.constant(linear.constant),
            Some(sum) if linear.constant == 0 => sum,
            Some(sum) => self.b.ins().iadd_imm_s(sum, linear.constant),
        }
    }

    /// An attempt fails if a helper answers below zero.
    pub(crate) fn fault_below_zero(&mut self, answer: Value) {
        let failed = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, answer, 0);
        self.fault_if(failed, ProgramFault::Host);
    }

    /// Calls a helper of places; what it answers below zero leaves the function.
    fn help_found(&mut self, helper: usize, which: u64, spans: [(Value, Value); 2]) -> Value {
        let answer = self.ask_found(helper, which, spans);
        self.leave_below_zero(answer);
        answer
    }

    pub(crate) fn ask_found(&mut self, helper: usize, which: u64, spans: [(Value, Value); 2]) -> Value {
        let [(from, from_length), (to, to_length)] = spans;
        self.ask_with(helper, which, [from, from_length, to, to_length])
    }

    /// Calls a helper that is given four numbers more.
    pub(crate) fn ask_with(&mut self, helper: usize, which: u64, more: [Value; 4]) -> Value {
        let signature = self.found_signature();
        let function = self.field(I64, helper);
        let which = self.constant(which as i64);
        let [one, two, three, four] = more;
        let arguments = [self.context, which, one, two, three, four];
        let call = self.b.ins().call_indirect(signature, function, &arguments);
        self.b.inst_results(call)[0]
    }

    /// The signature of [`crate::FoundHelper`].
    fn found_signature(&mut self) -> SigRef {
        if let Some(known) = self.found_helper {
            return known;
        }
        let mut signature = Signature::new(self.b.func.signature.call_conv);
        signature.params.extend([AbiParam::new(I64); 6]);
        signature.returns.push(AbiParam::new(I64));
        *self.found_helper.insert(self.b.import_signature(signature))
    }
}
