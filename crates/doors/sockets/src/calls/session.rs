//! The session of a task with the interface, and the facts that it may ask of the machine: INITAPI, TERMAPI,
//! GETHOSTNAME, GETHOSTID, GETIBMOPT.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use super::{Reply, SocketCall};
use crate::arguments::Done;
use crate::errno::Errno;
use crate::limits::{TASK_SOCKETS_MAX, TASK_SOCKETS_MIN};

/// INITAPI, INITAPIX: MAXSOC, IDENT, SUBTASK, MAXSNO. Sets the limit on the task's sockets; MAXSNO gets the highest
/// number.
pub(super) fn init_api(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let wanted = usize::from(call.arguments.halfword(1)?).clamp(TASK_SOCKETS_MIN, TASK_SOCKETS_MAX);
    call.sockets().sockets_max = wanted;
    call.arguments.put_fullword(4, wanted as i32 - 1)?;
    Ok(Reply::Done(0))
}

/// TERMAPI: the task's sockets are closed.
pub(super) fn term_api(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    call.sockets().close_all();
    Ok(Reply::Done(0))
}

/// CANCEL: REQAREA. Calls that are answered later exist for assembler only: there is no call to cancel.
pub(super) fn cancel(_: SocketCall<'_>) -> Done<Reply<'_>> {
    Err(Errno::INVAL.into())
}

/// GETHOSTNAME: NAMELEN, NAME.
pub(super) fn get_host_name(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let room = usize::try_from(call.arguments.fullword(1)?).unwrap_or(0);
    let system = rustix::system::uname();
    let name = system.nodename().to_bytes();
    if room == 0 {
        return Err(Errno::INVAL.into());
    }
    // As published: the name is filled up with zeros, and cut if need be.
    let mut field = vec![0; room.min(crate::limits::HOST_NAME_MAX)];
    let length = name.len().min(field.len());
    field[..length].copy_from_slice(&name[..length]);
    call.arguments.put(2, &field)?;
    Ok(Reply::Done(0))
}

/// GETHOSTID: RETCODE is the machine's IPv4 address.
pub(super) fn get_host_id(_: SocketCall<'_>) -> Done<Reply<'_>> {
    Ok(Reply::Done(i64::from(u32::from(own_address()) as i32)))
}

/// The address from which the machine speaks to others: nothing is sent to find it.
pub(super) fn own_address() -> Ipv4Addr {
    /// An address for documentation: it exists nowhere.
    const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let local = socket.and_then(|socket| socket.connect(ELSEWHERE).and_then(|()| socket.local_addr()));
    match local.as_ref().map(SocketAddr::ip) {
        Ok(IpAddr::V4(address)) => address,
        _ => Ipv4Addr::LOCALHOST,
    }
}

/// COMMAND of GETIBMOPT.
const TCP_IMAGES: i32 = 1;

/// The name under which this machine's TCP/IP is known.
const TCP_NAME: &[u8; 8] = b"TCPIP   ";

/// GETIBMOPT: COMMAND, BUF. There is one TCP/IP, and it is active: its count, then its status, version and name.
pub(super) fn get_ibm_opt(call: SocketCall<'_>) -> Done<Reply<'_>> {
    /// Status: active. Version: as the published 3.4 and later.
    const ACTIVE: [u8; 4] = [0x80, 0, 0x04, 0x10];
    if call.arguments.fullword(1)? != TCP_IMAGES {
        return Err(Errno::INVAL.into());
    }
    let mut answer = 1u32.to_be_bytes().to_vec();
    answer.extend_from_slice(&ACTIVE);
    answer.extend_from_slice(TCP_NAME);
    call.arguments.put(2, &answer)?;
    Ok(Reply::Done(0))
}
