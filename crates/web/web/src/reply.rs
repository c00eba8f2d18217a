//! Answer of a request: whole, or piece by piece.

use http::Fields;
use tokio::sync::mpsc;

use crate::answer::Answer;

/// A piece of an answer on its way to the connection.
#[derive(Debug)]
pub(crate) enum Piece {
    /// All of it.
    Whole(Answer),
    /// A head whose body comes in chunks.
    Begin(Answer),
    Chunk(Vec<u8>),
    End(Fields),
}

/// Answers one request. A whole answer that is not sent at once replaces an earlier one; it goes out when what the request
/// led to has ended.
#[derive(Debug)]
pub struct Reply {
    pieces: mpsc::Sender<Piece>,
    later: Option<Answer>,
    state: State,
    /// Something that is done to the fields of each answer.
    completes: Option<Completes>,
}

/// Something that completes the fields of an answer.
#[derive(Clone, Debug)]
struct Completes {
    fields: Fields,
    with: fn(&mut Fields, &Fields),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    InChunks,
    Ended,
}

/// The client takes no answer any more, or the answer has ended already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientGone;

impl Reply {
    /// A reply, and the end at which its pieces arrive. One piece waits at most: the writer waits for the client.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Piece>) {
        let (pieces, arriving) = mpsc::channel(1);
        (Self { pieces, later: None, state: State::Open, completes: None }, arriving)
    }

    /// From now on every answer is completed by these fields.
    pub fn completed(&mut self, fields: Fields, with: fn(&mut Fields, &Fields)) {
        self.completes = Some(Completes { fields, with });
    }

    fn complete(&self, mut answer: Answer) -> Answer {
        if let Some(Completes { fields, with }) = &self.completes {
            with(&mut answer.fields, fields);
        }
        answer
    }

    /// Keeps an answer, in place of one that was kept before.
    ///
    /// # Errors
    /// An answer was sent already.
    pub fn keep(&mut self, answer: Answer) -> Result<(), ClientGone> {
        if self.state != State::Open {
            return Err(ClientGone);
        }
        self.later = Some(answer);
        Ok(())
    }

    /// Sends an answer now.
    ///
    /// # Errors
    /// See [`ClientGone`].
    pub async fn send(&mut self, answer: Answer) -> Result<(), ClientGone> {
        let answer = self.complete(answer);
        self.step(State::Open, State::Ended, Piece::Whole(answer)).await
    }

    /// Sends the head of an answer whose body comes in chunks.
    ///
    /// # Errors
    /// See [`ClientGone`].
    pub async fn begin(&mut self, head: Answer) -> Result<(), ClientGone> {
        let head = self.complete(head);
        self.step(State::Open, State::InChunks, Piece::Begin(head)).await
    }

    /// Sends a chunk, as soon as the client has taken those before it.
    ///
    /// # Errors
    /// See [`ClientGone`].
    pub async fn chunk(&mut self, data: Vec<u8>) -> Result<(), ClientGone> {
        self.step(State::InChunks, State::InChunks, Piece::Chunk(data)).await
    }

    /// Ends an answer in chunks. Without it the client sees that the answer is not whole.
    ///
    /// # Errors
    /// See [`ClientGone`].
    pub async fn end(&mut self, trailer: Fields) -> Result<(), ClientGone> {
        self.step(State::InChunks, State::Ended, Piece::End(trailer)).await
    }

    /// Returns true if an answer was sent, all of it.
    pub fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    async fn step(&mut self, from: State, to: State, piece: Piece) -> Result<(), ClientGone> {
        if self.state != from {
            return Err(ClientGone);
        }
        self.later = None;
        self.state = to;
        self.pieces.send(piece).await.map_err(|_| ClientGone)
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(answer) = self.later.take() {
            // Nothing was sent before, so there is room.
            let _ = self.pieces.try_send(Piece::Whole(self.complete(answer)));
        }
    }
}
