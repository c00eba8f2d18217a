//! Interface of a pipeline to its task: programs that it can call, there or in a second task.

use std::sync::Arc;

use kernel::channels::{Channel, DataType};
use kernel::name::{Name8, Name16, TransactionName};
use kernel::raise::Abend;
use kernel::task::TaskPart;
use soap::{Level, SoapFault};

/// As whom a program is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The transaction.
    pub transaction: TransactionName,
    /// The user.
    pub user: Name8,
}

/// A program to be run, with a COMMAREA or a channel.
pub struct Errand {
    pub(crate) program: Name8,
    pub(crate) commarea: Option<Vec<u8>>,
    pub(crate) channel: Option<Arc<Channel>>,
    pub(crate) listening: Option<Listening>,
}

/// Result that a program has left.
pub struct Left {
    pub(crate) commarea: Option<Vec<u8>>,
    pub(crate) fault: Option<SoapFault>,
}

/// Programs, and containers for them.
pub trait Programs {
    /// A second task.
    type Second;

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

    /// The message is for this operation of its web service.
    fn has_operation(&mut self, _: &str) {}

    /// The region has written a message of this number about a request that was refused.
    fn has_refused(&mut self, _number: u16, _text: &str) {}

    /// A message of so many bytes was answered by one of so many, in JSON or in SOAP.
    fn has_answered(&mut self, _is_json: bool, _bytes: (usize, usize)) {}

    /// Puts a container.
    fn put(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> impl Future<Output = Result<(), Abend>>;

    /// From here on a program may answer by a fault, for messages of a version of SOAP or others; or no more. What was
    /// made since then.
    fn listen_for_faults(&mut self, from: Option<Listening>) -> Option<SoapFault>;

    /// Begins a task in which a program runs as another transaction or another user.
    ///
    /// # Errors
    /// The reason why there is none, in words for the client.
    fn begin_task(&mut self, to: &Switch) -> Result<Self::Second, String>;

    /// Has it run a program.
    fn in_task(
        &mut self,
        second: &mut Self::Second,
        errand: Errand,
    ) -> impl Future<Output = Result<Left, Abend>>;

    /// Has it commit, or back out, and end.
    fn end_task(&mut self, second: Self::Second, is_well: bool) -> impl Future<Output = Result<(), Abend>>;
}

/// Answers that a program in a service may give instead of its record.
#[derive(Debug)]
pub struct Listening {
    /// The version of its messages; none: they are not SOAP.
    pub level: Option<Level>,
    /// The fault that it has made.
    pub fault: Option<SoapFault>,
}

/// Answer of the task's program, if that is one in a service.
#[derive(Default)]
pub(crate) struct Answered(pub Option<Listening>);

impl TaskPart for Answered {}
