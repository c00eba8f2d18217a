//! PUT, GET, MOVE and DELETE CONTAINER, browses, QUERY and DELETE CHANNEL.

use std::borrow::Cow;
use std::sync::Arc;

use spec::{OptionId, cmd, cond, opt};

use kernel::channels::{Channel, DataType, Encoding, is_channel_name};
use kernel::exec::call::Delivery;
use kernel::exec::{Answers, Call, Handler, at_once};
use kernel::limits::CONTAINER_BYTES_MAX;
use kernel::meters::Figure;
use kernel::name::Name16;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Browse, Task};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::PUT_CONTAINER, at_once!(nearly always put)),
    (cmd::PUT64_CONTAINER, at_once!(nearly always put)),
    (cmd::GET_CONTAINER, Handler::Now(get)),
    (cmd::GET64_CONTAINER, Handler::Now(get)),
    (cmd::DELETE_CONTAINER, Handler::Now(delete)),
    (cmd::MOVE_CONTAINER, Handler::Now(move_)),
    (cmd::STARTBROWSE_CONTAINER, Handler::Now(start_browse)),
    (cmd::GETNEXT_CONTAINER, Handler::Now(get_next)),
    (cmd::ENDBROWSE_CONTAINER, Handler::Now(end_browse)),
    (cmd::QUERY_CHANNEL, Handler::Now(query)),
    (cmd::DELETE_CHANNEL, Handler::Now(delete_channel)),
];

/// The channel of a command: named, or the program's current one.
fn channel(task: &Task, call: &Call<'_>, option: OptionId) -> Outcome<Arc<Channel>> {
    match call.name(option)? {
        Some(name) => task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(2)),
        None => task.level().channel.clone().ok_or_else(|| cond::INVREQ.raise(4)),
    }
}

/// The same for a command that makes the channel if there is none.
fn channel_to_fill(task: &mut Task, call: &Call<'_>, option: OptionId) -> Outcome<Arc<Channel>> {
    match call.name(option)? {
        Some(name) => task.channel_to_pass(name),
        None => task.level().channel.clone().ok_or_else(|| cond::INVREQ.raise(4)),
    }
}

fn container_name(call: &Call<'_>, option: OptionId) -> Outcome<Name16> {
    let name: Name16 = call.need_name(option)?;
    if is_channel_name(name) { Ok(name) } else { Err(cond::CONTAINERERR.raise(18)) }
}

/// PUT CONTAINER: BIT unless CHAR, DATATYPE or a CCSID says characters. APPEND adds to what is there, in its encoding;
/// PREPEND does at the beginning. Without room the task waits until others give storage back.
async fn put(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (length, is_new) = put_whole(task, call).await?;
    task.adds(Figure::ContainerBytesWritten, length);
    task.adds(Figure::ContainersCreated, is_new.into());
    Ok(())
}

/// The same; how many bytes came, and true if the container is new.
async fn put_whole(task: &mut Task, call: &Call<'_>) -> Outcome<(usize, bool)> {
    let name = container_name(call, opt::CONTAINER)?;
    let channel = channel_to_fill(task, call, opt::CHANNEL)?;
    let data = call.outgoing(opt::FROM, opt::FLENGTH, CONTAINER_BYTES_MAX)?.unwrap_or_default();
    let data_type = data_type(call)?;
    let (append, prepend) = (call.keyword(opt::APPEND), call.keyword(opt::PREPEND));
    let known = channel.described(name);
    let told = (data.len(), known.is_none());
    let Some((old, length)) = known.filter(|_| append || prepend) else {
        return task.put_container(&channel, name, data.to_vec(), data_type).await.map(|()| told);
    };
    let new = match (data_type, old) {
        (DataType::Char(from), DataType::Char(to)) => Cow::Owned(from.convert(&data, to).0),
        _ => Cow::Borrowed(data.as_slice()),
    };
    if length.saturating_add(new.len()) > CONTAINER_BYTES_MAX {
        return Err(cond::LENGERR.raise(1));
    }
    if append {
        return task.append_to_container(&channel, name, &new).await.map(|()| told);
    }
    let before = channel.get(name).map(|old| old.data);
    let bytes = [&*new, before.as_deref().map_or(&[][..], |bytes| bytes)].concat();
    task.put_container(&channel, name, bytes, old).await.map(|()| told)
}

fn data_type(call: &Call<'_>) -> Outcome<DataType> {
    let encoding = encoding(call, opt::FROMCCSID, opt::FROMCODEPAGE)?;
    if let Some(value) = call.number(opt::DATATYPE)? {
        return match spec::cvda_name(value as i32) {
            Some("BIT") => Ok(DataType::Bit),
            Some("CHAR") => Ok(DataType::Char(encoding.unwrap_or_default())),
            _ => Err(cond::INVREQ.raise(2)),
        };
    }
    let characters = call.keyword(opt::CHAR) || encoding.is_some();
    Ok(if characters { DataType::Char(encoding.unwrap_or_default()) } else { DataType::Bit })
}

/// RESP2 of CCSIDERR and CODEPAGEERR.
mod conversion {
    pub const NO_CCSID: i32 = 1;
    pub const NOT_SUPPORTED: i32 = 2;
    pub const NOT_CHARACTERS: i32 = 3;
    pub const SUBSTITUTED: i32 = 4;
}

