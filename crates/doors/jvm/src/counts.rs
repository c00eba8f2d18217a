//! Counts of a JVM server's uses and of tasks that wait for its threads.

/// The counts. Those that count, count from the region's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Programs that have begun.
    pub uses: u64,
    /// Tasks that have waited because of THREADLIMIT.
    pub waits: u64,
    /// Nanoseconds that they have waited.
    pub wait_ns: u64,
    /// Most threads with a task.
    pub working_most: usize,
    /// Most tasks that waited because of THREADLIMIT.
    pub waiting_most: usize,
}

/// Counts, with what is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub counts: Counts,
    pub limit: usize,
    pub working: usize,
    pub waiting: usize,
}

impl Counts {
    /// So many threads have a task: one has just begun.
    pub fn begins(&mut self, working: usize) {
        self.uses += 1;
        self.working_most = self.working_most.max(working);
    }

    /// So many tasks wait because of THREADLIMIT: one has just begun to.
    pub fn waits(&mut self, waiting: usize) {
        self.waits += 1;
        self.waiting_most = self.waiting_most.max(waiting);
    }

    /// The peaks are what is now.
    pub fn reset_peaks(&mut self, working: usize, waiting: usize) {
        (self.working_most, self.waiting_most) = (working, waiting);
    }
}
