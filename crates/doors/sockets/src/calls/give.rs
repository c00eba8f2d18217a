//! Sockets between tasks: GIVESOCKET, TAKESOCKET, GETCLIENTID.

use super::{Reply, SocketCall};
use crate::address::Family;
use crate::arguments::Done;
use crate::errno::Errno;
use crate::handover::{ClientId, Gift};
use crate::task::TaskSocket;

impl SocketCall<'_> {
    /// The CLIENTID of the calling task.
    fn client_id(&mut self, family: Family) -> ClientId {
        ClientId { family, name: self.shared.applid, task: self.sockets().id }
    }
}

/// GIVESOCKET: S, CLIENT that may take it; blanks admit any task.
pub(super) fn give_socket(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let number = call.arguments.halfword(1)?;
    let to = ClientId::decode(&call.arguments.array(2)?)?;
    let handover = &call.shared.handover;
    let sockets = call.shared.sockets_of(call.task);
    let giver = sockets.id;
    let entry = sockets.get(number)?;
    if !entry.stream || entry.is_taken() {
        return Err(Errno::BADF.into());
    }
    if to.family != entry.family {
        return Err(Errno::INVAL.into());
    }
    let gift = Gift::new(entry.socket.clone(), entry.family, to, None);
    handover.give(giver, number, &gift);
    entry.gift = Some(gift);
    Ok(Reply::Done(0))
}

/// TAKESOCKET: SOCRECV, CLIENT that gives it. RETCODE is its new number.
pub(super) fn take_socket(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let number = call.arguments.halfword(1)?;
    let giver = ClientId::decode(&call.arguments.array(2)?)?;
    let taker = call.client_id(giver.family);
    if !giver.name.is_blank() && giver.name != taker.name {
        return Err(Errno::BADF.into());
    }
    // A socket that is taken and has no number would be lost, and its client hung up on.
    call.sockets().has_room()?;
    let (socket, family) = call.shared.handover.take(&giver, number, &taker)?;
    if let Some(client) = socket.arrived() {
        client.is_of(call.task.number);
    }
    Ok(Reply::Done(call.sockets().add(TaskSocket::new(socket, family, true))?.into()))
}

/// GETCLIENTID: CLIENT.
pub(super) fn get_client_id(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    // A domain that the program has set is kept.
    let written: [u8; 4] = call.arguments.array(1)?;
    let family = Family::of(u32::from_be_bytes(written).into()).unwrap_or(Family::Inet);
    let id = call.client_id(family).encode();
    call.arguments.put(1, &id)?;
    Ok(Reply::Done(0))
}
