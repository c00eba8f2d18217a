//! Transfers with several buffers: READV, WRITEV, RECVMSG, SENDMSG.
//!
//! An entry of IOV is a pointer, a reserved fullword and a length; MSG is six pointers: to a NAME, to its length, to an
//! IOV, to its count, and two for access rights, which TCP does not carry. Pointers have the size that COBOL gives them
//! here.

use super::connection::{name_of_bytes, put_name_at};
use super::transfer::{Flags, receive, transmit};
use super::{Reply, SocketCall};
use crate::arguments::{Arguments, Bytes, Done};
use crate::errno::Errno;
use crate::limits::{TRANSFER_BYTES_MAX, VECTOR_MAX};

const POINTER: usize = size_of::<usize>();
/// Bytes of an entry of IOV.
const ENTRY: usize = POINTER + 8;

/// The buffers of an IOV: where each is, and how long.
type Buffers = Vec<(usize, usize)>;

fn pointer(arguments: &Arguments<'_>, address: usize) -> Done<usize> {
    let bytes = arguments.bytes_at(address, POINTER)?;
    Ok(bytes.as_slice().try_into().map_or(0, usize::from_ne_bytes))
}

fn fullword(arguments: &Arguments<'_>, address: usize) -> Done<i32> {
    let bytes = arguments.bytes_at(address, 4)?;
    Ok(bytes.as_slice().try_into().map_or(0, i32::from_be_bytes))
}

fn buffers(arguments: &Arguments<'_>, address: usize, count: i32, refusal: Errno) -> Done<Buffers> {
    let count = usize::try_from(count).ok().filter(|n| (1..=VECTOR_MAX).contains(n)).ok_or(Errno::INVAL)?;
    let mut room = TRANSFER_BYTES_MAX;
    let mut buffers = Buffers::with_capacity(count);
    for entry in (0..count).map(|index| address + index * ENTRY) {
        let length = usize::try_from(fullword(arguments, entry + POINTER + 4)?).map_err(|_| refusal)?;
        let length = length.min(room);
        room -= length;
        buffers.push((pointer(arguments, entry)?, length));
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
pub(super) fn readv(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = arguments.arg(2)?.address();
    let buffers = buffers(&arguments, address, arguments.fullword(3)?, Errno::READ_LENGTH)?;
    receive(call, Flags(0), total(&buffers), move |call, received| {
        scatter(&call.arguments, &buffers, &received.data)
    })
}

/// WRITEV: S, IOV, IOVCNT.
pub(super) fn writev(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let address = arguments.arg(2)?.address();
    let buffers = buffers(&arguments, address, arguments.fullword(3)?, Errno::WRITE_LENGTH)?;
    let data = gather(&arguments, &buffers)?;
    transmit(call, Flags(0), data, None)
}

/// A MSG: where the NAME and its length are, and the buffers.
struct Message {
    name: usize,
    name_length: usize,
    buffers: Buffers,
}

impl Message {
    fn read(arguments: &Arguments<'_>, at: usize, refusal: Errno) -> Done<Self> {
        let address = arguments.arg(at)?.address();
        let member = |index: usize| pointer(arguments, address + index * POINTER);
        let count = fullword(arguments, member(3)?)?;
        let buffers = buffers(arguments, member(2)?, count, refusal)?;
        Ok(Self { name: member(0)?, name_length: member(1)?, buffers })
    }
}

/// RECVMSG: S, MSG, FLAGS.
pub(super) fn recv_msg(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(3)?);
    let message = Message::read(&call.arguments, 2, Errno::RECEIVE_LENGTH)?;
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
    let message = Message::read(&call.arguments, 2, Errno::SEND_LENGTH)?;
    let data = gather(&call.arguments, &message.buffers)?;
    let family = call.entry()?.family;
    let to = match message.name {
        0 => None,
        name => Some(name_of_bytes(&call.arguments.bytes_at(name, family.name_length())?, family)?),
    };
    transmit(call, flags, data, to)
}
