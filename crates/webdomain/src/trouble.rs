//! Failures of requests, and DFHWBEP: a program of the application that may report them in its own words.

use areas::Area;
use kernel::dispatcher::Context;
use kernel::exec::{Flow, Parcel};
use kernel::name::Name8;
use kernel::notices::Notices;
use kernel::programs::Programs;
use kernel::raise::{Abend, Outcome, Raise};
use kernel::region::Region;
use spec::{cmd, cond};
use web::Answer;

use crate::commands::BODY_MAX;
use crate::exchange::Exchange;
use crate::record::{ERROR, Record};
use crate::{address, written};

/// The application's program that looks at each trouble.
const DFHWBEP: &str = "DFHWBEP";
/// Eyecatcher of its COMMAREA, and the version of the layout.
const EYECATCHER: &str = ">WBEP";
const VERSION: i64 = 1;
/// WBEP-ACTIVITY: a request for a program, or for a pipeline.
const SERVER: [u8; 1] = [0];
const PIPELINE: [u8; 1] = [2];
/// Value of a flag that is on.
const YES: &[u8] = b"Y";
/// The message and the answer, and how long they are.
const MESSAGE: (&str, &str) = ("WBEP-MESSAGE-PTR", "WBEP-MESSAGE-LEN");
const RESPONSE: (&str, &str) = ("WBEP-RESPONSE-PTR", "WBEP-RESPONSE-LEN");

/// Failure of a request.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// WBEP-ERROR-CODE.
    pub what: What,
    /// Status of the answer.
    pub status: u16,
    /// Text of the answer.
    pub text: String,
    /// Text for the log; empty for the client's text.
    pub message: String,
    /// The program that is at fault.
    pub program: Option<Name8>,
    /// Its abend.
    pub abend: Option<Abend>,
    /// Answer of the analyzer: response and reason.
    pub analyzer: (i64, i64),
    /// Answer of the converter.
    pub converter: (i64, i64),
}

/// Places of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// No URI map matches.
    Nowhere = 1,
    /// The URI map or its host is disabled.
    Disabled = 2,
    /// It is reached over TLS only.
    NeedsTls = 3,
    /// The analyzer.
    Analyzer = 4,
    /// The converter.
    Converter = 5,
    /// A program cannot be used.
    Unusable = 6,
    /// A program has abended.
    Abended = 7,
    /// The program has sent nothing.
    NoAnswer = 8,
    /// The task cannot be had.
    NoTask = 9,
}

impl Trouble {
    /// Something that the client reads as it is.
    pub fn new(what: What, status: u16, text: impl Into<String>) -> Self {
        Self {
            what,
            status,
            text: text.into(),
            message: String::new(),
            program: None,
            abend: None,
            analyzer: (0, 0),
            converter: (0, 0),
        }
    }

    /// A program has abended.
    pub fn abended(program: Name8, abend: Abend) -> Self {
        let text = format!("abend {}", abend.code);
        Self { program: Some(program), abend: Some(abend), ..Self::new(What::Abended, 500, text) }
    }

    /// A program cannot be LINKed to.
    pub fn unusable(program: Name8, why: Raise) -> Self {
        let (status, text) = match why {
            Raise::Condition(cond::PGMIDERR, _) => (404, "the program is not there"),
            Raise::Condition(cond::NOTAUTH, _) => (403, "not for this user"),
            _ => return Self::abended(program, why.into()),
        };
        let message = format!("program {program} of a request cannot be used: {why}");
        Self { program: Some(program), message, ..Self::new(What::Unusable, status, text) }
    }

    /// Answer to the client if no program gives another.
    pub fn answer(&self) -> Answer {
        Answer::text(self.status, self.text.as_str())
    }
}

/// Returns true if the application looks at failures itself.
pub(crate) fn is_looked_at(region: &Region) -> bool {
    Programs::of(region).get(Name8::from(DFHWBEP)).is_some()
}

/// Answer to a failed request.
pub(crate) struct Said {
    /// The answer.
    pub answer: Answer,
    /// The task is to end normally, although a program has abended.
    pub excused: bool,
}

/// Says what has gone wrong, in the words of DFHWBEP if there is one.
pub(crate) async fn say(context: &mut Context<'_>, exchange: &Exchange, trouble: &Trouble) -> Said {
    let message = if trouble.message.is_empty() { &trouble.text } else { &trouble.message };
    tracing::warn!(target: "WB", "{} {}: {message}", exchange.head.method(), exchange.head.path());
    if let Some((id, text)) = message.split_once(' ').filter(|(id, _)| id.starts_with("DFH")) {
        let by = &context.control;
        Notices::message(&context.region, Some(by), id, &[&by.transaction.name, &text]);
    }
    let answer = trouble.answer();
    if !is_looked_at(&context.region) {
        return Said { answer, excused: false };
    }
    // What a program has kept before is not to be sent.
    exchange.answer().kept = None;
    match looked_at(context, exchange, trouble, message, &answer).await {
        Ok(said) => said,
        Err(own) => {
            tracing::error!(target: "WB", "{DFHWBEP} itself is in trouble: {}", own.text);
            Said { answer, excused: false }
        }
    }
}

