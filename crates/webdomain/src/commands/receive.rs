//! WEB RECEIVE: the body of a request.

use http::media::MediaType;
use kernel::channels::{self, DataType};
use kernel::exec::call::Delivery;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use super::exchange;
use crate::conversion::{Conversion, DEFAULT_CHARACTER_SET, charset, encoding};
use crate::exchange::Exchange;
use crate::resp2;

/// This command.
pub(super) const HANDLERS: Answers = &[(cmd::WEB_RECEIVE, Handler::Waits(receive))];

/// Where a body goes.
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
/// dropped, or with NOTRUNCATE left for the next WEB RECEIVE.
fn receive<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let exchange = exchange(task)?;
        let media = exchange.media();
        let said = charset(media.as_deref());
        if call.has(opt::TYPE) {
            call.put_value(opt::TYPE, &Value::Cvda("HTTPYES"))?;
        }
        let shown = media.as_deref().map(|media| media.split(';').next().unwrap_or_default().trim());
        call.put(opt::MEDIATYPE, format!("{:<MEDIA$.MEDIA$}", shown.unwrap_or_default()).as_bytes())?;
        call.put(
            opt::BODYCHARSET,
            format!("{:<CHARACTER_SET$.CHARACTER_SET$}", said.as_deref().unwrap_or_default()).as_bytes(),
        )?;
        if call.has(opt::TOCONTAINER) {
            return to_container(task, call, &exchange, media.as_deref()).await;
        }
        let conversion = Conversion::of_server(call, said.as_deref())?;
        let body = match conversion {
            None => exchange.body.clone(),
            Some((conversion, _)) => conversion.to_program(&exchange.body),
        };
        let from = exchange.answer().received.min(body.len());
        let rest = &body[from..];
        let given = call.deliver(rest, DELIVERY, |data| task.hold(data));
        let room = call.number(opt::MAXLENGTH)?.and_then(|room| usize::try_from(room).ok());
        let room = room.unwrap_or(if call.has(opt::SET) { rest.len() } else { call.size(opt::INTO) });
        let kept = call.keyword(opt::NOTRUNCATE) && room < rest.len();
        exchange.answer().received = if kept { from + room } else { body.len() };
        given
    })
}

/// WEB RECEIVE TOCONTAINER: characters where the media type is one of text, or there is none; bytes of others.
async fn to_container(task: &mut Task, call: &Call<'_>, exchange: &Exchange, media: Option<&str>) -> Outcome {
    let name: Name16 = call.need_name(opt::TOCONTAINER)?;
    let is_text = media.and_then(MediaType::parse).is_none_or(|media| media.is_text());
    let data_type = match is_text {
        true => DataType::Char(encoding(charset(media).as_deref().unwrap_or(DEFAULT_CHARACTER_SET))?),
        false => DataType::Bit,
    };
    let channel = match call.name(opt::TOCHANNEL)? {
        Some(name) => channels::Channel::for_passing(task, name)?,
        None => task.level().channel.clone().ok_or_else(|| cond::INVREQ.raise(resp2::NO_CHANNEL))?,
    };
    channels::fill(task, &channel, name, exchange.body.clone(), data_type).await
}
