//! A command as a value of its own: the options that were given, their arguments, and what it gave back.
//!
//! A program's command is its CALL, and its arguments are the program's storage. Any other caller fills a parcel: a native
//! program, a user at a terminal, a unit test. [`issue`](super::issue) has it answered by the handler that answers
//! programs. A parcel has bytes of its own (`encoding`), so it can also be answered elsewhere.
//!
//! A field of a parcel has no USAGE: a number that is put is a number, characters are characters. Out of scope: the
//! meaning of an option.

mod content;
mod encoding;
mod text;

use std::cell::RefCell;

use spec::call::{Descriptor, encode, mark_unbuilt};
use spec::{Command, CommandId, Condition, Direction, Kind, OptionId, Status, opt};

pub use content::Content;
pub use encoding::NotAParcel;
pub use text::{Bound, VARIABLE_LETTERS, Variables, is_variable};

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    command: CommandId,
    /// RESP and RESP2, then the others in the order in which they were given.
    arguments: Vec<Held>,
    keywords: Vec<OptionId>,
    descriptor: Vec<u8>,
}

/// The argument of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    option: OptionId,
    /// Number of bytes in its field.
    room: usize,
    /// The command changes it while it is looked at.
    pub(super) content: RefCell<Content>,
}

/// Reasons why an option is not put into a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The record has no such option.
    #[error("the command has no such option")]
    NoSuchOption,
    /// It is there.
    #[error("the option is there already")]
    Twice,
    /// A keyword has no argument.
    #[error("the option takes no value")]
    TakesNoValue,
    /// It needs an argument.
    #[error("the option needs a value")]
    NeedsValue,
    /// A pointer takes an address, and nothing else does.
    #[error("the value is not of the option's kind")]
    OtherKind,
}

impl Parcel {
    /// A command without options, but for RESP and RESP2: a parcel takes its conditions itself.
    pub fn new(command: CommandId) -> Self {
        let resp = |option| Held { option, room: size_of::<u32>(), content: RefCell::default() };
        let mut parcel = Self {
            command,
            arguments: vec![resp(opt::RESP), resp(opt::RESP2)],
            keywords: Vec::new(),
            descriptor: Vec::new(),
        };
        parcel.describe();
        parcel
    }

