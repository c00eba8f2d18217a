//! Attempts: a step is written out for what nearly always is, and the interpreter carries it out again where something is not so.
//!
//! Within an attempt a fault is not the program's: it leads to the interpreter, which does the whole step from its beginning. So
//! an attempt stores nothing before its last fault, and the interpreter alone says which fault the program has.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, Value};

use crate::emit::Emitter;

/// An attempt that has begun.
pub(crate) struct Attempt {
    other: ir::Block,
    done: ir::Block,
}

impl Emitter<'_> {
    /// From here on a fault leads to the interpreter.
    pub(crate) fn begin_attempt(&mut self) -> Attempt {
        let [other, done] = std::array::from_fn(|_| self.new_block());
        self.b.set_cold_block(other);
        self.attempt = Some(other);
        Attempt { other, done }
    }

    /// The step is done; where the attempt has failed, a helper of the interpreter does it.
    pub(crate) fn end_attempt(&mut self, attempt: &Attempt, helper: usize, argument: u64) {
        self.attempt = None;
        self.jump(attempt.done);
        self.b.switch_to_block(attempt.other);
        self.help(helper, argument);
        self.jump(attempt.done);
        self.b.switch_to_block(attempt.done);
    }

    /// The same of a test, with its answer.
    pub(crate) fn end_attempted_test(
        &mut self,
        attempt: &Attempt,
        answer: Value,
        helper: usize,
        argument: u64,
    ) -> Value {
        self.attempt = None;
        let both = self.b.append_block_param(attempt.done, I64);
        let answer = match self.b.func.dfg.value_type(answer) {
            I64 => answer,
            _ => self.b.ins().uextend(I64, answer),
        };
        self.b.ins().jump(attempt.done, &[BlockArg::Value(answer)]);
        self.b.switch_to_block(attempt.other);
        let other = self.help(helper, argument);
        self.b.ins().jump(attempt.done, &[BlockArg::Value(other)]);
        self.b.switch_to_block(attempt.done);
        both
    }
}
