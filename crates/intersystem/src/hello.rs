//! The Hello of this region.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kernel::region::Region;
use kernel::security::User;
use kernel::spans::Spans;
use link::{Hello, Names, Purpose};

use crate::partner::Partner;
use crate::systems::Systems;

/// The run of a region, and its log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// It grows with each start.
    pub number: u64,
    /// The name of the log: that of the run that has begun it.
    pub log: u64,
    /// The first run behind a restore from a backup; 0: there was none. Units of work of former runs may have been decided since.
    pub restored: u64,
}

/// The names of commands and options of this build: a number is a place here.
pub(crate) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let commands = spec::commands().iter();
    let options: BTreeSet<&str> =
        commands.clone().flat_map(|command| command.options.iter().map(|option| option.name)).collect();
    Names {
        commands: commands.map(|command| command.name.to_owned()).collect(),
        options: options.into_iter().map(str::to_owned).collect(),
    }
});

/// This build, as it describes itself.
fn build() -> String {
    format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), spec::FINGERPRINT)
}

/// Everything that this region says of itself to a partner, on a link of that purpose.
pub(crate) fn hello(region: &Region, run: Run, partner: &Partner, purpose: Purpose) -> Hello {
    let setup = Systems::of(region).setup();
    let (sends, takes) = partner.counts(region);
    Hello {
        applid: region.options.applid.to_string(),
        sysid: region.options.sysid.to_string(),
        network: setup.network.to_string(),
        run: run.number,
        log: run.log,
        build: build(),
        user: User::region().id.to_string(),
        code_page: setup.code_page.clone(),
        purpose,
        sends,
        takes,
        names: NAMES.clone(),
        traces: Spans::are_on(region),
    }
}

#[cfg(test)]
mod tests {
    use link::limits::{NAME_MAX, NAMES_MAX};

    use super::*;

    #[test]
    fn the_names_of_this_build_fit_into_a_hello() {
        for names in [&NAMES.commands, &NAMES.options] {
            assert!(names.len() > 200 && names.len() < NAMES_MAX / 2, "{} names", names.len());
            assert!(names.iter().all(|name| name.len() < NAME_MAX));
        }
        let bytes: usize = NAMES.commands.iter().chain(&NAMES.options).map(|name| name.len() + 1).sum();
        assert!(bytes < link::limits::HELLO_MAX / 2, "{bytes} bytes");
    }
}
