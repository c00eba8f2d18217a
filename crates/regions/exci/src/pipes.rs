//! Users and pipes of a run, by their tokens.
//!
//! ```text
//! allocated, closed ──Open_Pipe──► open ──Close_Pipe──► closed ──Deallocate_Pipe──► gone
//!                                   └── its region is gone, or has not understood it ──► must close ──Close_Pipe──► closed
//! ```

use std::collections::HashMap;

use crate::limits::{PIPES_MAX, USERS_MAX};
use crate::reasons::{
    INVALID_PIPE_TOKEN, INVALID_USER_TOKEN, IRC_LOGON_FAILURE, PIPE_NOT_CLOSED, Reason, XCUSER_GETMAIN_ERROR,
};
use crate::way::Way;

/// The state of a pipe.
pub(crate) enum Standing {
    Closed,
    Open(Box<dyn Way>),
    /// Nothing is asked through it before it is closed and opened again.
    MustClose,
}

/// A pipe.
pub(crate) struct Pipe {
    user: u32,
    /// The region that it leads to; blank: the run's own.
    pub applid: [u8; 8],
    pub standing: Standing,
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Pipes {
    users: HashMap<u32, [u8; 8]>,
    pipes: HashMap<u32, Pipe>,
    last: u32,
}

/// The first token: no number that a program has by chance.
const FIRST: u32 = 0x2A0C_1000;
/// The distance between two tokens.
const STEP: u32 = 0x40;

impl Pipes {
    fn token(&mut self) -> u32 {
        self.last = if self.last == 0 { FIRST } else { self.last.wrapping_add(STEP).max(FIRST) };
        self.last
    }

    /// A user more; its token.
    pub fn initialise(&mut self, name: [u8; 8]) -> Result<u32, Reason> {
        if self.users.len() >= USERS_MAX {
            return Err(XCUSER_GETMAIN_ERROR);
        }
        let token = self.token();
        self.users.insert(token, name);
        Ok(token)
    }

    /// A user by its token.
    pub fn user(&self, token: u32) -> Result<(), Reason> {
        self.users.contains_key(&token).then_some(()).ok_or(INVALID_USER_TOKEN)
    }

    /// A pipe more; its token.
    pub fn allocate(&mut self, user: u32, applid: [u8; 8]) -> Result<u32, Reason> {
        if self.pipes.len() >= PIPES_MAX {
            return Err(IRC_LOGON_FAILURE);
        }
        let token = self.token();
        self.pipes.insert(token, Pipe { user, applid, standing: Standing::Closed });
        Ok(token)
    }

    /// A user's pipe by its token.
    pub fn pipe(&mut self, user: u32, token: u32) -> Result<&mut Pipe, Reason> {
        self.pipes.get_mut(&token).filter(|pipe| pipe.user == user).ok_or(INVALID_PIPE_TOKEN)
    }

    /// Gives a closed pipe back.
    pub fn deallocate(&mut self, user: u32, token: u32) -> Result<(), Reason> {
        match self.pipe(user, token)?.standing {
            Standing::Closed => {
                self.pipes.remove(&token);
                Ok(())
            }
            Standing::Open(_) | Standing::MustClose => Err(PIPE_NOT_CLOSED),
        }
    }
}
