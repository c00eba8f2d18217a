//! The statistics of a region's sockets and listeners, reported when statistics are collected.

use std::sync::Arc;

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use crate::counts::Counts;
use crate::listener::{Listeners, Status};

/// Tells the statistics of a region's sockets.
pub struct Teller {
    /// The counts of sockets.
    pub counts: Arc<Counts>,
    /// The listeners.
    pub listeners: Arc<Listeners>,
}

impl Collector for Teller {
    fn collect(&self, _: &Region, into: &mut Collected, reset: bool) {
        self.counts.tell(into, reset);
        for state in self.listeners.all() {
            let (definition, counts) = (state.definition(), state.counts());
            let port = match state.status() {
                Status::Running(address) => address.port(),
                Status::Stopped => 0,
            };
            into.resource(definition.transaction)
                .number(stat::SPKPORT, port.into())
                .number(stat::SPKMAX, definition.sockets_max as u64)
                .number(stat::SPKACC, counts.waiting.came.get())
                .number(stat::SPKGIVEN, counts.given.get())
                .number(stat::SPKDROP, counts.let_go.get())
                .number(stat::SPKLATE, counts.silent.get())
                .number(stat::SPKUNTAK, counts.untaken.get())
                .number(stat::SPKNOW, counts.waiting.present())
                .number(stat::SPKPEAK, counts.waiting.most(reset))
                .number(stat::SPKFULL, counts.full.get());
        }
    }
}
