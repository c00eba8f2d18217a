//! Receivers that are edited by pictures with a table.

use cobol_ir::Program;
use cobol_ir::program::{Editing, Form};

/// The table of a receiver, if it has one.
pub(crate) fn of<'p>(program: &'p Program, form: &Form) -> Option<&'p Editing> {
    let Form::Edited { picture, blank_when_zero } = form else { return None };
    let is_its = |own: &&Editing| own.picture == *picture && own.blank_when_zero == *blank_when_zero;
    program.editings.iter().find(is_its)
}

/// The scale of a receiver's picture.
pub(crate) fn scale(program: &Program, editing: &Editing) -> i32 {
    program.pictures.get(editing.picture as usize).map_or(0, |picture| picture.scale)
}
