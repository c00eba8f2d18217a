//! INQUIRE CAPTURESPEC, CAPDATAPRED, CAPINFOSRCE, CAPOPTPRED and EPADAPTINSET, which go through what is within another resource.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use kernel::exec::Call;
use kernel::exec::value::Value;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, TaskPart};
use policies::capture_specification::{CaptureSpecification, Context, Field, ItemSource};
use policies::event_binding::EVENT_NAME_MAX;
use spec::{CommandId, OptionId, cond, opt};

use super::binding::Binding;
use super::names::trimmed;
use super::{Events, points};

/// RESP2. Recalled, not read.
mod resp2 {
    pub(super) const NO_MORE: i32 = 2;
    pub(super) const NO_BROWSE: i32 = 1;
    pub(super) const NO_BINDING: i32 = 3;
    pub(super) const NO_CAPTURE: i32 = 4;
}

/// Characters of a value, of a point, and of the names of containers, programs, transactions.
const VALUE: usize = 255;
const POINT: usize = 25;
const CONTAINER: usize = 16;
const LOCATION: usize = 32;
const PROGRAM: usize = 8;
const TRANSACTION: usize = 4;

/// An entry: the values of its options.
type Entry = Vec<(OptionId, Value)>;

/// The browses of a task: entries that are still to come, by the command.
#[derive(Default)]
struct Browses(HashMap<CommandId, VecDeque<Entry>>);

impl TaskPart for Browses {}

/// START, NEXT and END of a browse; `entries`: what START begins with. Returns true if the command was none of these.
fn browse(
    task: &mut Task,
    call: &Call<'_>,
    entries: impl FnOnce(&Task) -> Outcome<VecDeque<Entry>>,
) -> Outcome<bool> {
    let no_browse = || cond::ILLOGIC.raise(resp2::NO_BROWSE);
    if call.keyword(opt::START) {
        let entries = entries(task)?;
        let browses = &mut task.kept.part::<Browses>().0;
        if browses.contains_key(&call.command()) {
            return Err(no_browse());
        }
        browses.insert(call.command(), entries);
        return Ok(false);
    }
    let browses = &mut task.kept.part::<Browses>().0;
    if call.keyword(opt::END) {
        return browses.remove(&call.command()).map(|_| false).ok_or_else(no_browse);
    }
    if !call.keyword(opt::NEXT) {
        return Ok(true);
    }
    let entries = browses.get_mut(&call.command()).ok_or_else(no_browse)?;
    let entry = entries.pop_front().ok_or(cond::END.raise(resp2::NO_MORE))?;
    tell(call, &entry).map(|()| false)
}

fn tell(call: &Call<'_>, entry: &Entry) -> Outcome {
    entry
        .iter()
        .filter(|(option, _)| call.has(*option))
        .try_for_each(|(option, value)| call.put_value(*option, value))
}

fn binding(task: &Task, call: &Call<'_>) -> Outcome<Arc<Binding>> {
    let name = trimmed(&call.bytes(opt::EVENTBINDING)?.unwrap_or_default());
    Events::of(&task.region).binding(&name).ok_or(cond::NOTFND.raise(resp2::NO_BINDING))
}

/// Something of the capture that a command names.
fn of_capture<T>(task: &Task, call: &Call<'_>, what: impl FnOnce(&CaptureSpecification) -> T) -> Outcome<T> {
    let binding = binding(task, call)?;
    let name = trimmed(&call.bytes(opt::CAPTURESPEC)?.unwrap_or_default());
    let found = binding.captures.iter().find(|capturing| capturing.specification.name == name);
    found.map(|capturing| what(&capturing.specification)).ok_or(cond::NOTFND.raise(resp2::NO_CAPTURE))
}

/// A command that only browses.
fn browsed(
    task: &mut Task,
    call: &Call<'_>,
    entries: impl FnOnce(&Task) -> Outcome<VecDeque<Entry>>,
) -> Outcome {
    match browse(task, call, entries)? {
        true => Err(cond::ILLOGIC.raise(resp2::NO_BROWSE)),
        false => Ok(()),
    }
}

fn context(specification: &CaptureSpecification, of: Context, length: usize) -> (Value, Value) {
    let filter = specification.context.iter().find(|filter| filter.of == of);
    match filter {
        Some(filter) => (Value::padded(&filter.value, length), Value::Cvda(filter.operator.cvda())),
        None => (Value::padded("", length), Value::Cvda("ALLVALUES")),
    }
}

