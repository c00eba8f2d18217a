//! GETSOCKOPT and SETSOCKOPT: the published numbers of options, and their meaning here.
//!
//! A value is a fullword, except for SO-LINGER (two), times (seconds and microseconds) and groups of multicast.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::net::SocketType;
use rustix::net::sockopt::*;

use super::{Reply, SocketCall};
use crate::arguments::Done;
use crate::errno::Errno;
use crate::limits::OPTION_BYTES_MAX;

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Number(u32),
    /// Two fullwords: on or off and seconds (SO-LINGER), or seconds and microseconds.
    Pair(u32, u32),
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Number(flag.into())
    }
}

/// Numbers of options.
mod option {
    pub const REUSE_ADDRESS: i32 = 0x4;
    pub const KEEP_ALIVE: i32 = 0x8;
    pub const BROADCAST: i32 = 0x20;
    pub const LINGER: i32 = 0x80;
    pub const OOB_INLINE: i32 = 0x100;
    pub const SEND_BUFFER: i32 = 0x1001;
    pub const RECEIVE_BUFFER: i32 = 0x1002;
    pub const SEND_TIMEOUT: i32 = 0x1005;
    pub const RECEIVE_TIMEOUT: i32 = 0x1006;
    pub const ERROR: i32 = 0x1007;
    pub const TYPE: i32 = 0x1008;
    pub const TCP_NO_DELAY: i32 = 0x8000_0001u32 as i32;
    pub const TCP_KEEP_ALIVE: i32 = 0x8000_0008u32 as i32;
    pub const IP_MULTICAST_TTL: i32 = 0x0010_0003;
    pub const IP_MULTICAST_LOOP: i32 = 0x0010_0004;
    pub const IP_ADD_MEMBERSHIP: i32 = 0x0010_0005;
    pub const IP_DROP_MEMBERSHIP: i32 = 0x0010_0006;
    pub const IP_MULTICAST_IF: i32 = 0x0010_0007;
    pub const IPV6_UNICAST_HOPS: i32 = 0x0001_0003;
    pub const IPV6_MULTICAST_LOOP: i32 = 0x0001_0004;
    pub const IPV6_JOIN_GROUP: i32 = 0x0001_0005;
    pub const IPV6_LEAVE_GROUP: i32 = 0x0001_0006;
    pub const IPV6_MULTICAST_IF: i32 = 0x0001_0007;
    pub const IPV6_MULTICAST_HOPS: i32 = 0x0001_0009;
    pub const IPV6_V6_ONLY: i32 = 0x0001_000a;
}

/// GETSOCKOPT: S, OPTNAME, OPTVAL, OPTLEN.
pub(super) fn get_sock_opt(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let name = arguments.fullword(2)?;
    let entry = call.entry()?;
    let value = match name {
        option::SEND_TIMEOUT => time(entry.send_timeout),
        option::RECEIVE_TIMEOUT => time(entry.receive_timeout),
        option::LINGER if let Some(time) = entry.linger => Value::Pair(1, time.as_secs() as u32),
        name => get(entry.socket.fd(), name)?,
    };
    let bytes: Vec<u8> = match value {
        Value::Number(number) => number.to_be_bytes().to_vec(),
        Value::Pair(first, second) => [first.to_be_bytes(), second.to_be_bytes()].concat(),
    };
    arguments.put(3, &bytes)?;
    arguments.put_fullword(4, bytes.len() as i32)?;
    Ok(Reply::Done(0))
}

fn get(fd: BorrowedFd<'_>, name: i32) -> Result<Value, Errno> {
    let size = |size: usize| Value::Number(u32::try_from(size).unwrap_or(u32::MAX));
    Ok(match name {
        option::REUSE_ADDRESS => socket_reuseaddr(fd)?.into(),
        option::KEEP_ALIVE => socket_keepalive(fd)?.into(),
        option::BROADCAST => socket_broadcast(fd)?.into(),
        option::LINGER => {
            let linger = socket_linger(fd)?;
            Value::Pair(linger.is_some().into(), linger.map_or(0, |linger| linger.as_secs() as u32))
        }
        option::OOB_INLINE => socket_oobinline(fd)?.into(),
        option::SEND_BUFFER => size(socket_send_buffer_size(fd)?),
        option::RECEIVE_BUFFER => size(socket_recv_buffer_size(fd)?),
        option::ERROR => Value::Number(socket_error(fd)?.err().map_or(0, |e| Errno::from(e).0 as u32)),
        option::TYPE => Value::Number(match socket_type(fd)? {
            SocketType::STREAM => 1,
            SocketType::DGRAM => 2,
            _ => 3,
        }),
        option::TCP_NO_DELAY => tcp_nodelay(fd)?.into(),
        option::TCP_KEEP_ALIVE => Value::Number(tcp_keepidle(fd)?.as_secs() as u32),
        option::IP_MULTICAST_TTL => Value::Number(ip_multicast_ttl(fd)?),
        option::IP_MULTICAST_LOOP => ip_multicast_loop(fd)?.into(),
        option::IP_MULTICAST_IF => Value::Number(ip_multicast_if(fd)?.into()),
        option::IPV6_UNICAST_HOPS => Value::Number(ipv6_unicast_hops(fd)?.into()),
        option::IPV6_MULTICAST_LOOP => ipv6_multicast_loop(fd)?.into(),
        option::IPV6_MULTICAST_IF => Value::Number(ipv6_multicast_if(fd)?),
        option::IPV6_MULTICAST_HOPS => Value::Number(ipv6_multicast_hops(fd)?),
        option::IPV6_V6_ONLY => ipv6_v6only(fd)?.into(),
        _ => return Err(Errno::NOPROTOOPT),
    })
}

