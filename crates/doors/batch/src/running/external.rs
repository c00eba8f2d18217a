//! EXEC CICS and DFHXCIS: the arguments lie in the storage of the run, and `exci` answers.

use std::ops::Range;
use std::sync::atomic::Ordering;

use cobol_run::{Answer, Passed, RESERVED, number_in, put_number};
use exci::{Arguments, Command, NoArea, Refused, Unanswered};
use spec::call::Descriptor;
use spec::{CommandId, OptionId};

use super::storage::Storage;
use super::{Level, Run, Stopped, Taken, failed, of_abend};
use crate::ending::{RUNTIME_ABEND, TIME_ABEND};

/// The abend of a command that no region is there for.
const NO_REGION: &str = "AEY9";
/// Bytes that a message of a region has room for.
const MESSAGE: usize = 256;
/// Bytes of a number that has no field, and of an address.
const FULLWORD: usize = size_of::<u32>();

impl Run<'_, '_> {
    /// EXEC CICS: a command of the external interface is carried out, and any other ends the program.
    pub(super) fn exec(
        &mut self,
        level: &mut Level,
        descriptor: &[u8],
        taken: &Taken,
    ) -> Result<Answer, Stopped> {
        let read = Descriptor::new(descriptor).or_else(|| Descriptor::unbuilt(descriptor));
        let Some(read) = read else { return Err(failed("a command that is none")) };
        let name = spec::command(read.command()).name;
        let stop = std::sync::Arc::clone(&self.stop);
        let waits = || stop.load(Ordering::Relaxed) == 0;
        let Some(external) = self.external.as_deref_mut().filter(|_| exci::answers(read.command())) else {
            return Err(self.refused(level, NO_REGION, &format!("{name} outside of a region")));
        };
        let mut command = Given {
            storage: &mut self.storage,
            arguments: &taken.arguments,
            message: &mut self.message,
            addresses: Vec::new(),
            descriptor: Some(read),
        };
        let ended = external.command(&mut command, &waits);
        let addresses = command.addresses;
        match ended {
            Ok(()) => {
                set_addresses(level, &addresses);
                Ok(Answer::Continue)
            }
            Err(Refused::NoArea(_)) => Err(self.protection(level)),
            Err(Refused::Stopped) => Err(out_of_time()),
            Err(refused @ (Refused::NotHere(_) | Refused::NoRetcode(_) | Refused::Short(..))) => {
                Err(self.refused(level, NO_REGION, &refused.to_string()))
            }
        }
    }

    /// CALL of DFHXCIS.
    pub(super) fn external_call(&mut self, level: &mut Level, taken: &Taken) -> Result<Answer, Stopped> {
        let stop = std::sync::Arc::clone(&self.stop);
        let waits = || stop.load(Ordering::Relaxed) == 0;
        let Some(external) = self.external.as_deref_mut() else {
            return Err(self.refused(level, RUNTIME_ABEND, "CALL of DFHXCIS without a region"));
        };
        let mut call = Given {
            storage: &mut self.storage,
            arguments: &taken.arguments,
            message: &mut self.message,
            addresses: Vec::new(),
            descriptor: None,
        };
        match external.call(&mut call, &waits) {
            Ok(response) => {
                self.storage.set_return_code(level, response);
                Ok(Answer::Continue)
            }
            Err(Unanswered::NoArea) => Err(self.protection(level)),
            Err(Unanswered::Stopped) => Err(out_of_time()),
        }
    }

    /// The end of a program at its present line.
    fn refused(&self, level: &Level, code: &str, text: &str) -> Stopped {
        match self.protection(level) {
            Stopped::Abend(_, place) => Stopped::Abend(code.into(), format!("{text}{}", behind(&place))),
            other => other,
        }
    }

    fn protection(&self, level: &Level) -> Stopped {
        match level.unit.program(level.place) {
            Some(code) => of_abend(&code.abend_at(cobol_run::ProgramFault::Protection, level.block)),
            None => failed("a program that is not there"),
        }
    }
}

/// The place in the text of an abend, with what stands in front of it.
fn behind(text: &str) -> &str {
    text.find(" at ").or_else(|| text.find(", ")).and_then(|at| text.get(at..)).unwrap_or_default()
}

fn out_of_time() -> Stopped {
    Stopped::Abend(TIME_ABEND.into(), String::from("the time of the step is used up"))
}

fn set_addresses(level: &mut Level, addresses: &[(u32, u32)]) {
    let Some(frame) = level.frame.as_mut() else { return };
    for (record, address) in addresses {
        if let Some(own) = frame.linkage_mut().get_mut(*record as usize) {
            *own = *address;
        }
    }
}

/// The arguments of a call, or of a command.
struct Given<'s> {
    storage: &'s mut Storage,
    arguments: &'s [Passed],
    /// The area of the region's last message.
    message: &'s mut Option<u32>,
    /// Records of the linkage section, and the addresses that they get.
    addresses: Vec<(u32, u32)>,
    /// The descriptor of a command.
    descriptor: Option<Descriptor<'s>>,
}

