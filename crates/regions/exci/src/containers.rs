//! Commands of channels and containers, as tasks have them; there is no current channel, so each command names its own.

use std::sync::Arc;

use kernel::channels::{Channel, Container, DataType, Encoding, is_channel_name};
use kernel::name::Name16;
use spec::{Condition, OptionId, cmd, cond, opt};

use crate::Interface;
use crate::arguments::Command;
use crate::calls::{BAD_NAME, NO_ROOM};
use crate::commands::{Raised, Refused, missing, named, number, raise};

/// RESP2 of CHANNELERR, CONTAINERERR, INVREQ, LENGERR, END and TOKENERR, as tasks get them.
mod resp2 {
    pub const NO_CHANNEL: i32 = 2;
    pub const NO_CONTAINER: i32 = 10;
    pub const BAD_CONTAINER_NAME: i32 = 18;
    pub const NO_CURRENT_CHANNEL: i32 = 4;
    pub const BAD_DATA_TYPE: i32 = 2;
    pub const TOO_LONG: i32 = 1;
    pub const CUT: i32 = 11;
    pub const BAD_OFFSET: i32 = 12;
    pub const NO_MORE: i32 = 2;
    pub const NO_BROWSE: i32 = 3;
}

/// RESP2 of CCSIDERR and CODEPAGEERR.
mod conversion {
    pub const NO_CCSID: i32 = 1;
    pub const NOT_SUPPORTED: i32 = 2;
    pub const NOT_CHARACTERS: i32 = 3;
    pub const SUBSTITUTED: i32 = 4;
}

/// Characters of a code page's name.
const CODE_PAGE_NAME: usize = 56;

type Outcome<T = ()> = Result<T, Raised>;

impl Interface {
    pub(crate) fn container_command(&mut self, command: &mut dyn Command) -> Outcome {
        match command.id() {
            cmd::PUT_CONTAINER => self.put(command),
            cmd::GET_CONTAINER => self.get(command),
            cmd::MOVE_CONTAINER => self.move_(command),
            cmd::DELETE_CONTAINER => {
                let (channel, name) = (self.channel(command, opt::CHANNEL)?, container_name(command)?);
                match self.channels.remove(&channel, name) {
                    true => Ok(()),
                    false => raise(cond::CONTAINERERR, resp2::NO_CONTAINER),
                }
            }
            cmd::DELETE_CHANNEL => {
                let name = channel_name(command, opt::CHANNEL)?;
                match self.channels.delete(name) {
                    true => Ok(()),
                    false => raise(cond::CHANNELERR, resp2::NO_CHANNEL),
                }
            }
            cmd::QUERY_CHANNEL => {
                let count = self.channel(command, opt::CHANNEL)?.count();
                put_number(command, opt::CONTAINERCNT, count as i64)
            }
            cmd::STARTBROWSE_CONTAINER => {
                let channel = self.channel(command, opt::CHANNEL)?;
                match self.channels.browse(&channel) {
                    Ok(token) => put_number(command, opt::BROWSETOKEN, token.into()),
                    Err(_) => raise(cond::INVREQ, 0),
                }
            }
            cmd::GETNEXT_CONTAINER => {
                let token = browse_token(command)?;
                let Some(names) = self.channels.browsed(token) else {
                    return raise(cond::TOKENERR, resp2::NO_BROWSE);
                };
                let Some(name) = names.pop_front() else { return raise(cond::END, resp2::NO_MORE) };
                let Some(place) = command.place(opt::CONTAINER) else { return missing() };
                let length = command.size(place).min(name.as_bytes().len());
                Ok(command.write(place, &name.as_bytes()[..length])?)
            }
            cmd::ENDBROWSE_CONTAINER => match self.channels.end_browse(browse_token(command)?) {
                true => Ok(()),
                false => raise(cond::TOKENERR, resp2::NO_BROWSE),
            },
            other => Err(Raised::Refused(Refused::NotHere(spec::command(other).name.to_owned()))),
        }
    }

