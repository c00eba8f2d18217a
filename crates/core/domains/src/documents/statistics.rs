//! Statistics of templates that have definitions.

use std::sync::atomic::Ordering;

use spec::measures::stat;

use super::TemplateNames;
use crate::statistics::{Collected, Collector};
use kernel::region::Region;

/// Tells them.
pub struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        for (name, template) in TemplateNames::of(region).list() {
            let uses = template.uses.load(Ordering::Relaxed);
            // A template is read whenever a document asks for it: there is no copy of it in storage.
            into.resource(name)
                .text(stat::DHD_TEMPLATE_NAME, &template.name)
                .text(stat::DHD_TEMPLATE_HFSFILE_NAME, &template.member)
                .number(stat::DHD_TEMPLATE_USE_COUNT, uses)
                .number(stat::DHD_TEMPLATE_READ_COUNT, uses);
        }
    }
}
