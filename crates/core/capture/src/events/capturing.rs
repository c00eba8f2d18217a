//! One look at a command: is it captured, and with which data?

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::Timestamp;
use kernel::clock::Stamp;
use kernel::exec::Call;
use kernel::meters::Figure;
use kernel::name::Name16;
use kernel::raise::{Outcome, Raise};
use kernel::recovery::{NetworkName, UnitId};
use kernel::task::Task;
use policies::capture_specification::{
    CapturePoint, CaptureSpecification, Context, ContextFilter, DataFilter, Field, ItemSource, OptionFilter,
};
use policies::event_values::{FieldType, Operator, characters, formatted, formatted_text};
use spec::{cond, opt};

use super::binding::{Binding, Capturing};
use super::event::{Event, EventPlace, Item};
use super::{Events, format, points};
use crate::EVENT_BYTES_MAX;

/// A place in a task where an event may be captured.
pub(super) struct Seen<'s, 'r> {
    pub task: &'s Task,
    /// The command; `None`: a program begins.
    pub call: Option<&'s Call<'r>>,
    /// The response of the command, if it has been answered.
    pub response: u32,
}

/// The number of the response to a command.
pub(super) fn response(outcome: &Outcome) -> u32 {
    match outcome {
        Ok(()) => cond::NORMAL.resp(),
        Err(Raise::Condition(condition, _)) => condition.resp(),
        Err(Raise::Abend(_)) => cond::ERROR.resp(),
    }
}

