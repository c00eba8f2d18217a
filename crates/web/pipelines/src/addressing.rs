//! WS-Addressing of programs and pipelines: WSACONTEXT and WSAEPR, and what DFHWSADH stands for in a pipeline.
//!
//! A channel has two contexts, each a container of headers as they are written: what the request says of its way, and what the
//! answer says. Programs change the one that goes out.

use std::sync::Arc;

use kernel::channels::{Bytes, Channel, Encoding};
use kernel::exec::call::Delivery;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::{Name8, Name16};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;
use soap::addressing::{Addressing, Edition, Endpoint, RELATIONS_MAX, Relation};
use spec::{OptionId, cmd, cond, opt};

use crate::characters::{encoding, is_content, text, with_length};
use crate::configuration::Configuration;
use crate::passage::{CHANNEL, TEXT};

/// The program of headers that stands for all of this in a pipeline.
const PROGRAM: &str = "DFHWSADH";
/// The containers of the contexts: ours, not published.
const REQUEST: &str = "DFHWSA-REQUEST";
const RESPONSE: &str = "DFHWSA-RESPONSE";
/// Characters of an address, an action, a name of a message.
const URI: usize = 255;
/// Bytes of an endpoint reference, and of its parts.
const ENDPOINT_MAX: usize = 32_767;
/// The published name of an endpoint's element.
const ELEMENT: &str = "EndpointReference";

/// RESP2 of what goes wrong. Recalled, not read.
mod resp2 {
    /// CHANNELERR: the task has no such channel.
    pub const NO_CHANNEL: i32 = 2;
    /// INVREQ: there is no current channel.
    pub const NO_CURRENT_CHANNEL: i32 = 4;
    /// INVREQ: a CVDA that the option does not take, or an option without the one that it needs.
    pub const OPTION: i32 = 1;
    /// INVREQ: an endpoint, or a part of one, that is no XML.
    pub const MALFORMED: i32 = 2;
    /// INVREQ: more relations than a message has.
    pub const TOO_MANY: i32 = 3;
    /// NOTFND: there is no context.
    pub const NO_CONTEXT: i32 = 1;
    /// NOTFND: the context has no such property.
    pub const NO_PROPERTY: i32 = 2;
    pub const TOO_LONG: i32 = 1;
}

/// The commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::WSACONTEXT_BUILD, Handler::Now(build)),
    (cmd::WSACONTEXT_DELETE, Handler::Now(delete)),
    (cmd::WSACONTEXT_GET, Handler::Now(get)),
    (cmd::WSAEPR_CREATE, Handler::Now(create)),
];

/// Which message a context is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Request,
    Response,
}

impl Of {
    fn container(self) -> Name16 {
        Name16::from(match self {
            Self::Request => REQUEST,
            Self::Response => RESPONSE,
        })
    }
}

/// Returns true if a pipeline's messages have headers of WS-Addressing.
pub(crate) fn is_addressed(pipeline: &Configuration) -> bool {
    pipeline.headers.iter().any(|it| is_ours(it.program))
}

/// Returns true if a program of headers is the one that stands for this module.
pub(crate) fn is_ours(program: Name8) -> bool {
    program == Name8::from(PROGRAM)
}

/// The context of a channel.
pub(crate) fn load(channel: &Channel, of: Of) -> Option<Addressing> {
    let container = channel.get(of.container())?;
    let headers = std::str::from_utf8(&container.data).ok()?;
    // A program may have written something else into it.
    Some(Addressing::read_headers(headers).ok().flatten().unwrap_or_default())
}

/// Puts the context of a channel.
pub(crate) fn save(channel: &Channel, of: Of, said: &Addressing) {
    let mut headers = Vec::new();
    said.write(&mut headers);
    channel.put(of.container(), Bytes::own(&headers), TEXT);
}

/// The context that goes out: a program that serves answers, any other asks.
fn outgoing(channel: &Channel) -> Of {
    if channel.name == Name16::from(CHANNEL) { Of::Response } else { Of::Request }
}

/// The headers of an answer to a request: as a program has built them, the rest as the request wants it.
pub(crate) fn answer(asked: &Addressing, action: &str, channel: &Channel, is_fault: bool) -> Vec<u8> {
    let action = if action.is_empty() { String::new() } else { format!("{action}Response") };
    let wanted = asked.answer(&action, "", is_fault);
    let built = load(channel, Of::Response).unwrap_or_default();
    let mut headers = Vec::new();
    merged(built, wanted).write(&mut headers);
    headers
}

/// Properties that the program has built, and for the rest the wanted ones.
fn merged(built: Addressing, wanted: Addressing) -> Addressing {
    let (to, to_parameters) = match built.to {
        Some(to) => (Some(to), built.to_parameters),
        None => (wanted.to, wanted.to_parameters),
    };
    let mut relates_to = wanted.relates_to;
    relates_to.extend(built.relates_to);
    Addressing {
        edition: wanted.edition,
        to,
        to_parameters,
        action: built.action.or(wanted.action),
        message_id: built.message_id.or(wanted.message_id),
        relates_to,
        from: built.from.or(wanted.from),
        reply_to: built.reply_to.or(wanted.reply_to),
        fault_to: built.fault_to.or(wanted.fault_to),
    }
}