async fn looked_at(
    context: &mut Context<'_>,
    exchange: &Exchange,
    trouble: &Trouble,
    message: &str,
    answer: &Answer,
) -> Result<Said, Trouble> {
    let unable = |why: Raise| Trouble::abended(Name8::from(DFHWBEP), why.into());
    let mut record = described(exchange, trouble);
    record.put_data(context, MESSAGE, message.as_bytes()).map_err(unable)?;
    record.put_data(context, RESPONSE, &written::write(answer)).map_err(unable)?;
    record.link(context, Name8::from(DFHWBEP)).await?;
    let excused = record.text("WBEP-SUPPRESS-ABEND") == YES;
    let sent = exchange.answer().kept.take();
    let mut answer = match sent {
        // It has sent an answer by WEB SEND.
        Some(sent) => sent,
        None => in_its_words(&record, record.data(context, RESPONSE, BODY_MAX).map_err(unable)?, answer),
    };
    answer.closes |= record.text("WBEP-CLOSE-CONN") == YES;
    Ok(Said { answer, excused })
}

/// The COMMAREA of DFHWBEP, but for what it points to.
fn described(exchange: &Exchange, trouble: &Trouble) -> Record {
    let mut record = Record::new(&ERROR);
    let client = exchange.peer.client.ip();
    let text = client.to_string();
    let name = |program: Option<Name8>| program.unwrap_or_default();
    record.put_text("WBEP-EYECATCHER", EYECATCHER);
    record.put_number("WBEP-VERSION", VERSION);
    record.put_number("WBEP-LENGTH", record.as_bytes().len() as i64);
    record.put_number("WBEP-ERROR-CODE", trouble.what as i64);
    record.put_number("WBEP-HTTP-RESPONSE-CODE", trouble.status.into());
    record.put_text("WBEP-ABEND-CODE", trouble.abend.map(|abend| abend.code).unwrap_or_default());
    record.put_bytes("WBEP-ACTIVITY", if exchange.way.is_some() { &PIPELINE } else { &SERVER });
    record.put_number("WBEP-MESSAGE-NUMBER", number(trouble.what));
    record.put_number("WBEP-ANALYZER-RESPONSE", trouble.analyzer.0);
    record.put_number("WBEP-ANALYZER-REASON", trouble.analyzer.1);
    record.put_number("WBEP-CONVERTER-RESPONSE", trouble.converter.0);
    record.put_number("WBEP-CONVERTER-REASON", trouble.converter.1);
    record.put_text("WBEP-CONVERTER-PROGRAM", name(exchange.converter()));
    record.put_text("WBEP-TARGET-PROGRAM", name(exchange.program()));
    record.put_text("WBEP-FAILING-PROGRAM", name(trouble.program));
    record.put_text("WBEP-TCPIPSERVICE-NAME", exchange.service.name);
    record.put_bytes("WBEP-CLIENT-ADDRESS", &address::four(client));
    record.put_number("WBEP-CLIENT-ADDRESS-LEN", text.len() as i64);
    record.put_text("WBEP-CLIENT-ADDRESS-STRING", &text);
    record
}

/// The number of the published message, where it is known; else 0.
fn number(what: What) -> i64 {
    match what {
        What::Analyzer => 523,
        What::NoTask => 361,
        _ => 0,
    }
}

/// Answer of DFHWBEP: as text, or only a body for the status that it has left.
fn in_its_words(record: &Record, text: Vec<u8>, ours: &Answer) -> Answer {
    let status = u16::try_from(record.number("WBEP-HTTP-RESPONSE-CODE")).ok();
    let status = status.filter(|status| (200..600).contains(status)).unwrap_or(ours.status);
    match written::read(&text) {
        // Of two statuses the one counts that it has changed.
        Some(answer) if status == ours.status || status == answer.status => answer,
        Some(answer) => Answer { status, phrase: None, ..answer },
        None => Answer { status, body: text, ..ours.clone() },
    }
}

/// LINKs to a program that works for a request.
///
/// # Errors
/// What has gone wrong with it.
pub(crate) async fn link(
    context: &mut Context<'_>,
    program: Name8,
    commarea: Option<&Area>,
) -> Result<(), Trouble> {
    match context.try_link(program, commarea, None).await {
        Ok(linked) => linked.map_err(|why| Trouble::unusable(program, why)),
        Err(abend) => Err(Trouble::abended(program, abend)),
    }
}

/// Undoes what a task has changed.
///
/// # Errors
/// An abend of the backout.
pub(crate) async fn back_out(context: &mut Context<'_>) -> Outcome {
    let issued = context.issue(&Parcel::new(cmd::SYNCPOINT_ROLLBACK)).await;
    issued.map(|_: Flow| ()).map_err(|abend| Raise::Abend(abend.code))
}
