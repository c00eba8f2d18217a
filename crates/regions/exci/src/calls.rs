//! CALL of DFHXCIS: Initialize_User, Allocate_Pipe, Open_Pipe, DPL_Request, Close_Pipe, Deallocate_Pipe.
//!
//! Each call has a version, an area of five words for what comes of it, the token of a user and its own number in front.

use access::ExternalLink;
use kernel::channels::is_channel_name;
use kernel::name::Name16;
use spec::cond;

use crate::arguments::{Arguments, bytes_of_name, fullword};
use crate::limits::MESSAGE_MAX;
use crate::names::{is_blank, name};
use crate::pipes::Standing;
use crate::reasons::{
    COMMAREALEN_NOT_ALLOWED, DATALEN_NOT_ALLOWED, INVALID_APPL_NAME, INVALID_CALL_TYPE, INVALID_CCSID,
    INVALID_ENDIAN, INVALID_TRANSID, INVALID_TRANSID2, INVALID_UOWID, INVALID_USERID, INVALID_VERSION_NUMBER,
    IRC_CONNECT_FAILURE, NO_CICS, NO_COMMAREA_LEN, NO_PIPE, OK, PIPE_ALREADY_CLOSED, PIPE_ALREADY_OPEN,
    PIPE_MUST_CLOSE, PIPE_NOT_OPEN, RRMS_NOT_SUPPORTED, Reason,
};
use crate::request::{Came, Data, ask, lengths};
use crate::way::NoWay;
use crate::{Interface, Unanswered};

/// The program that is CALLed.
pub const NAME: &str = "DFHXCIS";

/// Places of the arguments that all calls have.
mod all {
    pub const VERSION: usize = 0;
    pub const RETURN_AREA: usize = 1;
    pub const USER_TOKEN: usize = 2;
    pub const CALL_TYPE: usize = 3;
    /// Of all but Initialize_User, which has the name of the user there.
    pub const PIPE_TOKEN: usize = 4;
    pub const USER_NAME: usize = 4;
}

/// The place of the argument that Allocate_Pipe alone has.
const APPLID: usize = 5;

/// Places of the arguments of DPL_Request.
mod dpl {
    pub const PROGRAM: usize = 5;
    /// The COMMAREA; with version 3 the name of a channel.
    pub const DATA: usize = 6;
    pub const COMMAREA_LENGTH: usize = 7;
    pub const DATA_LENGTH: usize = 8;
    pub const TRANSACTION: usize = 9;
    pub const UNIT_OF_WORK: usize = 10;
    pub const USER: usize = 11;
    pub const RETURN_AREA: usize = 12;
    pub const OPTIONS: usize = 13;
    pub const TRANSACTION_2: usize = 14;
    pub const CCSID: usize = 15;
    pub const ENDIAN: usize = 16;
}

/// The version of a DPL_Request that passes a channel.
const WITH_CHANNEL: i32 = 3;
/// The bit of DPL_opts that is SYNCONRETURN.
const SYNCONRETURN: u8 = 0x80;
/// Bytes of the longest name in front of a name of a unit of work.
const NETNAME_MAX: u8 = 17;

/// The outcome of a call, for the area of five words.
struct Ended {
    reason: Reason,
    message: Option<String>,
}

impl From<Reason> for Ended {
    fn from(reason: Reason) -> Self {
        Self { reason, message: None }
    }
}

/// A reason, or that there is no answer at all.
enum Failed {
    Reason(Reason),
    Unanswered(Unanswered),
}

impl From<Reason> for Failed {
    fn from(reason: Reason) -> Self {
        Self::Reason(reason)
    }
}

impl From<crate::NoArea> for Failed {
    fn from(none: crate::NoArea) -> Self {
        Self::Unanswered(none.into())
    }
}

