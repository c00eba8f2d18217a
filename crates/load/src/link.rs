//! A terminal's connection: one message out, one response in.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use card::iso8583::{FRAME_LENGTH_MAX, Message, PREFIX_LENGTH, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::kind::{Kind, Outcome};
use crate::simulator::Attempt;

/// A connection that is made when it is needed.
pub(crate) struct Link {
    target: SocketAddr,
    persistent: bool,
    patience: Duration,
    stream: Option<TcpStream>,
}

impl Link {
    pub(crate) fn new(target: SocketAddr, persistent: bool, patience: Duration) -> Self {
        Self { target, persistent, patience, stream: None }
    }

    /// Sends a message and waits for its outcome; with a response, the Authenticator's own microseconds.
    pub(crate) async fn exchange(&mut self, attempt: &Attempt) -> (Outcome, Option<u32>) {
        let connected = self.stream.is_some();
        let result = timeout(self.patience, self.converse(attempt)).await;
        let (outcome, time) = match result {
            Err(_) if self.stream.is_none() && !connected => (Outcome::NotConnected, None),
            Err(_) => (Outcome::TimedOut, None),
            Ok(Ok(response)) => judge(attempt, &response),
            Ok(Err(Broken::NotConnected)) => (Outcome::NotConnected, None),
            Ok(Err(Broken::HungUp)) => (Outcome::HungUp, None),
            Ok(Err(Broken::TooLong)) => (Outcome::Unreadable, None),
        };
        if !(self.persistent && matches!(outcome, Outcome::Answered(_))) {
            self.stream = None;
        }
        (outcome, time)
    }

    async fn converse(&mut self, attempt: &Attempt) -> Result<Vec<u8>, Broken> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.target).await.map_err(|_| Broken::NotConnected)?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        let stream = self.stream.as_mut().ok_or(Broken::NotConnected)?;
        stream.write_all(&attempt.bytes).await?;
        if attempt.kind == Kind::Short {
            stream.shutdown().await?;
        }
        if attempt.kind == Kind::Silent { Err(hung_up(stream).await) } else { receive(stream).await }
    }
}

/// The reason why there is no response.
enum Broken {
    NotConnected,
    HungUp,
    TooLong,
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Self {
        Self::HungUp
    }
}

/// Waits until the other end hangs up. Bytes before that, a listener's reason perhaps, are no response.
async fn hung_up(stream: &mut TcpStream) -> Broken {
    let mut word = [0; FRAME_LENGTH_MAX];
    while let Ok(1..) = stream.read(&mut word).await {}
    Broken::HungUp
}

/// A message without its length.
async fn receive(stream: &mut TcpStream) -> Result<Vec<u8>, Broken> {
    let mut input = Vec::with_capacity(FRAME_LENGTH_MAX);
    loop {
        if let Some(prefix) = input.first_chunk::<PREFIX_LENGTH>() {
            let end = PREFIX_LENGTH + usize::from(u16::from_be_bytes(*prefix));
            if end > FRAME_LENGTH_MAX || input.len() > end {
                return Err(Broken::TooLong);
            }
            if input.len() == end {
                return Ok(input.split_off(PREFIX_LENGTH));
            }
        }
        if stream.read_buf(&mut input).await? == 0 {
            return Err(Broken::HungUp);
        }
    }
}

/// The outcome that a response gives, if it belongs to this message. A message that cannot be read has no reference to
/// compare.
fn judge(attempt: &Attempt, bytes: &[u8]) -> (Outcome, Option<u32>) {
    let Ok(response) = Message::decode(bytes).and_then(|message| Response::read(&message)) else {
        return (Outcome::Unreadable, None);
    };
    let anonymous = matches!(attempt.kind, Kind::Malformed | Kind::Short | Kind::Oversized | Kind::Silent);
    if response.reference != attempt.reference && !anonymous {
        return (Outcome::Unreadable, None);
    }
    (Outcome::Answered(response.answer), Some(response.microseconds))
}
