//! DFHWSSE1: the handler that a `wsse_handler` stands for.
//!
//! | function | what it does |
//! |---|---|
//! | RECEIVE-REQUEST | looks at the tokens and signatures of a request, takes their header away, and says whose it is by DFHWS-USERID |
//! | SEND-RESPONSE, SEND-REQUEST | adds the user, or a signature of the body |
//! | RECEIVE-RESPONSE | looks at the signatures of an answer |
//!
//! | module | what lives there |
//! |---|---|
//! | `identity` | whose a message is |
//! | `signatures` | whether a signature is right, and one of ours |
//! | `refusal` | the published faults |

mod identity;
mod refusal;
mod signatures;

use std::sync::Arc;

use kernel::channels::{Channel, Encoding};
use kernel::clock::Moment;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::{Name8, Name16};
use kernel::programs::{Program, Programs};
use kernel::raise::{Abend, AbendCode, Raise};
use kernel::region::Region;
use soap::security::{SECURITY, Security, Timestamp, write};
use soap::{Envelope, Level, envelope};

use crate::element::Element;
use crate::keys::Keyring;
use crate::passage::{CHANNEL, Containers, REQUEST, RESPONSE, USER};
use crate::policy::{Mode, PROGRAM, Policy, Trust};
use refusal::Refusal;
use signatures::Verified;

/// Milliseconds between the beginnings of two ways to count time.
const MS_1900_TO_1970: i128 = 2_208_988_800_000;
/// By how much the clock of a sender may be ahead of ours.
const AHEAD_MAX_MS: i128 = 300_000;
/// The abend of a handler that cannot do what its configuration asks for.
const UNABLE: &str = "APIW";

/// Installs the handler.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(PROGRAM), handles));
}

/// A message that is refused, and the version of its envelope.
type Refused = (Level, Refusal);

fn handles<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let channel = context.level().channel.clone().filter(|it| it.name == Name16::from(CHANNEL));
        // A user or a program has started it, not a pipeline.
        let Some(channel) = channel else { return Ok(Flow::Return) };
        let containers = Containers::over(&channel);
        let function = text(&channel, "DFHFUNCTION");
        let provides = matches!(function.as_str(), "RECEIVE-REQUEST" | "SEND-RESPONSE");
        let Some(policy) = policy(&text(&channel, "DFH-HANDLERPLIST"), provides) else { return unable() };
        let done = match function.as_str() {
            "RECEIVE-REQUEST" => received(context, &containers, &policy).await,
            "SEND-RESPONSE" => sent(context, &containers, &policy, RESPONSE).await,
            "SEND-REQUEST" => sent(context, &containers, &policy, REQUEST).await,
            "RECEIVE-RESPONSE" => answered(context, &containers, &policy).await,
            _ => Ok(true),
        };
        match done {
            Ok(true) => Ok(Flow::Return),
            Ok(false) => unable(),
            Err(abend) => Err(Raise::Abend(abend.code)),
        }
    })
}

fn unable() -> Result<Flow, Raise> {
    Err(Raise::Abend(AbendCode::from(UNABLE)))
}

fn text(channel: &Channel, name: &str) -> String {
    let container = channel.get(Name16::from(name));
    let bytes = container.map(|it| match it.data_type {
        kernel::channels::DataType::Char(own) => own.convert(&it.data, Encoding::Utf8).0,
        kernel::channels::DataType::Bit => it.data.to_vec(),
    });
    String::from_utf8_lossy(&bytes.unwrap_or_default()).trim().to_owned()
}

/// The policy that the configuration file has, which was read without an error when the PIPELINE was installed.
fn policy(parameters: &str, provides: bool) -> Option<Policy> {
    let element = Element::read(&format!("<wsse_handler>{parameters}</wsse_handler>")).ok()?;
    Policy::read(&element, provides).ok()
}

