//! The user of a mirror task.

use std::sync::Arc;

use kernel::lines::often;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::{User, Users};

use crate::partner::{Partner, Sort};

/// The user of a mirror task, and another one who must have the same rights.
pub(crate) struct MirrorUser {
    /// The user of the task.
    pub user: Arc<User>,
    /// The user of the link, if that is another one.
    pub link: Option<Arc<User>>,
}

/// The user for whom a partner's request is done: with ATTACHSEC or USERAUTH LOCAL, which are the defaults, that of the link; else
/// the one whom the partner names, who has no more rights than that of the link. `None`: there is no such user.
pub(crate) fn of(region: &Region, partner: &Partner, named: Name8) -> Option<MirrorUser> {
    let users = Users::of(region);
    let link = partner.state.lock().link_user;
    let link = match link {
        Some(name) => Some(known(users, name)?),
        None => None,
    };
    let attribute = match partner.sort {
        Sort::Connection => "ATTACHSEC",
        Sort::Ipconn => "USERAUTH",
    };
    match partner.text(attribute) {
        "" | "LOCAL" => {
            Some(MirrorUser { user: link.unwrap_or_else(|| Arc::clone(&users.default)), link: None })
        }
        "DEFAULTUSER" => Some(MirrorUser { user: Arc::clone(&users.default), link }),
        _ => {
            if named == User::region().id && named != users.default.id {
                often!(
                    warn,
                    target: "IS",
                    "{}: a request is that of this region's own user, whom other regions do not know: it is done for the default user",
                    partner.applid
                );
            }
            let user = known(users, named)?;
            let link = link.filter(|link| link.id != user.id);
            Some(MirrorUser { user, link })
        }
    }
}

/// A user by name. A region of its own has a user who may do all; no other region is that.
fn known(users: &Users, name: Name8) -> Option<Arc<User>> {
    if name == users.default.id || name == User::region().id || name.is_blank() {
        return Some(Arc::clone(&users.default));
    }
    users.file.user(&name.to_string()).map(Arc::new)
}
