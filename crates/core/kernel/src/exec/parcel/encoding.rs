//! A parcel as bytes: its command and options by their names, since numbers are those of one build.

use serde::{Deserialize, Serialize};

use super::{Content, Parcel, RESPONSES, Unfit};
use crate::limits::PARCEL_BYTES_MAX;

/// The form of the bytes. Another one gets another number.
const FORM: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Encoded {
    form: u8,
    command: String,
    resp: [Content; RESPONSES],
    arguments: Vec<Argument>,
    keywords: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Argument {
    option: String,
    room: usize,
    content: Content,
}

/// Reasons why bytes are no parcel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAParcel {
    /// There are more than a parcel may have.
    #[error("{0} bytes are more than a command may have with its arguments")]
    TooLong(usize),
    /// They are of no parcel, or of one of another form.
    #[error("the bytes are not those of a command")]
    Unreadable,
    /// No record has the name.
    #[error("there is no command {0}")]
    NoSuchCommand(String),
    /// An option does not go with the command.
    #[error("{0}: {1}")]
    Option(String, Unfit),
}

impl Parcel {
    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let argument = |held: &super::Held| Argument {
            option: held.option.name().to_owned(),
            room: held.room,
            content: held.content.borrow().clone(),
        };
        let encoded = Encoded {
            form: FORM,
            command: self.command().name.to_owned(),
            resp: std::array::from_fn(|place| self.arguments[place].content.borrow().clone()),
            arguments: self.arguments.iter().skip(RESPONSES).map(argument).collect(),
            keywords: self.keywords.iter().map(|option| option.name().to_owned()).collect(),
        };
        // Into memory of its own nothing can fail.
        postcard::to_stdvec(&encoded).unwrap_or_default()
    }

    /// The parcel of these bytes.
    ///
    /// # Errors
    /// The reason why they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAParcel> {
        if bytes.len() > PARCEL_BYTES_MAX {
            return Err(NotAParcel::TooLong(bytes.len()));
        }
        let (encoded, rest): (Encoded, _) =
            postcard::take_from_bytes(bytes).map_err(|_| NotAParcel::Unreadable)?;
        if encoded.form != FORM || !rest.is_empty() {
            return Err(NotAParcel::Unreadable);
        }
        let Some(command) = spec::find(&encoded.command) else {
            return Err(NotAParcel::NoSuchCommand(encoded.command));
        };
        let mut parcel = Self::new(command.id);
        for (held, content) in parcel.arguments.iter().zip(encoded.resp) {
            held.set(content);
        }
        let option = |name: &str| {
            let record = command.all_options().find(|record| record.name == name);
            record.map(|record| record.id).ok_or(Unfit::NoSuchOption)
        };
        for Argument { option: name, room, content } in encoded.arguments {
            let held = option(&name).and_then(|option| parcel.hold(option, room, content));
            held.map_err(|unfit| NotAParcel::Option(name, unfit))?;
        }
        for name in encoded.keywords {
            let set = option(&name).and_then(|option| parcel.keyword(option));
            set.map_err(|unfit| NotAParcel::Option(name, unfit))?;
        }
        Ok(parcel)
    }
}

#[cfg(test)]
mod tests {
    use spec::{cmd, opt};

    use super::*;

    #[test]
    fn what_is_no_parcel_is_refused() {
        let mut parcel = Parcel::new(cmd::WRITEQ_TS);
        parcel.give(opt::QUEUE, Content::text("Q")).expect("fits");
        parcel.give(opt::FROM, Content::text("DATA")).expect("fits");
        let bytes = parcel.to_bytes();
        let refused = |bytes: &[u8]| Parcel::from_bytes(bytes).expect_err("refused");
        for length in 0..bytes.len() {
            assert_eq!(refused(&bytes[..length]), NotAParcel::Unreadable);
        }
        assert_eq!(refused(&[&bytes[..], b"X"].concat()), NotAParcel::Unreadable);
        assert_eq!(refused(&[&[FORM + 1], &bytes[1..]].concat()), NotAParcel::Unreadable);
        assert_eq!(refused(&vec![0; PARCEL_BYTES_MAX + 1]), NotAParcel::TooLong(PARCEL_BYTES_MAX + 1));
        let at = bytes.windows(5).position(|word| word == b"QUEUE").expect("its name");
        let mut other = bytes;
        other[at..at + 5].copy_from_slice(b"QUERY");
        assert_eq!(refused(&other), NotAParcel::Option("QUERY".to_owned(), Unfit::NoSuchOption));
    }
}
