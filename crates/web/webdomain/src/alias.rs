//! The alias: the task that runs the program of a request.
//!
//! It LINKs to the program. One that sends nothing has answered in its COMMAREA, where it has found the request.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use areas::Area;
use http::RequestHead;
use kernel::dispatcher::{self, Attach, AttachError, Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::limits::COMMAREA_LENGTH_MAX;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::{Abend, AbendCode, Raise};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::{Facility, StartCode};
use kernel::transactions::{Transaction, Transactions};
use pipelines::gateway::PROGRAM;
use web::Answer;

use crate::chain;
use crate::converter;
use crate::counts::count;
use crate::exchange::{Ending, Exchange};
use crate::report::say;
use crate::traced;
use crate::trouble::{Trouble, What, back_out, link};
use crate::written::page;

/// The transaction of requests whose URI map names none.
pub(crate) const CWBA: &str = "CWBA";
/// Its program.
const DFHWBA: &str = "DFHWBA";

/// Installs transaction and program, unless the application has defined the transaction.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(DFHWBA), alias as SuppliedFunction));
    let name = TransactionName::from(CWBA);
    if Transactions::of(region).get(name).is_none() {
        Transactions::of(region).install(Transaction::new(name, Name8::from(DFHWBA)));
    }
}

/// Attaches the task that works for a request.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn attach(
    region: &Arc<Region>,
    exchange: &Arc<Exchange>,
    transaction: TransactionName,
    user: Arc<User>,
) -> Result<(), AttachError> {
    let mut attach = Attach::new(transaction, StartCode::System, user);
    // A transaction of the application's own does not name the program that serves messages.
    let is_message = exchange.way.is_some() && exchange.trouble.is_none();
    attach.program = is_message.then(|| Name8::from(PROGRAM));
    attach.asks = true;
    attach.facility = Facility::Request(Arc::<Exchange>::clone(exchange));
    attach.kept.get_or_insert_with(|| Ending::of(exchange));
    if let Some(chain) = chain::kept(exchange.head.fields()) {
        attach.kept.put(chain);
    }
    attach.parent = traced::parent(region, exchange.head.fields());
    attach.here = true;
    let task = dispatcher::attach(region, attach)?;
    count(&exchange.service.counts.attached);
    exchange.worker.task.store(task, Ordering::Relaxed);
    Ok(())
}

/// Answer to a client whose task cannot be attached.
pub(crate) fn refused(why: AttachError) -> (u16, &'static str) {
    match why {
        AttachError::NotAuthorized => (403, "not for this user"),
        AttachError::Disabled | AttachError::Closing => (503, "not now"),
        AttachError::QueueFull => (503, "too many requests wait already"),
        AttachError::Unknown | AttachError::Remote | AttachError::TerminalBusy => {
            (500, "the service is not complete")
        }
    }
}

/// The alias program.
fn alias<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        // A user or a program has started it, without a request.
        let Some(exchange) = Exchange::of(context) else { return Ok(Flow::Return) };
        // It has waited to begin, for longer than its client.
        if exchange.is_for_nobody() {
            return Ok(for_nobody(context, &exchange));
        }
        let answered = match exchange.converter() {
            Some(converter) => converter::serve(context, &exchange, converter).await,
            None => answered(context, &exchange).await,
        };
        if answered.is_ok() && exchange.is_for_nobody() {
            return Ok(for_nobody(context, &exchange));
        }
        match answered {
            Ok(Some(answer)) => exchange.answer().kept = Some(answer),
            Ok(None) if exchange.has_answer() => {}
            Ok(None) => {
                let trouble = Trouble::new(What::NoAnswer, 500, "the program has sent no answer");
                let said = say(context, &exchange, &trouble).await;
                exchange.excuse(said.answer, false);
            }
            Err(trouble) => return troubled(context, &exchange, &trouble).await,
        }
        Ok(Flow::Return)
    })
}

/// The abend of a task whose client has gone before its answer: that of a purge, which comes late where SPURGE(NO) has kept it
/// from coming at once.
const PURGED: &str = "AKCS";

/// Ends a task whose client has gone before its answer: what it has changed since its last syncpoint is backed out, for the
/// client cannot know of it, and will ask again.
pub(crate) fn for_nobody(context: &Context<'_>, exchange: &Exchange) -> Flow {
    count(&exchange.service.counts.for_nobody);
    tracing::info!(
        target: "WB",
        "task {} is backed out: its client has gone before the answer",
        context.number
    );
    // There is nothing to find in a dump, and clients would have many of them made.
    Flow::Abend(Abend { dump: false, ..AbendCode::from(PURGED).into() })
}

/// LINKs to the program of a request: what it has left in its COMMAREA, unless it has sent something.
async fn answered(context: &mut Context<'_>, exchange: &Exchange) -> Result<Option<Answer>, Trouble> {
    let Some(program) = exchange.program() else {
        return Err(Trouble::new(What::Unusable, 500, "the URI map names no program"));
    };
    let given = request_text(exchange);
    let area = Area::with_room(&given, COMMAREA_LENGTH_MAX);
    link(context, program, Some(&area)).await?;
    Ok((!exchange.has_answer() && !area.has_only(&given)).then(|| page(&area.written())))
}

/// Ends a task that something has gone wrong with: by the abend of its program, unless DFHWBEP excuses it. What the task has
/// changed is backed out in either case; a trouble without abend backs out nothing, for no program has changed anything.
async fn troubled(context: &mut Context<'_>, exchange: &Exchange, trouble: &Trouble) -> Result<Flow, Raise> {
    let said = say(context, exchange, trouble).await;
    match trouble.abend {
        Some(abend) if !said.excused => {
            exchange.excuse(said.answer, true);
            return Ok(Flow::Abend(abend));
        }
        Some(_) => back_out(context).await?,
        None if trouble.what == What::Converter => back_out(context).await?,
        None => {}
    }
    exchange.excuse(said.answer, false);
    Ok(Flow::Return)
}

/// Text in a program's COMMAREA: the request, as much as there is room for.
fn request_text(exchange: &Exchange) -> Vec<u8> {
    let head = if exchange.is_http() { head_text(&exchange.head) } else { Vec::new() };
    let mut bytes = [head.as_slice(), exchange.body.as_slice()].concat();
    bytes.truncate(COMMAREA_LENGTH_MAX);
    bytes
}

fn head_text(head: &RequestHead) -> Vec<u8> {
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
    bytes
}
