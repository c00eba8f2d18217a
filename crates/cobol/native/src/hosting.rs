//! The helpers that code of every host has.

use cobol_ir::Program;

use crate::code::{Hosted, Running};
use crate::{CodeHost, found, helpers};

impl<H: CodeHost> Hosted for H {
    type Cells = <H as CodeHost>::Cells;
    type Step = helpers::Step;
    type Test = helpers::Test;
    type Select = helpers::Select;
    type Called = helpers::Called;
    type Command = helpers::Command;
    type Renewed = helpers::Renewed;
    type Moved = found::Moved;
    type Tested = found::Tested;
    type Appended = found::Appended;
    type Left = helpers::Left;

    fn cells(program: &Program) -> Option<<H as CodeHost>::Cells> {
        <H as CodeHost>::cells(program)
    }

    fn shows(at: &mut Running<'_, Self>) -> bool {
        at.shows()
    }
}
