//! State that RETURN leaves for the next task at a terminal.

use std::sync::Arc;

use crate::channels::Channel;
use crate::name::TransactionName;

/// Request of RETURN for the next task at the terminal.
#[derive(Default)]
pub struct NextTask {
    /// RETURN TRANSID.
    pub transaction: Option<TransactionName>,
    /// Its COMMAREA.
    pub commarea: Option<Vec<u8>>,
    /// Its channel.
    pub channel: Option<Arc<Channel>>,
    /// At once, without waiting for input.
    pub immediate: bool,
    /// INPUTMSG.
    pub input_message: Option<Vec<u8>>,
}
