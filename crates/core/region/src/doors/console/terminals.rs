//! The terminal door, for 3270s in browsers.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use ::console::{Served, Terminals};
use ebcdic::CodePage;
use kernel::region::Region;
use kernel::security::User;
use terminal::{Caller, Door};
use tokio::io::DuplexStream;

/// The door, and whom it lets in.
pub(super) struct Desk {
    code_page: CodePage,
    /// True if terminals must show a user's certificate: a user who has signed on has proved more.
    certified_only: bool,
    door: Rc<Door>,
}

impl Desk {
    pub fn new(region: &Region, certified_only: bool, door: Rc<Door>) -> Self {
        Self { code_page: region.options.terminal_code_page, certified_only, door }
    }
}

impl Terminals<Arc<User>> for Desk {
    fn serve(&self, user: &Arc<User>, peer: SocketAddr, stream: DuplexStream) -> Served {
        if self.certified_only && user.is_default {
            return Box::pin(async { String::from("only users who have signed on have terminals here") });
        }
        let user = (!user.is_default).then(|| user.id.to_string());
        let door = Rc::clone(&self.door);
        let caller = Caller { peer, certificate: None, user };
        Box::pin(async move { door.serve_caller(stream, caller).await.to_string() })
    }

    fn code_page(&self) -> CodePage {
        self.code_page
    }
}