/// A request: it goes on without its header of security, or is answered by a fault.
async fn received(
    context: &mut Context<'_>,
    containers: &Containers,
    policy: &Policy,
) -> Result<bool, Abend> {
    let message = containers.message(REQUEST);
    let checked = match looked_at(&message, policy) {
        Ok(Some((level, security, verified, rest))) => {
            let found = identity::of(context, policy, &security, &verified).await?;
            found.map(|user| (user, rest)).map_err(|refusal| (level, refusal))
        }
        Ok(None) => Ok((None, message)),
        Err(refused) => Err(refused),
    };
    match checked {
        Ok((user, rest)) => {
            if let Some(user) = user {
                containers.show(context, &[(USER, &user.id.to_string())]).await?;
            }
            containers.put_message(context, REQUEST, rest.as_bytes()).await?;
            containers.remove(RESPONSE);
        }
        Err((level, refusal)) => {
            told(&refusal);
            let fault = refusal.fault(level);
            let mut body = Vec::new();
            fault.write(level, &mut body);
            let status = fault.status(level).to_string();
            let said = [("DFHHTTPSTATUS", status.as_str()), ("DFHMEDIATYPE", level.content_type())];
            containers.show(context, &said).await?;
            containers.put_message(context, RESPONSE, &body).await?;
            containers.remove(REQUEST);
        }
    }
    Ok(true)
}

fn told(refusal: &Refusal) {
    let (code, _, why) = refusal.parts();
    tracing::warn!(target: "PI", "a message is refused by WS-Security, {code}: {why}");
}

/// Checks that a message counts now.
fn is_current(timestamp: &Timestamp, now: Moment) -> Result<(), Refusal> {
    let now = i128::from(now.unix_ms) + MS_1900_TO_1970;
    match (timestamp.created, timestamp.expires) {
        (_, Some(expires)) if expires <= now => {
            Err(Refusal::Expired(format!("it has expired {} s ago", (now - expires) / 1_000)))
        }
        (Some(created), _) if created > now + AHEAD_MAX_MS => {
            Err(Refusal::Expired(format!("it was made in {} s only", (created - now) / 1_000)))
        }
        (Some(created), Some(expires)) if created > expires => {
            Err(Refusal::Header(String::from("the message expires before it was made")))
        }
        _ => Ok(()),
    }
}

/// A message taken apart: its header of security, the signatures in it that are right, and the message without it.
type Looked = (Level, Security, Vec<Verified>, String);

/// Looks at a message; none of one that is no envelope, where nothing is asked of it.
fn looked_at(message: &str, policy: &Policy) -> Result<Option<Looked>, Refused> {
    let Ok(envelope) = Envelope::read(message) else {
        // What others may yet take for an envelope has passed no check.
        let problem = || (Level::Soap11, Refusal::Header(String::from("the message is no envelope")));
        return if policy.asks() { Err(problem()) } else { Ok(None) };
    };
    let level = envelope.level;
    let refused = |refusal| (level, refusal);
    let mut headers =
        envelope.headers.iter().filter(|it| it.is_for_us() && it.start.is(SECURITY, "Security"));
    let (security, rest) = match (headers.next(), headers.next()) {
        (None, _) => (Security::default(), message.to_owned()),
        (Some(header), None) => {
            let read = Security::read(header).map_err(|fault| refused(Refusal::Header(fault.to_string())))?;
            (read, [&message[..header.at], &message[header.at + header.raw.len()..]].concat())
        }
        (Some(_), Some(_)) => {
            return Err(refused(Refusal::Header(String::from("two headers of security are for us"))));
        }
    };
    if let Some(timestamp) = &security.timestamp {
        is_current(timestamp, Moment::now()).map_err(refused)?;
    }
    if security.is_encrypted {
        return Err(refused(Refusal::Header(String::from("messages are not encrypted here"))));
    }
    if policy.rejects_signatures && !security.signatures.is_empty() {
        return Err(refused(Refusal::Header(String::from("messages are not signed here"))));
    }
    let verified = security.signatures.iter().map(|it| signatures::verified(message, level, &security, it));
    let verified = verified.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    if policy.expects_signature && !verified.iter().any(|it| it.covers_body) {
        return Err(refused(Refusal::Header(String::from("the body of the message is not signed"))));
    }
    Ok(Some((level, security, verified, rest)))
}

