//! Requests and replies as bytes: a length of four bytes, little-endian, and a value.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest value: more than the longest record with everything around it, or a job with its data.
const LENGTH_MAX: usize = 64 << 20;

fn to_frame(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = postcard::to_extend(value, vec![0; size_of::<u32>()]).map_err(io::Error::other)?;
    let length = frame.len() - size_of::<u32>();
    if length > LENGTH_MAX {
        return Err(io::Error::other("more in one piece than can be sent"));
    }
    frame[..size_of::<u32>()].copy_from_slice(&(length as u32).to_le_bytes());
    Ok(frame)
}

fn length(head: [u8; size_of::<u32>()]) -> io::Result<usize> {
    let length = u32::from_le_bytes(head) as usize;
    if length > LENGTH_MAX { Err(io::Error::other("more in one piece than can be sent")) } else { Ok(length) }
}

/// Sends a value, waiting on this thread.
pub(crate) fn send(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    to.write_all(&to_frame(value)?)
}

/// Receives a value, waiting on this thread; [`io::ErrorKind::UnexpectedEof`] where the other side has ended.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut head = [0; size_of::<u32>()];
    from.read_exact(&mut head)?;
    let mut bytes = vec![0; length(head)?];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}
