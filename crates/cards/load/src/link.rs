//! A terminal's connection: one message out, one response in.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use card::iso8583::{FRAME_LENGTH_MAX, Message, PREFIX_LENGTH, Response};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::kind::{Kind, Outcome};
use crate::simulator::Attempt;

/// A connection that is made when it is needed.
pub(crate) struct Link {
    target: SocketAddr,
    persistent: bool,
    patience: Duration,
    stream: Option<TcpStream>,
    /// The end of a connection that has given no response.
    cut: Option<Cut>,
}

impl Link {
    pub(crate) fn new(target: SocketAddr, persistent: bool, patience: Duration) -> Self {
        Self { target, persistent, patience, stream: None, cut: None }
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

    /// The way in which the other end has hung up on the last message.
    pub(crate) fn take_cut(&mut self) -> Option<Cut> {
        self.cut.take()
    }

    async fn converse(&mut self, attempt: &Attempt) -> Result<Vec<u8>, Broken> {
        let begun = Instant::now();
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.target).await.map_err(|_| Broken::NotConnected)?;
            self.stream = Some(stream);
        }
        let stream = self.stream.as_mut().ok_or(Broken::NotConnected)?;
        let own = stream.local_addr().ok();
        let mut input = Vec::with_capacity(FRAME_LENGTH_MAX);
        let mut stage = Stage::Sending;
        match talk(stream, attempt, &mut stage, &mut input).await {
            Err(Ended::TooLong) => Err(Broken::TooLong),
            Err(Ended::HungUp(error)) => {
                self.cut = Some(Cut { own, stage, after: begun.elapsed(), bytes: input.len(), error });
                Err(Broken::HungUp)
            }
            Ok(response) => Ok(response),
        }
    }
}

/// A message out and its response in; `stage` and `input` say how far it went.
async fn talk(
    stream: &mut TcpStream,
    attempt: &Attempt,
    stage: &mut Stage,
    input: &mut Vec<u8>,
) -> Result<Vec<u8>, Ended> {
    stream.set_nodelay(true)?;
    stream.write_all(&attempt.bytes).await?;
    if attempt.kind == Kind::Short {
        stream.shutdown().await?;
    }
    *stage = Stage::Waiting;
    if attempt.kind == Kind::Silent { Err(hung_up(stream).await) } else { receive(stream, input).await }
}

/// The reason why there is no response.
enum Broken {
    NotConnected,
    HungUp,
    TooLong,
}

/// The end of a connection without a response.
enum Ended {
    HungUp(Option<io::Error>),
    TooLong,
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::HungUp(Some(error))
    }
}

/// The place in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Sending,
    Waiting,
}

/// The way in which the other end has hung up: where to look for it in the region's log and among the system's counts.
#[derive(Debug)]
pub(crate) struct Cut {
    own: Option<SocketAddr>,
    stage: Stage,
    /// Since the exchange began, connecting included.
    after: Duration,
    /// Bytes of a response that had come.
    bytes: usize,
    /// The system's error; `None`: the other end has closed in order.
    error: Option<io::Error>,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own.map_or_else(|| String::from("a client"), |own| own.to_string());
        let stage = match self.stage {
            Stage::Sending => "while it sent its message",
            Stage::Waiting => "while it waited for the answer",
        };
        let after = self.after.as_secs_f64() * 1e3;
        write!(f, "{own} after {after:.3} ms, {stage}, {} bytes of which had come: ", self.bytes)?;
        match &self.error {
            Some(error) => write!(f, "{error}"),
            None => f.write_str("closed"),
        }
    }
}

/// Waits until the other end hangs up. Bytes before that, a listener's reason perhaps, are no response.
async fn hung_up(stream: &mut TcpStream) -> Ended {
    let mut word = [0; FRAME_LENGTH_MAX];
    loop {
        match stream.read(&mut word).await {
            Ok(0) => return Ended::HungUp(None),
            Ok(_) => {}
            Err(error) => return Ended::HungUp(Some(error)),
        }
    }
}

/// A message without its length.
async fn receive(stream: &mut TcpStream, input: &mut Vec<u8>) -> Result<Vec<u8>, Ended> {
    loop {
        if let Some(prefix) = input.first_chunk::<PREFIX_LENGTH>() {
            let end = PREFIX_LENGTH + usize::from(u16::from_be_bytes(*prefix));
            if end > FRAME_LENGTH_MAX || input.len() > end {
                return Err(Ended::TooLong);
            }
            if input.len() == end {
                return Ok(input.split_off(PREFIX_LENGTH));
            }
        }
        if stream.read_buf(input).await? == 0 {
            return Err(Ended::HungUp(None));
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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// The words about a server that does something with its only client and hangs up.
    async fn said_of(serve: impl FnOnce(std::net::TcpStream) + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("its address");
        let server = std::thread::spawn(move || serve(listener.accept().expect("a client").0));
        let mut link = Link::new(at, false, Duration::from_secs(10));
        let attempt = Attempt {
            kind: Kind::Valid,
            bytes: b"MESSAGE".to_vec(),
            counter: 1,
            reference: card::digits::Digits::of(1),
        };
        assert_eq!(link.exchange(&attempt).await, (Outcome::HungUp, None));
        server.join().expect("the server ends");
        let said = link.take_cut().expect("it says how").to_string();
        assert!(link.take_cut().is_none());
        said.split_once(", ").map(|(_, how)| how.to_owned()).expect("an address and a time")
    }

    #[tokio::test]
    async fn a_client_that_is_hung_up_on_says_how() {
        let closed = said_of(|mut client| {
            client.read_exact(&mut [0; 7]).expect("the message");
            client.write_all(&[0, 9, b'A']).expect("a part of an answer");
        });
        assert_eq!(closed.await, "while it waited for the answer, 3 bytes of which had come: closed");
        // Bytes that the server leaves unread make its end a reset.
        let reset = said_of(|mut client| client.read_exact(&mut [0; 1]).expect("a part of the message"));
        assert_eq!(
            reset.await,
            "while it waited for the answer, 0 bytes of which had come: Connection reset by peer (os error 104)"
        );
    }
}
