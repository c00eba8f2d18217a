//! WEB RECEIVE: the body of a request.

use std::sync::atomic::Ordering;

use http::media::MediaType;
use kernel::channels::{DataType, is_channel_name};
use kernel::exec::call::Delivery;
use kernel::exec::value::Value;
use kernel::exec::{Call, Waiting};
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use spec::{cond, opt};

use super::exchange;
use crate::bodies;
use crate::conversion::{Conversion, DEFAULT_CHARACTER_SET, charset, encoding};
use crate::counts::count;
use crate::resp2;

/// This command.
/// Options for the destination of a body.
const DELIVERY: Delivery = Delivery {
    into: opt::INTO,
    set: opt::SET,
    room: opt::MAXLENGTH,
    length: opt::LENGTH,
    resp2: resp2::BODY_CUT,
};
/// Characters of BODYCHARSET and MEDIATYPE.
const CHARACTER_SET: usize = 40;
const MEDIA: usize = 56;

/// WEB RECEIVE: into INTO, by SET, or into a container. Nothing is converted unless that is asked for. What does not fit is
/// dropped, or with NOTRUNCATE left for the next WEB RECEIVE. A body that was received whole by one command is given again,
/// by which programs look at its media type first, and have it converted then.
pub(super) fn receive<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let exchange = exchange(task)?;
        let media = exchange.media();
        if call.has(opt::TYPE) {
            call.put_value(opt::TYPE, &Value::Cvda("HTTPYES"))?;
        }
        let conversion = match call.has(opt::TOCONTAINER) {
            true => None,
            false => Conversion::of_server(call, charset(media.as_deref()).as_deref())?
                .map(|(conversion, _)| conversion),
        };
        let from = exchange.answer().received;
        let body =
            Incoming { body: &exchange.body, from, media: media.as_deref(), conversion, delivery: DELIVERY };
        let (received, given) = give(task, call, body).await;
        count(&exchange.used.receives);
        let bytes = received.saturating_sub(from) as u64;
        exchange.used.received_bytes.fetch_add(bytes, Ordering::Relaxed);
        let taken = exchange.body.get(from..received).unwrap_or_default();
        bodies::received(task, exchange.service.name.trimmed(), taken);
        let at_once = from == 0 && given.is_ok() && !call.keyword(opt::NOTRUNCATE);
        exchange.answer().received = if at_once { 0 } else { received };
        given
    })
}

/// A body that a program receives.
pub(super) struct Incoming<'a> {
    /// Its bytes.
    pub body: &'a [u8],
    /// Number of bytes that the program has.
    pub from: usize,
    /// Its media type.
    pub media: Option<&'a str>,
    /// Conversion of the body.
    pub conversion: Option<Conversion>,
    /// Destination of the body.
    pub delivery: Delivery,
}

/// Gives a body to a program: how much of it the program has then, and what came of it.
pub(super) async fn give(task: &mut Task, call: &Call<'_>, incoming: Incoming<'_>) -> (usize, Outcome) {
    let Incoming { body, from, media, conversion, delivery } = incoming;
    let told = tell_media(call, media);
    if told.is_err() {
        return (from, told);
    }
    if call.has(opt::TOCONTAINER) {
        return (body.len(), to_container(task, call, body, media).await);
    }
    let converted = conversion.map(|conversion| conversion.to_program(body));
    let body = converted.as_deref().unwrap_or(body);
    let from = from.min(body.len());
    let rest = &body[from..];
    let given = call.deliver(rest, delivery, |data| task.hold(data));
    let room = call.number(delivery.room).ok().flatten().and_then(|room| usize::try_from(room).ok());
    let room = room.unwrap_or(if call.has(opt::SET) { rest.len() } else { call.size(opt::INTO) });
    let is_kept = call.keyword(opt::NOTRUNCATE) && room < rest.len();
    (if is_kept { from + room } else { body.len() }, given)
}

/// MEDIATYPE and BODYCHARSET.
fn tell_media(call: &Call<'_>, media: Option<&str>) -> Outcome {
    let essence = media.map(|media| media.split(';').next().unwrap_or_default().trim()).unwrap_or_default();
    let said = charset(media).unwrap_or_default();
    call.put(opt::MEDIATYPE, format!("{essence:<MEDIA$.MEDIA$}").as_bytes())?;
    call.put(opt::BODYCHARSET, format!("{said:<CHARACTER_SET$.CHARACTER_SET$}").as_bytes())
}

/// WEB RECEIVE TOCONTAINER: characters where the media type is one of text, or there is none; bytes of others.
async fn to_container(task: &mut Task, call: &Call<'_>, body: &[u8], media: Option<&str>) -> Outcome {
    let name: Name16 = call.need_name(opt::TOCONTAINER)?;
    if !is_channel_name(name) {
        return Err(cond::CONTAINERERR.raise(resp2::CONTAINER_NAME));
    }
    let is_text = media.and_then(MediaType::parse).is_none_or(|media| media.is_text());
    let data_type = match is_text {
        true => DataType::Char(encoding(charset(media).as_deref().unwrap_or(DEFAULT_CHARACTER_SET))?),
        false => DataType::Bit,
    };
    let channel = match call.name(opt::TOCHANNEL)? {
        Some(name) => task.channel_to_pass(name)?,
        None => task.level().channel.clone().ok_or_else(|| cond::INVREQ.raise(resp2::NO_CHANNEL))?,
    };
    task.put_container(&channel, name, body.to_vec(), data_type).await
}
