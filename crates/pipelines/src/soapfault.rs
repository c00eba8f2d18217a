//! SOAPFAULT: a program in a service answers by a fault.

use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use soap::{Code, Level, SoapFault};
use spec::{OptionId, cmd, cond, opt};

use crate::programs::Answered;

/// RESP2 of what goes wrong. Recalled, not read.
mod resp2 {
    pub const NO_SERVICE: i32 = 1;
    pub const OTHER_LEVEL: i32 = 2;
    pub const NO_FAULT: i32 = 3;
    pub const DETAIL: i32 = 4;
}

/// Bytes of a text in a fault.
const TEXT_MAX: usize = 32_767;

/// The codes of a fault, and the version that has them by this name.
const CODES: [(OptionId, &str, Code, Level); 4] = [
    (opt::CLIENT, "CLIENT", Code::Sender, Level::Soap11),
    (opt::SERVER, "SERVER", Code::Receiver, Level::Soap11),
    (opt::SENDER, "SENDER", Code::Sender, Level::Soap12),
    (opt::RECEIVER, "RECEIVER", Code::Receiver, Level::Soap12),
];

/// The commands.
pub(crate) const HANDLERS: Answers =
    &[(cmd::SOAPFAULT_CREATE, Handler::Now(create)), (cmd::SOAPFAULT_DELETE, Handler::Now(delete))];

/// SOAPFAULT CREATE: it takes the place of the answer, and of a fault before it.
fn create(task: &mut Task, call: &Call<'_>) -> Outcome {
    let level = task.kept.part::<Answered>().0.as_ref().map(|answered| answered.level);
    let level = level.ok_or_else(|| cond::INVREQ.raise(resp2::NO_SERVICE))?;
    let given = call.number(opt::FAULTCODE)?;
    let is_given = |(keyword, name, ..): &&(OptionId, &str, Code, Level)| {
        call.keyword(*keyword) || given.is_some() && spec::cvda(name).map(i64::from) == given
    };
    let (_, _, code, own) =
        CODES.iter().find(is_given).ok_or_else(|| cond::INVREQ.raise(resp2::OTHER_LEVEL))?;
    if level.is_some_and(|level| level != *own) {
        return Err(cond::INVREQ.raise(resp2::OTHER_LEVEL));
    }
    let mut fault =
        SoapFault::new(*code, text(call, opt::FAULTSTRING, opt::FAULTSTRLEN)?.unwrap_or_default());
    fault.role = text(call, opt::ROLE, opt::ROLELENGTH)?.or(text(call, opt::FAULTACTOR, opt::FAULTACTLEN)?);
    fault.detail = text(call, opt::DETAIL, opt::DETAILLENGTH)?;
    // What is written into the envelope as it is must be XML by itself.
    if fault.detail.as_ref().is_some_and(|detail| !is_content(detail)) {
        return Err(cond::INVREQ.raise(resp2::DETAIL));
    }
    if let Some(answered) = &mut task.kept.part::<Answered>().0 {
        answered.fault = Some(fault);
    }
    Ok(())
}

/// SOAPFAULT DELETE: the program answers by its record again.
fn delete(task: &mut Task, _: &Call<'_>) -> Outcome {
    let answered = task.kept.part::<Answered>().0.as_mut();
    let answered = answered.ok_or_else(|| cond::INVREQ.raise(resp2::NO_SERVICE))?;
    answered.fault.take().map(drop).ok_or_else(|| cond::INVREQ.raise(resp2::NO_FAULT))
}

/// A text of the program, in whose characters each byte is one.
fn text(call: &Call<'_>, option: OptionId, length: OptionId) -> Outcome<Option<String>> {
    let bytes = if call.has(option) { call.outgoing(option, length, TEXT_MAX)? } else { None };
    Ok(bytes
        .map(|bytes| bytes.iter().map(|byte| char::from(*byte)).collect::<String>().trim_end().to_owned()))
}

/// Whether a text may stand in an element.
fn is_content(text: &str) -> bool {
    let whole = format!("<detail>{text}</detail>");
    let read = || {
        let mut reader = mapping::xml::Reader::new(&whole)?;
        loop {
            if matches!(reader.token()?, mapping::xml::Token::Eof) {
                return Ok::<(), mapping::Fault>(());
            }
        }
    };
    read().is_ok()
}
