//! PUT, GET, MOVE and DELETE CONTAINER, browses, QUERY and DELETE CHANNEL.

use spec::CommandId;

use crate::exec::Handler;

/// This domain's commands.
pub(crate) const HANDLERS: &[(CommandId, Handler)] = &[];
