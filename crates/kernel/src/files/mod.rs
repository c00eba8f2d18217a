//! File control: FILE definitions over data sets, and the commands that read and write records.

/// The browses and reads for update of one task.
#[derive(Default)]
pub struct TaskFiles {}

impl TaskFiles {
    /// The unit of work is over: nothing is held for update any more, and browses end.
    pub fn end_unit_of_work(&mut self) {}
}
