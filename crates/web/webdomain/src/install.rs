//! The web's own parts of a region: transactions, programs, statistics, ways for messages.

use std::sync::Arc;

use domains::statistics::Statistics;
use kernel::region::Region;

use crate::region::{Options, Web};
use crate::statistics::Teller;
use crate::{alias, analyzer, message, requester};

impl Web {
    /// Sets the configuration, once, and installs the web's own parts.
    pub fn install(&self, region: &Region, options: Options) {
        alias::install(region);
        analyzer::install(region);
        Statistics::of(region).register(Arc::new(Teller));
        message::install(region);
        requester::install(region);
        self.configure(options);
    }
}