    /// The channel that an option names.
    fn channel(&self, command: &dyn Command, option: OptionId) -> Outcome<Arc<Channel>> {
        let name = channel_name(command, option)?;
        self.channels.get(name).map_or_else(|| raise(cond::CHANNELERR, resp2::NO_CHANNEL), Ok)
    }

    /// The same; it is made if it is not there.
    fn channel_to_fill(&mut self, command: &dyn Command, option: OptionId) -> Outcome<Arc<Channel>> {
        let name = channel_name(command, option)?;
        if !is_channel_name(name) {
            return raise(cond::CHANNELERR, BAD_NAME);
        }
        self.channels.get_or_make(name).or_else(|_| raise(cond::CHANNELERR, NO_ROOM))
    }

    fn put(&mut self, command: &mut dyn Command) -> Outcome {
        let name = container_name(command)?;
        if !is_channel_name(name) {
            return raise(cond::CONTAINERERR, resp2::BAD_CONTAINER_NAME);
        }
        let data_type = data_type(command)?;
        let Some(from) = command.place(opt::FROM) else { return missing() };
        let length = number(command, opt::FLENGTH)?.unwrap_or(command.size(from) as i64);
        let Ok(length) = usize::try_from(length) else { return raise(cond::LENGERR, resp2::TOO_LONG) };
        let data = command.read(from, length)?;
        let channel = self.channel_to_fill(command, opt::CHANNEL)?;
        let (append, prepend) = (command.keyword(opt::APPEND), command.keyword(opt::PREPEND));
        let old = channel.get(name).filter(|_| append || prepend);
        let (data, data_type) = match old {
            None => (data, data_type),
            Some(Container { data: old, data_type: of_old, .. }) => {
                let new = match (data_type, of_old) {
                    (DataType::Char(from), DataType::Char(to)) => from.convert(&data, to).0,
                    _ => data,
                };
                let joined = if append { [&**old, &new].concat() } else { [&new, &**old].concat() };
                (joined, of_old)
            }
        };
        self.channels.put(&channel, name, &data, data_type).or_else(|_| raise(cond::LENGERR, resp2::TOO_LONG))
    }

    /// GET CONTAINER: what the encoding does not have is replaced, and told after the data were given.
    fn get(&mut self, command: &mut dyn Command) -> Outcome {
        let channel = self.channel(command, opt::CHANNEL)?;
        let name = container_name(command)?;
        let Some(container) = channel.get(name) else {
            return raise(cond::CONTAINERERR, resp2::NO_CONTAINER);
        };
        let wanted = encoding(command, opt::INTOCCSID, opt::INTOCODEPAGE)?;
        let refused = match command.place(opt::INTOCODEPAGE) {
            Some(_) => cond::CODEPAGEERR,
            None => cond::CCSIDERR,
        };
        let (bytes, whole, ccsid) = match container.data_type {
            DataType::Char(from) => {
                let (bytes, whole) = from.convert(&container.data, wanted.unwrap_or_default());
                (bytes, whole, from.ccsid())
            }
            DataType::Bit if wanted.is_some() => return raise(refused, conversion::NOT_CHARACTERS),
            DataType::Bit => (container.data.to_vec(), true, 0),
        };
        put_number(command, opt::CCSID, ccsid)?;
        let offset = usize::try_from(number(command, opt::BYTEOFFSET)?.unwrap_or(0));
        let Some(data) = offset.ok().and_then(|offset| bytes.get(offset..)) else {
            return raise(cond::LENGERR, resp2::BAD_OFFSET);
        };
        if command.keyword(opt::NODATA) {
            return put_number(command, opt::FLENGTH, data.len() as i64);
        }
        let is_cut = deliver(command, data)?;
        match (is_cut, whole) {
            (true, _) => raise(cond::LENGERR, resp2::CUT),
            (false, false) => raise(refused, conversion::SUBSTITUTED),
            (false, true) => Ok(()),
        }
    }

