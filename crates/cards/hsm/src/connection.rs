//! One connection: a command, its response, the next command.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::behaviour::{Behaviour, DeviceFault};
use crate::module::Module;
use crate::statistics::Statistics;

/// Bytes of the length before a command; it does not count itself.
const PREFIX_LENGTH: usize = 2;
/// Bytes that are asked for at a time: more than any command but an echo has.
const READ_LENGTH: usize = 4096;
/// The response code of a wrong answer, in place of the right one.
const NO_COMMAND: &[u8; 2] = b"??";

/// The part that all connections share.
pub(crate) struct Shared {
    pub(crate) module: Module,
    pub(crate) behaviour: RefCell<Behaviour>,
    pub(crate) statistics: RefCell<Statistics>,
}

/// Serves a connection to its end.
pub(crate) async fn run(stream: TcpStream, shared: Rc<Shared>) {
    shared.statistics.borrow_mut().connected();
    let _counted = Counted(Rc::clone(&shared));
    if let Err(error) = converse(stream, &shared).await {
        tracing::debug!("connection ended: {error}");
    }
}

/// Takes the connection off the count, however its future ends.
struct Counted(Rc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.statistics.borrow_mut().disconnected();
    }
}

async fn converse(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = Vec::with_capacity(READ_LENGTH);
    loop {
        while let Some(length) = frame_length(&input) {
            let response = shared.module.respond(&input[PREFIX_LENGTH..length]);
            input.drain(..length);
            let Some(response) = response else {
                shared.statistics.borrow_mut().malformed += 1;
                return Ok(());
            };
            let (delay, fault) = shared.behaviour.borrow_mut().next();
            {
                let mut statistics = shared.statistics.borrow_mut();
                statistics.command(response.command, response.error);
                if let Some(fault) = fault {
                    statistics.fault(fault);
                }
            }
            if delay > Duration::ZERO {
                tokio::time::sleep(delay).await;
            }
            let mut answer = framed(&response.bytes);
            match fault {
                Some(DeviceFault::Close) => return Ok(()),
                Some(DeviceFault::Drop) => continue,
                Some(DeviceFault::Wrong) => {
                    let code = PREFIX_LENGTH + shared.module.header_length();
                    answer[code..code + NO_COMMAND.len()].copy_from_slice(NO_COMMAND);
                }
                Some(DeviceFault::Late) | None => (),
            }
            stream.write_all(&answer).await?;
        }
        input.reserve(READ_LENGTH);
        if stream.read_buf(&mut input).await? == 0 {
            return Ok(());
        }
    }
}

/// Bytes of the first frame, if all of it is there.
fn frame_length(input: &[u8]) -> Option<usize> {
    let prefix = input.first_chunk::<PREFIX_LENGTH>()?;
    let length = PREFIX_LENGTH + usize::from(u16::from_be_bytes(*prefix));
    (input.len() >= length).then_some(length)
}

/// A response after its length.
pub(crate) fn framed(response: &[u8]) -> Vec<u8> {
    // Responses are shorter than the commands they answer, or have a fixed length.
    let length = u16::try_from(response.len()).unwrap_or(u16::MAX);
    [&length.to_be_bytes()[..], response].concat()
}
