//! Connections that speak no HTTP: bytes come, and the region says what of them is a request, and what is answered.

use std::pin::pin;
use std::rc::Rc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use crate::answer::Answer;
use crate::door::Door;
use crate::host::{Gone, Host, Next, Peer};
use crate::limits::{AHEAD_MAX, UNSENT_MAX};
use crate::link::{Link, Nothing};
use crate::reply::{Piece, Reply};

/// Serves such a connection to its end. Of answers only the bodies are written.
pub(crate) async fn run<H: Host, S: AsyncRead + AsyncWrite + Unpin>(
    door: &Door<H>,
    mut link: Link<S>,
    peer: Rc<Peer>,
    mut came: Vec<u8>,
) {
    let limits = door.limits();
    let mut reads = came.is_empty();
    loop {
        if reads {
            let wait = if came.is_empty() { limits.idle_max } else { Some(limits.head_max) };
            let until = wait.map(|wait| Instant::now() + wait);
            let read = tokio::select! {
                biased;
                () = door.closed(), if came.is_empty() => return,
                read = link.read(until, |bytes| came.extend_from_slice(bytes)) => read,
            };
            if read.is_err() {
                return;
            }
        }
        if came.len() as u64 > limits.sizes.body {
            tracing::info!(client = %peer.client, "a request is longer than MAXDATALEN");
            return link.linger(limits).await;
        }
        let mut ahead = Vec::new();
        match answered(door, &mut link, &peer, &came, &mut ahead).await {
            // The same bytes again, with those that come now.
            Ok(Next::More) => {
                reads = ahead.is_empty();
                came.append(&mut ahead);
            }
            Ok(Next::Answered) if door.keeps() => {
                reads = ahead.is_empty();
                came = ahead;
            }
            Ok(Next::Answered | Next::Ends) => return link.linger(limits).await,
            Err(_) => return,
        }
    }
}

/// Lets the region answer the bytes that have come so far, and writes the answer. Bytes that the client sends meanwhile are kept.
async fn answered<H: Host, S: AsyncRead + AsyncWrite + Unpin>(
    door: &Door<H>,
    link: &mut Link<S>,
    peer: &Rc<Peer>,
    came: &[u8],
    ahead: &mut Vec<u8>,
) -> Result<Next, std::io::Error> {
    let gone = Gone::default();
    let (reply, mut pieces) = Reply::new();
    let mut work = pin!(door.host().converse(came.to_vec(), Rc::clone(peer), gone.clone(), reply));
    let (mut next, mut watches) = (None, true);
    let mut out = Vec::new();
    loop {
        tokio::select! {
            biased;
            piece = pieces.recv() => match piece {
                Some(piece) => {
                    put(piece, &mut out);
                    if (next.is_none() || out.len() > UNSENT_MAX)
                        && let Err(error) = link.write(&std::mem::take(&mut out), door.limits()).await
                    {
                        gone.tell();
                        drop(pieces);
                        if next.is_none() {
                            work.await;
                        }
                        return Err(error);
                    }
                }
                None => break,
            },
            said = &mut work, if next.is_none() => next = Some(said),
            read = link.read(None, |bytes| ahead.extend_from_slice(bytes)), if watches && next.is_none() => {
                match read {
                    Ok(_) => watches = ahead.len() < AHEAD_MAX,
                    // One that will send no more may still read.
                    Err(Nothing::Ended) => watches = false,
                    Err(_) => {
                        watches = false;
                        gone.tell();
                    }
                }
            }
        }
    }
    // The reply has ended; what it was for may not have.
    let next = match next {
        Some(next) => next,
        None => work.await,
    };
    link.write(&out, door.limits()).await?;
    Ok(next)
}

fn put(piece: Piece, out: &mut Vec<u8>) {
    match piece {
        Piece::Whole(Answer { body, .. }) | Piece::Begin(Answer { body, .. }) => out.extend(body),
        Piece::Chunk(data) => out.extend(data),
        Piece::End(_) => {}
    }
}