/// The encoding that a command names by number or by name.
fn encoding(call: &Call<'_>, ccsid: OptionId, code_page: OptionId) -> Outcome<Option<Encoding>> {
    if let Some(number) = call.number(ccsid)? {
        if u16::try_from(number).is_err() || number == 0 {
            return Err(cond::CCSIDERR.raise(conversion::NO_CCSID));
        }
        let encoding = Encoding::of_ccsid(number);
        return encoding.map(Some).ok_or_else(|| cond::CCSIDERR.raise(conversion::NOT_SUPPORTED));
    }
    let Some(name) = call.name::<CODE_PAGE_NAME>(code_page)? else { return Ok(None) };
    let encoding = Encoding::of_name(&name.to_string());
    encoding.map(Some).ok_or_else(|| cond::CODEPAGEERR.raise(conversion::NOT_SUPPORTED))
}

/// Characters of a code page's name.
const CODE_PAGE_NAME: usize = 56;

/// The rules by which GET CONTAINER delivers the bytes.
const DELIVERY: Delivery = Delivery::FULLWORD.resp2(11);

/// GET CONTAINER: into INTO, by SET, or with NODATA its length only. BYTEOFFSET skips bytes.
///
/// Characters are given in the encoding that the command names, or as the program has them; bytes as they are. What
/// the encoding does not have is replaced, and told after the data were given.
fn get(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call, opt::CHANNEL)?;
    let name: Name16 = call.need_name(opt::CONTAINER)?;
    let container = channel.get(name).ok_or_else(|| cond::CONTAINERERR.raise(10))?;
    let wanted = encoding(call, opt::INTOCCSID, opt::INTOCODEPAGE)?;
    let by_name = call.has(opt::INTOCODEPAGE);
    let refuse = |resp2| if by_name { cond::CODEPAGEERR.raise(resp2) } else { cond::CCSIDERR.raise(resp2) };
    let (bytes, whole, ccsid) = match container.data_type {
        DataType::Char(from) => {
            let (bytes, whole) = from.convert(&container.data, wanted.unwrap_or_default());
            (bytes, whole, from.ccsid())
        }
        DataType::Bit if wanted.is_some() => return Err(refuse(conversion::NOT_CHARACTERS)),
        DataType::Bit => (container.data.to_vec(), true, 0),
    };
    call.put_number(opt::CCSID, ccsid)?;
    let offset = usize::try_from(call.number(opt::BYTEOFFSET)?.unwrap_or(0));
    let data = offset.ok().and_then(|offset| bytes.get(offset..));
    let data = data.ok_or_else(|| cond::LENGERR.raise(12))?;
    if call.keyword(opt::NODATA) {
        return call.put_number(opt::FLENGTH, data.len() as i64);
    }
    call.deliver(data, DELIVERY, |data| task.hold(data))?;
    task.adds(Figure::ContainerBytesRead, data.len());
    if whole { Ok(()) } else { Err(refuse(conversion::SUBSTITUTED)) }
}

/// DELETE CONTAINER.
fn delete(task: &mut Task, call: &Call<'_>) -> Outcome {
    let channel = channel(task, call, opt::CHANNEL)?;
    let name: Name16 = call.need_name(opt::CONTAINER)?;
    channel.remove(name).map(|_| ()).ok_or_else(|| cond::CONTAINERERR.raise(10))
}

/// MOVE CONTAINER: within a channel or to another; what stood at the target is replaced.
fn move_(task: &mut Task, call: &Call<'_>) -> Outcome {
    let from = channel(task, call, opt::CHANNEL)?;
    let name: Name16 = call.need_name(opt::CONTAINER)?;
    let new_name = container_name(call, opt::AS)?;
    let to = if call.has(opt::TOCHANNEL) {
        channel_to_fill(task, call, opt::TOCHANNEL)?
    } else {
        Arc::clone(&from)
    };
    let container = from.remove(name).ok_or_else(|| cond::CONTAINERERR.raise(10))?;
    to.put(new_name, container.data, container.data_type);
    Ok(())
}

/// STARTBROWSE CONTAINER: the names as they are now, in the order of their PUTs.
fn start_browse(task: &mut Task, call: &Call<'_>) -> Outcome {
    let names = channel(task, call, opt::CHANNEL)?.names();
    let token = task.start_browse(Browse::Containers(names.into()))?;
    call.put_number(opt::BROWSETOKEN, token)
}

/// GETNEXT CONTAINER.
fn get_next(task: &mut Task, call: &Call<'_>) -> Outcome {
    let token = call.number(opt::BROWSETOKEN)?.unwrap_or(0);
    let Some(Browse::Containers(names)) = task.browse(token) else { return Err(cond::TOKENERR.raise(3)) };
    let name = names.pop_front().ok_or_else(|| cond::END.raise(2))?;
    call.put(opt::CONTAINER, name.as_bytes())
}

/// ENDBROWSE CONTAINER.
fn end_browse(task: &mut Task, call: &Call<'_>) -> Outcome {
    let token = call.number(opt::BROWSETOKEN)?.unwrap_or(0);
    if task.end_browse(token) { Ok(()) } else { Err(cond::TOKENERR.raise(3)) }
}

/// QUERY CHANNEL: how many containers.
fn query(task: &mut Task, call: &Call<'_>) -> Outcome {
    let count = channel(task, call, opt::CHANNEL)?.count();
    call.put_number(opt::CONTAINERCNT, count as i64)
}

/// DELETE CHANNEL: one that this program has made.
fn delete_channel(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name16 = call.need_name(opt::CHANNEL)?;
    let own = &mut task.level_mut().own_channels;
    let before = own.len();
    own.retain(|channel| channel.name != name);
    if own.len() < before { Ok(()) } else { Err(cond::CHANNELERR.raise(2)) }
}
