//! WHENEVER: where to go behind the statements that follow it in the text.

use db2::{Event, Whenever};

/// Errors first, for they may have warnings, too.
const ORDER: [Event; 3] = [Event::Error, Event::NotFound, Event::Warning];

/// Actions in each case, from a place of the text on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handling {
    labels: Vec<(Event, String)>,
}

impl Handling {
    pub(crate) fn note(&mut self, whenever: Whenever) {
        self.labels.retain(|(event, _)| *event != whenever.event);
        self.labels.extend(whenever.go_to.map(|label| (whenever.event, label)));
    }

    /// The label of each case, errors first.
    pub(crate) fn labels(&self) -> Vec<(Event, String)> {
        let of = |event: Event| self.labels.iter().find(move |(of, _)| *of == event);
        ORDER.into_iter().filter_map(of).cloned().collect()
    }
}