impl Interface {
    /// Answers a CALL; its response, which is the return code, too. It waits as long as `waits` says so.
    ///
    /// # Errors
    /// An argument that must be there lies nowhere, or the run is to stop.
    pub fn call(
        &mut self,
        arguments: &mut dyn Arguments,
        waits: &dyn Fn() -> bool,
    ) -> Result<i32, Unanswered> {
        // What cannot be told to the program is not begun.
        let area = arguments.read(all::RETURN_AREA, 5 * size_of::<i32>())?;
        arguments.write(all::RETURN_AREA, &area)?;
        let ended = match self.answer(arguments, waits) {
            Ok(ended) => ended,
            Err(Failed::Reason(reason)) => reason.into(),
            Err(Failed::Unanswered(why)) => return Err(why),
        };
        let message = ended.message.and_then(|text| arguments.hold_message(&with_length(&text)));
        let response = ended.reason.response as i32;
        let words = [response, ended.reason.number, 0, 0, message.unwrap_or(0) as i32];
        arguments.write(all::RETURN_AREA, &words.map(i32::to_be_bytes).concat())?;
        Ok(response)
    }

    fn answer(&mut self, arguments: &mut dyn Arguments, waits: &dyn Fn() -> bool) -> Result<Ended, Failed> {
        let version = fullword(arguments, all::VERSION)?;
        let call = fullword(arguments, all::CALL_TYPE)?;
        if !(1..=WITH_CHANNEL).contains(&version) {
            return Err(INVALID_VERSION_NUMBER.into());
        }
        match call {
            1 => self.initialise(arguments),
            2 => self.allocate(arguments),
            3 => self.open(arguments),
            4 => self.close(arguments),
            5 => self.deallocate(arguments),
            6 => self.request(arguments, version, waits),
            _ => Err(INVALID_CALL_TYPE.into()),
        }
    }

    fn initialise(&mut self, arguments: &mut dyn Arguments) -> Result<Ended, Failed> {
        let user: [u8; 8] = name(&bytes_of_name(arguments, all::USER_NAME, 8)?);
        if is_blank(&user) {
            return Err(INVALID_APPL_NAME.into());
        }
        fullword(arguments, all::USER_TOKEN)?;
        let token = self.pipes.initialise(user)?;
        arguments.write(all::USER_TOKEN, &token.to_be_bytes())?;
        Ok(OK.into())
    }

    /// The user of a call.
    fn user(&self, arguments: &dyn Arguments) -> Result<u32, Failed> {
        let token = fullword(arguments, all::USER_TOKEN)? as u32;
        self.pipes.user(token)?;
        Ok(token)
    }

    fn allocate(&mut self, arguments: &mut dyn Arguments) -> Result<Ended, Failed> {
        let user = self.user(arguments)?;
        fullword(arguments, all::PIPE_TOKEN)?;
        let applid = match arguments.is_there(APPLID) {
            true => name(&bytes_of_name(arguments, APPLID, 8)?),
            false => [b' '; 8],
        };
        let token = self.pipes.allocate(user, applid)?;
        arguments.write(all::PIPE_TOKEN, &token.to_be_bytes())?;
        Ok(OK.into())
    }

    fn open(&mut self, arguments: &dyn Arguments) -> Result<Ended, Failed> {
        let user = self.user(arguments)?;
        let pipe = self.pipes.pipe(user, fullword(arguments, all::PIPE_TOKEN)? as u32)?;
        match pipe.standing {
            Standing::Open(_) => return Ok(PIPE_ALREADY_OPEN.into()),
            Standing::MustClose => return Err(PIPE_MUST_CLOSE.into()),
            Standing::Closed => {}
        }
        match self.regions.open(pipe.applid) {
            Ok(way) => {
                pipe.standing = Standing::Open(way);
                Ok(OK.into())
            }
            Err(why) => Ok(unreached(why)),
        }
    }

    fn close(&mut self, arguments: &dyn Arguments) -> Result<Ended, Failed> {
        let user = self.user(arguments)?;
        let pipe = self.pipes.pipe(user, fullword(arguments, all::PIPE_TOKEN)? as u32)?;
        match std::mem::replace(&mut pipe.standing, Standing::Closed) {
            Standing::Closed => Ok(PIPE_ALREADY_CLOSED.into()),
            Standing::Open(_) | Standing::MustClose => Ok(OK.into()),
        }
    }

