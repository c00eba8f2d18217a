//! What the web brings along for a region: transactions, programs, statistics, ways for messages.

use std::sync::Arc;

use domains::statistics::Statistics;
use kernel::region::Region;

use crate::region::{Options, Web};
use crate::statistics::Teller;
use crate::{alias, analyzer, message, requester};

impl Web {
    /// How it is configured, which is said once; and what it brings along.
    pub fn install(&self, region: &Region, options: Options) {
        alias::install(region);
        analyzer::install(region);
        Statistics::of(region).register(Arc::new(Teller));
        message::install(region);
        requester::install(region);
        self.configure(options);
    }
}
