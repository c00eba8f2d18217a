//! What a pipeline needs of its task: programs that it can call.

use std::sync::Arc;

use cobol::Area;
use kernel::channels::{Channel, DataType, fill};
use kernel::dispatcher::Context;
use kernel::name::{Name8, Name16};
use kernel::raise::Abend;
use kernel::task::TaskPart;
use soap::SoapFault;

/// Programs, and containers for them.
pub trait Programs {
    /// Calls a program with a COMMAREA, which has what the program has left in it then.
    fn with_commarea(
        &mut self,
        program: Name8,
        commarea: &mut Vec<u8>,
    ) -> impl Future<Output = Result<(), Abend>>;

    /// Calls a program with a channel.
    fn with_channel(
        &mut self,
        program: Name8,
        channel: &Arc<Channel>,
    ) -> impl Future<Output = Result<(), Abend>>;

    /// Puts a container.
    fn put(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> impl Future<Output = Result<(), Abend>>;

    /// From here on a program may answer by a fault, or no more: the one that was made since then.
    fn listen_for_faults(&mut self, may_be: bool) -> Option<SoapFault>;
}

impl Programs for Context<'_> {
    async fn with_commarea(&mut self, program: Name8, commarea: &mut Vec<u8>) -> Result<(), Abend> {
        let area = Area::with(commarea);
        self.link(program, Some(&area), None).await?;
        area.read(0, commarea);
        Ok(())
    }

    async fn with_channel(&mut self, program: Name8, channel: &Arc<Channel>) -> Result<(), Abend> {
        self.link(program, None, Some(Arc::clone(channel))).await
    }

    async fn put(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> Result<(), Abend> {
        fill(self.task(), channel, name, bytes, data_type).await.map_err(Abend::from)
    }

    fn listen_for_faults(&mut self, may_be: bool) -> Option<SoapFault> {
        let fault = &mut self.task().kept.part::<Answered>().0;
        std::mem::replace(fault, may_be.then_some(None)).flatten()
    }
}

/// The fault by which a program answers: none outside of a service, then whether there is one.
#[derive(Default)]
pub(crate) struct Answered(pub Option<Option<SoapFault>>);

impl TaskPart for Answered {}
