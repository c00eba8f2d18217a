//! Which programs run by the hosted compiler, told when a region with `auto` has started.

use std::sync::{Arc, Weak};
use std::thread;

use kernel::region::Region;
use toolchain::{Member, Toolchain};

/// Looks at each program behind the start's back, for that takes a moment a program: a line for each that our own compiler
/// leaves to the hosted one, and how many these are. It ends with the region.
pub(crate) fn tell(region: &Arc<Region>, toolchain: &Arc<Toolchain>) {
    let (region, toolchain) = (Arc::downgrade(region), Arc::clone(toolchain));
    let told = thread::Builder::new().name("compilers".to_owned()).spawn(move || look(&region, &toolchain));
    if let Err(error) = told {
        tracing::warn!(target: "PG", "no thread to look which programs are compiled natively: {error}");
    }
}

fn look(region: &Weak<Region>, toolchain: &Toolchain) {
    let (mut programs, mut hosted) = (0, 0);
    for member in toolchain.members() {
        let Member::Program(name) = member else { continue };
        if region.strong_count() == 0 {
            return;
        }
        programs += 1;
        if let Some(why) = toolchain.hosted_because(&name) {
            hosted += 1;
            tracing::info!(target: "PG", "program {name} runs by the hosted compiler: {why}");
        }
        for across in toolchain.calls_across(&name) {
            tracing::warn!(target: "PG", "{}", across.render(false));
        }
    }
    for changed in toolchain.decided_otherwise() {
        tracing::warn!(target: "PG", "{}", changed.render(false));
    }
    toolchain.keep_decision();
    tracing::info!(target: "PG", "{hosted} of {programs} programs run by the hosted compiler, the others natively");
}
