//! Names and addresses: GETHOSTBYNAME, GETHOSTBYADDR, GETADDRINFO, GETNAMEINFO, NTOP, PTON.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind};
use kernel::task::{Task, WaitKind};

use super::connection::name_of_bytes;
use super::{Reply, SocketCall, wait};
use crate::address::Family;
use crate::arguments::{Arguments, Bytes, Done};
use crate::errno::Errno;
use crate::limits::{HOST_NAME_MAX, SERVICE_NAME_MAX};
use crate::resolver::{Found, Host};

/// Asks the system's resolver on a thread that may block.
async fn ask<T: Send + 'static>(
    task: &Task,
    question: impl FnOnce() -> Result<T, LookupError> + Send + 'static,
) -> Done<T> {
    let answer = wait(task, WaitKind::SOCKET, tokio::task::spawn_blocking(question)).await?;
    let answer = answer.map_err(|_| Errno::RESOLVER_FAILED)?;
    Ok(answer.map_err(|error| match error.kind() {
        LookupErrorKind::NoName | LookupErrorKind::NoData => Errno::NAME_UNKNOWN,
        LookupErrorKind::Again => Errno::TRY_AGAIN,
        LookupErrorKind::Family => Errno::FAMILY,
        _ => Errno::RESOLVER_FAILED,
    })?)
}

/// A text whose length another argument gives.
fn text(arguments: &Arguments<'_>, at: usize, length: i32, most: usize) -> Done<Option<String>> {
    let length = usize::try_from(length).unwrap_or(0).min(most);
    if length == 0 {
        return Ok(None);
    }
    Ok(Some(arguments.text(at, length)?).filter(|text| !text.is_empty()))
}

/// GETHOSTBYNAME: NAMELEN, NAME, HOSTENT.
pub(super) fn get_host_by_name(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let name = text(&arguments, 2, arguments.fullword(1)?, HOST_NAME_MAX)?.ok_or(Errno::NAME_UNKNOWN)?;
    Ok(Reply::waits(async move {
        let wanted = name.clone();
        let hints = AddrInfoHints { address: system::INET, socktype: system::STREAM, ..Default::default() };
        let found = ask(call.task, move || list(Some(&wanted), None, hints)).await?;
        let addresses: Vec<IpAddr> = found.iter().map(|found| found.address.ip()).collect();
        let host = Host { name, aliases: Vec::new(), addresses };
        let number = call.sockets().resolved.keep_host(host);
        arguments.put_handle(3, number)?;
        Ok(0)
    }))
}

/// GETHOSTBYADDR: HOSTADR, HOSTENT.
pub(super) fn get_host_by_addr(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = IpAddr::V4(Ipv4Addr::from(arguments.fullword(1)? as u32));
    Ok(Reply::waits(async move {
        let named = move || dns_lookup::getnameinfo(&SocketAddr::new(address, 0), system::NAME_REQUIRED);
        let (name, _) = ask(call.task, named).await?;
        let host = Host { name, aliases: Vec::new(), addresses: vec![address] };
        let number = call.sockets().resolved.keep_host(host);
        arguments.put_handle(2, number)?;
        Ok(0)
    }))
}

/// Numbers of this system where they differ from the published ones.
mod system {
    pub const INET: i32 = 2;
    pub const INET6: i32 = 10;
    pub const STREAM: i32 = 1;
    pub const NAME_REQUIRED: i32 = 8;
    /// AI flags: published, and here.
    pub const ADDRESS_FLAGS: [(i32, i32); 7] =
        [(1, 0x1), (2, 0x2), (4, 0x4), (8, 0x400), (16, 0x8), (32, 0x10), (64, 0x20)];
    /// NI flags: published, and here.
    pub const NAME_FLAGS: [(i32, i32); 5] = [(1, 4), (2, 1), (4, 8), (8, 2), (16, 16)];
}

fn translated(flags: i32, table: &[(i32, i32)]) -> i32 {
    table.iter().filter(|(published, _)| flags & published != 0).fold(0, |here, (_, flag)| here | flag)
}

fn list(node: Option<&str>, service: Option<&str>, hints: AddrInfoHints) -> Result<Vec<Found>, LookupError> {
    let entries = dns_lookup::getaddrinfo(node, service, Some(hints))?;
    let found = entries.flatten().map(|entry| Found {
        address: entry.sockaddr,
        kind: entry.socktype,
        protocol: entry.protocol,
        canonical: entry.canonname,
    });
    Ok(found.collect())
}

/// HINTS: the structure that a given pointer points to.
fn hints(call: &mut SocketCall<'_>, at: usize) -> Done<AddrInfoHints> {
    let arguments = call.arguments;
    let address = match arguments.pointer(at)? {
        Some(address) => address,
        None => arguments.address(at)?,
    };
    if address == 0 {
        return Ok(AddrInfoHints::default());
    }
    let words = arguments.bytes_at(address, 16)?;
    let word = |index: usize| words[index * 4..][..4].iter().fold(0i32, |n, byte| n << 8 | i32::from(*byte));
    let family = match word(1) {
        0 => 0,
        number if Family::of(number.into())? == Family::Inet => system::INET,
        _ => system::INET6,
    };
    let flags = translated(word(0), &system::ADDRESS_FLAGS);
    Ok(AddrInfoHints { flags, address: family, socktype: word(2), protocol: word(3) })
}

