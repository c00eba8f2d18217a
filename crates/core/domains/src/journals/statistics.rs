//! Statistics of journals.

use std::sync::atomic::Ordering;

use spec::measures::stat;

use super::Journals;
use crate::statistics::{Collected, Collector};
use kernel::region::Region;

/// Tells them.
pub struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        for journal in Journals::of(region).list() {
            into.resource(journal.name)
                .text(stat::LGRSTREAM, &journal.stream_name)
                .number(stat::LGRWRITES, journal.records.load(Ordering::Relaxed))
                .number(stat::LGRBYTES, journal.bytes.load(Ordering::Relaxed))
                .number(stat::LGRBUFLSH, journal.stream.as_ref().map_or(0, |stream| stream.forces()));
        }
    }
}