/// An answer: one that is not as it must be becomes a fault.
async fn answered(
    context: &mut Context<'_>,
    containers: &Containers,
    policy: &Policy,
) -> Result<bool, Abend> {
    let message = containers.message(RESPONSE);
    let unsure = match looked_at(&message, policy) {
        Ok(Some((level, _, verified, rest))) => {
            let is_known = !policy.expects_signature
                || verified.iter().any(|it| it.covers_body && is_known(context, it));
            if is_known {
                containers.put_message(context, RESPONSE, rest.as_bytes()).await?;
                return Ok(true);
            }
            (level, Refusal::Authentication(String::from("the signer of the answer is not known")))
        }
        Ok(None) => return Ok(true),
        Err(refused) => refused,
    };
    told(&unsure.1);
    let mut body = Vec::new();
    unsure.1.fault(unsure.0).write(unsure.0, &mut body);
    containers.put_message(context, RESPONSE, &body).await?;
    Ok(true)
}

fn is_known(context: &Context<'_>, verified: &Verified) -> bool {
    let keys = Keyring::of(&context.region).get();
    keys.is_some_and(|keys| keys.user(&context.region, &verified.signer).is_some())
}

/// A message that goes out, with what the configuration adds. False: it cannot be signed.
async fn sent(
    context: &mut Context<'_>,
    containers: &Containers,
    policy: &Policy,
    name: &str,
) -> Result<bool, Abend> {
    let message = containers.message(name);
    let Ok(level) = Envelope::read(&message).map(|envelope| envelope.level) else { return Ok(true) };
    let asserts = policy.trust == Trust::Blind && policy.mode == Mode::Basic;
    let (message, content) = match &policy.signs_as {
        _ if policy.is_suppressed => return Ok(true),
        Some(label) => match signed(&Arc::clone(&context.region), &message, label) {
            Ok(made) => made,
            Err(why) => {
                tracing::error!(target: "PI", "a message is not signed by certificate {label}: {why}");
                return Ok(false);
            }
        },
        None if asserts && name == REQUEST => (message, write::user(&containers.word(USER))),
        None => return Ok(true),
    };
    let header = write::header(level, &content);
    let whole = envelope::with_headers(message.into_bytes(), header.as_bytes());
    containers.put_message(context, name, &whole).await?;
    Ok(true)
}

fn signed(region: &Region, message: &str, label: &str) -> Result<(String, String), String> {
    let keys = Keyring::of(region).get().ok_or("the region has no keyring")?;
    signatures::signed(message, &keys.identity(region, label)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message whose header has such moments, and what becomes of it.
    fn told(moments: &str) -> String {
        let policy = policy("<dfhwsse_configuration version=\"1\"/>", true).expect("a policy");
        let utility = soap::security::UTILITY;
        let message = format!(
            "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Header><s:Security xmlns:s=\"{SECURITY}\" \
             xmlns:u=\"{utility}\">{moments}</s:Security></e:Header><e:Body/></e:Envelope>"
        );
        match looked_at(&message, &policy) {
            Ok(_) => String::from("fine"),
            Err((level, refusal)) => {
                let mut body = Vec::new();
                refusal.fault(level).write(level, &mut body);
                let body = String::from_utf8(body).expect("text");
                assert!(body.contains(refusal.parts().0), "{body}");
                refusal.parts().0.to_owned()
            }
        }
    }

    #[test]
    fn a_message_that_has_expired_is_refused() {
        let stamp = |text: &str| format!("<u:Timestamp>{text}</u:Timestamp>");
        assert_eq!(told(&stamp("<u:Created>2001-09-13T08:42:00Z</u:Created>")), "fine");
        assert_eq!(told(&stamp("<u:Expires>9001-09-13T08:42:00.000Z</u:Expires>")), "fine");
        assert_eq!(told(&stamp("<u:Expires>2001-09-13T08:42:00Z</u:Expires>")), "wsu:MessageExpired");
        assert_eq!(told(&stamp("<u:Created>9001-09-13T08:42:00Z</u:Created>")), "wsu:MessageExpired");
        assert_eq!(told(&stamp("<u:Expires>tomorrow</u:Expires>")), "wsse:InvalidSecurity");
        assert_eq!(told(&stamp("").repeat(2)), "wsse:InvalidSecurity");
    }
}
