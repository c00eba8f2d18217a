//! A service that a task invokes.

use std::sync::Arc;

use binding::Operation;
use kernel::name::{Name8, Name16};

use crate::pipeline::Pipeline;
use crate::webservice::WebService;

/// Message to be sent, and its destination.
pub(crate) struct Invocation {
    /// The service.
    pub service: Arc<WebService>,
    /// The place of its operation.
    pub operation: usize,
    /// Its pipeline.
    pub pipeline: Arc<Pipeline>,
    /// Its address.
    pub url: String,
    /// The URIMAP that the program has named.
    pub map: Option<Name8>,
    /// The container of the record.
    pub data: Name16,
}

impl Invocation {
    /// Its operation.
    pub fn operation(&self) -> &Operation {
        &self.service.service.operations[self.operation]
    }
}
