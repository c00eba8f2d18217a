//! RESP2 of INVOKE SERVICE. Those of a fault and of a conversion are published; others are recalled.

pub(crate) const NO_SERVICE: i32 = 1;
/// NOTFND: no such URIMAP.
pub(crate) const NO_MAP: i32 = 2;
/// The pipeline is disabled, or one of its handlers has failed.
pub(crate) const PIPELINE: i32 = 2;
pub(crate) const NO_OPERATION: i32 = 3;
/// There is no address, or it is none.
pub(crate) const ADDRESS: i32 = 4;
pub(crate) const NO_CHANNEL: i32 = 5;
/// The service answers by a fault, which is in DFHWS-BODY.
pub(crate) const FAULT: i32 = 6;
/// The server cannot be reached, or its answer is no message.
pub(crate) const TRANSPORT: i32 = 7;
pub(crate) const NO_DATA: i32 = 8;
pub(crate) const CONVERSION: i32 = 14;
/// TIMEDOUT: the server takes longer than RESPWAIT.
pub(crate) const TOO_SLOW: i32 = 1;
