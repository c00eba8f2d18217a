//! Output of a run.

use crate::ending::StepEnd;

/// Output of a run: lines that programs display and print, and messages about them.
pub trait Output {
    /// A line of SYSOUT.
    fn print(&mut self, line: &str);
    /// Takes a line that DISPLAY or a utility writes.
    fn display(&mut self, line: &str) {
        self.print(line);
    }
    /// A message of the job.
    fn log(&mut self, text: String);
    /// Takes note that a step of a job is over.
    fn step(&mut self, _job: &str, _step: &str, _end: &StepEnd) {}
}
