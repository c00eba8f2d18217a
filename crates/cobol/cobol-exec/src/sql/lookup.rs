//! From the name of a host variable to the item.

use diagnostics::Diagnostic;

use super::records::Records;
use crate::messages::did_you_mean;

/// The message that no item has a name.
pub(crate) const UNKNOWN: &str = "SPTR063";

/// An item of a name: `F`, `G.F`; or why there is none.
pub(crate) fn find(records: &Records, name: &str) -> Result<usize, Diagnostic> {
    let parts: Vec<&str> = name.split('.').collect();
    let Some((last, groups)) = parts.split_last() else { return Err(unknown(records, name)) };
    let is_it =
        |at: &usize| records.items[*at].name.as_deref() == Some(last) && is_within(records, *at, groups);
    let (alone, mut found): (Vec<usize>, Vec<usize>) =
        (0..records.items.len()).filter(is_it).partition(|at| records.is_name_alone(*at));
    if found.is_empty() {
        found = alone;
    }
    match found.as_slice() {
        [] => Err(unknown(records, last)),
        [one] => Ok(*one),
        several => {
            let groups = several.iter().filter_map(|at| records.items[*at].parent);
            let groups: Vec<&str> = groups.filter_map(|at| records.items[at].name.as_deref()).collect();
            let help = format!("write :group.{last}; it is in {}", groups.join(", "));
            let message = format!("{name} is the name of {} items", several.len());
            Err(Diagnostic::error("SPTR064", message).label("which of them?").help(help))
        }
    }
}

/// Returns true if an item is in these groups, outermost first; others may stand between.
fn is_within(records: &Records, item: usize, groups: &[&str]) -> bool {
    let mut wanted = groups.iter().rev().peekable();
    for above in records.above(item).skip(1) {
        if wanted.peek().is_some_and(|group| records.items[above].name.as_deref() == Some(**group)) {
            wanted.next();
        }
    }
    wanted.peek().is_none()
}

fn unknown(records: &Records, name: &str) -> Diagnostic {
    let items = (0..records.items.len()).filter(|at| !records.is_name_alone(*at));
    let names = items.filter_map(|at| records.items[at].name.as_deref());
    let help = did_you_mean(name, names, "describe it in the data division");
    Diagnostic::error(UNKNOWN, format!("no item has the name {name}")).label("host variable").help(help)
}