    fn deallocate(&mut self, arguments: &dyn Arguments) -> Result<Ended, Failed> {
        let user = self.user(arguments)?;
        self.pipes.deallocate(user, fullword(arguments, all::PIPE_TOKEN)? as u32)?;
        Ok(OK.into())
    }

    fn request(
        &mut self,
        arguments: &mut dyn Arguments,
        version: i32,
        waits: &dyn Fn() -> bool,
    ) -> Result<Ended, Failed> {
        let user = self.user(arguments)?;
        let token = fullword(arguments, all::PIPE_TOKEN)? as u32;
        match self.pipes.pipe(user, token)?.standing {
            Standing::Open(_) => {}
            Standing::Closed => return Err(PIPE_NOT_OPEN.into()),
            Standing::MustClose => return Err(PIPE_MUST_CLOSE.into()),
        }
        let area = arguments.read(dpl::RETURN_AREA, 3 * size_of::<i32>())?;
        arguments.write(dpl::RETURN_AREA, &area)?;
        let link = self.of_request(arguments, version)?;
        let came = match self.data_of(arguments, version)? {
            Ok(data) => {
                let pipe = self.pipes.pipe(user, token)?;
                let Standing::Open(way) = &mut pipe.standing else { return Err(PIPE_NOT_OPEN.into()) };
                let came = ask(&mut **way, link, &data, &mut self.channels, waits);
                let came = came.map_err(|_| Failed::Unanswered(Unanswered::Stopped))?;
                if came.is_broken {
                    pipe.standing = Standing::MustClose;
                }
                came
            }
            Err(came) => came,
        };
        if let Some(commarea) = &came.commarea {
            arguments.write(dpl::DATA, commarea)?;
        }
        let abend = came.abend.unwrap_or([b' '; 4]);
        let answer = [came.condition.to_be_bytes(), came.resp2.to_be_bytes(), abend].concat();
        arguments.write(dpl::RETURN_AREA, &answer)?;
        Ok(Ended { reason: came.reason, message: came.message })
    }

    /// The request, without its data.
    fn of_request(&self, arguments: &dyn Arguments, version: i32) -> Result<ExternalLink, Failed> {
        let program = name(&bytes_of_name(arguments, dpl::PROGRAM, 8)?);
        let transaction = named(arguments, dpl::TRANSACTION, INVALID_TRANSID)?;
        let user = named(arguments, dpl::USER, INVALID_USERID)?;
        if arguments.is_there(dpl::UNIT_OF_WORK) {
            let first = arguments.read(dpl::UNIT_OF_WORK, 1)?;
            if !first.first().is_some_and(|length| (1..=NETNAME_MAX).contains(length)) {
                return Err(INVALID_UOWID.into());
            }
        }
        let syncs = match arguments.is_there(dpl::OPTIONS) {
            true => arguments.read(dpl::OPTIONS, 1)?.first().is_some_and(|bits| bits & SYNCONRETURN != 0),
            false => false,
        };
        if !syncs {
            return Err(RRMS_NOT_SUPPORTED.into());
        }
        if version > 1 {
            self.of_version_2(arguments, version)?;
        }
        Ok(ExternalLink {
            client: self.client.clone(),
            user,
            program,
            transaction,
            commarea: None,
            channel: None,
        })
    }

    /// The arguments that came with version 2: what they ask for is not here.
    fn of_version_2(&self, arguments: &dyn Arguments, version: i32) -> Result<(), Failed> {
        if arguments.is_there(dpl::TRANSACTION_2) {
            let other: [u8; 4] = name(&bytes_of_name(arguments, dpl::TRANSACTION_2, 4)?);
            let own = match arguments.is_there(dpl::TRANSACTION) {
                true => name(&bytes_of_name(arguments, dpl::TRANSACTION, 4)?),
                false => *b"CSMI",
            };
            if other != own {
                return Err(INVALID_TRANSID2.into());
            }
        }
        if version != WITH_CHANNEL {
            for (place, reason) in [(dpl::CCSID, INVALID_CCSID), (dpl::ENDIAN, INVALID_ENDIAN)] {
                if arguments.is_there(place) && fullword(arguments, place)? != 0 {
                    return Err(reason.into());
                }
            }
        }
        Ok(())
    }

