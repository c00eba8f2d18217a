//! EXEC CICS of a program outside of a region: LINK, and the commands of channels. RETCODE has what comes of them.

use spec::{Condition, Kind, OptionId, cmd, cond, opt};

use crate::arguments::{Command, NoArea};
use crate::limits::MESSAGE_MAX;
use crate::{Interface, Unanswered};

/// The reason why a command is not carried out, and the program ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It, or an option of it, is none of the external interface.
    #[error("{0} outside of a region")]
    NotHere(String),
    /// There is no area for what comes of it.
    #[error("{0} without RETCODE, which it needs outside of a region")]
    NoRetcode(&'static str),
    /// That area is too small.
    #[error("RETCODE of {0} has {1} bytes, and 20 are needed")]
    Short(&'static str, usize),
    /// An argument lies nowhere.
    #[error(transparent)]
    NoArea(#[from] NoArea),
    /// The run is to stop.
    #[error("the run is to stop")]
    Stopped,
}

impl From<Unanswered> for Refused {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::NoArea => Self::NoArea(NoArea),
            Unanswered::Stopped => Self::Stopped,
        }
    }
}

/// The outcome of a command, for RETCODE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub resp: i32,
    pub resp2: i32,
    pub abend: [u8; 4],
    pub message: Option<String>,
}

impl Ended {
    /// It was carried out.
    pub const NORMAL: Self = Self::of(0, 0);

    pub const fn of(resp: i32, resp2: i32) -> Self {
        Self { resp, resp2, abend: [b' '; 4], message: None }
    }
}

/// A condition, or that the program ends.
pub(crate) enum Raised {
    Condition(Condition, i32),
    Refused(Refused),
}

impl From<NoArea> for Raised {
    fn from(none: NoArea) -> Self {
        Self::Refused(none.into())
    }
}

/// Bytes of RETCODE.
const RETCODE: usize = 20;
/// Options of LINK that are those of tasks.
const OF_TASKS: [OptionId; 3] = [opt::SYSID, opt::INPUTMSG, opt::INPUTMSGLEN];

/// Returns true if a command is one of the external interface.
pub fn answers(command: spec::CommandId) -> bool {
    spec::command(command).forms.contains(&"EXCI")
}

impl Interface {
    /// Carries out a command, and waits for a region as long as `waits` says so. The outcome is in RETCODE, and in RESP and
    /// RESP2 if the program has them.
    ///
    /// # Errors
    /// The program ends: nothing was done.
    pub fn command(&mut self, command: &mut dyn Command, waits: &dyn Fn() -> bool) -> Result<(), Refused> {
        let record = spec::command(command.id());
        if !answers(record.id) {
            return Err(Refused::NotHere(record.name.to_owned()));
        }
        let is_given = |option: &&spec::OptionSpec| match option.kind {
            Kind::Keyword => command.keyword(option.id),
            _ => command.place(option.id).is_some(),
        };
        let is_elsewhere = |option: &&spec::OptionSpec| {
            option.not_yet || (record.id == cmd::LINK && OF_TASKS.contains(&option.id))
        };
        if let Some(option) = record.options.iter().filter(is_elsewhere).find(is_given) {
            return Err(Refused::NotHere(format!("{} of {}", option.name, record.name)));
        }
        let Some(retcode) = command.place(opt::RETCODE) else { return Err(Refused::NoRetcode(record.name)) };
        if command.size(retcode) < RETCODE {
            return Err(Refused::Short(record.name, command.size(retcode)));
        }
        // What cannot be told to the program is not begun.
        let area = command.read(retcode, RETCODE)?;
        command.write(retcode, &area)?;
        let ended = match record.id {
            cmd::LINK => self.link(command, waits),
            _ => self.container_command(command).map(|()| Ended::NORMAL),
        };
        let ended = match ended {
            Ok(ended) => ended,
            Err(Raised::Condition(condition, resp2)) => Ended::of(condition.0.into(), resp2),
            Err(Raised::Refused(refused)) => return Err(refused),
        };
        tell(command, retcode, &ended)
    }
}

fn tell(command: &mut dyn Command, retcode: usize, ended: &Ended) -> Result<(), Refused> {
    let text: String = ended.message.iter().flat_map(|text| text.chars()).take(MESSAGE_MAX).collect();
    let message = if text.is_empty() { None } else { command.hold_message(text.as_bytes()) };
    let (length, address) = message.map_or((0, 0), |address| (text.len() as u32, address));
    let area = [
        ended.resp.to_be_bytes(),
        ended.resp2.to_be_bytes(),
        ended.abend,
        length.to_be_bytes(),
        address.to_be_bytes(),
    ];
    command.write(retcode, &area.concat())?;
    for (option, number) in [(opt::RESP, ended.resp), (opt::RESP2, ended.resp2)] {
        if let Some(place) = command.place(option) {
            command.put_number(place, number.into())?;
        }
    }
    Ok(())
}

/// A condition.
pub(crate) fn raise<T>(condition: Condition, resp2: i32) -> Result<T, Raised> {
    Err(Raised::Condition(condition, resp2))
}

/// The number that an option has; `None` if it is not given.
pub(crate) fn number(command: &dyn Command, option: OptionId) -> Result<Option<i64>, NoArea> {
    command.place(option).map(|place| command.number(place)).transpose()
}

/// The name that an option has; `None` if it is not given.
pub(crate) fn named<const N: usize>(
    command: &dyn Command,
    option: OptionId,
) -> Result<Option<[u8; N]>, NoArea> {
    let Some(place) = command.place(option) else { return Ok(None) };
    Ok(Some(crate::names::name(&command.read(place, N.min(command.size(place)))?)))
}

/// The condition of an area or a number that is not given, where the record needs it.
pub(crate) fn missing<T>() -> Result<T, Raised> {
    raise(cond::INVREQ, 0)
}
