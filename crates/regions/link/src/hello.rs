//! The first frame of each side.

use serde::{Deserialize, Serialize};

use crate::ended::{Ended, malformed};
use crate::limits::{HELLO_MAX, IN_FLIGHT_MAX, NAME_MAX, NAMES_MAX};

/// The version of the protocol.
pub const VERSION: u16 = 1;

/// The thing: what a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// The sender's life: when this connection ends, so has the sender.
    Life,
    /// Requests of one thread of the sender.
    Work,
}

impl Purpose {
    /// The number that the head of a Hello has for it: who accepts a connection sees it without reading.
    pub(crate) fn number(self) -> u32 {
        self as u32
    }
}

/// The names of commands and options, each known by its place. Numbers are those of one build only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Commands.
    pub commands: Vec<String>,
    /// Options.
    pub options: Vec<String>,
}

/// The thing: what one side says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The region's APPLID.
    pub applid: String,
    /// Its SYSID.
    pub sysid: String,
    /// Its network; empty: none.
    pub network: String,
    /// The number of its run: it grows with each start.
    pub run: u64,
    /// The name of its log: another one if it has forgotten what was indoubt.
    pub log: u64,
    /// Its build, as it describes itself.
    pub build: String,
    /// The user of the link.
    pub user: String,
    /// The code page of its data.
    pub code_page: String,
    /// The thing: what the connection is for.
    pub purpose: Purpose,
    /// Requests that it wants to have in flight.
    pub sends: u32,
    /// Requests of the other side that it takes at a time.
    pub takes: u32,
    /// Its numbers of commands and options. Work connections leave them out: the life connection has said them.
    pub names: Names,
    /// It takes the place in a trace in front of a request. Said behind the Hello, where earlier builds say nothing.
    #[serde(skip)]
    pub traces: bool,
    /// It takes the origin of a task there, too. Said behind that.
    #[serde(skip)]
    pub origins: bool,
}

/// Characters of an APPLID, a network, a user; of a SYSID; of a build or a code page.
const LONG: usize = 8;
const SHORT: usize = 4;
const FREE: usize = 64;

impl Hello {
    /// As bytes: the version first, so that a version that says something else can still be told.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Ended> {
        let bytes = postcard::to_extend(self, VERSION.to_le_bytes().to_vec());
        let mut bytes =
            bytes.map_err(|error| Ended::Unwanted(format!("a Hello cannot be written: {error}")))?;
        bytes.extend([u8::from(self.traces), u8::from(self.origins)]);
        match bytes.len() {
            ..=HELLO_MAX => Ok(bytes),
            length => Err(Ended::Unwanted(format!("a Hello of {length} bytes is too long"))),
        }
    }

    /// Reads one that came from outside. A later build may say more behind it, which means nothing here.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Self, Ended> {
        let (version, rest) =
            bytes.split_first_chunk().ok_or_else(|| malformed("a Hello without a version"))?;
        let version = u16::from_le_bytes(*version);
        if version != VERSION {
            return Err(Ended::Unwanted(format!(
                "it speaks version {version} of links, and this region {VERSION}"
            )));
        }
        let (mut hello, more) =
            postcard::take_from_bytes::<Self>(rest).map_err(|_| malformed("a Hello that is none"))?;
        hello.check()?;
        // Earlier builds have ended here, or behind the first.
        (hello.traces, hello.origins) = (more.first() == Some(&1), more.get(1) == Some(&1));
        Ok(hello)
    }

    fn check(&self) -> Result<(), Ended> {
        let texts = [
            ("APPLID", &self.applid, 1, LONG),
            ("SYSID", &self.sysid, 1, SHORT),
            ("network", &self.network, 0, LONG),
            ("user", &self.user, 0, LONG),
            ("build", &self.build, 0, FREE),
            ("code page", &self.code_page, 0, FREE),
        ];
        for (what, text, least, most) in texts {
            let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
            if !visible || !(least..=most).contains(&text.len()) {
                return Err(malformed(format!("a Hello whose {what} is {text:.40?}")));
            }
        }
        if self.takes > IN_FLIGHT_MAX || self.sends > IN_FLIGHT_MAX {
            return Err(malformed(format!(
                "a Hello with {} and {} requests in flight",
                self.sends, self.takes
            )));
        }
        for names in [&self.names.commands, &self.names.options] {
            if names.len() > NAMES_MAX || names.iter().any(|name| name.len() > NAME_MAX) {
                return Err(malformed("a Hello with too many names, or too long ones"));
            }
        }
        Ok(())
    }
}

/// A partner's numbers in this region's, and those of this region that the partner has names for.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    commands: Vec<Option<u16>>,
    options: Vec<Option<u16>>,
    taken_commands: Vec<bool>,
    taken_options: Vec<bool>,
}

impl Translation {
    /// From a partner's names to those of this region.
    pub fn new(theirs: &Names, ours: &Names) -> Self {
        Self {
            commands: table(&theirs.commands, &ours.commands),
            options: table(&theirs.options, &ours.options),
            taken_commands: taken(&ours.commands, &theirs.commands),
            taken_options: taken(&ours.options, &theirs.options),
        }
    }