/// Addressing properties of a request: as the program has built them; the rest is its address, its action, and a name
/// of its own.
pub(crate) fn asks(channel: &Channel, url: &str, action: &str) -> Addressing {
    let anonymous = Edition::default().anonymous().to_owned();
    let wanted = Addressing {
        to: Some(url.to_owned()),
        action: Some(action.to_owned()).filter(|it| !it.is_empty()),
        message_id: Some(own_name()),
        reply_to: Some(Endpoint { address: anonymous, ..Endpoint::default() }),
        ..Addressing::default()
    };
    merged(load(channel, Of::Request).unwrap_or_default(), wanted)
}

/// A name that no other message has: a random UUID. Without random numbers, the null one.
fn own_name() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_ok() {
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
    }
    let number = u128::from_be_bytes(bytes);
    let hex = format!("{number:032x}");
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The channel of a command.
fn channel(task: &Task, call: &Call<'_>) -> Outcome<Arc<Channel>> {
    match call.name::<16>(opt::CHANNEL)? {
        Some(name) => task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(resp2::NO_CHANNEL)),
        None => {
            let current = task.level().channel.clone();
            current.ok_or_else(|| cond::INVREQ.raise(resp2::NO_CURRENT_CHANNEL))
        }
    }
}

fn wrong_option() -> Raise {
    cond::INVREQ.raise(resp2::OPTION)
}

/// The name of a CVDA that an option has, if it is there.
fn cvda(call: &Call<'_>, option: OptionId) -> Outcome<Option<&'static str>> {
    let Some(number) = call.number(option)? else { return Ok(None) };
    let name = i32::try_from(number).ok().and_then(spec::cvda_name);
    name.map(Some).ok_or_else(wrong_option)
}

/// A text without a length: as long as its field, and no longer than an address.
fn uri(call: &Call<'_>, option: OptionId, characters: Encoding) -> Outcome<Option<String>> {
    let bytes = call.bytes(option)?;
    let text = bytes.map(|bytes| text(&bytes[..bytes.len().min(URI)], characters));
    Ok(text.filter(|text| !text.is_empty()))
}

/// WSACONTEXT BUILD: properties of the message that goes out.
fn build(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call)?;
    let of = outgoing(&channel);
    let mut said = load(&channel, of).unwrap_or_default();
    let characters = encoding(call, opt::FROMCCSID, Some(opt::FROMCODEPAGE))?;
    if let Some(action) = uri(call, opt::ACTION, characters)? {
        said.action = Some(action);
    }
    if let Some(message) = uri(call, opt::MESSAGEID, characters)? {
        said.message_id = Some(message);
    }
    if let Some(message) = uri(call, opt::RELATESURI, characters)? {
        if said.relates_to.len() == RELATIONS_MAX {
            return Err(cond::INVREQ.raise(resp2::TOO_MANY));
        }
        let kind = uri(call, opt::RELATESTYPE, characters)?.unwrap_or_default();
        said.relates_to.push(Relation { message, kind });
    }
    if let Some(kind) = cvda(call, opt::EPRTYPE)? {
        let mut endpoint = endpoint(&said, kind)?.unwrap_or_default();
        change(call, &mut endpoint, characters)?;
        put_endpoint(&mut said, kind, endpoint);
    }
    save(&channel, of, &said);
    Ok(())
}

/// The endpoint of a kind.
fn endpoint(said: &Addressing, kind: &str) -> Outcome<Option<Endpoint>> {
    Ok(match kind {
        "TOEPR" => said.to.as_ref().map(|to| Endpoint {
            address: to.clone(),
            parameters: said.to_parameters.clone(),
            metadata: String::new(),
        }),
        "FROMEPR" => said.from.clone(),
        "REPLYTOEPR" => said.reply_to.clone(),
        "FAULTTOEPR" => said.fault_to.clone(),
        _ => return Err(wrong_option()),
    })
}

fn put_endpoint(said: &mut Addressing, kind: &str, endpoint: Endpoint) {
    match kind {
        "FROMEPR" => said.from = Some(endpoint),
        "REPLYTOEPR" => said.reply_to = Some(endpoint),
        "FAULTTOEPR" => said.fault_to = Some(endpoint),
        _ => (said.to, said.to_parameters) = (Some(endpoint.address), endpoint.parameters),
    }
}

