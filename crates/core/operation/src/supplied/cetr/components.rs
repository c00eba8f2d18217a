//! The second page of CETR: levels of components.

use instruments::levels;

use super::Said;
use crate::supplied::desk::Reply;
use crate::supplied::panel::Panel;
use kernel::diagnostics::{COMPONENTS, Trace, Tracing};
use kernel::registry::Manager;

/// The row of the first component, and the components that stand below each other.
const FIRST_ROW: u16 = 5;
const ROWS: u16 = 11;
/// The columns of the levels in each half of the page, and their length.
const STANDARD: u16 = 7;
const SPECIAL: u16 = 23;
const HALF: u16 = 40;
const LENGTH: usize = 15;

/// Components, each with its row and the first column of its half.
fn places() -> impl Iterator<Item = (&'static str, u16, u16)> {
    (0..).zip(COMPONENTS).map(|(place, component)| (component, FIRST_ROW + place % ROWS, place / ROWS * HALF))
}

pub(super) fn show(panel: &mut Panel, by: &Manager) {
    let trace = Trace::of(&by.region);
    for half in [0, HALF] {
        panel.text((3, half + STANDARD), "STANDARD").text((3, half + SPECIAL), "SPECIAL");
    }
    for (component, row, half) in places() {
        let (standard, special) = trace.levels(component).unwrap_or_default();
        panel.text((row, half + 2), component);
        panel.entry((row, half + STANDARD), LENGTH, &levels::shown(standard));
        panel.entry((row, half + SPECIAL), LENGTH, &levels::shown(special));
    }
    panel.cursor((FIRST_ROW, STANDARD));
}

/// Everything is read first, then all is done.
pub(super) fn change(by: &Manager, reply: &Reply) -> Said {
    let mut changes = Vec::new();
    for (component, row, half) in places() {
        for (column, tracing) in [(STANDARD, Tracing::Standard), (SPECIAL, Tracing::Special)] {
            let Some(text) = reply.at((row, half + column)) else { continue };
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
            trace.set_levels(&by.region, component, tracing, levels);
            let given = format!("{tracing:?} {}", levels::shown(levels));
            by.has_changed("CETR COMPONENT", component.as_bytes(), given);
        }
    }
    Said { message: "DONE".to_owned(), ..Said::default() }
}