impl Seen<'_, '_> {
    /// The event of a capture specification, if it is one.
    pub fn captured(&self, binding: &Arc<Binding>, capturing: &Capturing) -> Option<Event> {
        let specification = &capturing.specification;
        let counts = &Events::of(&self.task.region).counts;
        counts.filtered.more();
        counted(self.task, Figure::EventFilters);
        let context = specification.context.iter().all(|filter| self.is_context(filter));
        if !context || !specification.options.iter().all(|filter| self.is_option(filter)) {
            return None;
        }
        for filter in &specification.data {
            match self.is_data(filter) {
                Some(true) => {}
                Some(false) => return None,
                None => {
                    counts.filters_failed.more();
                    return None;
                }
            }
        }
        let mut event = self.event(binding, specification);
        for item in &specification.items {
            let Some(captured) = self.item(item) else {
                counts.captures_failed.more();
                capturing.failed.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            event.items.push(captured);
        }
        capturing.captured.fetch_add(1, Ordering::Relaxed);
        counts.captured.more();
        counted(self.task, Figure::EventsCaptured);
        Some(event)
    }

    fn event(&self, binding: &Arc<Binding>, specification: &CaptureSpecification) -> Event {
        let task = self.task;
        let (applid, trimmed) = (task.region.options.applid, |text: String| text.trim_end().to_owned());
        let unit = UnitId::of_run(&task.region, task.control.unit());
        Event {
            place: EventPlace::Command,
            binding: Arc::clone(binding),
            name: specification.event.clone(),
            capture: specification.name.clone(),
            applid: trimmed(applid.to_string()),
            transaction: trimmed(task.transaction.name.to_string()),
            program: trimmed(task.level().program.to_string()),
            user: Arc::clone(&task.user),
            task: task.number,
            response: self.response,
            unit: NetworkName::new(applid, unit).as_bytes().to_vec(),
            at: Timestamp::now(),
            abstime: Stamp::now().abstime(),
            items: Vec::with_capacity(specification.items.len()),
        }
    }

    /// A fact about the task.
    fn fact(&self, of: Context) -> String {
        let task = self.task;
        match of {
            Context::Transaction => task.transaction.name.to_string(),
            Context::Program => task.level().program.to_string(),
            Context::User => task.user.id.to_string(),
            Context::Response => self.response.to_string(),
            Context::Aid => characters(&[task.level().eib.aid()]),
            Context::Cursor => task.level().eib.cursor().to_string(),
        }
    }

    fn is_context(&self, filter: &ContextFilter) -> bool {
        let fact = self.fact(filter.of);
        match filter.of {
            Context::Response => {
                let wanted = match filter.value.as_str() {
                    "OK" | "NORMAL" => Some(cond::NORMAL.resp()),
                    name => spec::condition_named(name).map(|condition| condition.resp()),
                };
                wanted.is_some_and(|wanted| {
                    filter.operator.accepts_number(Some(self.response.into()), wanted.into())
                })
            }
            Context::Cursor => {
                let number = |text: &str| text.parse::<i128>().ok();
                number(&filter.value)
                    .is_some_and(|wanted| filter.operator.accepts_number(number(&fact), wanted))
            }
            Context::Aid => match aid(&filter.value) {
                Some(byte) => filter.operator.accepts_text(Some(&fact), &characters(&[byte])),
                None => false,
            },
            _ => filter.operator.accepts_text(Some(&fact), &filter.value),
        }
    }

    /// The text of an option; `None`: it is not given.
    fn option(&self, keyword: &str) -> Option<String> {
        let Some(call) = self.call else {
            let level = self.task.level();
            return match keyword {
                "CHANNEL" => level.channel.as_ref().map(|channel| channel.name.to_string()),
                _ => Some(level.program.to_string()),
            };
        };
        let option = points::given(call, keyword)?;
        Some(points::text_of(call, option).into_owned())
    }

    fn is_option(&self, filter: &OptionFilter) -> bool {
        filter.operator.accepts_text(self.option(&filter.keyword).as_deref(), &filter.value)
    }

    /// Returns true if a condition about data is fulfilled; `None`: the data is not what the filter says.
    fn is_data(&self, filter: &DataFilter) -> Option<bool> {
        let (operator, field) = (filter.operator, &filter.field);
        let bytes = self.bytes(field);
        if matches!(operator, Operator::Exists | Operator::DoesNotExist) {
            return Some(bytes.is_some() == (operator == Operator::Exists));
        }
        let Some(bytes) = bytes else { return Some(false) };
        if field.kind.is_number() {
            let number = field.kind.number(&bytes)?;
            return Some(operator.accepts_number(Some(number), filter.number));
        }
        Some(operator.accepts_text(Some(&field.kind.text(&bytes)), &filter.value))
    }

    fn item(&self, item: &policies::capture_specification::CaptureItem) -> Option<Item> {
        let made = |text: String, raw: Vec<u8>, kind: FieldType, precision: usize| Item {
            name: item.name.clone(),
            text,
            raw,
            kind,
            precision,
            format: (item.format.length, item.format.precision),
        };
        let of_text = |text: &str| {
            made(formatted_text(text, item.format), format::in_program_characters(text), format::TEXT, 0)
        };
        match &item.source {
            ItemSource::Context(of) => Some(of_text(self.fact(*of).trim_end())),
            ItemSource::Option(keyword) => Some(of_text(self.option(keyword).unwrap_or_default().trim_end())),
            ItemSource::Field(field) => {
                let bytes = self.bytes(field)?;
                let text = formatted(field.kind, &bytes, field.precision, item.format);
                Some(made(text, bytes, field.kind, field.precision))
            }
        }
    }

    /// The bytes of a field; `None`: they are not there.
    fn bytes(&self, field: &Field) -> Option<Vec<u8>> {
        let area = match points::source(field) {
            "CHANNEL" | "FROMCHANNEL" => self.container(field)?,
            "COMMAREA" if self.call.is_none() => self.commarea()?,
            source => self.area(source)?,
        };
        if field.length == 0 {
            return area.get(field.offset..).filter(|bytes| !bytes.is_empty()).map(<[u8]>::to_vec);
        }
        area.get(field.offset..field.offset.checked_add(field.length)?).map(<[u8]>::to_vec)
    }

    fn container(&self, field: &Field) -> Option<Vec<u8>> {
        let channel = match self.call {
            None => self.task.level().channel.clone()?,
            Some(call) => {
                let option = points::given(call, points::source(field))?;
                self.task.channel(call.name(option).ok()??)?
            }
        };
        let container = channel.get(Name16::from(field.container.as_str()))?;
        Some(container.data.to_vec())
    }

    /// The COMMAREA of the program that begins.
    fn commarea(&self) -> Option<Vec<u8>> {
        let commarea = self.task.level().commarea.as_ref()?;
        let mut bytes = vec![0; commarea.length().min(EVENT_BYTES_MAX)];
        self.task.read_storage(commarea.address(), &mut bytes).then_some(bytes)
    }

    /// An area of the command: as many bytes as its length says, of INTO as many as it has.
    fn area(&self, source: &str) -> Option<Vec<u8>> {
        let call = self.call?;
        // CONVERSE has a length for each way.
        let other = if source == "INTO" { opt::FROMLENGTH } else { opt::TOLENGTH };
        let lengths = points::LENGTHS.iter().filter(|option| **option != other);
        let length = lengths.copied().find_map(|option| call.number(option).ok().flatten());
        let length = length.and_then(|length| usize::try_from(length).ok());
        let Some(option) = points::given(call, source) else {
            return if source == "INTO" { self.set(call, length?) } else { None };
        };
        let size = call.size(option);
        let length = match source {
            "INTO" => length.map_or(size, |length| length.min(size)),
            "RIDFLD" | "VALUE" => size,
            _ => length.unwrap_or(size),
        };
        call.bytes_of(option, length.min(EVENT_BYTES_MAX)).ok().flatten().map(|bytes| bytes.to_vec())
    }

    /// The area to which SET points behind the command.
    fn set(&self, call: &Call<'_>, length: usize) -> Option<Vec<u8>> {
        let address = call.pointer(opt::SET).ok()??;
        let mut bytes = vec![0; length.min(EVENT_BYTES_MAX)];
        call.read_at(address, &mut bytes).ok().map(|()| bytes)
    }
}

/// Counts something of a task that is monitored.
pub(super) fn counted(task: &Task, figure: Figure) {
    if let Some(performance) = task.control.performance() {
        performance.add(figure, 1);
    }
}

/// The attention identifier of a name of DFHAID.
fn aid(name: &str) -> Option<u8> {
    let line = spec::tables::AIDS.lines().find(|line| line.split('\t').next() == Some(name))?;
    let character = line.split('\t').nth(2)?.chars().next()?;
    u8::try_from(u32::from(character)).ok()
}

/// Returns true if the place is the one of a specification.
pub(super) fn is_before(point: &CapturePoint, never_comes_back: bool) -> bool {
    match point {
        CapturePoint::Command { before, .. } => *before || never_comes_back,
        CapturePoint::ProgramInit | CapturePoint::System(_) => true,
    }
}
