//! System events: captured where something happens to the region, and emitted at once, beside any unit of work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use jiff::Timestamp;
use kernel::catalog;
use kernel::clock::Stamp;
use kernel::exec::value::Value;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::security::User;
use kernel::task::TaskControl;
use policies::capture_specification::{Context, ContextFilter, ItemSource, OptionFilter};
use policies::event_values::formatted_text;
use policies::{CapturePoint, SystemKind, messages};
use spec::{OptionId, opt};

use super::binding::{Binding, Capturing};
use super::event::{Event, EventPlace, Item};
use super::{Events, emission, format};
use crate::occurrences::{self, Happened, Hearer};

/// The captures of system events that are enabled: the binding, and the place of the capture in it.
struct Ears(Vec<(Arc<Binding>, usize)>);

/// From now on, system events of these bindings are captured.
pub(super) fn hear(region: &Region, bindings: &[Arc<Binding>]) {
    let mut ears = Vec::new();
    for binding in bindings {
        let captures = binding.captures.iter().enumerate();
        let own = captures.filter(|(_, capturing)| kind(capturing).is_some());
        ears.extend(own.map(|(place, _)| (Arc::clone(binding), place)));
    }
    let hearer = (!ears.is_empty()).then(|| Arc::new(Ears(ears)) as Arc<dyn Hearer>);
    occurrences::hear(region, "captures of system events", hearer);
}

fn kind(capturing: &Capturing) -> Option<SystemKind> {
    match &capturing.specification.point {
        CapturePoint::System(point) => Some(point.kind),
        _ => None,
    }
}

impl Hearer for Ears {
    fn kinds(&self) -> Vec<SystemKind> {
        self.0.iter().filter_map(|(binding, place)| kind(&binding.captures[*place])).collect()
    }

    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, happened: &Happened) -> bool {
        for (binding, place) in &self.0 {
            let capturing = &binding.captures[*place];
            if kind(capturing) != Some(happened.occurrence.kind) {
                continue;
            }
            let heard = Heard { region, task, happened };
            if let Some(event) = heard.captured(binding, capturing) {
                emission::pass_on_of_region(region, event);
            }
        }
        false
    }
}

/// Something that has happened, as a capture looks at it.
struct Heard<'h> {
    region: &'h Arc<Region>,
    task: Option<&'h TaskControl>,
    happened: &'h Happened,
}

impl Heard<'_> {
    /// The event of a capture specification, if it is one.
    fn captured(&self, binding: &Arc<Binding>, capturing: &Capturing) -> Option<Event> {
        let specification = &capturing.specification;
        let counts = &Events::of(self.region).counts;
        counts.filtered.more();
        let context = specification.context.iter().all(|filter| self.is_context(filter));
        if !context || !specification.options.iter().all(|filter| self.is_option(filter)) {
            return None;
        }
        let mut event = self.event(binding, capturing);
        for item in &specification.items {
            let text = match &item.source {
                ItemSource::Context(of) => self.fact(*of).to_owned(),
                ItemSource::Option(keyword) => self.option(keyword).unwrap_or_default(),
                ItemSource::Field(_) => String::new(),
            };
            event.items.push(Item {
                name: item.name.clone(),
                text: formatted_text(&text, item.format),
                raw: format::in_program_characters(&text),
                kind: format::TEXT,
                precision: 0,
                format: (item.format.length, item.format.precision),
            });
        }
        capturing.captured.fetch_add(1, Ordering::Relaxed);
        counts.of_system.more();
        Some(event)
    }

    fn event(&self, binding: &Arc<Binding>, capturing: &Capturing) -> Event {
        Event {
            place: EventPlace::Region,
            binding: Arc::clone(binding),
            name: capturing.specification.event.clone(),
            capture: capturing.specification.name.clone(),
            applid: self.region.options.applid.to_string().trim_end().to_owned(),
            transaction: self.happened.occurrence.transaction.clone(),
            program: String::new(),
            user: self.task.map_or_else(User::region, |task| Arc::clone(&task.user)),
            task: self.task.map_or(0, |task| task.number),
            response: 0,
            unit: Vec::new(),
            at: Timestamp::now(),
            abstime: Stamp::now().abstime(),
            items: Vec::with_capacity(capturing.specification.items.len()),
        }
    }

    /// A fact about the task that caused it; empty if none did.
    fn fact(&self, of: Context) -> &str {
        match of {
            Context::Transaction => &self.happened.occurrence.transaction,
            Context::User => &self.happened.occurrence.user,
            _ => "",
        }
    }

    fn is_context(&self, filter: &ContextFilter) -> bool {
        let there = self.task.map(|_| self.fact(filter.of));
        filter.operator.accepts_text(there, &filter.value)
    }

    fn is_option(&self, filter: &OptionFilter) -> bool {
        if filter.operator.is_of_thresholds() {
            let number = |text: &str| text.parse().unwrap_or_default();
            let seen = &self.happened.occurrence;
            return filter.operator.accepts_change(
                number(&seen.from),
                number(&seen.to),
                number(&filter.value),
            );
        }
        filter.operator.accepts_text(self.option(&filter.keyword).as_deref(), &filter.value)
    }

    /// The text of an option of the system event; `None`: it has no such option.
    fn option(&self, keyword: &str) -> Option<String> {
        let (seen, counts) = (&self.happened.occurrence, &self.happened.counts);
        if let Some(number) = messages::insert(keyword) {
            return seen.inserts.get(number - 1).cloned();
        }
        Some(match keyword {
            "FROM_TASKS" | "FROM_ACTIVE" => counts.from.to_string(),
            "TO_TASKS" | "TO_ACTIVE" => counts.to.to_string(),
            "MAXTASKS" | "MAXACTIVE" => counts.most.to_string(),
            "FILE" | "TRANCLASS" | messages::ID => seen.name.clone(),
            "TRANSACTION" => seen.transaction.clone(),
            "ABCODE" => seen.from.clone(),
            "PROGRAM" | "PERCENT_MAXTASKS" | "PERCENT_MAXACTIVE" => seen.to.clone(),
            from if from.starts_with("FROM_") => seen.from.clone(),
            to if to.starts_with("TO_") => seen.to.clone(),
            other => return self.attribute(other),
        })
    }

    /// An attribute of the resource to which it has happened, as INQUIRE tells it.
    fn attribute(&self, keyword: &str) -> Option<String> {
        const ATTRIBUTES: [(&str, &str, OptionId); 6] = [
            ("DSNAME", "FILE", opt::DSNAME),
            ("OPENSTATUS", "FILE", opt::OPENSTATUS),
            ("ENABLESTATUS", "FILE", opt::ENABLESTATUS),
            ("DB2ID", "DB2CONN", opt::DB2ID),
            ("DB2GROUPID", "DB2CONN", opt::DB2GROUPID),
            ("DB2RELEASE", "DB2CONN", opt::DB2RELEASE),
        ];
        let (_, kind, option) = ATTRIBUTES.iter().find(|(known, ..)| *known == keyword)?;
        let by = Manager::new(self.region, &User::region());
        let told = catalog::kind(kind)?.table.tell(&by, self.happened.occurrence.name.as_bytes())?;
        let (_, value) = told.into_iter().find(|(known, _)| known == option)?;
        Some(match value {
            Value::Text(bytes) => policies::event_values::characters(&bytes).trim_end().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Cvda(name) => name.to_owned(),
            Value::Flag(flag) => flag.to_string(),
        })
    }
}
