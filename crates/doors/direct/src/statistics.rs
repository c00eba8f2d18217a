//! Statistics of scenarios.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use crate::scenario::Scenario;

/// Tells the statistics of scenarios.
pub(crate) struct Teller(pub Arc<[Arc<Scenario>]>);

impl Collector for Teller {
    fn collect(&self, _: &Region, into: &mut Collected, reset: bool) {
        for scenario in &*self.0 {
            let counts = &scenario.counts;
            let most = counts.queued_most.load(Ordering::Relaxed);
            if reset {
                counts.queued_most.store(counts.queued.get(), Ordering::Relaxed);
            }
            into.resource(scenario.said.program)
                .number(stat::SPDINST, counts.instances.get())
                .number(stat::SPDSTART, counts.starts.get())
                .number(stat::SPDMSGS, counts.messages.get())
                .number(stat::SPDANSW, counts.answers.get())
                .number(stat::SPDBACK, counts.backed_out.get())
                .number(stat::SPDABND, counts.abends.get())
                .number(stat::SPDLATE, counts.late.get())
                .number(stat::SPDREF, counts.refused.get())
                .number(stat::SPDQUEUE, counts.queued.get())
                .number(stat::SPDQPEAK, most);
        }
    }
}
