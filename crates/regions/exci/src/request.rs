//! A request for a program of a region, and what comes of it.

use access::{ExternalAnswer, ExternalDone, ExternalLink};
use kernel::channels::Channel;
use kernel::name::Name16;
use std::sync::Arc;

use crate::channels::{Channels, TooMuch};
use crate::limits::COMMAREA_MAX;
use crate::reasons::{
    ABORT_RECEIVED, COMMAREA_LEN_TOO_BIG, DATA_LENGTH_NEGATIVE, DATA_LENGTH_TOO_BIG, IRP_SWITCH_PULL_FAILURE,
    NO_CICS, OK, Reason, SERVER_ABENDED, SURROGATE_CHECK_FAILED,
};
use crate::way::{Unheard, Way};

/// The data of a request.
pub(crate) enum Data {
    None,
    /// The bytes that are sent, and the length of the COMMAREA.
    Commarea(Vec<u8>, u16),
    Channel(Arc<Channel>),
}

/// The outcome of a request.
pub(crate) struct Came {
    pub reason: Reason,
    /// Of the program, if the reason is OK.
    pub condition: i32,
    pub resp2: i32,
    pub abend: Option<[u8; 4]>,
    /// The region's reason for refusing the request.
    pub message: Option<String>,
    /// The COMMAREA as the program has left it.
    pub commarea: Option<Vec<u8>>,
    /// The way leads nowhere any more.
    pub is_broken: bool,
}

impl Came {
    pub fn of(reason: Reason) -> Self {
        Self { reason, condition: 0, resp2: 0, abend: None, message: None, commarea: None, is_broken: false }
    }

    /// A condition that the request has before it is sent.
    pub fn condition(condition: spec::Condition, resp2: i32) -> Self {
        Self { condition: condition.0.into(), resp2, ..Self::of(OK) }
    }
}

/// The run is to stop.
pub(crate) struct Stopped;

/// The lengths of a COMMAREA, checked: those of the bytes that are sent, and of the whole. `Err`: RESP2 of LENGERR.
pub(crate) fn lengths(whole: i64, sent: Option<i64>) -> Result<(usize, u16), i32> {
    let length = u16::try_from(whole).ok().filter(|_| whole <= COMMAREA_MAX).ok_or(COMMAREA_LEN_TOO_BIG)?;
    match sent {
        Some(sent) if sent < 0 => Err(DATA_LENGTH_NEGATIVE),
        Some(sent) if sent > whole => Err(DATA_LENGTH_TOO_BIG),
        sent => Ok((sent.map_or(whole, |sent| sent) as usize, length)),
    }
}

/// Has the program of a request run. The containers that it has changed are in the channel afterwards.
pub(crate) fn ask(
    way: &mut dyn Way,
    link: ExternalLink,
    data: &Data,
    channels: &mut Channels,
    waits: &dyn Fn() -> bool,
) -> Result<Came, Stopped> {
    let mut link = link;
    match data {
        Data::None => {}
        Data::Commarea(bytes, length) => link.commarea = Some((bytes.clone(), *length)),
        Data::Channel(channel) => link.channel = Some(channel.to_bytes()),
    }
    Ok(match way.link(link, waits) {
        Ok(ExternalAnswer::Done(done)) => returned(done, data, channels),
        Ok(ExternalAnswer::Abended(code)) => Came { abend: Some(code), ..Came::of(SERVER_ABENDED) },
        Ok(ExternalAnswer::NotSurrogate) => Came::of(SURROGATE_CHECK_FAILED),
        Ok(ExternalAnswer::NoMirror(why)) => Came { message: Some(why), ..Came::of(ABORT_RECEIVED) },
        Ok(ExternalAnswer::Opened | ExternalAnswer::Elsewhere(_)) => {
            lost(String::from("no answer to a LINK"))
        }
        Err(Unheard::NotSent) => Came { is_broken: true, ..Came::of(NO_CICS) },
        Err(Unheard::Lost(why)) => lost(why),
        Err(Unheard::Stopped) => return Err(Stopped),
    })
}

/// The region has taken the request and not answered it.
fn lost(why: String) -> Came {
    Came { is_broken: true, message: Some(why), ..Came::of(IRP_SWITCH_PULL_FAILURE) }
}

fn returned(done: ExternalDone, data: &Data, channels: &mut Channels) -> Came {
    let ExternalDone { condition, resp2, commarea, channel } = done;
    if let (Data::Channel(own), Some((changed, deleted))) = (data, channel) {
        let Some(changed) = Channel::from_bytes(&changed) else {
            return lost(String::from("the channel that came back is none"));
        };
        if let Err(TooMuch) = channels.take_over(own, &changed) {
            return lost(String::from("the containers that came back are more than a run has room for"));
        }
        for name in deleted {
            channels.remove(own, Name16::new(name));
        }
    }
    Came { condition: condition.into(), resp2, commarea, ..Came::of(OK) }
}