    fn move_(&mut self, command: &mut dyn Command) -> Outcome {
        let from = self.channel(command, opt::CHANNEL)?;
        let name = container_name(command)?;
        let Some(new_name) = named(command, opt::AS)?.map(|name: [u8; 16]| Name16::new(name)) else {
            return missing();
        };
        if !is_channel_name(new_name) {
            return raise(cond::CONTAINERERR, resp2::BAD_CONTAINER_NAME);
        }
        let Some(container) = from.get(name) else { return raise(cond::CONTAINERERR, resp2::NO_CONTAINER) };
        let to = match command.place(opt::TOCHANNEL) {
            Some(_) => self.channel_to_fill(command, opt::TOCHANNEL)?,
            None => Arc::clone(&from),
        };
        from.remove(name);
        to.put(new_name, container.data, container.data_type);
        Ok(())
    }
}

/// Gives the data of a container to INTO or SET, and their length to FLENGTH. Returns true if INTO was too short.
fn deliver(command: &mut dyn Command, data: &[u8]) -> Outcome<bool> {
    if let Some(place) = command.place(opt::SET) {
        let Some(address) = command.hold(data) else { return raise(cond::LENGERR, resp2::CUT) };
        command.put_pointer(place, address)?;
        put_number(command, opt::FLENGTH, data.len() as i64)?;
        return Ok(false);
    }
    let Some(into) = command.place(opt::INTO) else { return missing() };
    let room = number(command, opt::FLENGTH)?.unwrap_or(command.size(into) as i64);
    let Ok(room) = usize::try_from(room) else { return raise(cond::LENGERR, resp2::CUT) };
    command.write(into, &data[..data.len().min(room)])?;
    put_number(command, opt::FLENGTH, data.len() as i64)?;
    Ok(data.len() > room)
}

fn data_type(command: &dyn Command) -> Outcome<DataType> {
    let encoding = encoding(command, opt::FROMCCSID, opt::FROMCODEPAGE)?;
    if let Some(value) = number(command, opt::DATATYPE)? {
        return match i32::try_from(value).ok().and_then(spec::cvda_name) {
            Some("BIT") => Ok(DataType::Bit),
            Some("CHAR") => Ok(DataType::Char(encoding.unwrap_or_default())),
            _ => raise(cond::INVREQ, resp2::BAD_DATA_TYPE),
        };
    }
    let characters = command.keyword(opt::CHAR) || encoding.is_some();
    Ok(if characters { DataType::Char(encoding.unwrap_or_default()) } else { DataType::Bit })
}

/// The encoding that a command names by number or by name.
fn encoding(command: &dyn Command, ccsid: OptionId, code_page: OptionId) -> Outcome<Option<Encoding>> {
    let found = |encoding: Option<Encoding>, condition: Condition| match encoding {
        Some(encoding) => Ok(Some(encoding)),
        None => raise(condition, conversion::NOT_SUPPORTED),
    };
    if let Some(number) = number(command, ccsid)? {
        if u16::try_from(number).is_err() || number == 0 {
            return raise(cond::CCSIDERR, conversion::NO_CCSID);
        }
        return found(Encoding::of_ccsid(number), cond::CCSIDERR);
    }
    let Some(name) = named::<CODE_PAGE_NAME>(command, code_page)? else { return Ok(None) };
    found(Encoding::of_name(String::from_utf8_lossy(&name).trim_end()), cond::CODEPAGEERR)
}

fn channel_name(command: &dyn Command, option: OptionId) -> Outcome<Name16> {
    match named(command, option)? {
        Some(name) => Ok(Name16::new(name as [u8; 16])),
        None => raise(cond::INVREQ, resp2::NO_CURRENT_CHANNEL),
    }
}

fn container_name(command: &dyn Command) -> Outcome<Name16> {
    named(command, opt::CONTAINER)?.map_or_else(missing, |name: [u8; 16]| Ok(Name16::new(name)))
}

fn browse_token(command: &dyn Command) -> Outcome<i32> {
    let token = number(command, opt::BROWSETOKEN)?.unwrap_or(0);
    Ok(i32::try_from(token).unwrap_or(0))
}

/// Stores a number where the program has the option.
fn put_number(command: &mut dyn Command, option: OptionId, number: i64) -> Outcome {
    if let Some(place) = command.place(option) {
        command.put_number(place, number)?;
    }
    Ok(())
}
