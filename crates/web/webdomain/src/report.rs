//! Reports of failures, and DFHWBEP: a program of the application that may report them in its own words.

use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::notices::Notices;
use kernel::programs::Programs;
use kernel::raise::Raise;
use kernel::region::Region;
use web::Answer;

use crate::exchange::Exchange;
use crate::limits::BODY_MAX;
use crate::record::{ERROR, Record};
use crate::trouble::{Trouble, What};
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
