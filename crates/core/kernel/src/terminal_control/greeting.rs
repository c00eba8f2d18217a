//! The first screen of a terminal.

use std::sync::Arc;

use super::start_at;
use crate::dispatcher::{Attach, Dispatcher};
use crate::region::Region;
use crate::task::StartCode;
use crate::terminals::{Terminal, empty_screen};
use crate::transactions::{CountsAs, Transaction, Transactions};

/// Starts the greeting transaction (GMTRAN) at a new terminal, or clears its screen where there is none.
pub fn greet(region: &Arc<Region>, terminal: &Arc<Terminal>) {
    let name = region.options.greeting_transaction;
    let greeting = Transactions::of(region).get(name).filter(|_| !name.is_blank());
    // An operator who looks for the reason of a standstill must not wait for an application's greeting.
    let has_room =
        |greeting: &Transaction| greeting.counts_as != CountsAs::User || !Dispatcher::of(region).is_full();
    if greeting.is_none_or(|greeting| !has_room(&greeting)) {
        terminal.try_send(empty_screen());
        return;
    }
    let attach = Attach::new(name, StartCode::Terminal, terminal.user());
    start_at(region, terminal, attach);
}
