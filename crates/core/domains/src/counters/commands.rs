//! DEFINE, GET, UPDATE, REWIND, QUERY and DELETE of COUNTER (a signed fullword) and DCOUNTER (an unsigned doubleword).

use spec::{OptionId, cmd, cond, opt};

use super::{Counter, CounterName, Draw, Range, use_counter};
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::DEFINE_COUNTER, Handler::Waits(define)),
    (cmd::DEFINE_DCOUNTER, Handler::Waits(define)),
    (cmd::GET_COUNTER, Handler::Waits(get)),
    (cmd::GET_DCOUNTER, Handler::Waits(get)),
    (cmd::UPDATE_COUNTER, Handler::Waits(update)),
    (cmd::UPDATE_DCOUNTER, Handler::Waits(update)),
    (cmd::REWIND_COUNTER, Handler::Waits(rewind)),
    (cmd::REWIND_DCOUNTER, Handler::Waits(rewind)),
    (cmd::QUERY_COUNTER, Handler::Waits(query)),
    (cmd::QUERY_DCOUNTER, Handler::Waits(query)),
    (cmd::DELETE_COUNTER, Handler::Waits(delete)),
    (cmd::DELETE_DCOUNTER, Handler::Waits(delete)),
];

/// RESP2 of INVREQ for a pool's name that is none, and for a counter's.
const POOL_NAME: i32 = 403;
const COUNTER_NAME: i32 = 404;
/// RESP2 of LENGERR for a number that is no signed fullword.
const FULLWORD_OVERFLOW: i32 = 1;

/// Order of checks: pool, counter.
fn name(call: &Call<'_>) -> Outcome<CounterName> {
    let pool = call.name(opt::POOL)?.unwrap_or_default();
    if !pool.trimmed().iter().all(|b| is_name_character(*b)) {
        return Err(cond::INVREQ.raise(POOL_NAME));
    }
    let counter: Name16 =
        call.need_name(if call.has(opt::DCOUNTER) { opt::DCOUNTER } else { opt::COUNTER })?;
    let begins = counter.trimmed().first().is_some_and(|b| !b.is_ascii_digit() && *b != b'_');
    if !begins || !counter.trimmed().iter().all(|b| is_name_character(*b)) {
        return Err(cond::INVREQ.raise(COUNTER_NAME));
    }
    Ok((pool, counter))
}

fn is_name_character(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'$' | b'@' | b'#' | b'_')
}

fn number(call: &Call<'_>, option: OptionId) -> Outcome<Option<i128>> {
    Ok(call.number(option)?.map(i128::from))
}

/// The highest number of a counter that names none.
fn highest(call: &Call<'_>) -> i128 {
    if call.has(opt::DCOUNTER) { u64::MAX.into() } else { i32::MAX.into() }
}

/// DEFINE: without VALUE the counter begins at its minimum.
fn define<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let name = name(call)?;
        let minimum = number(call, opt::MINIMUM)?.unwrap_or(0);
        let maximum = number(call, opt::MAXIMUM)?.unwrap_or_else(|| highest(call));
        let value = number(call, opt::VALUE)?.unwrap_or(minimum);
        super::define(task, name, Counter { value, minimum, maximum }).await
    })
}

fn range(call: &Call<'_>) -> Outcome<Range> {
    Ok(Range { minimum: number(call, opt::COMPAREMIN)?, maximum: number(call, opt::COMPAREMAX)? })
}

/// GET.
fn get<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let draw = Draw {
            increment: number(call, opt::INCREMENT)?.unwrap_or(1),
            wrap: call.keyword(opt::WRAP),
            reduce: call.keyword(opt::REDUCE),
            range: range(call)?,
        };
        let drawn = use_counter(task, name(call)?, |counter| counter.draw(&draw)).await?;
        put(call, opt::VALUE, drawn)
    })
}

/// UPDATE.
fn update<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let (value, range) = (number(call, opt::VALUE)?.unwrap_or(0), range(call)?);
        use_counter(task, name(call)?, |counter| counter.update(value, range)).await
    })
}

/// REWIND.
fn rewind<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let increment = number(call, opt::INCREMENT)?.unwrap_or(0);
        use_counter(task, name(call)?, |counter| counter.rewind(increment)).await
    })
}

/// QUERY.
fn query<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let counter = use_counter(task, name(call)?, |counter| Ok(*counter)).await?;
        put(call, opt::VALUE, counter.value)?;
        put(call, opt::MINIMUM, counter.minimum)?;
        put(call, opt::MAXIMUM, counter.maximum)
    })
}

/// DELETE.
fn delete<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move { super::delete(task, name(call)?).await })
}

/// A fullword for COUNTER; for DCOUNTER what the field holds, or a doubleword's bits where it holds no such number.
fn put(call: &Call<'_>, option: OptionId, value: i128) -> Outcome {
    if !call.has(opt::DCOUNTER) {
        let value = i32::try_from(value).map_err(|_| cond::LENGERR.raise(FULLWORD_OVERFLOW))?;
        return call.put_number(option, value.into());
    }
    match i64::try_from(value) {
        Ok(value) => call.put_number(option, value),
        Err(_) => call.put(option, &u64::try_from(value).unwrap_or(u64::MAX).to_be_bytes()),
    }
}