    /// Its command.
    pub fn command(&self) -> &'static Command {
        spec::command(self.command)
    }

    /// Gives an option its argument.
    ///
    /// # Errors
    /// The reason why it cannot have that.
    pub fn give(&mut self, option: OptionId, content: Content) -> Result<(), Unfit> {
        let room = content.length();
        self.hold(option, room, content)
    }

    /// Gives an option a field that the command fills, of so many bytes.
    ///
    /// # Errors
    /// The reason why it cannot have that.
    pub fn room(&mut self, option: OptionId, room: usize) -> Result<(), Unfit> {
        self.hold(option, room, Content::Nothing)
    }

    fn hold(&mut self, option: OptionId, room: usize, content: Content) -> Result<(), Unfit> {
        let record = self.record(option)?;
        let is_pointer = record.kind == Kind::Pointer;
        match content {
            _ if record.kind == Kind::Keyword => return Err(Unfit::TakesNoValue),
            Content::Pointer(_) if !is_pointer => return Err(Unfit::OtherKind),
            Content::Bytes(_) | Content::Number(_) if is_pointer => return Err(Unfit::OtherKind),
            _ => {}
        }
        self.arguments.push(Held { option, room, content: RefCell::new(content) });
        self.describe();
        Ok(())
    }

    /// Sets a keyword.
    ///
    /// # Errors
    /// The reason why it cannot be set.
    pub fn keyword(&mut self, option: OptionId) -> Result<(), Unfit> {
        let record = self.record(option)?;
        if record.kind != Kind::Keyword && !record.value_optional {
            return Err(Unfit::NeedsValue);
        }
        self.keywords.push(option);
        self.describe();
        Ok(())
    }

    /// The record of an option that can still be given.
    fn record(&self, option: OptionId) -> Result<&'static spec::OptionSpec, Unfit> {
        let record = self.listed(option).ok_or(Unfit::NoSuchOption)?;
        if self.has(option) { Err(Unfit::Twice) } else { Ok(record) }
    }

    pub(super) fn listed(&self, option: OptionId) -> Option<&'static spec::OptionSpec> {
        self.command().all_options().find(|record| record.id == option)
    }

    fn describe(&mut self) {
        let arguments: Vec<OptionId> = self.arguments.iter().map(|held| held.option).collect();
        self.descriptor = encode(self.command, 0, &arguments, &self.keywords);
        if self.not_built().next().is_some() || self.command().status == Status::NotYet {
            mark_unbuilt(&mut self.descriptor);
        }
    }

    /// Its descriptor; `None` would be one that does not read as it was written.
    pub(super) fn descriptor(&self) -> Option<Descriptor<'_>> {
        Descriptor::new(&self.descriptor).or_else(|| Descriptor::unbuilt(&self.descriptor))
    }

    /// Returns true if the option is here, with an argument or without.
    pub fn has(&self, option: OptionId) -> bool {
        self.keywords.contains(&option) || self.arguments.iter().any(|held| held.option == option)
    }

    /// The options that are here and that no region answers.
    pub fn not_built(&self) -> impl Iterator<Item = OptionId> {
        let given = self.arguments.iter().map(|held| held.option).chain(self.keywords.iter().copied());
        given.filter(|option| {
            self.command().options.iter().any(|record| record.id == *option && !record.is_for_regions())
        })
    }

    /// The argument of a place in the descriptor.
    pub(super) fn at(&self, place: usize) -> Option<&Held> {
        self.arguments.get(place)
    }

    /// Present content of an option's field; `None` if the option is not here.
    pub fn content(&self, option: OptionId) -> Option<Content> {
        self.arguments.iter().find(|held| held.option == option).map(|held| held.content.borrow().clone())
    }

    /// The options with their fields as they are now, in the order in which they were given.
    pub fn contents(&self) -> impl Iterator<Item = (OptionId, Content)> {
        let given = self.arguments.iter().skip(RESPONSES);
        given.map(|held| (held.option, held.content.borrow().clone()))
    }

    /// Gives an option that is here another argument.
    ///
    /// # Errors
    /// The option is not here, or the argument is not of its kind.
    pub fn put(&mut self, option: OptionId, content: Content) -> Result<(), Unfit> {
        let is_pointer = self.listed(option).is_some_and(|record| record.kind == Kind::Pointer);
        let held = self.arguments.iter_mut().find(|held| held.option == option).ok_or(Unfit::NoSuchOption)?;
        if is_pointer || matches!(content, Content::Pointer(_)) {
            return Err(Unfit::OtherKind);
        }
        (held.room, held.content) = (content.length(), RefCell::new(content));
        Ok(())
    }

    /// Gives an option that is here a field of so many bytes, which the command fills.
    ///
    /// # Errors
    /// The option is not here.
    pub fn empty(&mut self, option: OptionId, room: usize) -> Result<(), Unfit> {
        let held = self.arguments.iter_mut().find(|held| held.option == option).ok_or(Unfit::NoSuchOption)?;
        (held.room, held.content) = (room, RefCell::default());
        Ok(())
    }

    /// Puts what a program has left in an area that was passed to it: as many bytes as it was given, from the first one on.
    pub(crate) fn left_in(&self, option: OptionId, bytes: &[u8]) {
        let Some(held) = self.arguments.iter().find(|held| held.option == option) else { return };
        if let Content::Bytes(area) = &mut *held.content.borrow_mut() {
            let length = area.len().min(bytes.len());
            area[..length].copy_from_slice(&bytes[..length]);
        }
    }

    /// The options that the command gives values for, with these.
    pub fn results(&self) -> impl Iterator<Item = (OptionId, Content)> {
        let is_given = |record: &spec::OptionSpec| record.direction != Direction::In;
        self.contents().filter(move |(option, _)| self.listed(*option).is_some_and(is_given))
    }

    /// The options with the sizes of their fields, in the order in which they were given.
    pub fn fields(&self) -> impl Iterator<Item = (OptionId, usize, Content)> {
        let given = self.arguments.iter().skip(RESPONSES);
        given.map(|held| (held.option, held.room, held.content.borrow().clone()))
    }

    /// The number of bytes in the field of an option; `None` if that was not given.
    pub(super) fn room_of(&self, option: OptionId) -> Option<usize> {
        self.arguments.iter().find(|held| held.option == option).map(|held| held.room)
    }

    /// The keywords that are set.
    pub fn keywords(&self) -> impl Iterator<Item = OptionId> {
        self.keywords.iter().copied()
    }

    /// Outcome of the command: RESP and RESP2; `None` before it is answered.
    pub fn response(&self) -> Option<(Condition, i32)> {
        let number = |option| match self.content(option)? {
            Content::Number(number) => Some(number),
            _ => None,
        };
        let condition = u16::try_from(number(opt::RESP)?).ok().map(Condition)?;
        Some((condition, i32::try_from(number(opt::RESP2)?).ok()?))
    }
}

