//! The published interface as data.
//!
//! Here live the records of every EXEC CICS command (`commands/`), and the numbers of the interface: conditions,
//! CVDAs, abend codes, EIB fields, attention identifiers (`tables/`). Translator grammar, argument decoding, EIBFN,
//! default abends, trace names, CECI syntax and `docs/compat/interface.md` all come from here.
//!
//! And the measured values: the fields of monitoring (`monitoring/`) and statistics (`statistics/`), see [`measures`].
//!
//! Out of scope: behaviour. A record says what a command *is*, never what it does.
//!
//! A record reads:
//!
//! ```text
//! command READ
//!   eibfn 0602
//!   group file control
//!   threadsafe conditional        # yes | no | conditional | unknown
//!   suspends                      # present when the command may wait
//!   status partial                # not-yet | partial | complete
//!   conditions documented: FILENOTFOUND NOTFND …      # in the order in which they are checked
//!   never ISCINVREQ NOTAUTH: why    # of these conditions, what cannot come up here
//!   required FILE|DATASET         # one of these must be there
//!   exclusive INTO|SET            # at most one of these
//!   access XFCT FILE READ           # who runs it needs this right: class, option with the resource, level
//!   access XFCT FILE UPDATE with UPDATE     # … where this option is there
//!   option FILE      name  in
//!   option SYSID     name  in  not-yet
//!   option RETCODE   area  out external   # of batch programs alone
//! ```

pub mod call;
mod command;
mod condition;
pub mod measures;
mod response_code;
pub mod syntax;

pub use command::{
    Access, AccessLevel, Command, CommandId, Direction, Kind, OptionId, OptionSpec, Resource, Status,
    Threadsafe, command, commands, find,
};
pub use condition::{Condition, ConditionRecord, condition_named, conditions};
pub use response_code::{ResponseCode, response_code};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// The DFHVALUE number of a CVDA name.
pub fn cvda(name: &str) -> Option<i32> {
    CVDAS.binary_search_by(|(n, _)| (*n).cmp(name)).ok().map(|i| CVDAS[i].1)
}

/// The name of a CVDA number. Of several names, those that belong to a few options alone (`tables/cvda_options.tsv`) do not
/// count; [`cvda_name_in`] knows them.
pub fn cvda_name(value: i32) -> Option<&'static str> {
    cvda_names(value).find(|name| options_of_cvda(name).is_none())
}

/// The name that a CVDA number has in an option: 160 is PURGEABLE in PURGEABILITY and BIPROG in DEVICE.
pub fn cvda_name_in(option: OptionId, value: i32) -> Option<&'static str> {
    let is_its = |name: &&str| {
        options_of_cvda(name).is_some_and(|options| options.split(' ').any(|one| one == option.name()))
    };
    cvda_names(value).find(is_its).or_else(|| cvda_name(value))
}

/// All names of a CVDA number, in alphabetical order.
fn cvda_names(value: i32) -> impl Iterator<Item = &'static str> {
    CVDAS.iter().filter(move |(_, number)| *number == value).map(|(name, _)| *name)
}

/// The options that alone have a CVDA; `None` if it is not limited to some.
fn options_of_cvda(name: &str) -> Option<&'static str> {
    let mut rows = tables::CVDA_OPTIONS.lines().filter_map(|line| line.split_once('\t'));
    rows.find(|(cvda, _)| *cvda == name).map(|(_, options)| options)
}

/// The tables that other crates derive from: the files of `tables/` (tab-separated, one header line).
pub mod tables {
    /// Transaction abend codes and their meaning.
    pub const ABENDS: &str = include_str!("../tables/abend_codes.tsv");
    /// Explanations of the abends that a region here ends tasks with: what happened and what to do.
    pub const ABEND_HELP: &str = include_str!("../tables/abend_help.tsv");
    /// RESP2 as commands here give it: commands (with commas between them, `*` for any end), condition, number, meaning.
    pub const RESP2: &str = include_str!("../tables/resp2.tsv");
    /// Explanations of messages on a terminal: what happened and what to do.
    pub const MESSAGES: &str = include_str!("../tables/messages.tsv");
    /// CVDAs whose number means another CVDA elsewhere, and the options that have them.
    pub const CVDA_OPTIONS: &str = include_str!("../tables/cvda_options.tsv");
    /// Fields of the EXEC interface block: COBOL picture, offset, length.
    pub const EIB: &str = include_str!("../tables/eib_fields.tsv");
    /// Attention identifiers by name: EBCDIC value and key.
    pub const AIDS: &str = include_str!("../tables/dfhaid.tsv");
    /// Attribute and control constants of BMS programs.
    pub const BMSCA: &str = include_str!("../tables/dfhbmsca.tsv");
    /// Attributes of every resource type of a CSD.
    pub const CSD_ATTRIBUTES: &str = include_str!("../tables/csd_attributes.tsv");
    /// Words of Enterprise COBOL: reserved, reserved in a context, or only by other standards.
    pub const COBOL_WORDS: &str = include_str!("../tables/cobol_reserved_words.tsv");
    /// System initialization parameters.
    pub const SIT: &str = include_str!("../tables/sit_parameters.tsv");
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn every_command_of_the_published_interface_has_a_record() {
        let forms =
            |api| commands().iter().filter(|c| c.api == api).map(|c| c.forms.len().max(1)).sum::<usize>();
        // 342 and 280 counted forms, less the row for the options of every command and the one for the browse forms of
        // INQUIRE; and one more, since ASKTIME ABSTIME has an EIBFN of its own.
        assert_eq!(forms(true), 342);
        assert_eq!(forms(false), 279);
    }

