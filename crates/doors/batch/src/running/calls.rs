//! CALL: of programs of the same source, of services of Language Environment, of other programs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cobol_ir::program::WAIT;
use cobol_run::{Answer, Passed, ProgramFault};
use exec_sql::Outside;
use jiff::Zoned;
use le::{Answer as Served, Now};

use super::{Level, Loaded, Run, Stopped, Taken, failed, of_abend};
use crate::ending::RUNTIME_ABEND;

/// The time after which a run that waits looks at whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

impl Run<'_, '_> {
    pub(super) fn call(&mut self, level: &mut Level, name: &str, taken: &Taken) -> Result<Answer, Stopped> {
        let of_source = level.unit.contained(level.place, name).or_else(|| level.unit.beside(name));
        if let Some(place) = of_source {
            let unit = Arc::clone(&level.unit);
            return self.entered(level, &unit, (place, None), taken);
        }
        if let Some((unit, place, entry)) = self.storage.entry(name) {
            return self.entered(level, &unit, (place, Some(entry)), taken);
        }
        if le::SERVICES.contains(&name) {
            self.serve(name, &taken.arguments)?;
            return Ok(Answer::Continue);
        }
        if name == WAIT {
            return match taken.arguments.first() {
                Some(Passed::Number(nanoseconds)) => {
                    self.wait(Duration::from_nanos(u64::try_from(*nanoseconds).unwrap_or(0)));
                    Ok(Answer::Continue)
                }
                _ => Err(failed(&format!("CALL of {name} by a name that an item holds"))),
            };
        }
        if name == exci::NAME && self.external.is_some() {
            return self.external_call(level, taken);
        }
        if Outside::NAMES.contains(&name) && self.sql.is_some() {
            return self.sql_call(level, name, &taken.arguments);
        }
        match self.loader.unit(name, &mut *self.output) {
            Ok(Some(Loaded { unit, packages })) => {
                if let Some(sql) = &self.sql {
                    packages.iter().for_each(|package| sql.bring(package));
                }
                self.entered(level, &unit, (0, None), taken)
            }
            Ok(None) => {
                let code = level.unit.program(level.place);
                match code.map(|code| code.behind(level.block, Answer::NoProgram)) {
                    Some(Ok(_)) => Ok(Answer::NoProgram),
                    _ => Err(self.no_program(level, name)),
                }
            }
            Err(why) => Err(failed(&format!("CALL of {name}: {why}"))),
        }
    }

    /// C$SLEEP and its like: the run waits, until its time is over or it is to stop.
    fn wait(&self, time: Duration) {
        let end = Instant::now().checked_add(time);
        while self.stop.load(Ordering::Relaxed) == 0 {
            let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// CANCEL: the program, and what it contains, begins again when it is next CALLed. One that was never CALLed stays as it is.
    pub(super) fn cancel(&mut self, level: &Level, name: &str) -> Result<Answer, Stopped> {
        let of_source = level.unit.contained(level.place, name).or_else(|| level.unit.beside(name));
        let known = match of_source {
            Some(place) => Some((Arc::clone(&level.unit), place)),
            None => self.storage.program(name).map(|unit| (unit, 0)),
        };
        let Some((unit, place)) = known else { return Ok(Answer::Continue) };
        for place in unit.with_contained(place) {
            if self.active.iter().any(|(own, at)| Arc::ptr_eq(own, &unit) && *at == place) {
                return Err(failed(&format!("CANCEL of {name}, which has not been left")));
            }
            self.close_files(&unit, place)?;
            self.storage.forget(&unit, place);
        }
        Ok(Answer::Continue)
    }

    fn no_program(&self, level: &Level, name: &str) -> Stopped {
        let Some(code) = level.unit.program(level.place) else { return failed("a CALL") };
        match of_abend(&code.abend_at(ProgramFault::NoProgram, level.block)) {
            Stopped::Abend(code, text) => Stopped::Abend(code, format!("CALL of {name}: {text}")),
            other => other,
        }
    }

    fn entered(
        &mut self,
        level: &mut Level,
        unit: &Arc<native::Unit>,
        target: (usize, Option<usize>),
        taken: &Taken,
    ) -> Result<Answer, Stopped> {
        self.enter(unit, target, &taken.arguments, Some(level))?;
        Ok(Answer::Continue)
    }

    /// A service of Language Environment.
    fn serve(&mut self, name: &str, arguments: &[Passed]) -> Result<(), Stopped> {
        let mut copies: Vec<Option<le::Argument>> = arguments
            .iter()
            .map(|argument| {
                let bytes = match argument {
                    Passed::Area(at, length) => self.storage.task.bytes(*at, *length as usize),
                    Passed::Copy(bytes) => bytes,
                    _ => return None,
                };
                let fill = |into: &mut [u8]| {
                    into.copy_from_slice(bytes);
                    Ok::<(), ProgramFault>(())
                };
                le::Argument::filled(bytes.len(), fill).ok()
            })
            .collect();
        let moment = || -> Now { now() };
        let answer = le::call(name, &mut copies, &moment, &mut self.century);
        for (argument, copy) in arguments.iter().zip(&copies) {
            if let (Passed::Area(at, length), Some(changed)) =
                (argument, copy.as_ref().and_then(le::Argument::changed))
            {
                let fits = changed.len().min(*length as usize);
                self.storage.task.bytes_mut(*at, fits).copy_from_slice(&changed[..fits]);
            }
        }
        match answer {
            Some(Served::Done) => Ok(()),
            Some(Served::Message(text)) => {
                self.output.print(&String::from_utf8_lossy(&text));
                Ok(())
            }
            Some(Served::Dump(title)) => {
                self.output.log(format!("dump {}", String::from_utf8_lossy(&title)));
                Ok(())
            }
            Some(Served::Abend(abend)) => {
                let code = format!("U{:04}", abend.code);
                Err(Stopped::Abend(code, format!("asked for by {name}")))
            }
            Some(Served::Unhandled(_)) | None => {
                let text = format!("{name}: a condition that the program does not handle");
                Err(Stopped::Abend(RUNTIME_ABEND.into(), text))
            }
        }
    }
}

/// The moment, for services of Language Environment.
fn now() -> Now {
    let zoned = Zoned::now();
    Now { unix_milliseconds: zoned.timestamp().as_millisecond(), offset: zoned.offset().seconds() }
}