    /// The data of a request; or what it comes to, since they cannot be sent.
    fn data_of(&mut self, arguments: &dyn Arguments, version: i32) -> Result<Result<Data, Came>, Failed> {
        let number = |place| match arguments.is_there(place) {
            true => fullword(arguments, place).map(|number| Some(i64::from(number))),
            false => Ok(None),
        };
        let (whole, sent) = (number(dpl::COMMAREA_LENGTH)?, number(dpl::DATA_LENGTH)?);
        if version == WITH_CHANNEL {
            let lengths = [(whole, COMMAREALEN_NOT_ALLOWED), (sent, DATALEN_NOT_ALLOWED)];
            if let Some((_, reason)) = lengths.into_iter().find(|(length, _)| length.is_some_and(|n| n != 0))
            {
                return Err(reason.into());
            }
            let channel: [u8; 16] = name(&bytes_of_name(arguments, dpl::DATA, 16)?);
            let channel = Name16::new(channel);
            if !is_channel_name(channel) {
                return Ok(Err(Came::condition(cond::CHANNELERR, BAD_NAME)));
            }
            let made = self.channels.get_or_make(channel);
            return Ok(made.map(Data::Channel).map_err(|_| Came::condition(cond::CHANNELERR, NO_ROOM)));
        }
        if !arguments.is_there(dpl::DATA) {
            return Ok(Ok(Data::None));
        }
        let Some(whole) = whole.filter(|whole| *whole != 0) else {
            return Ok(Err(Came::condition(cond::LENGERR, NO_COMMAREA_LEN)));
        };
        let (sent, length) = match lengths(whole, sent) {
            Ok(lengths) => lengths,
            Err(resp2) => return Ok(Err(Came::condition(cond::LENGERR, resp2))),
        };
        // All of it must be the program's: what comes back is written there.
        let mut bytes = arguments.read(dpl::DATA, length.into())?;
        bytes.truncate(sent);
        Ok(Ok(Data::Commarea(bytes, length)))
    }
}

/// RESP2 of CHANNELERR: the name is none; there is no room for one more channel.
pub(crate) const BAD_NAME: i32 = 1;
pub(crate) const NO_ROOM: i32 = 3;

/// The name that an optional argument has.
fn named<const N: usize>(
    arguments: &dyn Arguments,
    place: usize,
    blank: Reason,
) -> Result<Option<[u8; N]>, Failed> {
    if !arguments.is_there(place) {
        return Ok(None);
    }
    let given: [u8; N] = name(&bytes_of_name(arguments, place, N)?);
    if is_blank(&given) { Err(blank.into()) } else { Ok(Some(given)) }
}

/// The end of a call that has not reached its region.
fn unreached(why: NoWay) -> Ended {
    match why {
        NoWay::NotThere => NO_CICS.into(),
        NoWay::Full => NO_PIPE.into(),
        NoWay::Failed(message) => Ended { reason: IRC_CONNECT_FAILURE, message: Some(message) },
    }
}

/// The reason of a way that is not there.
pub(crate) fn reason_of(why: NoWay) -> (Reason, Option<String>) {
    let Ended { reason, message } = unreached(why);
    (reason, message)
}

/// A message with its length in front.
fn with_length(text: &str) -> Vec<u8> {
    let text: String = text.chars().take(MESSAGE_MAX).collect();
    let length = (text.len() + 2 * size_of::<u16>()) as u16;
    [&length.to_be_bytes()[..], &[0; 2], text.as_bytes()].concat()
}
