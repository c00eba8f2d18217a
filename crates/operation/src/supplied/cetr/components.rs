//! The second page of CETR: levels of components.

use super::{Said, levels};
use crate::supplied::desk::Reply;
use crate::supplied::panel::Panel;
use kernel::diagnostics::{COMPONENTS, Trace, Tracing};
use kernel::registry::Manager;

/// The row of the first component.
const FIRST_ROW: u16 = 5;
/// The columns of the levels, and their length.
const STANDARD: u16 = 16;
const SPECIAL: u16 = 48;
const LENGTH: usize = 24;

pub(super) fn show(panel: &mut Panel, by: &Manager) {
    let trace = Trace::of(&by.region);
    panel.text((3, 2), "COMPONENT").text((3, STANDARD), "STANDARD").text((3, SPECIAL), "SPECIAL");
    for (row, component) in (FIRST_ROW..).zip(COMPONENTS) {
        let (standard, special) = trace.levels(component).unwrap_or_default();
        panel.text((row, 2), component).entry((row, STANDARD), LENGTH, &levels::shown(standard)).entry(
            (row, SPECIAL),
            LENGTH,
            &levels::shown(special),
        );
    }
    panel.cursor((FIRST_ROW, STANDARD));
}

/// Everything is read first, then all is done.
pub(super) fn change(by: &Manager, reply: &Reply) -> Said {
    let mut changes = Vec::new();
    for (row, component) in (FIRST_ROW..).zip(COMPONENTS) {
        for (column, tracing) in [(STANDARD, Tracing::Standard), (SPECIAL, Tracing::Special)] {
            let Some(text) = reply.at((row, column)) else { continue };
            let Some(levels) = levels::read(text) else {
                let message = format!("'{text}' OF {component} ARE NO LEVELS: NOTHING WAS CHANGED");
                return Said { message, ..Said::default() };
            };
            changes.push((component, tracing, levels));
        }
    }
    let trace = Trace::of(&by.region);
    for (component, tracing, levels) in changes {
        let (standard, special) = trace.levels(component).unwrap_or_default();
        let before = if tracing == Tracing::Special { special } else { standard };
        if levels != before {
            trace.set_levels(component, tracing, levels);
            let given = format!("{tracing:?} {}", levels::shown(levels));
            by.has_changed("CETR COMPONENT", component.as_bytes(), given);
        }
    }
    Said { message: "DONE".to_owned(), ..Said::default() }
}