fn capture(specification: &CaptureSpecification) -> Entry {
    let count = |number: usize| Value::Number(number as i64);
    let (program, program_operator) = context(specification, Context::Program, PROGRAM);
    let (transaction, transaction_operator) = context(specification, Context::Transaction, TRANSACTION);
    let (user, user_operator) = context(specification, Context::User, PROGRAM);
    let primary = points::primary(&specification.point);
    let filter = specification.options.iter().find(|filter| filter.keyword == primary);
    vec![
        (opt::CAPTURESPEC, Value::padded(&specification.name, EVENT_NAME_MAX)),
        (opt::CAPTUREPOINT, Value::padded(&points::name(&specification.point), POINT)),
        (opt::CAPTUREPTYPE, Value::Cvda(points::kind(&specification.point).0)),
        (opt::CURRPGM, program),
        (opt::CURRPGMOP, program_operator),
        (opt::CURRTRANID, transaction),
        (opt::CURRTRANIDOP, transaction_operator),
        (opt::CURRUSERID, user),
        (opt::CURRUSERIDOP, user_operator),
        (opt::EVENTNAME, Value::padded(&specification.event, EVENT_NAME_MAX)),
        (opt::NUMDATAPRED, count(specification.data.len())),
        (opt::NUMINFOSRCE, count(specification.items.len())),
        (opt::NUMOPTPRED, count(specification.options.len())),
        (opt::PRIMPRED, Value::padded(filter.map_or("", |filter| &filter.value), LOCATION)),
        (opt::PRIMPREDOP, Value::Cvda(filter.map_or("ALLVALUES", |filter| filter.operator.cvda()))),
    ]
}

/// INQUIRE CAPTURESPEC, by name or in a browse of a binding.
pub(super) fn inquire_capture(task: &mut Task, call: &Call<'_>) -> Outcome {
    let all = |task: &Task| {
        let binding = binding(task, call)?;
        Ok(binding.captures.iter().map(|capturing| capture(&capturing.specification)).collect())
    };
    if browse(task, call, all)? {
        let mut entry = of_capture(task, call, capture)?;
        entry.retain(|(option, _)| *option != opt::CAPTURESPEC);
        return tell(call, &entry);
    }
    Ok(())
}

fn field(field: &Field) -> Entry {
    let [variable, structure, file] = &field.from;
    vec![
        (opt::CONTAINER, Value::padded(&field.container, CONTAINER)),
        (opt::FIELDLENGTH, Value::Number(field.length as i64)),
        (opt::FIELDOFFSET, Value::Number(field.offset as i64)),
        (opt::FILENAME, Value::padded(file, LOCATION)),
        (opt::LOCATION, Value::padded(&field.source, LOCATION)),
        (opt::STRUCTNAME, Value::padded(structure, LOCATION)),
        (opt::VARIABLENAME, Value::padded(variable, LOCATION)),
    ]
}

/// INQUIRE CAPDATAPRED: the conditions about data of a capture.
pub(super) fn inquire_data(task: &mut Task, call: &Call<'_>) -> Outcome {
    browsed(task, call, |task| {
        of_capture(task, call, |specification| {
            let entry = |filter: &policies::capture_specification::DataFilter| {
                let mut entry = field(&filter.field);
                entry.push((opt::FILTERVALUE, Value::padded(&filter.value, VALUE)));
                entry.push((opt::OPERATOR, Value::Cvda(filter.operator.cvda())));
                entry
            };
            specification.data.iter().map(entry).collect()
        })
    })
}

/// INQUIRE CAPINFOSRCE: the sources of the items of a capture.
pub(super) fn inquire_source(task: &mut Task, call: &Call<'_>) -> Outcome {
    browsed(task, call, |task| {
        of_capture(task, call, |specification| {
            let entry = |item: &policies::capture_specification::CaptureItem| {
                let none = |location: &str| {
                    vec![
                        (opt::CONTAINER, Value::padded("", CONTAINER)),
                        (opt::FIELDLENGTH, Value::Number(0)),
                        (opt::FIELDOFFSET, Value::Number(0)),
                        (opt::FILENAME, Value::padded("", LOCATION)),
                        (opt::LOCATION, Value::padded(location, LOCATION)),
                        (opt::STRUCTNAME, Value::padded("", LOCATION)),
                        (opt::VARIABLENAME, Value::padded("", LOCATION)),
                    ]
                };
                let mut entry = match &item.source {
                    ItemSource::Field(source) => field(source),
                    ItemSource::Option(keyword) => none(keyword),
                    ItemSource::Context(of) => none(of.source()),
                };
                entry.push((opt::ITEMNAME, Value::padded(&item.name, EVENT_NAME_MAX)));
                entry
            };
            specification.items.iter().map(entry).collect()
        })
    })
}

/// INQUIRE CAPOPTPRED: the conditions about options of a capture.
pub(super) fn inquire_option(task: &mut Task, call: &Call<'_>) -> Outcome {
    browsed(task, call, |task| {
        of_capture(task, call, |specification| {
            let entry = |filter: &policies::capture_specification::OptionFilter| {
                vec![
                    (opt::FILTERVALUE, Value::padded(&filter.value, VALUE)),
                    (opt::OPERATOR, Value::Cvda(filter.operator.cvda())),
                    (opt::OPTIONNAME, Value::padded(&filter.keyword, LOCATION)),
                ]
            };
            specification.options.iter().map(entry).collect()
        })
    })
}

/// INQUIRE EPADAPTINSET: the adapters of a set.
pub(super) fn inquire_in_set(task: &mut Task, call: &Call<'_>) -> Outcome {
    browsed(task, call, |task| {
        let name = trimmed(&call.bytes(opt::EPADAPTERSET)?.unwrap_or_default());
        let set = Events::of(&task.region).set(&name).ok_or(cond::NOTFND.raise(resp2::NO_BINDING))?;
        let entry = |name: &String| vec![(opt::EPADAPTER, Value::padded(name, EVENT_NAME_MAX))];
        Ok(set.adapters.iter().map(entry).collect())
    })
}
