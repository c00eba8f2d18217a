//! Events of rules of policies, which no event binding captures: they go to the adapter, or to the set, that the rule names.

use std::sync::Arc;

use jiff::Timestamp;
use kernel::clock::Stamp;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::TaskControl;
use policies::EventBinding;
use policies::event_binding::AdapterOf;
use policies::event_values::{Form, Format, formatted_text};

use super::binding::Binding;
use super::event::{Event, EventPlace, Item};
use super::{Events, emission, format};

/// An event of a rule.
pub struct RuleEvent<'r> {
    /// The name of the event.
    pub name: &'r str,
    /// The bundle, the policy and the rule.
    pub of: (Name8, &'r str, &'r str),
    /// The user tag of the policy, and its schema.
    pub user_tag: &'r str,
    /// Version and release of that.
    pub schema: (u32, u32),
    /// The name of the adapter, or of the set if that is true.
    pub adapter: (&'r str, bool),
    /// Its items by their names.
    pub items: Vec<(String, String)>,
    /// The task that has it, if one does.
    pub task: Option<&'r TaskControl>,
}

/// Characters as many as an item needs.
const AS_IT_IS: Format = Format { form: Form::Text, length: 0, precision: 0 };

impl Events {
    /// Returns true if an adapter, or a set, of a name is installed.
    pub fn has(&self, name: &str, is_set: bool) -> bool {
        if is_set { self.set(name).is_some() } else { self.adapter(name).is_some() }
    }

    /// Emits an event of a rule: soon, whatever becomes of the unit of work of its task.
    pub fn emit(&self, region: &Arc<Region>, of: &RuleEvent<'_>) {
        let (bundle, policy, rule) = of.of;
        let adapter = match of.adapter {
            (name, true) => AdapterOf::Set(name.to_owned()),
            (name, false) => AdapterOf::Named(name.to_owned()),
        };
        let binding = EventBinding {
            user_tag: of.user_tag.to_owned(),
            schema: of.schema,
            events: Vec::new(),
            captures: Vec::new(),
            adapter,
        };
        let (applid, task) = (region.options.applid, of.task);
        let text = |text: String| text.trim_end().to_owned();
        let event = Event {
            place: EventPlace::Region,
            binding: Arc::new(Binding::new(bundle, policy, binding)),
            name: of.name.to_owned(),
            capture: rule.to_owned(),
            applid: text(applid.to_string()),
            transaction: task.map(|task| text(task.transaction.name.to_string())).unwrap_or_default(),
            program: String::new(),
            user: task.map_or_else(User::region, |task| Arc::clone(&task.user)),
            task: task.map_or(0, |task| task.number),
            response: 0,
            unit: Vec::new(),
            at: Timestamp::now(),
            abstime: Stamp::now().abstime(),
            items: of.items.iter().map(|(name, text)| item(name, text)).collect(),
        };
        emission::pass_on_of_region(region, event);
    }
}

fn item(name: &str, text: &str) -> Item {
    Item {
        name: name.to_owned(),
        text: formatted_text(text, AS_IT_IS),
        raw: format::in_program_characters(text),
        kind: format::TEXT,
        precision: 0,
        format: (0, 0),
    }
}
