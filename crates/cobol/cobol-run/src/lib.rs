//! COBOL programs in storage: what the intermediate form means.
//!
//! Here live the storage of a task, frames, the interpreter, and what a debugger sees of a program. The interpreter is safe Rust
//! over one run of bytes. It looks at the flag of its host at every edge that may close a
//! cycle and at every call, so that every program can be stopped. Generated code has to leave the same bytes behind, and the
//! same faults at the same statements.
//!
//! Out of scope: the way of a source to operations (`cobol-lower`), routines over bytes alone (`cobol-runtime`), machine code.

#![doc = include_str!("../README.md")]

mod abend;
mod areas;
mod compare;
mod decimal;
mod edit;
mod exhibit;
mod fields;
mod fit;
mod found;
mod functions;
mod inspect;
mod json;
mod json_numbers;
mod machine;
mod made_texts;
mod markup;
mod memory;
mod national_strings;
mod numbers;
mod order;
mod parsers;
mod reals;
mod shared;
mod steps;
mod storage;
mod strings;
mod texts;
mod typed;
mod unicode;
mod utf8;
mod utf8_strings;
pub mod view;
mod walk;
mod xml;

pub use cobol_runtime::moments::Moment;

pub use abend::{Abend, ProgramFault};
pub use areas::{AREA_BYTES, Areas, Heap};
pub use edit::edited;
pub use fields::{decimal_text, digits_in, is_binary, number_in, put_number};
pub use machine::{Answer, Call, Copied, Found, Frame, Host, Left, Machine, Passed};
pub use made_texts::ARGUMENT_MAX;
pub use memory::Lender;
pub use numbers::{are_digits_alike, digit_of, is_moved_as_it_lies};
pub use order::compare_records;
pub use shared::{Record, SHARED, Shared, ZEROS};
pub use storage::{Activation, Lends, RESERVED, Task};
pub use typed::bytes_of;
pub use walk::{Stand, Walked};

use cobol_ir::program::{Block, BlockId, Program, Template};

/// Runs the operations that give storage its initial values, and keeps what they leave in the program.
pub fn initialize(program: &mut Program, blocks: Vec<Block>) -> Result<(), ProgramFault> {
    let code = std::mem::replace(&mut program.blocks, blocks);
    let length = program.working.len() + program.local.len();
    let mut task = Task::new(length + RESERVED);
    let outcome = task.enter(program, &[]).and_then(|activation| {
        let mut machine = Machine::new(program, &mut task, activation);
        machine.run_from(BlockId(0), &mut machine::Silent)?;
        Ok(machine.into_activation())
    });
    program.blocks = code;
    let activation = outcome?;
    let (working, local) = (program.working.len(), program.local.len());
    program.working = Template::of(task.bytes(activation.working, working));
    program.local = Template::of(task.bytes(activation.local, local));
    Ok(())
}
