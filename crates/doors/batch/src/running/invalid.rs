//! Traces of a data exception: the items that hold no number, for the job's log.

use cobol_ir::program::Program;
use cobol_run::view::{Seen, Spot, Value, View};
use cobol_run::{Activation, Task};

use crate::output::Output;

/// Items that are named; a program that has given its storage no values has many.
const NAMED_MAX: usize = 30;
/// Bytes of an item that are shown.
const BYTES_MAX: usize = 18;

/// Names the numeric items of a program that hold no number, with their bytes.
pub(super) fn tell(program: &Program, activation: &Activation, task: &Task, output: &mut dyn Output) {
    let shared = Seen::default();
    let view = View::new(program, activation, task.memory(), &shared);
    let mut found = Vec::new();
    for record in view.records(|_| true) {
        look(&view, &record, &mut found);
    }
    let name = &program.name;
    for text in found.iter().take(NAMED_MAX) {
        output.log(format!("{name}: {text}"));
    }
    if found.len() > NAMED_MAX {
        let more = found.len() - NAMED_MAX;
        output.log(format!("{name}: items that hold no number and are not named: {more}"));
    }
}

/// Looks at an item and its parts.
fn look(view: &View<'_>, spot: &Spot, found: &mut Vec<String>) {
    if let Value::NotANumber(bytes) = view.value(spot) {
        let shown: String = bytes.iter().take(BYTES_MAX).map(|byte| format!("{byte:02X}")).collect();
        let cut = if bytes.len() > BYTES_MAX { "…" } else { "" };
        found.push(format!("{} holds X'{shown}{cut}', which is not a number", view.name(spot)));
        return;
    }
    for part in view.parts(spot) {
        look(view, &part, found);
    }
}
