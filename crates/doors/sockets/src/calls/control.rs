//! The modes of a socket: FCNTL and IOCTL.

use std::net::{IpAddr, SocketAddr};

use rustix::io::ioctl_fionread;

use super::session::own_address;
use super::{Reply, SocketCall};
use crate::address::encode;
use crate::arguments::Done;
use crate::errno::Errno;

/// COMMAND of FCNTL.
mod command {
    pub const GET_FLAGS: i32 = 3;
    pub const SET_FLAGS: i32 = 4;
}

/// REQARG of FCNTL: calls fail where they would wait.
const NO_DELAY: i32 = 4;

/// FCNTL: S, COMMAND, REQARG.
pub(super) fn fcntl(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let (command, argument) = (call.arguments.fullword(2)?, call.arguments.fullword(3)?);
    let entry = call.entry()?;
    match command {
        command::GET_FLAGS => Ok(Reply::Done(if entry.nonblocking { NO_DELAY.into() } else { 0 })),
        command::SET_FLAGS => {
            entry.nonblocking = argument & NO_DELAY != 0;
            Ok(Reply::Done(0))
        }
        _ => Err(Errno::INVAL.into()),
    }
}

/// COMMAND of IOCTL.
mod request {
    pub const BLOCKING: u32 = 0x8004_a77e;
    pub const READABLE: u32 = 0x4004_a77f;
    pub const ADDRESS: u32 = 0xc020_a70d;
}

/// Bytes of an interface's name in REQARG and RETARG of SIOCGIFADDR; an address follows them.
const INTERFACE_NAME: usize = 16;

/// IOCTL: S, COMMAND, REQARG, RETARG.
pub(super) fn ioctl(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let command = arguments.fullword(2)? as u32;
    let entry = call.entry()?;
    match command {
        request::BLOCKING => entry.nonblocking = arguments.fullword(3)? != 0,
        request::READABLE => {
            let readable = ioctl_fionread(entry.socket.fd())?;
            arguments.put_fullword(4, i32::try_from(readable).unwrap_or(i32::MAX))?;
        }
        request::ADDRESS => {
            let name = arguments.bytes(3, INTERFACE_NAME)?;
            let address = SocketAddr::new(IpAddr::V4(own_address()), 0);
            let answer: Vec<u8> = name.iter().chain(encode(&address).as_bytes()).copied().collect();
            arguments.put(4, &answer)?;
        }
        _ => return Err(Errno::OPNOTSUPP.into()),
    }
    Ok(Reply::Done(0))
}
