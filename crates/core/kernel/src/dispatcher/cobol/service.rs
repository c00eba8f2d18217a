//! CALL of a service that need not wait: it is answered where the code of its program stands, which goes on behind it.
//!
//! A service means the same as elsewhere (`call`). One that waits, or is looked at, is answered there.

use cobol_run::ProgramFault;
use native::Standing;

use super::call::set_return_code;
use super::cells::{Answerer, Called, Cells};
use super::here::Direct;
use super::rests::Rests;
use crate::exec::Places;
use crate::services::{self, Served};
use crate::task::Task;

/// Result of a service: the new RETURN-CODE, or the reason why the program does not go on.
type Came = Result<Option<i32>, Rests>;

impl Direct<'_> {
    /// Answers a CALL, if it is one of a service.
    pub(super) fn service(&mut self, cells: &Cells, called: &Called, at: &mut Standing<'_>) -> bool {
        let task = &mut *self.told.task;
        let Some(answerer) = called.service(&task.region) else { return false };
        // Others go first.
        if matches!(answerer, Answerer::Other(_)) && !task.may_go_on() {
            return false;
        }
        let (unit, place) = at.program();
        let Some(code) = unit.program(place) else { return false };
        let Some(window) = self.window.get_mut() else { return false };
        if !called.arguments.are_there(at.activation(), &window.storage) {
            return false;
        }
        if let Err(fault) = self.pass_all(&called.arguments, at) {
            return self.leaves(Err(fault));
        }
        self.told.task.window = self.window.get_mut().take();
        self.told.task.control.stands_until(cells.name, called.line);
        let came = self.served(called, answerer);
        let task = &mut *self.told.task;
        task.control.stands_no_more();
        let rests = match came {
            Some(Ok(answered)) => {
                if let (Some(number), Some(window)) = (answered, task.window.as_mut()) {
                    set_return_code(window, code.program(), at.activation(), number);
                }
                None
            }
            Some(Err(rests)) => Some(rests),
            None => {
                *self.window.get_mut() = task.window.take();
                // It waits: its arguments are there.
                self.level.passed = Some(at.site());
                return false;
            }
        };
        *self.window.get_mut() = task.window.take();
        match rests {
            Some(rests) => self.leaves(Ok(rests)),
            None => true,
        }
    }

    pub(super) fn pass_all(&mut self, places: &Places, at: &mut Standing<'_>) -> Result<(), ProgramFault> {
        let Self { level, window, .. } = self;
        let window = window.get_mut().as_mut().ok_or(ProgramFault::Host)?;
        let work_out = |at: &mut Standing<'_>, place| at.pass(&mut window.storage, place);
        places.pass(at, work_out, &mut level.arguments)
    }

    /// Has a service answer. `None` if it has to wait.
    fn served(&mut self, called: &Called, answerer: &Answerer) -> Option<Came> {
        let Self { told, level, pace, .. } = self;
        let task = &mut *told.task;
        match answerer {
            Answerer::LanguageEnvironment => Some(language_environment(task, &called.name, &level.arguments)),
            Answerer::Other(service) => {
                let answered = services::answer_call_now(&**service, task, &called.name, &level.arguments)?;
                if answered.gave_way {
                    pace.renew();
                }
                if answered.shows_interface_block {
                    level.show_eib(task);
                }
                Some(answered.code.map_err(|raise| Rests::Abend(raise.into())))
            }
        }
    }
}

fn language_environment(task: &mut Task, name: &str, arguments: &[cobol_run::Passed]) -> Came {
    match services::call_language_environment(task, name, arguments) {
        Ok(Served::On(code)) => Ok(Some(code)),
        Ok(Served::Abend(abend)) => Err(Rests::Abend(abend)),
        Err(raise) => Err(Rests::Abend(raise.into())),
    }
}
