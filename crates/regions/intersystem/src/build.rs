//! Builds: the commands, options and conditions that a region knows, and what the numbers on a link between two of them mean.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use link::{Hello, Names, Translation};
use spec::{Condition, OptionId};

use crate::message::Shipped;

/// A build, as far as its partners see it. A number of a command or an option is a place among its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The build, as it describes itself.
    name: String,
    names: Names,
    /// The published conditions that it does not know.
    unknown: Vec<Condition>,
}

/// This build.
static THIS: LazyLock<Arc<Build>> = LazyLock::new(|| {
    let commands = spec::commands().iter();
    let options: BTreeSet<&str> =
        commands.clone().flat_map(|command| command.options.iter().map(|option| option.name)).collect();
    let names = Names {
        commands: commands.map(|command| command.name.to_owned()).collect(),
        options: options.into_iter().map(str::to_owned).collect(),
    };
    let name = format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), spec::FINGERPRINT);
    Arc::new(Build { name, names, unknown: Vec::new() })
});

impl Build {
    /// This build.
    pub(crate) fn this() -> Arc<Self> {
        Arc::clone(&THIS)
    }

    /// Another build, for tests of regions of two: this one under a name, with further commands, whose numbers come first, and
    /// without these commands, options and conditions.
    #[doc(hidden)]
    pub fn another(name: &str, further: &[&str], without: (&[&str], &[&str], &[Condition])) -> Self {
        let (commands, options, unknown) = without;
        let rest = |names: &[String], gone: &[&str]| -> Vec<String> {
            names.iter().filter(|known| !gone.contains(&known.as_str())).cloned().collect()
        };
        let own = further.iter().map(|&name| name.to_owned());
        let names = Names {
            commands: own.chain(rest(&THIS.names.commands, commands)).collect(),
            options: rest(&THIS.names.options, options),
        };
        Self { name: name.to_owned(), names, unknown: unknown.to_vec() }
    }

    /// As it describes itself.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The names of its commands and options.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The number of a command; `None`: it does not know it.
    pub(crate) fn command(&self, command: &spec::Command) -> Option<u16> {
        number(self.names.commands.iter().position(|name| *name == command.name))
    }

    /// The number of an option; `None`: it does not know it.
    pub(crate) fn option(&self, option: OptionId) -> Option<u16> {
        number(self.names.options.binary_search_by(|name| name.as_str().cmp(option.name())).ok())
    }

    /// Returns true if it knows a condition.
    pub(crate) fn knows(&self, condition: Condition) -> bool {
        spec::conditions().iter().any(|known| known.condition == condition)
            && !self.unknown.contains(&condition)
    }
}

fn number(place: Option<usize>) -> Option<u16> {
    place.and_then(|place| u16::try_from(place).ok())
}

/// The numbers on a link: those that this region sends, and those that its partner does.
pub(crate) struct Numbers {
    ours: Arc<Build>,
    theirs: Translation,
    /// The partner's build, as it describes itself.
    their_build: String,
}

impl Numbers {
    /// Those of a link to a partner that has said this.
    pub fn new(ours: &Arc<Build>, theirs: &Hello) -> Self {
        Self {
            theirs: Translation::new(&theirs.names, &ours.names),
            their_build: theirs.build.clone(),
            ours: Arc::clone(ours),
        }
    }

    /// Those of a region's own requests.
    pub fn own(ours: &Arc<Build>) -> Self {
        Self {
            theirs: Translation::new(&ours.names, &ours.names),
            their_build: ours.name.clone(),
            ours: Arc::clone(ours),
        }
    }

    /// The build of this region.
    pub fn ours(&self) -> &Build {
        &self.ours
    }

    /// The commands and options of the partner that this region does not know.
    pub fn unknown(&self) -> usize {
        self.theirs.unknown()
    }

    /// The command of a partner's number.
    pub fn command(&self, number: u16) -> Option<&'static spec::Command> {
        let place = self.theirs.command(number)?;
        spec::find(self.ours.names.commands.get(usize::from(place))?)
    }

    /// The option of a command by a partner's number.
    pub fn option(&self, command: &spec::Command, number: u16) -> Option<OptionId> {
        let name = self.ours.names.options.get(usize::from(self.theirs.option(number)?))?;
        command.all_options().find(|option| option.name == name).map(|option| option.id)
    }

    /// The names in a command that the partner does not know: nothing of it is to be sent. `None`: it knows all.
    pub fn lacks(&self, shipped: &Shipped) -> Option<String> {
        let used = || shipped.fields.iter().map(|field| field.option).chain(shipped.keywords.iter().copied());
        let is_missing = |number: &u16| !self.theirs.takes_option(*number);
        let has_command = self.theirs.takes_command(shipped.command);
        if has_command && !used().any(|number| is_missing(&number)) {
            return None;
        }
        let name =
            |names: &[String], number: u16| names.get(usize::from(number)).cloned().unwrap_or_default();
        let command = name(&self.ours.names.commands, shipped.command);
        if !has_command {
            return Some(command);
        }
        let options = used().filter(is_missing).map(|number| name(&self.ours.names.options, number));
        Some(format!("{} of {command}", options.collect::<Vec<_>>().join(", ")))
    }

    /// The partner's build, as it describes itself.
    pub fn their_build(&self) -> &str {
        &self.their_build
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use link::limits::{HELLO_MAX, NAME_MAX, NAMES_MAX};
    use spec::{cond, opt};

    use super::*;

    /// The numbers on a link to a partner of another build.
    pub(crate) fn to(theirs: &Build) -> Numbers {
        Numbers {
            theirs: Translation::new(&theirs.names, &THIS.names),
            their_build: theirs.name.clone(),
            ours: Build::this(),
        }
    }

    #[test]
    fn the_names_of_this_build_fit_into_a_hello() {
        let names = THIS.names();
        for names in [&names.commands, &names.options] {
            assert!(names.len() > 200 && names.len() < NAMES_MAX / 2, "{} names", names.len());
            assert!(names.iter().all(|name| name.len() < NAME_MAX));
        }
        let bytes: usize = names.commands.iter().chain(&names.options).map(|name| name.len() + 1).sum();
        assert!(bytes < HELLO_MAX / 2, "{bytes} bytes");
    }

    #[test]
    fn another_build_has_other_numbers_and_lacks_what_it_is_without() {
        let other = Build::another("9", &["ABSOLVE"], (&["REWRITE"], &["NUMITEMS"], &[cond::LOCKED]));
        let read = spec::find("READ").expect("a command");
        assert_eq!(other.command(read), THIS.command(read).map(|number| number + 1));
        assert_eq!(other.command(spec::find("REWRITE").expect("a command")), None);
        assert_eq!((other.option(opt::NUMITEMS), THIS.option(opt::NUMITEMS).is_some()), (None, true));
        assert!(!other.knows(cond::LOCKED) && other.knows(cond::NOTFND) && THIS.knows(cond::LOCKED));
        assert_eq!(to(&other).unknown(), 1, "ABSOLVE");
    }
}
