//! SOAPFAULT: a program in a service answers by a fault.

use kernel::channels::Encoding;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;
use soap::fault::LANGUAGE;
use soap::{Code, Level, SoapFault};
use spec::{OptionId, cmd, cond, opt};

use crate::characters::{encoding, is_content, is_qualified_name, with_length};
use crate::limits::{FAULT_LANGUAGES_MAX, SUBCODES_MAX};
use crate::programs::{Answered, Listening};

/// RESP2 of what goes wrong. That of a program outside of a pipeline, and that of DELETE, are published; others are recalled.
mod resp2 {
    /// An option, or a code, that the version of the message does not have.
    pub const OTHER_LEVEL: i32 = 1;
    /// There is no fault.
    pub const NO_FAULT: i32 = 2;
    pub const NO_SERVICE: i32 = 3;
    /// A detail that is no XML, a code that is no qualified name, a language that is none.
    pub const MALFORMED: i32 = 4;
    /// More subcodes or languages than a fault has room for.
    pub const TOO_MANY: i32 = 5;
}

/// Bytes of a code, as published.
const CODE_MAX: usize = 64;
/// Bytes of a reason, as published.
const REASON_MAX: usize = 2_056;
/// Bytes of other texts.
const TEXT_MAX: usize = 32_767;
/// Characters of a language.
const LANGUAGE_MAX: usize = 8;

/// The codes of a fault, and the version that has them by this name.
const CODES: [(OptionId, &str, Code, Level); 4] = [
    (opt::CLIENT, "CLIENT", Code::Sender, Level::Soap11),
    (opt::SERVER, "SERVER", Code::Receiver, Level::Soap11),
    (opt::SENDER, "SENDER", Code::Sender, Level::Soap12),
    (opt::RECEIVER, "RECEIVER", Code::Receiver, Level::Soap12),
];

/// The commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::SOAPFAULT_ADD, Handler::Now(add)),
    (cmd::SOAPFAULT_CREATE, Handler::Now(create)),
    (cmd::SOAPFAULT_DELETE, Handler::Now(delete)),
];

/// Place of the program's fault.
fn answered(task: &mut Task) -> Outcome<&mut Listening> {
    let answered = task.kept.part::<Answered>().0.as_mut();
    answered.ok_or_else(|| cond::INVREQ.raise(resp2::NO_SERVICE))
}

/// SOAPFAULT CREATE: it takes the place of the answer, and of a fault before it.
fn create(task: &mut Task, call: &Call<'_>) -> Outcome {
    let level = answered(task)?.level;
    let characters = encoding(call, opt::FROMCCSID, None)?;
    let text = |option, length, most| with_length(call, (option, length), most, characters);
    let own_code = text(opt::FAULTCODESTR, opt::FAULTCODELEN, CODE_MAX)?;
    let code = match &own_code {
        // 1.2 has no codes but its own.
        Some(_) => of_level(level, Level::Soap11).map(|()| Code::Receiver)?,
        None => code(call, level)?,
    };
    if own_code.as_deref().is_some_and(|code| !is_qualified_name(code)) {
        return Err(malformed());
    }
    let reason = text(opt::FAULTSTRING, opt::FAULTSTRLEN, REASON_MAX)?.unwrap_or_default();
    let mut fault = SoapFault { own_code, ..SoapFault::new(code, reason) };
    fault.language = language(call, characters)?;
    finder(&mut fault, call, level, characters)?;
    fault.detail = text(opt::DETAIL, opt::DETAILLENGTH, TEXT_MAX)?;
    // What is written into the envelope as it is must be XML by itself.
    if fault.detail.as_ref().is_some_and(|detail| !is_content(detail)) {
        return Err(malformed());
    }
    answered(task)?.fault = Some(fault);
    Ok(())
}

/// The code that a command names.
fn code(call: &Call<'_>, level: Option<Level>) -> Outcome<Code> {
    let given = call.number(opt::FAULTCODE)?;
    let is_given = |(keyword, name, ..): &&(OptionId, &str, Code, Level)| {
        call.keyword(*keyword) || given.is_some() && spec::cvda(name).map(i64::from) == given
    };
    let (_, _, code, own) =
        CODES.iter().find(is_given).ok_or_else(|| cond::INVREQ.raise(resp2::OTHER_LEVEL))?;
    of_level(level, *own).map(|()| *code)
}

/// Finder of the fault: ROLE is of 1.2 only; FAULTACTOR is the actor of 1.1 and the node of 1.2.
fn finder(fault: &mut SoapFault, call: &Call<'_>, level: Option<Level>, characters: Encoding) -> Outcome {
    let text = |option, length| with_length(call, (option, length), TEXT_MAX, characters);
    let actor = text(opt::FAULTACTOR, opt::FAULTACTLEN)?;
    if call.has(opt::ROLE) {
        of_level(level, Level::Soap12)?;
    }
    if level == Some(Level::Soap12) {
        fault.role = text(opt::ROLE, opt::ROLELENGTH)?;
        fault.node = actor;
    } else {
        fault.role = actor;
    }
    Ok(())
}

/// Checks that an option of one version fits the message's version, if it is SOAP.
fn of_level(level: Option<Level>, own: Level) -> Outcome {
    let is_other = level.is_some_and(|level| level != own);
    if is_other { Err(cond::INVREQ.raise(resp2::OTHER_LEVEL)) } else { Ok(()) }
}

fn malformed() -> Raise {
    cond::INVREQ.raise(resp2::MALFORMED)
}

/// The language of a reason.
fn language(call: &Call<'_>, characters: Encoding) -> Outcome<String> {
    let Some(bytes) = call.bytes(opt::NATLANG)? else { return Ok(LANGUAGE.to_owned()) };
    let language = crate::characters::text(&bytes, characters);
    let is_one = (1..=LANGUAGE_MAX).contains(&language.len())
        && language.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
    if is_one { Ok(language) } else { Err(malformed()) }
}

/// SOAPFAULT ADD: a subcode, or the reason in a language.
fn add(task: &mut Task, call: &Call<'_>) -> Outcome {
    let Listening { level, fault } = answered(task)?;
    let fault = fault.as_mut().ok_or_else(|| cond::INVREQ.raise(resp2::NO_FAULT))?;
    let characters = encoding(call, opt::FROMCCSID, None)?;
    if let Some(code) = with_length(call, (opt::SUBCODESTR, opt::SUBCODELEN), CODE_MAX, characters)? {
        if !is_qualified_name(&code) {
            return Err(malformed());
        }
        // 1.1 has none: as published, it is left out.
        if *level != Some(Level::Soap11) {
            has_room(fault.subcodes.len(), SUBCODES_MAX)?;
            fault.subcodes.push(code);
        }
    }
    if let Some(reason) = with_length(call, (opt::FAULTSTRING, opt::FAULTSTRLEN), REASON_MAX, characters)? {
        let language = language(call, characters)?;
        has_room(fault.translations.len(), FAULT_LANGUAGES_MAX)?;
        fault.say_in(language, reason);
    }
    Ok(())
}

fn has_room(taken: usize, most: usize) -> Outcome {
    if taken < most { Ok(()) } else { Err(cond::INVREQ.raise(resp2::TOO_MANY)) }
}

/// SOAPFAULT DELETE: the program answers by its record again.
fn delete(task: &mut Task, _: &Call<'_>) -> Outcome {
    let fault = answered(task)?.fault.take();
    fault.map(drop).ok_or_else(|| cond::NOTFND.raise(resp2::NO_FAULT))
}
