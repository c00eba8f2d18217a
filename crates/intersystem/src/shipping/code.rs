//! Commands as they are sent: by the numbers of their sender, which the Hello has named.

use kernel::exec::{Content, Parcel};
use kernel::limits::HALFWORD_LENGTH_MAX;
use link::Translation;
use spec::{CommandId, OptionId, cmd, opt};

use super::message::{Field, Shipped, Wire};
use crate::hello::NAMES;

/// The commands that another region may ask for.
const SHIPPED: [CommandId; 19] = [
    cmd::DELETE,
    cmd::ENDBR,
    cmd::READ,
    cmd::READNEXT,
    cmd::READPREV,
    cmd::RESETBR,
    cmd::REWRITE,
    cmd::STARTBR,
    cmd::UNLOCK,
    cmd::WRITE,
    cmd::DELETEQ_TS,
    cmd::READQ_TS,
    cmd::WRITEQ_TS,
    cmd::DELETEQ_TD,
    cmd::READQ_TD,
    cmd::WRITEQ_TD,
    cmd::START,
    cmd::START_CHANNEL,
    cmd::CANCEL,
];

/// Options that stay with their sender, or would lead further.
const STAY: [OptionId; 3] = [opt::SYSID, opt::RESP, opt::RESP2];

/// The number of an option: its place among the names of this build.
pub(super) fn number_of(option: OptionId) -> Option<u16> {
    let place = NAMES.options.binary_search_by(|name| name.as_str().cmp(option.name())).ok()?;
    u16::try_from(place).ok()
}

/// The option of a command by a partner's number.
pub(super) fn option_of(command: &spec::Command, theirs: &Translation, number: u16) -> Option<OptionId> {
    let name = NAMES.options.get(usize::from(theirs.option(number)?))?;
    command.all_options().find(|option| option.name == name).map(|option| option.id)
}

/// A command as it is sent; `None`: it cannot be.
pub(super) fn written(parcel: &Parcel) -> Option<Shipped> {
    let command = NAMES.commands.iter().position(|name| *name == parcel.command().name)?;
    let field = |(option, room, content)| {
        Some(Field { option: number_of(option)?, room: u32::try_from(room).ok()?, content: wire(content)? })
    };
    Some(Shipped {
        command: u16::try_from(command).ok()?,
        fields: parcel.fields().map(field).collect::<Option<_>>()?,
        keywords: parcel.keywords().map(number_of).collect::<Option<_>>()?,
        channel: None,
    })
}

/// A content as it is sent: addresses are not.
pub(super) fn wire(content: Content) -> Option<Wire> {
    match content {
        Content::Nothing => Some(Wire::Nothing),
        Content::Bytes(bytes) => Some(Wire::Bytes(bytes)),
        Content::Number(number) => Some(Wire::Number(number)),
        Content::Pointer(_) => None,
    }
}

/// A content that has come.
pub(super) fn content(wire: Wire) -> Content {
    match wire {
        Wire::Nothing => Content::Nothing,
        Wire::Bytes(bytes) => Content::Bytes(bytes),
        Wire::Number(number) => Content::Number(number),
    }
}

/// The command that a partner has sent; `None`: it is none that another region may ask for, or has what it does not take.
pub(super) fn read(shipped: &Shipped, theirs: &Translation) -> Option<Parcel> {
    let name = NAMES.commands.get(usize::from(theirs.command(shipped.command)?))?;
    let command = spec::find(name).filter(|command| SHIPPED.contains(&command.id))?;
    let mut parcel = Parcel::new(command.id);
    for Field { option, room, content: wire } in &shipped.fields {
        let option = option_of(command, theirs, *option).filter(|option| !STAY.contains(option))?;
        let room = usize::try_from(*room).ok().filter(|room| *room <= HALFWORD_LENGTH_MAX)?;
        match wire {
            Wire::Nothing => parcel.room(option, room).ok()?,
            Wire::Bytes(bytes) if bytes.len() > HALFWORD_LENGTH_MAX => return None,
            Wire::Bytes(_) | Wire::Number(_) => parcel.give(option, content(wire.clone())).ok()?,
        }
    }
    for keyword in &shipped.keywords {
        let option = option_of(command, theirs, *keyword).filter(|option| !STAY.contains(option))?;
        parcel.keyword(option).ok()?;
    }
    let is_whole = command.missing(|id| parcel.has(id)).next().is_none()
        && command.clashing(|id| parcel.has(id)).next().is_none();
    (is_whole && parcel.not_built().next().is_none()).then_some(parcel)
}

/// The transaction of a mirror task for a command.
pub(super) fn transaction_of(command: CommandId) -> &'static str {
    match command {
        cmd::START | cmd::START_CHANNEL | cmd::CANCEL => "CSM2",
        cmd::DELETEQ_TS | cmd::READQ_TS | cmd::WRITEQ_TS => "CSM3",
        cmd::DELETEQ_TD | cmd::READQ_TD | cmd::WRITEQ_TD => "CSM3",
        _ => "CSMI",
    }
}