/// Changes an endpoint, or the part that EPRFIELD names.
fn change(call: &Call<'_>, endpoint: &mut Endpoint, characters: Encoding) -> Outcome {
    let field = cvda(call, opt::EPRFIELD)?.ok_or_else(wrong_option)?;
    let from = with_length(call, (opt::EPRFROM, opt::EPRLENGTH), ENDPOINT_MAX, characters)?;
    let from = from.ok_or_else(wrong_option)?;
    let malformed = || cond::INVREQ.raise(resp2::MALFORMED);
    match field {
        "ALL" => *endpoint = Endpoint::read(&from).map_err(|_| malformed())?,
        "ADDRESS" => endpoint.address = from,
        "REFPARMS" | "METADATA" if !is_content(&from) => return Err(malformed()),
        "REFPARMS" => endpoint.parameters = from,
        "METADATA" => endpoint.metadata = from,
        _ => return Err(wrong_option()),
    }
    Ok(())
}

/// WSACONTEXT DELETE: both contexts of the channel.
fn delete(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call)?;
    let mut is_there = false;
    for of in [Of::Request, Of::Response] {
        is_there |= channel.get(of.container()).is_some();
        channel.remove(of.container());
    }
    if is_there { Ok(()) } else { Err(cond::NOTFND.raise(resp2::NO_CONTEXT)) }
}

/// WSACONTEXT GET: properties of a message. A text that the message does not have is blank.
fn get(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call)?;
    let of = match cvda(call, opt::CONTEXTTYPE)? {
        Some("REQCONTEXT") => Of::Request,
        Some("RESPCONTEXT") => Of::Response,
        _ => return Err(wrong_option()),
    };
    let characters = encoding(call, opt::INTOCCSID, Some(opt::INTOCODEPAGE))?;
    let said = load(&channel, of).ok_or_else(|| cond::NOTFND.raise(resp2::NO_CONTEXT))?;
    put_uri(call, opt::ACTION, said.action.as_deref(), characters)?;
    put_uri(call, opt::MESSAGEID, said.message_id.as_deref(), characters)?;
    if call.has(opt::RELATESURI) {
        let place = call.number(opt::RELATESINDEX)?.unwrap_or(1);
        let place = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
        let relation = place.and_then(|place| said.relates_to.get(place)).ok_or_else(no_property)?;
        put_uri(call, opt::RELATESURI, Some(&relation.message), characters)?;
        put_uri(call, opt::RELATESTYPE, Some(&relation.kind), characters)?;
    }
    let Some(kind) = cvda(call, opt::EPRTYPE)? else { return Ok(()) };
    let field = cvda(call, opt::EPRFIELD)?.ok_or_else(wrong_option)?;
    let endpoint = endpoint(&said, kind)?.ok_or_else(no_property)?;
    let part = match field {
        "ALL" => whole(&endpoint, said.edition),
        "ADDRESS" => endpoint.address,
        "REFPARMS" => endpoint.parameters,
        "METADATA" => endpoint.metadata,
        _ => return Err(wrong_option()),
    };
    deliver(task, call, &part, characters)
}

fn no_property() -> Raise {
    cond::NOTFND.raise(resp2::NO_PROPERTY)
}

/// Gives a text of the length of an address.
fn put_uri(call: &Call<'_>, option: OptionId, uri: Option<&str>, characters: Encoding) -> Outcome {
    if !call.has(option) {
        return Ok(());
    }
    let padded = format!("{:<URI$}", uri.unwrap_or_default());
    let bytes = Encoding::Utf8.convert(padded.as_bytes(), characters).0;
    call.put(option, &bytes)
}

/// An endpoint as an element.
fn whole(endpoint: &Endpoint, edition: Edition) -> String {
    let mut written = Vec::new();
    endpoint.write(ELEMENT, edition, &mut written);
    String::from_utf8_lossy(&written).into_owned()
}

/// Gives an endpoint, or a part of one, by EPRINTO or EPRSET.
fn deliver(task: &mut Task, call: &Call<'_>, part: &str, characters: Encoding) -> Outcome {
    let to = Delivery {
        into: opt::EPRINTO,
        set: opt::EPRSET,
        room: opt::EPRLENGTH,
        length: opt::EPRLENGTH,
        resp2: resp2::TOO_LONG,
    };
    let bytes = Encoding::Utf8.convert(part.as_bytes(), characters).0;
    call.deliver(&bytes, to, |bytes| task.hold(bytes))
}

/// WSAEPR CREATE: an endpoint reference; without ADDRESS, that of the requester.
fn create(task: &mut Task, call: &Call<'_>) -> Outcome {
    let characters = encoding(call, opt::FROMCCSID, Some(opt::FROMCODEPAGE))?;
    let part = |option, length| -> Outcome<String> {
        let part = with_length(call, (option, length), ENDPOINT_MAX, characters)?.unwrap_or_default();
        if is_content(&part) { Ok(part) } else { Err(cond::INVREQ.raise(resp2::MALFORMED)) }
    };
    let edition = Edition::default();
    let endpoint = Endpoint {
        address: uri(call, opt::ADDRESS, characters)?.unwrap_or_else(|| edition.anonymous().to_owned()),
        parameters: part(opt::REFPARMS, opt::REFPARMSLEN)?,
        metadata: part(opt::METADATA, opt::METADATALEN)?,
    };
    deliver(task, call, &whole(&endpoint, edition), characters)
}
