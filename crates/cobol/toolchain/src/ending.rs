//! The end of a region, as the building of its programs sees it: nothing waits for a compiler.

use std::sync::atomic::{AtomicBool, Ordering};

use diagnostics::Diagnostic;

use crate::artifact::Failure;
use crate::{Toolchain, codes};

/// The steps of that end.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    rests: AtomicBool,
    ended: AtomicBool,
}

impl Ending {
    /// Returns true if nothing is built that no task waits for.
    pub(crate) fn rests(&self) -> bool {
        self.rests.load(Ordering::Relaxed)
    }

    /// Looks whether the next step of a compilation is still wanted.
    ///
    /// # Errors
    /// It is not: the region ends.
    pub(crate) fn goes_on(&self, program: &str) -> Result<(), Failure> {
        if !self.ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let text = format!("program {program} is not compiled: the region ends");
        Err(Diagnostic::error(codes::ENDED, text).into())
    }
}

impl Toolchain {
    /// Has nothing more built that no task waits for: builds of several members end with those that are under way.
    pub fn rest(&self) {
        self.ends.rests.store(true, Ordering::Relaxed);
    }

    /// Has nothing compiled any more: compilations under way end before their next step, and fail. What was compiled before is
    /// found as ever. Nothing that is half made is kept.
    pub fn end(&self) {
        self.rest();
        self.ends.ended.store(true, Ordering::Relaxed);
    }

    /// Returns true once the tool chain rests, or has ended.
    pub fn is_resting(&self) -> bool {
        self.ends.rests()
    }
}
