//! `[ports]`: ports that this region listens on together with others of this machine.

use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::reader::Table;
use crate::{LinkConfig, codes};

/// Seconds of the cool-down before an orderly end.
const COOL_DOWN_S: RangeInclusive<u32> = 0..=600;
const COOL_DOWN_DEFAULT_S: u32 = 2;
const PORT: RangeInclusive<u32> = 1..=65_535;

/// `[ports]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortConfig {
    /// The ports that are shared.
    pub shared: SharedPorts,
    /// Seconds that a region which shares ports goes on to serve its clients before it ends, and takes no others.
    pub cool_down_s: u32,
}

/// The ports that a region shares with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedPorts {
    /// None.
    None,
    /// All to which clients come.
    All,
    /// Those of these numbers.
    These(Vec<u16>),
}

impl Default for PortConfig {
    fn default() -> Self {
        Self { shared: SharedPorts::None, cool_down_s: COOL_DOWN_DEFAULT_S }
    }
}

impl PortConfig {
    pub(crate) fn read(table: Table<'_>, links: &LinkConfig) -> Self {
        let shared = match table.flag_or_numbers("shared", PORT) {
            None | Some(Ok(false)) => SharedPorts::None,
            Some(Ok(true)) => SharedPorts::All,
            Some(Err(numbers)) => SharedPorts::These(
                numbers.into_iter().filter_map(|number| u16::try_from(number).ok()).collect(),
            ),
        };
        if shared != SharedPorts::None
            && links.folder.is_none()
            && let Some(place) = table.place_of("shared")
        {
            let text =
                "regions that share a port find each other in the folder of [links], and there is none";
            let help = "add folder = \"links\" to [links]: the same folder for all regions";
            table.report(Diagnostic::error(codes::MISSING, text).at(place).help(help));
        }
        let cool_down_s = table.number("cool-down", COOL_DOWN_S).unwrap_or(COOL_DOWN_DEFAULT_S);
        table.finish();
        Self { shared, cool_down_s }
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    use super::*;

    #[test]
    fn all_ports_are_shared_or_some_of_them_in_a_folder_that_is_named() {
        let links = "[links]\nfolder = \"links\"\n";
        for (text, shared, wrong) in [
            (String::new(), SharedPorts::None, 0),
            (format!("{links}[ports]\nshared = true\n"), SharedPorts::All, 0),
            (String::from("[ports]\nshared = false\n"), SharedPorts::None, 0),
            (format!("{links}[ports]\nshared = [3270, 4000]\n"), SharedPorts::These(vec![3_270, 4_000]), 0),
            (String::from("[ports]\nshared = true\n"), SharedPorts::All, 1),
            (format!("{links}[ports]\nshared = [0]\n"), SharedPorts::These(Vec::new()), 1),
            (format!("{links}[ports]\nshared = \"yes\"\n"), SharedPorts::None, 1),
            (format!("{links}[ports]\nshare = true\n"), SharedPorts::None, 1),
        ] {
            let (config, messages) = crate::region(&Source::new("region.toml", &text));
            assert_eq!((config.ports.shared, messages.len()), (shared, wrong), "{text}: {messages:?}");
        }
    }
}