    /// The command of a partner's number; `None` if this region has no such command.
    pub fn command(&self, number: u16) -> Option<u16> {
        self.commands.get(usize::from(number)).copied().flatten()
    }

    /// The option of a partner's number; `None` if this region has no such option.
    pub fn option(&self, number: u16) -> Option<u16> {
        self.options.get(usize::from(number)).copied().flatten()
    }

    /// Returns true if the partner knows a command by its number here.
    pub fn takes_command(&self, number: u16) -> bool {
        self.taken_commands.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Returns true if the partner knows an option by its number here.
    pub fn takes_option(&self, number: u16) -> bool {
        self.taken_options.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// The number of commands and options of the partner that this region does not know.
    pub fn unknown(&self) -> usize {
        self.commands.iter().chain(&self.options).filter(|number| number.is_none()).count()
    }
}

fn table(theirs: &[String], ours: &[String]) -> Vec<Option<u16>> {
    let known: std::collections::HashMap<&str, u16> =
        ours.iter().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
    theirs.iter().map(|name| known.get(name.as_str()).copied()).collect()
}

/// Of each of these names true if the other side has it, too.
fn taken(ours: &[String], theirs: &[String]) -> Vec<bool> {
    let known: std::collections::HashSet<&str> = theirs.iter().map(String::as_str).collect();
    ours.iter().map(|name| known.contains(name.as_str())).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn hello(applid: &str) -> Hello {
        Hello {
            applid: applid.into(),
            sysid: "SYSA".into(),
            network: String::new(),
            run: 1,
            log: 2,
            build: "0.1.0-abc".into(),
            user: "SYNCPNT".into(),
            code_page: "037".into(),
            purpose: Purpose::Life,
            sends: 8,
            takes: 8,
            names: Names { commands: vec!["READ".into(), "LINK".into()], options: vec!["FILE".into()] },
            traces: true,
            origins: true,
        }
    }

    #[test]
    fn a_hello_is_read_as_it_was_written_and_nothing_else_is_one() {
        let good = hello("REGA");
        let bytes = good.to_bytes().expect("bytes");
        assert_eq!(Hello::of_bytes(&bytes), Ok(good.clone()));
        let of_earlier_builds = [
            Hello { origins: false, ..good.clone() },
            Hello { traces: false, origins: false, ..good.clone() },
        ];
        for (left_out, expected) in (1..).zip(of_earlier_builds) {
            assert_eq!(Hello::of_bytes(&bytes[..bytes.len() - left_out]), Ok(expected));
        }
        for length in 0..bytes.len() - 2 {
            assert!(Hello::of_bytes(&bytes[..length]).is_err(), "{length} bytes of it");
        }
        let of_a_later_build = [bytes.as_slice(), b"more"].concat();
        assert_eq!(Hello::of_bytes(&of_a_later_build), Ok(good));
        let mut other = bytes;
        other[0] = 9;
        let refused = Hello::of_bytes(&other).expect_err("another version");
        assert!(matches!(&refused, Ended::Unwanted(why) if why.contains("version 9")), "{refused}");
    }

    #[test]
    fn a_hello_beyond_its_limits_is_refused() {
        type Change = fn(&mut Hello);
        let table: [(&str, Change); 7] = [
            ("APPLID", |hello| hello.applid.clear()),
            ("APPLID", |hello| hello.applid = "TOOLONG9X".into()),
            ("SYSID", |hello| hello.sysid = "AB C".into()),
            ("user", |hello| hello.user = "A\nB".into()),
            ("in flight", |hello| hello.takes = IN_FLIGHT_MAX + 1),
            ("names", |hello| hello.names.options = vec![String::from("A"); NAMES_MAX + 1]),
            ("names", |hello| hello.names.commands = vec!["A".repeat(NAME_MAX + 1)]),
        ];
        for (what, change) in table {
            let mut hello = hello("REGA");
            change(&mut hello);
            let refused = Hello::of_bytes(&hello.to_bytes().expect("bytes")).expect_err(what);
            assert!(refused.to_string().contains(what), "{refused}");
        }
    }

    #[test]
    fn numbers_of_another_build_are_translated_by_name() {
        let names = |commands: &[&str], options: &[&str]| Names {
            commands: commands.iter().map(|&name| name.to_owned()).collect(),
            options: options.iter().map(|&name| name.to_owned()).collect(),
        };
        let ours = names(&["LINK", "READ", "WRITE"], &["FILE", "INTO"]);
        let theirs = names(&["READ", "NEWER", "LINK"], &["INTO"]);
        let translation = Translation::new(&theirs, &ours);
        let commands: Vec<_> = (0..4).map(|number| translation.command(number)).collect();
        assert_eq!(commands, [Some(1), None, Some(0), None]);
        assert_eq!((translation.option(0), translation.option(1)), (Some(1), None));
        assert_eq!(translation.unknown(), 1);
        let taken: Vec<_> = (0..4).map(|number| translation.takes_command(number)).collect();
        assert_eq!(taken, [true, true, false, false], "WRITE is not known there");
        assert_eq!([0, 1].map(|number| translation.takes_option(number)), [false, true]);
    }
}