/// RESP and RESP2: the first arguments of every parcel.
const RESPONSES: usize = 2;

#[cfg(test)]
mod tests {
    use spec::{cmd, cond};

    use super::*;
    use crate::storage::StorageAddress;

    /// The options of a record, but for those that every parcel has: a few records name them.
    fn options(command: &Command) -> impl Iterator<Item = &'static spec::OptionSpec> + use<> {
        command.options.iter().filter(|option| ![opt::RESP, opt::RESP2].contains(&option.id))
    }

    /// Of every kind what it takes; each option another value.
    fn full(command: &Command) -> Parcel {
        let mut parcel = Parcel::new(command.id);
        for (number, option) in options(command).enumerate() {
            let given = match (option.kind, option.direction) {
                (Kind::Keyword, _) => parcel.keyword(option.id),
                (_, Direction::Out) => parcel.room(option.id, 8 + number),
                (Kind::Pointer, _) => {
                    parcel.give(option.id, Content::Pointer(StorageAddress::of_host(number)))
                }
                (Kind::Name, _) => parcel.give(option.id, Content::text(option.name)),
                (Kind::Area, _) => parcel.give(option.id, Content::Bytes(vec![number as u8; number])),
                (Kind::Value | Kind::Cvda | Kind::Hhmmss | Kind::Label, _) => {
                    parcel.give(option.id, Content::Number(-(number as i64)))
                }
            };
            assert_eq!(given, Ok(()), "{} {}", command.name, option.name);
        }
        parcel
    }

    #[test]
    fn every_command_with_every_option_is_the_same_after_its_way_as_bytes() {
        for command in spec::commands() {
            let parcel = full(command);
            let bytes = parcel.to_bytes();
            let decoded = Parcel::from_bytes(&bytes).unwrap_or_else(|why| panic!("{}: {why}", command.name));
            assert_eq!(decoded, parcel, "{}", command.name);
            let descriptor = decoded.descriptor().unwrap_or_else(|| panic!("{}", command.name));
            assert_eq!(descriptor.command(), command.id);
            let (arguments, keywords): (Vec<_>, Vec<_>) =
                options(command).partition(|option| option.kind != Kind::Keyword);
            let ids = |options: &[&spec::OptionSpec]| options.iter().map(|o| o.id).collect::<Vec<_>>();
            let listed: Vec<_> = descriptor.arguments().skip(RESPONSES).collect();
            assert_eq!(listed, ids(&arguments), "{}", command.name);
            assert_eq!(descriptor.keywords().collect::<Vec<_>>(), ids(&keywords), "{}", command.name);
            assert_eq!((descriptor.resp(), descriptor.resp2()), (Some(0), Some(1)));
            let all_built =
                command.status != Status::NotYet && command.options.iter().all(|o| o.is_for_regions());
            assert_eq!(descriptor.is_built(), all_built, "{}", command.name);
        }
    }

    #[test]
    fn only_what_the_record_has_fits_and_only_once() {
        let mut parcel = Parcel::new(cmd::READQ_TS);
        assert_eq!(parcel.give(opt::RIDFLD, Content::text("A")), Err(Unfit::NoSuchOption));
        assert_eq!(parcel.give(opt::NEXT, Content::text("A")), Err(Unfit::TakesNoValue));
        assert_eq!(parcel.keyword(opt::QUEUE), Err(Unfit::NeedsValue));
        assert_eq!(parcel.give(opt::SET, Content::text("A")), Err(Unfit::OtherKind));
        assert_eq!(parcel.give(opt::QUEUE, Content::Pointer(StorageAddress::NULL)), Err(Unfit::OtherKind));
        assert_eq!(parcel.give(opt::QUEUE, Content::text("A")), Ok(()));
        assert_eq!(parcel.give(opt::QUEUE, Content::text("A")), Err(Unfit::Twice));
        assert_eq!(parcel.give(opt::RESP, Content::Number(0)), Err(Unfit::Twice));
    }

    #[test]
    fn its_response_is_there_when_it_is_answered() {
        let parcel = Parcel::new(cmd::ASKTIME);
        assert_eq!(parcel.response(), None);
        for (place, number) in [(0, 13), (1, 80)] {
            *parcel.arguments[place].content.borrow_mut() = Content::Number(number);
        }
        assert_eq!(parcel.response(), Some((cond::NOTFND, 80)));
    }
}
