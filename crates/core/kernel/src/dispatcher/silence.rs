//! Users who do nothing: their terminals are not to be left open to others.

use std::sync::Arc;
use std::time::Duration;

use crate::notices::Notices;
use crate::region::Region;
use crate::security::Users;
use crate::terminals::{Message, Terminals, try_tell};

/// Signs users off at terminals that have been silent for longer than this. A task that runs there is ended: what goes on
/// would go on as the user who has left. A conversation between two tasks is over.
pub fn sign_off_silent(region: &Arc<Region>, longest: Duration) {
    for terminal in Terminals::of(region).list() {
        let user = terminal.user();
        if user.is_default || terminal.heard().elapsed() < longest {
            continue;
        }
        let users = Users::of(region);
        users.file.signed_off(&user, &terminal.name.to_string());
        terminal.set_user(Arc::clone(&users.default));
        tracing::info!(
            target: "SN",
            "{} is signed off at terminal {}: it was silent for too long (sign-off-after)",
            user.id,
            terminal.name
        );
        if let Some(task) = terminal.task() {
            task.purge();
        } else {
            terminal.forget_next();
            Notices::message(region, None, "DFHCE3590", &[&user.id, &terminal.name]);
            let message = Message::SignedOff.text(region.options.applid);
            try_tell(region, &terminal, &message);
        }
    }
}
