//! Fields of forms and parameters of the query string: READ, and the browses.

use http::form::{self, NoForm};
use http::url::query_parts;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use spec::{OptionId, cmd, cond, opt};

use super::headers::{begin, end, next};
use super::http_exchange;
use crate::area::{Area, all};
use crate::browse::Browse;
use crate::conversion::{Conversion, charset};
use crate::counts::count;
use crate::exchange::Exchange;
use crate::resp2;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::WEB_READ_FORMFIELD, Handler::Now(|task, call| read(task, call, FORM_NAME, form))),
    (cmd::WEB_STARTBROWSE_FORMFIELD, Handler::Now(start_form)),
    (cmd::WEB_READNEXT_FORMFIELD, Handler::Now(next_of_form)),
    (cmd::WEB_ENDBROWSE_FORMFIELD, Handler::Now(end_form)),
    (cmd::WEB_READ_QUERYPARM, Handler::Now(|task, call| read(task, call, QUERY_NAME, query))),
    (cmd::WEB_STARTBROWSE_QUERYPARM, Handler::Now(start_query)),
    (cmd::WEB_READNEXT_QUERYPARM, Handler::Now(next_of_query)),
    (cmd::WEB_ENDBROWSE_QUERYPARM, Handler::Now(end_query)),
];

const FORM_NAME: Area = Area::new(opt::FORMFIELD, opt::NAMELENGTH, resp2::NAME_CUT);
const QUERY_NAME: Area = Area::new(opt::QUERYPARM, opt::NAMELENGTH, resp2::NAME_CUT);
const VALUE: Area = Area::new(opt::VALUE, opt::VALUELENGTH, resp2::VALUE_CUT);

/// Bytes of a name.
const NAME_MAX: usize = 4 * 1024;

/// All names and values of a kind, in their order.
type Fields = fn(&Exchange, &Call<'_>) -> Outcome<Browse>;

/// The fields of the form: of the body, or of the query string where a GET has none.
fn form(exchange: &Exchange, call: &Call<'_>) -> Outcome<Browse> {
    let media = exchange.media();
    let fields = match &media {
        Some(media) if !exchange.body.is_empty() => form::fields(media, &exchange.body),
        _ => form::query_fields(exchange.head.query().unwrap_or_default()),
    };
    let fields = fields.map_err(|why| {
        cond::INVREQ.raise(if why == NoForm::Broken { resp2::NO_BOUNDARY } else { resp2::NO_FORM })
    })?;
    let conversion = Conversion::of_fields(call, charset(media.as_deref()).as_deref())?;
    let converted = fields.into_iter().map(|field| (field.name, field.value));
    Ok(converted.map(|(name, value)| (conversion.to_program(&name), conversion.to_program(&value))).collect())
}

/// The parameters of the query string.
fn query(exchange: &Exchange, call: &Call<'_>) -> Outcome<Browse> {
    let conversion = Conversion::of_fields(call, None)?;
    let parts = query_parts(exchange.head.query().unwrap_or_default());
    Ok(parts.map(|(name, value)| (conversion.to_program(&name), conversion.to_program(&value))).collect())
}

/// READ FORMFIELD, READ QUERYPARM: names are found in small and capital letters alike.
fn read(task: &mut Task, call: &Call<'_>, name: Area, fields: Fields) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.reads);
    let wanted = name.take(call, NAME_MAX)?.unwrap_or_default();
    let mut fields = fields(&exchange, call)?;
    let (_, value) = fields.swap_remove(place(&fields, &wanted)?);
    if call.has(opt::SET) {
        let address = task.hold(&value)?;
        call.put_pointer(opt::SET, address)?;
        return call.put_number(opt::VALUELENGTH, value.len() as i64);
    }
    VALUE.give(call, &value)
}

/// The place of a name: in the letters in which it is written, or else in others.
///
/// # Errors
/// NOTFND: there is none.
fn place(fields: &Browse, wanted: &[u8]) -> Outcome<usize> {
    let exactly = fields.iter().position(|(name, _)| name == wanted);
    let roughly = || fields.iter().position(|(name, _)| name.eq_ignore_ascii_case(wanted));
    exactly.or_else(roughly).ok_or_else(|| cond::NOTFND.raise(resp2::NO_NAME))
}

/// The fields from a name on, if one is given.
fn from(call: &Call<'_>, name: OptionId, area: Area, all: Browse) -> Outcome<Browse> {
    if !call.has(name) {
        return Ok(all);
    }
    let wanted = area.take(call, NAME_MAX)?.unwrap_or_default();
    let at = place(&all, &wanted)?;
    Ok(all[at..].to_vec())
}

fn start_form(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    let fields = from(call, opt::FORMFIELD, FORM_NAME, form(&exchange, call)?)?;
    begin(&mut exchange.answer().form, fields)
}

fn next_of_form(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    next(&mut exchange.answer().form, |name, value| {
        all([FORM_NAME.give(call, name), VALUE.give(call, value)])
    })
}

fn end_form(task: &mut Task, _: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    end(&mut exchange.answer().form)
}

fn start_query(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    let parameters = from(call, opt::QUERYPARM, QUERY_NAME, query(&exchange, call)?)?;
    begin(&mut exchange.answer().query, parameters)
}

fn next_of_query(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    next(&mut exchange.answer().query, |name, value| {
        all([QUERY_NAME.give(call, name), VALUE.give(call, value)])
    })
}

fn end_query(task: &mut Task, _: &Call<'_>) -> Outcome {
    let exchange = http_exchange(task)?;
    count(&exchange.used.browses);
    end(&mut exchange.answer().query)
}