    #[test]
    fn a_record_is_found_by_its_name_and_says_what_it_takes() {
        let read = find("READ").expect("READ has a record");
        assert_eq!(read.eibfn, Some(0x0602));
        assert_eq!(read.id, cmd::READ);
        let ridfld = read.option("RIDFLD").expect("READ takes RIDFLD");
        assert_eq!((ridfld.id, ridfld.kind, ridfld.direction), (opt::RIDFLD, Kind::Area, Direction::InOut));
        assert!(read.option("NOSUCH").is_none());
    }

    #[test]
    fn a_partial_command_names_what_it_lacks() {
        let partial = commands().iter().filter(|command| command.status == Status::Partial);
        let lacks = |command: &&Command| {
            command.options.iter().any(|option| option.not_yet) || !command.untested.is_empty()
        };
        let nothing: Vec<&str> =
            partial.filter(|command| !lacks(command)).map(|command| command.name).collect();
        assert_eq!(nothing, Vec::<&str>::new());
    }

    #[test]
    fn a_number_is_named_by_its_option() {
        let table = [
            (opt::PURGEABILITY, 160, "PURGEABLE"),
            (opt::DEVICE, 160, "BIPROG"),
            (opt::ACCESSMETHOD, 3, "VSAM"),
            (opt::OPENSTATUS, 18, "OPEN"),
            (opt::ENABLESTATUS, 24, "DISABLED"),
            (opt::CEDFSTATUS, 370, "CEDF"),
        ];
        for (option, value, name) in table {
            assert_eq!(cvda_name_in(option, value), Some(name));
        }
        assert_eq!(
            cvda_name(160),
            Some("PURGEABLE"),
            "a name that belongs to one option is not the general one"
        );
        let rows = tables::CVDA_OPTIONS.lines().skip(1).map(|row| row.split_once('\t').expect("two columns"));
        for (name, options) in rows {
            let value = cvda(name).unwrap_or_else(|| panic!("{name} has no number"));
            assert!(cvda_names(value).count() > 1, "{name} shares its number with no other CVDA");
            let known = |option: &str| commands().iter().any(|command| command.option(option).is_some());
            assert!(options.split(' ').all(known), "{name}: {options}");
        }
    }

    /// Keywords of SET commands that are options of their own, and no value of another one.
    const NO_CVDA: [&str; 6] = ["DISCARD", "DISCOVERALL", "MODIFY", "RREPL", "SPECIAL", "STANDARD"];

    #[test]
    fn every_state_that_a_command_sets_has_a_number() {
        let set = commands().iter().filter(|command| command.name.starts_with("SET "));
        let keywords = set.flat_map(|command| command.options).filter(|option| option.kind == Kind::Keyword);
        let unknown: Vec<&str> = keywords
            .map(|option| option.name)
            .filter(|name| cvda(name).is_none() && !NO_CVDA.contains(name))
            .collect();
        assert_eq!(unknown, Vec::<&str>::new());
        for name in ["RFC1123", "PLI", "NOTDEFINED", "VRRDS", "CONVERT", "NOCONVERT", "CICSAPI"] {
            assert!(cvda(name).is_some(), "{name}");
        }
    }

    /// The first number of CVDAs whose published one is not known here.
    const OWN: i32 = 30_001;

    #[test]
    fn a_number_of_ours_stands_for_one_cvda() {
        let mut own: Vec<i32> = CVDAS.iter().map(|(_, value)| *value).filter(|value| *value >= OWN).collect();
        let all = own.len();
        own.sort_unstable();
        own.dedup();
        assert!(all > 200 && own.len() == all);
    }

    /// A row of the table stands for the commands whose names begin with its own: `WEB READ`.
    #[test]
    fn every_command_that_is_built_has_the_eibfn_of_the_published_table() {
        let rows: Vec<(u16, &str)> = include_str!("../tables/eibfn_codes.tsv")
            .lines()
            .skip(1)
            .map(|row| {
                let mut cells = row.split('\t');
                let code = cells.next().and_then(|code| u16::from_str_radix(code, 16).ok()).expect("a code");
                (code, cells.next().expect("a command"))
            })
            .collect();
        for command in commands().iter().filter(|command| command.status != Status::NotYet) {
            let is_its = |name: &str| {
                command.name == name
                    || command.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '))
            };
            let published: Vec<u16> =
                rows.iter().filter(|(_, name)| is_its(name)).map(|(code, _)| *code).collect();
            let by_name = rows.iter().any(|(_, name)| *name == command.name);
            match command.eibfn {
                Some(code) => assert!(published.contains(&code), "{}: {published:04X?}", command.name),
                None => assert!(!by_name, "{} has no EIBFN: {published:04X?}", command.name),
            }
        }
    }

    #[test]
    fn numbers_of_the_interface() {
        assert_eq!(condition_named("NOTFND"), Some(cond::NOTFND));
        assert_eq!(
            (cond::NOTFND.resp(), cond::NOTFND.name(), cond::NOTFND.default_abend()),
            (13, "NOTFND", Some("AEIM"))
        );
        assert_eq!(cvda("OPEN"), Some(18));
        assert_eq!(cvda("NOSUCHVALUE"), None);
    }

    #[test]
    fn every_condition_that_a_record_names_has_a_number() {
        for command in commands() {
            for name in command.conditions {
                assert!(condition_named(name).is_some(), "{}: {name} has no RESP number", command.name);
            }
        }
    }
}