/// GETADDRINFO: NODE, NODELEN, SERVICE, SERVLEN, HINTS, RES, CANNLEN.
pub(super) fn get_addr_info(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let length = |at: usize| if arguments.has(at) { arguments.fullword(at) } else { Ok(0) };
    let node = text(&arguments, 1, length(2)?, HOST_NAME_MAX)?;
    let service = text(&arguments, 3, length(4)?, SERVICE_NAME_MAX)?;
    let hints = if arguments.has(5) { hints(&mut call, 5)? } else { AddrInfoHints::default() };
    Ok(Reply::waits(async move {
        let question = move || list(node.as_deref(), service.as_deref(), hints);
        let found = ask(call.task, question).await?;
        let canonical = found.first().and_then(|found| found.canonical.as_ref()).map_or(0, String::len);
        let resolved = &mut call.sockets().resolved;
        let first = resolved.keep_list(&found, arguments.call()).ok_or(Errno::NO_STORAGE)?;
        arguments.put_handle(6, first)?;
        if arguments.has(7) {
            arguments.put_fullword(7, canonical as i32)?;
        }
        Ok(0)
    }))
}

/// FREEADDRINFO: ADDRINFO.
pub(super) fn free_addr_info(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let (first, own) = (call.arguments.handle(1)?, call.arguments.call());
    match call.sockets().resolved.free_list(first, own) {
        true => Ok(Reply::Done(0)),
        false => Err(Errno::INVAL.into()),
    }
}

/// GETNAMEINFO: NAME, NAMELEN, HOST, HOSTLEN, SERVICE, SERVLEN, FLAGS. The lengths come back as those of the texts.
pub(super) fn get_name_info(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = any_name(&arguments, 1)?;
    let flags = translated(arguments.fullword(7)?, &system::NAME_FLAGS);
    Ok(Reply::waits(async move {
        let question = move || dns_lookup::getnameinfo(&address, flags);
        let (host, service) = ask(call.task, question).await?;
        put_text(&arguments, (3, 4), host.as_bytes())?;
        put_text(&arguments, (5, 6), service.as_bytes())?;
        Ok(0)
    }))
}

/// A NAME of either family.
fn any_name(arguments: &Arguments<'_>, at: usize) -> Done<SocketAddr> {
    let written: [u8; 2] = arguments.array(at)?;
    let family = Family::of(u16::from_be_bytes(written).into())?;
    name_of_bytes(&arguments.bytes(at, family.name_length())?, family)
}

/// Writes a text and its length, if there is room for any.
fn put_text(arguments: &Arguments<'_>, (at, length): (usize, usize), text: &[u8]) -> Done {
    if !arguments.has(at) || !arguments.has(length) {
        return Ok(());
    }
    let room = usize::try_from(arguments.fullword(length)?).unwrap_or(0);
    if room == 0 {
        return Ok(());
    }
    if text.len() > room {
        return Err(Errno::OVERFLOW.into());
    }
    arguments.put(at, text)?;
    arguments.put_fullword(length, text.len() as i32)
}

/// INET6_IS_SRCADDR: NAME. RETCODE is 1 if the machine has this address.
pub(super) fn inet6_is_src_addr(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let mut address = any_name(&call.arguments, 1)?;
    address.set_port(0);
    Ok(Reply::Done(UdpSocket::bind(address).is_ok().into()))
}

/// NTOP: FAMILY, address, PRESENT, PRESENT-LEN, which comes back as the text's length.
pub(super) fn ntop(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let family = Family::of(arguments.fullword(1)?.into())?;
    let address = family.address(&arguments.bytes(2, family.address_length())?).to_string();
    if address.len() > usize::from(arguments.halfword(4)?) {
        return Err(Errno::INVAL.into());
    }
    arguments.put(3, address.as_bytes())?;
    arguments.put_halfword(4, address.len() as u16)?;
    Ok(Reply::Done(0))
}

/// PTON: FAMILY, PRESENT, PRESENT-LEN, address.
pub(super) fn pton(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let family = Family::of(arguments.fullword(1)?.into())?;
    let text = arguments.text(2, usize::from(arguments.halfword(3)?).min(HOST_NAME_MAX))?;
    let bytes: Bytes = match (family, text.parse()) {
        (Family::Inet, Ok(IpAddr::V4(address))) => address.octets().as_slice().into(),
        (Family::Inet6, Ok(IpAddr::V6(address))) => address.octets().as_slice().into(),
        _ => return Err(Errno::INVAL.into()),
    };
    arguments.put(4, &bytes)?;
    Ok(Reply::Done(0))
}
