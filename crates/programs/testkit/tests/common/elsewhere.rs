//! A place elsewhere that takes part in units of work: the program ENLIST has changes there.

use std::sync::Arc;

use coordinator::{Participant, UnitName};
use kernel::dispatcher::{Context, Dispatcher, SuppliedProgram, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::{Program, Programs};

use super::{Run, attach};

/// A place elsewhere. It outlives the region.
pub trait Elsewhere: Participant + 'static {
    /// Hears that a unit of work has changes there.
    fn changes(&self, unit: UnitName) {
        let _ = unit;
    }
}

/// The program ENLIST.
struct Enlist<P>(Arc<P>);

impl<P: Elsewhere> SuppliedProgram for Enlist<P> {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            let task = context.task();
            self.0.changes(task.work.name());
            task.work.enlist(Arc::clone(&self.0) as Arc<dyn Participant>);
            Ok(Flow::Return)
        })
    }
}

/// Lets the region of a run reach a place elsewhere.
pub fn connect<P: Elsewhere>(run: &Run, elsewhere: &Arc<P>) {
    let region = &run.house.running.region;
    Programs::of(region).install(Program::supplied(Name8::from("ENLIST"), Enlist(Arc::clone(elsewhere))));
    region.coordinator.introduce(Arc::clone(elsewhere) as Arc<dyn Participant>);
}

/// Runs a transaction to its end.
pub async fn runs(run: &Run, transaction: &str) {
    let region = &run.house.running.region;
    attach(region, transaction);
    Dispatcher::of(region).idle().await;
}
