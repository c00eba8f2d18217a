//! CALL of a service that need not wait: it is answered where its program stands, and the program goes on.
//!
//! What a service means is the same as elsewhere (`call`). One that waits, or is looked at, is answered there.

use std::sync::Arc;

use cobol_ir::program::BlockId;
use cobol_run::{Answer, Fault, Frame};

use super::Level;
use super::call::set_return_code;
use super::here::{Behind, Running};
use super::pace::Pace;
use super::walk::Rests;
use crate::dispatcher::contain::contained_now;
use crate::services::{self, OwnAnswerer, Served, Services};
use crate::task::Task;

/// What a service has come to: what RETURN-CODE becomes, or why the program does not go on.
type Came = Result<Option<i32>, Rests>;

impl Level {
    /// Answers a CALL.
    ///
    /// # Errors
    /// A fault at its statement.
    pub(super) fn serve(
        &self,
        task: &mut Task,
        pace: &Pace,
        running: &Running<'_>,
        (name, answerer): (&str, OwnAnswerer),
        block: BlockId,
        frame: &Frame,
    ) -> Result<Behind, Fault> {
        let came = match answerer {
            OwnAnswerer::LanguageEnvironment => self.language_environment(task, name),
            OwnAnswerer::Other(place) if task.may_go_on() => {
                task.control.stands_until(running.name, running.stand(block).line());
                let came = self.other_service(task, pace, (name, place), block);
                task.control.stands_no_more();
                came
            }
            // Others go first, or it waits.
            OwnAnswerer::Other(_) | OwnAnswerer::Waiting(_) | OwnAnswerer::Interval => {
                Err(Rests::Host(block))
            }
        };
        let code = match came {
            Ok(code) => code,
            Err(rests) => return Ok(Behind::Rests(rests)),
        };
        if let (Some(code), Some(window)) = (code, task.window.as_mut()) {
            set_return_code(window, running.code.program(), frame, code);
        }
        Ok(Behind::On(running.code.behind(block, Answer::Continue)?))
    }

    fn language_environment(&self, task: &mut Task, name: &str) -> Came {
        let served = contained_now(|| services::language_environment_own(task, name, &self.arguments));
        match served.map_err(Rests::Failed)? {
            Ok(Served::On(code)) => Ok(Some(code)),
            Ok(Served::Abend(abend)) => Err(Rests::Abend(abend)),
            Err(raise) => Err(Rests::Abend(raise.into())),
        }
    }

    /// A service of another crate.
    fn other_service(
        &self,
        task: &mut Task,
        pace: &Pace,
        (name, place): (&str, usize),
        block: BlockId,
    ) -> Came {
        let service = Services::of(&task.region).other(place).map(Arc::clone);
        let answered = contained_now(|| services::answer_own_now(&*service?, task, name, &self.arguments));
        // It waits.
        let answered = answered.map_err(Rests::Failed)?.ok_or(Rests::Host(block))?;
        if answered.gave_way {
            pace.renew();
        }
        if answered.shows_interface_block {
            self.show_eib(task);
        }
        answered.code.map_err(|raise| Rests::Abend(raise.into()))
    }
}