impl Given<'_> {
    /// Bytes of the run's storage from the start of an argument on.
    fn range(&self, place: usize, length: usize) -> Result<Range<usize>, NoArea> {
        let at = match self.arguments.get(place) {
            Some(Passed::Area(at, _) | Passed::Field(at, ..) | Passed::Pointer(at)) => *at as usize,
            _ => return Err(NoArea),
        };
        let end = at.checked_add(length).ok_or(NoArea)?;
        if at >= RESERVED && end <= self.storage.task.extent() { Ok(at..end) } else { Err(NoArea) }
    }
}

impl Arguments for Given<'_> {
    fn is_there(&self, place: usize) -> bool {
        match self.arguments.get(place) {
            Some(Passed::Area(at, _) | Passed::Field(at, ..) | Passed::Pointer(at)) => {
                *at as usize >= RESERVED
            }
            Some(Passed::Copy(_) | Passed::Number(_)) => true,
            Some(Passed::Address(_) | Passed::Label(_) | Passed::None) | None => false,
        }
    }

    fn size(&self, place: usize) -> usize {
        match self.arguments.get(place) {
            Some(Passed::Area(_, length) | Passed::Field(_, length, _)) => *length as usize,
            Some(Passed::Copy(bytes)) => bytes.len(),
            Some(Passed::Pointer(_) | Passed::Number(_)) => FULLWORD,
            _ => 0,
        }
    }

    fn read(&self, place: usize, length: usize) -> Result<Vec<u8>, NoArea> {
        match self.arguments.get(place) {
            Some(Passed::Copy(bytes)) => bytes.get(..length).map(<[u8]>::to_vec).ok_or(NoArea),
            Some(Passed::Number(number)) => {
                (*number as i32).to_be_bytes().get(..length).map(<[u8]>::to_vec).ok_or(NoArea)
            }
            _ => {
                let range = self.range(place, length)?;
                self.storage.task.memory().get(range).map(<[u8]>::to_vec).ok_or(NoArea)
            }
        }
    }

    fn write(&mut self, place: usize, bytes: &[u8]) -> Result<(), NoArea> {
        let range = self.range(place, bytes.len())?;
        let into = self.storage.task.memory_mut().get_mut(range).ok_or(NoArea)?;
        into.copy_from_slice(bytes);
        Ok(())
    }

    fn number(&self, place: usize) -> Result<i64, NoArea> {
        match self.arguments.get(place) {
            Some(Passed::Number(number)) => Ok(*number),
            Some(Passed::Field(_, length, numeric)) => {
                number_in(&self.read(place, *length as usize)?, *numeric).map_err(|_| NoArea)
            }
            Some(_) => match *self.read(place, self.size(place))? {
                [a, b, c, d] => Ok(i32::from_be_bytes([a, b, c, d]).into()),
                [a, b] => Ok(i16::from_be_bytes([a, b]).into()),
                _ => Err(NoArea),
            },
            None => Err(NoArea),
        }
    }

    fn put_number(&mut self, place: usize, number: i64) -> Result<(), NoArea> {
        match self.arguments.get(place) {
            Some(Passed::Field(_, length, numeric)) => {
                let (range, numeric) = (self.range(place, *length as usize)?, *numeric);
                let into = self.storage.task.memory_mut().get_mut(range).ok_or(NoArea)?;
                put_number(number, numeric, into);
                Ok(())
            }
            Some(Passed::Area(..)) => self.write(place, &(number as i32).to_be_bytes()),
            _ => Err(NoArea),
        }
    }

    fn put_pointer(&mut self, place: usize, address: u32) -> Result<(), NoArea> {
        if let Some(Passed::Address(record)) = self.arguments.get(place) {
            self.addresses.push((*record, address));
            return Ok(());
        }
        self.write(place, &address.to_be_bytes())
    }

    fn hold(&mut self, bytes: &[u8]) -> Option<u32> {
        self.storage.hold(bytes).ok()
    }

    fn hold_message(&mut self, bytes: &[u8]) -> Option<u32> {
        let at = match *self.message {
            Some(at) => at,
            None => *self.message.insert(self.storage.hold(&[0; MESSAGE]).ok()?),
        };
        let bytes = &bytes[..bytes.len().min(MESSAGE)];
        self.storage.task.bytes_mut(at, bytes.len()).copy_from_slice(bytes);
        Some(at)
    }
}

impl Command for Given<'_> {
    fn id(&self) -> CommandId {
        // Made only with a descriptor.
        self.descriptor.map_or(CommandId(0), |descriptor| descriptor.command())
    }

    fn place(&self, option: OptionId) -> Option<usize> {
        self.descriptor?.argument(option)
    }

    fn keyword(&self, option: OptionId) -> bool {
        self.descriptor.is_some_and(|descriptor| descriptor.keyword(option))
    }
}
