//! LINK: a pipe for one request, which does all six calls.

use access::ExternalLink;
use kernel::channels::is_channel_name;
use kernel::name::Name16;
use spec::{cond, opt};

use crate::Interface;
use crate::arguments::Command;
use crate::calls::{BAD_NAME, NO_ROOM, reason_of};
use crate::commands::{Ended, Raised, Refused, named, number, raise};
use crate::limits::RETRIES;
use crate::names::is_blank;
use crate::reasons::{INVALID_TRANSID, LINKERR, OK, RRMS_NOT_SUPPORTED, Reason, Response};
use crate::request::{Came, Data, ask, lengths};

impl Interface {
    /// LINK. A region that is not there is tried again, as published; a request that it has taken is not sent twice.
    pub(crate) fn link(
        &mut self,
        command: &mut dyn Command,
        waits: &dyn Fn() -> bool,
    ) -> Result<Ended, Raised> {
        let program = named(command, opt::PROGRAM)?.unwrap_or([b' '; 8]);
        let applid = named(command, opt::APPLID)?.unwrap_or([b' '; 8]);
        let transaction = named::<4>(command, opt::TRANSID)?;
        let data = self.data(command)?;
        if transaction.is_some_and(|name| is_blank(&name)) {
            return Ok(linkerr(INVALID_TRANSID, None));
        }
        if !command.keyword(opt::SYNCONRETURN) {
            return Ok(linkerr(RRMS_NOT_SUPPORTED, None));
        }
        let link = ExternalLink {
            client: self.client.clone(),
            user: None,
            program,
            transaction,
            commarea: None,
            channel: None,
        };
        let mut tried = 0;
        let came = loop {
            let came = self.once(applid, &link, &data, waits).map_err(Raised::Refused)?;
            if came.reason.response != Response::Retryable || tried == RETRIES {
                break came;
            }
            tried += 1;
        };
        if let (Some(commarea), Some(place)) = (&came.commarea, command.place(opt::COMMAREA)) {
            command.write(place, commarea)?;
        }
        Ok(match came.reason {
            OK => Ended::of(came.condition, came.resp2),
            reason => {
                let ended = linkerr(reason, came.message);
                Ended { abend: came.abend.unwrap_or(ended.abend), ..ended }
            }
        })
    }

    fn once(
        &mut self,
        applid: [u8; 8],
        link: &ExternalLink,
        data: &Data,
        waits: &dyn Fn() -> bool,
    ) -> Result<Came, Refused> {
        let mut way = match self.regions.open(applid) {
            Ok(way) => way,
            Err(why) => {
                let (reason, message) = reason_of(why);
                return Ok(Came { message, ..Came::of(reason) });
            }
        };
        ask(&mut *way, link.clone(), data, &mut self.channels, waits).map_err(|_| Refused::Stopped)
    }

    /// The COMMAREA or the channel of a LINK.
    fn data(&mut self, command: &dyn Command) -> Result<Data, Raised> {
        if let Some(name) = named::<16>(command, opt::CHANNEL)? {
            let name = Name16::new(name);
            if !is_channel_name(name) {
                return raise(cond::CHANNELERR, BAD_NAME);
            }
            let channel = self.channels.get_or_make(name);
            return channel.map(Data::Channel).or_else(|_| raise(cond::CHANNELERR, NO_ROOM));
        }
        let Some(place) = command.place(opt::COMMAREA) else { return Ok(Data::None) };
        let whole = number(command, opt::LENGTH)?.unwrap_or(command.size(place) as i64);
        let sent = number(command, opt::DATALENGTH)?;
        let (sent, length) = match lengths(whole, sent) {
            Ok(lengths) => lengths,
            Err(resp2) => return raise(cond::LENGERR, resp2),
        };
        // All of it must be the program's: what comes back is written there.
        let mut bytes = command.read(place, length.into())?;
        bytes.truncate(sent);
        Ok(Data::Commarea(bytes, length))
    }
}

/// The end of a LINK that has come to no answer of its program.
fn linkerr(reason: Reason, message: Option<String>) -> Ended {
    Ended { message, ..Ended::of(LINKERR, reason.number) }
}
