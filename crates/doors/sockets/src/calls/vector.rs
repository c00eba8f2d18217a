//! Transfers with several buffers: READV, WRITEV, RECVMSG, SENDMSG.
//!
//! An entry of IOV is a pointer, a reserved fullword and a length; MSG is six pointers: to a NAME, to its length, to an
//! IOV, to its count, and two for access rights, which TCP does not carry. Pointers have the size that COBOL gives them:
//! four bytes, as published.

use super::connection::{name_of_bytes, put_name_at};
use super::transfer::{Flags, receive, transmit};
use super::{Reply, SocketCall};
use crate::arguments::{Arguments, Bytes, Done};
use crate::errno::Errno;
use crate::limits::{TRANSFER_BYTES_MAX, VECTOR_MAX};

/// Bytes of an entry of IOV after its pointer.
const BEHIND_POINTER: usize = 8;

/// The buffers of an IOV: the address and the length of each.
type Buffers = Vec<(usize, usize)>;

fn fullword(arguments: &Arguments<'_>, address: usize) -> Done<i32> {
    let bytes = arguments.bytes_at(address, 4)?;
    Ok(bytes.as_slice().try_into().map_or(0, i32::from_be_bytes))
}

fn buffers(call: &mut SocketCall<'_>, address: usize, count: i32, refusal: Errno) -> Done<Buffers> {
    let count = usize::try_from(count).ok().filter(|n| (1..=VECTOR_MAX).contains(n)).ok_or(Errno::INVAL)?;
    let arguments = call.arguments;
    let pointer = arguments.pointer_length();
    let mut room = TRANSFER_BYTES_MAX;
    let mut buffers = Buffers::with_capacity(count);
    for entry in (0..count).map(|index| address + index * (pointer + BEHIND_POINTER)) {
        let length = usize::try_from(fullword(&arguments, entry + pointer + 4)?).map_err(|_| refusal)?;
        let length = length.min(room);
        room -= length;
        buffers.push((arguments.pointer_at(entry)?, length));
    }
    Ok(buffers)
}

fn total(buffers: &Buffers) -> usize {
    buffers.iter().map(|(_, length)| length).sum()
}

/// Gives received bytes to the buffers, one after the other.
fn scatter(arguments: &Arguments<'_>, buffers: &Buffers, mut data: &[u8]) -> Done {
    for (address, length) in buffers {
        let (piece, rest) = data.split_at(data.len().min(*length));
        arguments.put_at(*address, piece)?;
        data = rest;
    }
    Ok(())
}

/// The bytes of the buffers, one after the other.
fn gather(arguments: &Arguments<'_>, buffers: &Buffers) -> Done<Bytes> {
    let mut data = Bytes::new();
    for (address, length) in buffers {
        data.extend_from_slice(&arguments.bytes_at(*address, *length)?);
    }
    Ok(data)
}

/// READV: S, IOV, IOVCNT.
pub(super) fn readv(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = arguments.address(2)?;
    let buffers = buffers(&mut call, address, arguments.fullword(3)?, Errno::READ_LENGTH)?;
    receive(call, Flags(0), total(&buffers), move |call, received| {
        scatter(&call.arguments, &buffers, &received.data)
    })
}

/// WRITEV: S, IOV, IOVCNT.
pub(super) fn writev(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = arguments.address(2)?;
    let buffers = buffers(&mut call, address, arguments.fullword(3)?, Errno::WRITE_LENGTH)?;
    let data = gather(&arguments, &buffers)?;
    transmit(call, Flags(0), data, None)
}

/// A MSG: the places of the NAME and its length, and the buffers.
struct Message {
    name: usize,
    name_length: usize,
    buffers: Buffers,
}

impl Message {
    fn read(call: &mut SocketCall<'_>, at: usize, refusal: Errno) -> Done<Self> {
        let arguments = call.arguments;
        let address = arguments.address(at)?;
        let member = |index: usize| arguments.pointer_at(address + index * arguments.pointer_length());
        let [name, name_length, vector, count] = [member(0)?, member(1)?, member(2)?, member(3)?];
        let count = fullword(&arguments, count)?;
        let buffers = buffers(call, vector, count, refusal)?;
        Ok(Self { name, name_length, buffers })
    }
}

/// RECVMSG: S, MSG, FLAGS.
pub(super) fn recv_msg(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(3)?);
    let message = Message::read(&mut call, 2, Errno::RECEIVE_LENGTH)?;
    receive(call, flags, total(&message.buffers), move |call, received| {
        if let Some(from) = received.from.filter(|_| message.name != 0) {
            let length = put_name_at(&call.arguments, message.name, &from)?;
            if message.name_length != 0 {
                call.arguments.put_at(message.name_length, &(length as u32).to_be_bytes())?;
            }
        }
        scatter(&call.arguments, &message.buffers, &received.data)
    })
}

/// SENDMSG: S, MSG, FLAGS.
pub(super) fn send_msg(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(3)?);
    let message = Message::read(&mut call, 2, Errno::SEND_LENGTH)?;
    let data = gather(&call.arguments, &message.buffers)?;
    let family = call.entry()?.family;
    let to = match message.name {
        0 => None,
        name => Some(name_of_bytes(&call.arguments.bytes_at(name, family.name_length())?, family)?),
    };
    transmit(call, flags, data, to)
}
