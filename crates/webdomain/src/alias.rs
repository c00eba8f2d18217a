//! The alias: the task that runs the program of a request.
//!
//! It LINKs to the program. One that sends nothing has answered in its COMMAREA, where it has found the request.

use cobol::Area;
use http::RequestHead;
use kernel::dispatcher::{Context, NativeFunction, NativeWaiting};
use kernel::exec::Flow;
use kernel::limits::COMMAREA_LENGTH_MAX;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::transactions::{Transaction, Transactions};
use web::Answer;

use crate::exchange::{Exchange, State, program};

/// The transaction of requests whose URI map names none.
pub(crate) const CWBA: &str = "CWBA";
/// Its program.
const DFHWBA: &str = "DFHWBA";

/// Installs transaction and program, unless the application has defined the transaction.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::native(Name8::from(DFHWBA), alias as NativeFunction));
    let name = TransactionName::from(CWBA);
    if Transactions::of(region).get(name).is_none() {
        Transactions::of(region).install(Transaction::new(name, Name8::from(DFHWBA)));
    }
}

/// The alias program.
fn alias<'a>(context: &'a mut Context<'_>) -> NativeWaiting<'a> {
    Box::pin(async move {
        // Somebody has started it who has no request.
        let Some(exchange) = Exchange::of(context) else { return Ok(Flow::Return) };
        let Some(program) = program(&exchange) else {
            keep(&exchange, Answer::text(500, "the URI map names no program"));
            return Ok(Flow::Return);
        };
        if Programs::of(&context.region).usable(program).is_err() {
            tracing::warn!(target: "WB", "program {program} of a request cannot be used");
            keep(&exchange, Answer::text(404, "the program is not there"));
            return Ok(Flow::Return);
        }
        let given = request_text(&exchange.head, &exchange.body);
        let area = Area::with(&given);
        if let Err(abend) = context.link(program, Some(&area), None).await {
            return Ok(Flow::Abend(abend));
        }
        let left = area.to_vec();
        let sent = {
            let answer = exchange.answer();
            answer.kept.is_some() || answer.state != State::Open
        };
        if !sent && left != given {
            keep(&exchange, page(&left));
        }
        Ok(Flow::Return)
    })
}

fn keep(exchange: &Exchange, answer: Answer) {
    exchange.answer().kept = Some(answer);
}

/// What a program finds in its COMMAREA: the request, as much as there is room for.
fn request_text(head: &RequestHead, body: &[u8]) -> Vec<u8> {
    let mut text = format!("{} {}", head.method(), head.path());
    if let Some(query) = head.query() {
        text.push('?');
        text.push_str(query);
    }
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(format!(" {}\r\n", head.version().text()).as_bytes());
    for (name, value) in head.fields().iter() {
        bytes.extend([name, b": ", value, b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes.resize(COMMAREA_LENGTH_MAX, 0);
    bytes
}

/// What a program has left in its COMMAREA: a page.
fn page(commarea: &[u8]) -> Answer {
    let end = commarea.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |at| at + 1);
    let mut answer = Answer { status: 200, body: commarea[..end].to_vec(), ..Answer::default() };
    // A fixed text.
    let _ = answer.fields.push("Content-Type", "text/html");
    answer
}
