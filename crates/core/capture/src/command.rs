//! SIGNAL EVENT.

use std::sync::Arc;

use kernel::channels::Channel;
use kernel::clock::Moment;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use serde_json::{Map, Value, json};
use spec::{cmd, cond, opt};

use crate::specification::{Specification, text};
use crate::{Capture, EVENT_BYTES_MAX, EVENT_NAME_MAX};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[(cmd::SIGNAL_EVENT, Handler::Now(signal))];

/// RESP2.
mod resp2 {
    /// EVENTERR: the name is not that of an event.
    pub(super) const NAME: i32 = 6;
    /// CHANNELERR: the channel is not in the program's scope.
    pub(super) const CHANNEL: i32 = 2;
}

/// The name of the transaction channel.
const TRANSACTION_CHANNEL: &str = "DFHTRANSACTION";

/// The data that a program gives with an event.
enum Given {
    Nothing,
    From(Vec<u8>),
    Channel(Arc<Channel>),
}

/// SIGNAL EVENT. Order of checks: name, data, channel; then it is captured by each specification that wants it.
fn signal(task: &mut Task, call: &Call<'_>) -> Outcome {
    let event = event(call)?;
    let given = given(task, call)?;
    let region = Arc::clone(&task.region);
    for specification in Capture::of(&region).wanting(&event) {
        let line = line(task, specification, &event, &given).to_string();
        specification.passes_on(task, line);
    }
    Ok(())
}

/// The name of the event, without the blanks after it.
fn event(call: &Call<'_>) -> Outcome<Vec<u8>> {
    let length = call.size(opt::EVENT).min(EVENT_NAME_MAX);
    let name = call.bytes_of(opt::EVENT, length)?.unwrap_or_default();
    let name = name.trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(|byte| is_of_names(*byte));
    if is_name { Ok(name.to_vec()) } else { Err(cond::EVENTERR.raise(resp2::NAME)) }
}

/// The characters of the names of events.
fn is_of_names(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || br#"$@#/%&?!:|"=,;<>.-_"#.contains(&byte)
}

/// The data that the command gives.
fn given(task: &Task, call: &Call<'_>) -> Outcome<Given> {
    if let Some(from) = call.outgoing(opt::FROM, opt::FROMLENGTH, EVENT_BYTES_MAX)? {
        return Ok(Given::From(from.to_vec()));
    }
    let Some(name) = call.name::<16>(opt::FROMCHANNEL)? else { return Ok(Given::Nothing) };
    match task.channel(name) {
        Some(channel) => Ok(Given::Channel(channel)),
        // A transaction channel that no program has made has no containers.
        None if name == Name16::from(TRANSACTION_CHANNEL) => Ok(Given::Nothing),
        None => Err(cond::CHANNELERR.raise(resp2::CHANNEL)),
    }
}

/// The event as it is written.
fn line(task: &Task, specification: &Specification, event: &[u8], given: &Given) -> Value {
    let mut line = json!({
        "event": text(event),
        "unix-ms": Moment::now().unix_ms,
        "applid": task.region.options.applid.to_string(),
        "transaction": task.transaction.name.to_string(),
        "task": task.number,
        "program": task.level().program.to_string(),
        "user": task.user.id.to_string(),
    });
    match given {
        Given::Nothing => {}
        Given::From(bytes) => line["data"] = specification.data(bytes),
        Given::Channel(channel) => {
            let containers = channel.names().into_iter().filter_map(|name| {
                let container = channel.get(name)?;
                let name = name.to_string();
                let value = specification.contained(&name, &container.data);
                Some((name, value))
            });
            line["containers"] = containers.collect::<Map<_, _>>().into();
        }
    }
    line
}
