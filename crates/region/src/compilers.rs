//! Programs of both compilers in one region: the places where they disagree, told when it has started.

use std::sync::{Arc, Weak};
use std::thread;

use kernel::region::Region;
use toolchain::{Member, Toolchain};

/// Looks at each program beside the start, for that takes a moment a program: a line for each that GnuCOBOL compiles, for each CALL
/// of one, and for each record that both see. It ends with the region.
pub(crate) fn tell(region: &Arc<Region>, toolchain: &Arc<Toolchain>) {
    let (region, toolchain) = (Arc::downgrade(region), Arc::clone(toolchain));
    let told = thread::Builder::new().name("compilers".to_owned()).spawn(move || look(&region, &toolchain));
    if let Err(error) = told {
        tracing::warn!(target: "PG", "no thread to look which programs GnuCOBOL compiles: {error}");
    }
}

fn look(region: &Weak<Region>, toolchain: &Toolchain) {
    for member in toolchain.members() {
        let Member::Program(name) = member else { continue };
        if region.strong_count() == 0 {
            return;
        }
        if toolchain.is_hosted(&name) {
            tracing::info!(target: "PG", "program {name} is compiled by GnuCOBOL, as [cobol] says");
        }
        for across in toolchain.calls_across(&name) {
            tracing::warn!(target: "PG", "{}", across.render(false));
        }
    }
    for differs in toolchain.records_of_both() {
        tracing::warn!(target: "PG", "{}", differs.render(false));
    }
}