fn time(time: Option<Duration>) -> Value {
    time.map_or(Value::Pair(0, 0), |time| Value::Pair(time.as_secs() as u32, time.subsec_micros()))
}

/// SETSOCKOPT: S, OPTNAME, OPTVAL, OPTLEN.
pub(super) fn set_sock_opt(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let name = arguments.fullword(2)?;
    let length = usize::try_from(arguments.fullword(4)?).map_err(|_| Errno::OPTION_LENGTH)?;
    let value = arguments.bytes(3, length.min(OPTION_BYTES_MAX))?;
    let (entry, value) = (call.entry()?, Given(&value));
    match name {
        option::SEND_TIMEOUT => entry.send_timeout = value.time()?,
        option::RECEIVE_TIMEOUT => entry.receive_timeout = value.time()?,
        option::LINGER => {
            let time = value.flag()?.then_some(Duration::from_secs(value.word(1)?.into()));
            entry.linger = time.filter(|time| !time.is_zero());
            // No time at all: a close resets the connection.
            set_socket_linger(entry.socket.fd(), time.filter(Duration::is_zero))?;
        }
        name => set(entry.socket.fd(), name, &value)?,
    }
    Ok(Reply::Done(0))
}

/// The bytes of OPTVAL.
struct Given<'a>(&'a [u8]);

impl Given<'_> {
    fn part<const N: usize>(&self, at: usize) -> Result<[u8; N], Errno> {
        self.0.get(at..at + N).and_then(|part| part.try_into().ok()).ok_or(Errno::OPTION_LENGTH)
    }

    /// The fullword at a place.
    fn word(&self, index: usize) -> Result<u32, Errno> {
        Ok(u32::from_be_bytes(self.part(index * 4)?))
    }

    fn flag(&self) -> Result<bool, Errno> {
        Ok(self.word(0)? != 0)
    }

    fn size(&self) -> Result<usize, Errno> {
        Ok(self.word(0)? as usize)
    }

    fn time(&self) -> Result<Option<Duration>, Errno> {
        let time = Duration::new(self.word(0)?.into(), 0) + Duration::from_micros(self.word(1)?.into());
        Ok(Some(time).filter(|time| !time.is_zero()))
    }

    fn v4(&self, index: usize) -> Result<Ipv4Addr, Errno> {
        Ok(Ipv4Addr::from(self.word(index)?))
    }

    fn v6(&self) -> Result<Ipv6Addr, Errno> {
        Ok(Ipv6Addr::from(self.part::<16>(0)?))
    }
}

fn set(fd: BorrowedFd<'_>, name: i32, value: &Given<'_>) -> Result<(), Errno> {
    match name {
        option::REUSE_ADDRESS => set_socket_reuseaddr(fd, value.flag()?)?,
        option::KEEP_ALIVE => set_socket_keepalive(fd, value.flag()?)?,
        option::BROADCAST => set_socket_broadcast(fd, value.flag()?)?,
        option::OOB_INLINE => set_socket_oobinline(fd, value.flag()?)?,
        option::SEND_BUFFER => set_socket_send_buffer_size(fd, value.size()?)?,
        option::RECEIVE_BUFFER => set_socket_recv_buffer_size(fd, value.size()?)?,
        option::TCP_NO_DELAY => set_tcp_nodelay(fd, value.flag()?)?,
        option::TCP_KEEP_ALIVE => {
            let seconds = value.word(0)?;
            set_socket_keepalive(fd, seconds != 0)?;
            if seconds != 0 {
                set_tcp_keepidle(fd, Duration::from_secs(seconds.into()))?;
            }
        }
        option::IP_MULTICAST_TTL => {
            set_ip_multicast_ttl(fd, value.0.first().map_or(0, |ttl| u32::from(*ttl)))?
        }
        option::IP_MULTICAST_LOOP => set_ip_multicast_loop(fd, value.0.iter().any(|byte| *byte != 0))?,
        option::IP_ADD_MEMBERSHIP => set_ip_add_membership(fd, &value.v4(0)?, &value.v4(1)?)?,
        option::IP_DROP_MEMBERSHIP => set_ip_drop_membership(fd, &value.v4(0)?, &value.v4(1)?)?,
        option::IP_MULTICAST_IF => set_ip_multicast_if(fd, &value.v4(0)?)?,
        option::IPV6_UNICAST_HOPS => set_ipv6_unicast_hops(fd, u8::try_from(value.word(0)?).ok())?,
        option::IPV6_MULTICAST_LOOP => set_ipv6_multicast_loop(fd, value.flag()?)?,
        option::IPV6_JOIN_GROUP => set_ipv6_add_membership(fd, &value.v6()?, value.word(4)?)?,
        option::IPV6_LEAVE_GROUP => set_ipv6_drop_membership(fd, &value.v6()?, value.word(4)?)?,
        option::IPV6_MULTICAST_IF => set_ipv6_multicast_if(fd, value.word(0)?)?,
        option::IPV6_MULTICAST_HOPS => set_ipv6_multicast_hops(fd, value.word(0)?)?,
        option::IPV6_V6_ONLY => set_ipv6_v6only(fd, value.flag()?)?,
        _ => return Err(Errno::NOPROTOOPT),
    }
    Ok(())
}
