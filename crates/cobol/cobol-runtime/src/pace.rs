//! Long work that can be stopped.

/// The task is to end: the caller of the routine gives up, and the changes of the routine so far stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Steps between two looks at whether to go on: some ten microseconds of work.
const STRETCH: usize = 1 << 14;

/// Counts the steps of a routine and asks now and then whether it may go on.
pub struct Pace<'a> {
    left: usize,
    may_go_on: &'a mut dyn FnMut() -> bool,
}

impl<'a> Pace<'a> {
    /// A pace that asks `may_go_on` after each stretch of steps.
    pub fn new(may_go_on: &'a mut dyn FnMut() -> bool) -> Self {
        Self { left: STRETCH, may_go_on }
    }

    /// Counts steps: about one for each byte looked at.
    pub fn steps(&mut self, steps: usize) -> Result<(), Stopped> {
        if steps < self.left {
            self.left -= steps;
            return Ok(());
        }
        self.left = STRETCH;
        if (self.may_go_on)() { Ok(()) } else { Err(Stopped) }
    }
}
