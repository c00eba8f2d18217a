//! The first screen of a terminal.

use std::sync::Arc;

use super::{Terminal, input};
use crate::dispatcher::Attach;
use crate::region::Region;
use crate::task::StartCode;

/// Starts the greeting transaction (GMTRAN) at a new terminal, or clears its screen where there is none.
pub fn greet(region: &Arc<Region>, terminal: &Arc<Terminal>) {
    let name = region.options.greeting_transaction;
    if name.is_blank() || region.transactions.get(name).is_none() {
        terminal.try_send(input::empty_screen());
        return;
    }
    let attach = Attach::new(name, StartCode::Terminal, terminal.user());
    input::start_at(region, terminal, attach);
}
