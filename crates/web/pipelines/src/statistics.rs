//! Statistics of pipelines and web services.

use std::sync::atomic::{AtomicU64, Ordering};

use binding::Interface;
use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use crate::pipeline::{Pipelines, format_of};
use crate::webservice::WebServices;

/// Counts one more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Tells them.
pub(crate) struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        for pipeline in Pipelines::of(region).list() {
            into.resource(pipeline.name)
                .text(stat::PIR_CONFIGURATION_FILE, &pipeline.file)
                .text(stat::PIR_SHELF_DIRECTORY, &pipeline.shelf)
                .text(stat::PIR_WSDIR_DIRECTORY, &pipeline.folder)
                .number(stat::PIR_PIPELINE_USE_COUNT, pipeline.uses.load(Ordering::Relaxed))
                .text(stat::PIR_PIPELINE_MSGFORMAT, format_of(&pipeline));
        }
        for it in WebServices::of(region).list() {
            let container = match &it.service.interface {
                Interface::Channel(container) => container.as_str(),
                Interface::Commarea => "",
            };
            into.resource(it.name)
                .text(stat::PIW_PIPELINE_NAME, it.pipeline)
                .text(stat::PIW_WSBIND_FILE, &it.file)
                .text(stat::PIW_WSDL_FILE, &it.description)
                .text(stat::PIW_WSDL_BINDING, &it.service.name)
                .text(stat::PIW_ENDPOINT_URI, &it.service.uri)
                .text(stat::PIW_WEBSERVICE_PROGRAM, &it.service.program)
                .text(stat::PIW_CONTAINER_NAME, container)
                .number(stat::PIW_WEBSERVICE_USE_COUNT, it.uses.load(Ordering::Relaxed))
                .text(stat::PIW_ARCHIVE_FILE, &it.archive);
        }
    }
}
