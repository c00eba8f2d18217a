//! Decks that bind programs: BIND and REBIND of DSN, as jobs and members have them. They say how the statements of a package
//! are isolated; what else they ask for is done anyway, does no harm, or gets a remark.

use crate::package::Isolation;

/// The content of a deck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deck {
    /// The programs that it binds, in order: a later one counts.
    pub bound: Vec<Bound>,
    /// QUALIFIER of packages, with the lines of their subcommands.
    pub qualifiers: Vec<(u32, String)>,
    /// A remark for each thing that it asks for and does not get.
    pub remarks: Vec<Remark>,
}

/// A program's package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The program.
    pub program: String,
    /// ISOLATION.
    pub isolation: Isolation,
}

/// Something that is asked for and not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line at which the subcommand begins, from 1.
    pub line: u32,
    /// In words.
    pub message: String,
}

/// Columns of a card that hold a subcommand: numbers stand behind.
const COLUMNS: usize = 72;

/// Reads a deck; lines of job control among it are passed over, and so are other subcommands.
pub fn deck(text: &str) -> Deck {
    let mut deck = Deck::default();
    for (line, words) in subcommands(text) {
        let is_rebind = match words.split_whitespace().next().map(str::to_uppercase).as_deref() {
            Some("BIND") => false,
            Some("REBIND") => true,
            _ => continue,
        };
        deck.take(line, is_rebind, &operands(&words));
    }
    deck
}

/// Each with the number of its first line. A hyphen or a plus sign at the end of a line goes on in the next one.
fn subcommands(text: &str) -> Vec<(u32, String)> {
    let mut all: Vec<(u32, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("//") || line.starts_with("/*") {
            goes_on = false;
            continue;
        }
        let card: String = line.chars().take(COLUMNS).collect();
        let card = card.trim_end();
        let (words, more) = match card.strip_suffix(['-', '+']) {
            Some(words) => (words, true),
            None => (card, false),
        };
        match all.last_mut().filter(|_| goes_on) {
            Some((_, before)) => *before += &format!(" {}", words.trim()),
            None => all.push((number, words.trim().to_owned())),
        }
        goes_on = more;
    }
    all
}

/// The keywords behind the first word, in upper case, with what stands in their parentheses.
fn operands(words: &str) -> Vec<(String, String)> {
    let upper = words.to_uppercase();
    let mut rest = upper.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    let mut all = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find([' ', '\t', ',', '(']).unwrap_or(rest.len());
        if end == 0 {
            return all;
        }
        let (keyword, behind) = rest.split_at(end);
        let (value, behind) = match behind.trim_start().strip_prefix('(') {
            Some(value) => within(value),
            None => ("", behind),
        };
        all.push((keyword.to_owned(), value.trim().to_owned()));
        rest = behind;
    }
}

/// Returns the text in front of the parenthesis that closes, and the text behind it.
fn within(text: &str) -> (&str, &str) {
    let mut depth = 1_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[..at], &text[at + 1..]);
        }
    }
    (text, "")
}

impl Deck {
    fn take(&mut self, line: u32, is_rebind: bool, operands: &[(String, String)]) {
        let mut said: Vec<(&'static BindOption, &str)> = Vec::new();
        for (keyword, value) in operands {
            match option(keyword) {
                Some(option) => said.push((option, value)),
                None => self.remark(line, format!("BIND has no option {keyword}")),
            }
        }
        let value = |name: &str| said.iter().find(|(option, _)| option.name == name).map(|(_, value)| *value);
        let isolation = match value("ISOLATION").map(isolation) {
            Some(Err(remark)) => {
                self.remark(line, remark);
                None
            }
            Some(Ok(isolation)) => Some(isolation),
            None => None,
        };
        for (option, value) in &said {
            if let Asks::More(values, why) = option.asks
                && (values.is_empty() || values.contains(value))
            {
                self.remark(line, format!("{}({value}): {why}", option.name));
            }
        }
        let programs = self.programs(is_rebind, &value);
        if let (Some(plan), true, Some(isolation)) = (value("PLAN"), programs.is_empty(), isolation)
            && isolation != Isolation::CursorStability
        {
            let why = "a package has its own: write it at BIND PACKAGE";
            self.remark(line, format!("ISOLATION of plan {plan} counts for no package: {why}"));
        }
        // A package that is bound again keeps what it had.
        let isolation = isolation.or((!is_rebind).then_some(Isolation::CursorStability));
        if let Some(isolation) = isolation {
            self.bound.extend(programs.into_iter().map(|program| Bound { program, isolation }));
        }
        self.qualifiers.extend(value("QUALIFIER").map(|qualifier| (line, qualifier.to_owned())));
    }

    /// The programs that a subcommand means.
    fn programs<'v>(&self, is_rebind: bool, value: &dyn Fn(&str) -> Option<&'v str>) -> Vec<String> {
        let list =
            |text: &str| text.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if let Some(members) = value("MEMBER") {
            return list(members);
        }
        let packages = match (is_rebind, value("COPY"), value("PACKAGE")) {
            (_, Some(copied), _) => copied,
            (true, None, Some(packages)) => packages,
            _ => return Vec::new(),
        };
        let mut programs = Vec::new();
        for package in list(packages) as Vec<String> {
            // LOCATION.COLLECTION.PACKAGE.(VERSION), of which the first may be missing.
            let names: Vec<&str> = package.split('.').filter(|name| !name.starts_with('(')).collect();
            match names.last() {
                Some(&"*") => programs.extend(self.bound.iter().map(|bound| bound.program.clone())),
                Some(name) => programs.push((*name).to_owned()),
                None => {}
            }
        }
        programs
    }

    fn remark(&mut self, line: u32, message: String) {
        self.remarks.push(Remark { line, message });
    }
}

/// A value of ISOLATION.
pub fn isolation(value: &str) -> Result<Isolation, String> {
    match value.to_uppercase().as_str() {
        "RR" => Ok(Isolation::RepeatableRead),
        "RS" => Ok(Isolation::ReadStability),
        "CS" => Ok(Isolation::CursorStability),
        "UR" => Ok(Isolation::UncommittedRead),
        other => Err(format!("ISOLATION({other}) is none of RR, RS, CS, UR")),
    }
}

/// An option of BIND.
struct BindOption {
    name: &'static str,
    asks: Asks,
}

/// The request of an option.
enum Asks {
    /// It is done, or does no harm.
    Nothing,
    /// With one of these values (none: any) it asks for something that is not done.
    More(&'static [&'static str], &'static str),
}

/// The option of a keyword, which may be cut where it is still clear.
fn option(keyword: &str) -> Option<&'static BindOption> {
    if let Some(exact) = OPTIONS.iter().find(|option| option.name == keyword) {
        return Some(exact);
    }
    let mut fitting = OPTIONS.iter().filter(|option| option.name.starts_with(keyword));
    fitting.next().filter(|_| keyword.len() > 2 && fitting.next().is_none())
}

const fn nothing(name: &'static str) -> BindOption {
    BindOption { name, asks: Asks::Nothing }
}

const fn more(name: &'static str, values: &'static [&'static str], why: &'static str) -> BindOption {
    BindOption { name, asks: Asks::More(values, why) }
}

const NO_PATHS: &str = "PostgreSQL chooses access paths";

const OPTIONS: &[BindOption] = &[
    nothing("ACQUIRE"),
    nothing("ACTION"),
    nothing("APCOMPARE"),
    nothing("APPLCOMPAT"),
    nothing("APREUSE"),
    nothing("ARCHIVESENSITIVE"),
    nothing("BUSTIMESENSITIVE"),
    nothing("CACHESIZE"),
    nothing("COLLID"),
    more(
        "CONCURRENTACCESSRESOLUTION",
        &["WAITFOROUTCOME"],
        "a reader sees what was committed last, and waits for no other task",
    ),
    nothing("COPY"),
    nothing("COPYVER"),
    nothing("CURRENTDATA"),
    more("CURRENTSERVER", &[], "the rules of region.toml lead statements to servers"),
    nothing("DBPROTOCOL"),
    nothing("DEFER"),
    nothing("DEGREE"),
    nothing("DEPLOY"),
    nothing("DESCSTAT"),
    nothing("DISABLE"),
    nothing("DISCONNECT"),
    nothing("DYNAMICRULES"),
    nothing("ENABLE"),
    nothing("ENCODING"),
    nothing("EXPLAIN"),
    more("EXTENDEDINDICATOR", &["YES"], "an indicator of -5 or -7 is NULL like any other"),
    nothing("FLAG"),
    nothing("GENERIC"),
    nothing("GETACCELARCHIVE"),
    nothing("IMMEDWRITE"),
    nothing("ISOLATION"),
    nothing("KEEPDYNAMIC"),
    nothing("LIBRARY"),
    nothing("MEMBER"),
    nothing("NODEFER"),
    more("OPTHINT", &[], NO_PATHS),
    nothing("OPTIONS"),
    nothing("OWNER"),
    nothing("PACKAGE"),
    more("PATH", &[], "functions are looked for in the schemas of [sql], and in db2"),
    nothing("PATHDEFAULT"),
    nothing("PKLIST"),
    nothing("PLAN"),
    nothing("PLANMGMT"),
    nothing("PROGAUTH"),
    nothing("QUALIFIER"),
    nothing("QUERYACCELERATION"),
    nothing("RELEASE"),
    nothing("REOPT"),
    nothing("REPLVER"),
    nothing("RETAIN"),
    more(
        "ROUNDING",
        &["CEILING", "DOWN", "FLOOR", "HALFDOWN", "HALFEVEN", "UP"],
        "decimal floating point is rounded half up",
    ),
    nothing("SQLERROR"),
    more("SQLRULES", &["STD"], "SET CURRENT RULES and CONNECT follow Db2's own rules"),
    nothing("SWITCHMODE"),
    nothing("SYSTIMESENSITIVE"),
    nothing("VALIDATE"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(text: &str, bound: &[(&str, Isolation)], remarks: &[&str]) {
        let deck = deck(text);
        let seen: Vec<_> = deck.bound.iter().map(|b| (b.program.as_str(), b.isolation)).collect();
        assert_eq!(seen, bound, "{text}");
        let told: Vec<_> = deck.remarks.iter().map(|r| format!("{} {}", r.line, r.message)).collect();
        assert_eq!(told.len(), remarks.len(), "{told:?}");
        assert!(told.iter().zip(remarks).all(|(told, remark)| told.contains(remark)), "{told:?}");
    }

    use Isolation::{
        CursorStability as CS, ReadStability as RS, RepeatableRead as RR, UncommittedRead as UR,
    };

    #[test]
    fn packages_have_the_isolation_of_their_subcommand() {
        let job = "//BIND EXEC PGM=IKJEFT01\n//SYSTSIN DD *\n DSN SYSTEM(DB2A)\n  BIND PACKAGE(PAY) -\n    MEMBER(payup) -\n    \
                   ACT(REP) ISOLATION (rr)  -\n    VALIDATE(BIND)\n BIND PACKAGE(PAY) MEM(LIST) ISO(UR)\n BIND PACKAGE(PAY) MEMBER(PLAIN)\n \
                   BIND PLAN(PAY) PKLIST(PAY.*) ISOLATION(CS)\n END\n/*\n";
        expect(job, &[("PAYUP", RR), ("LIST", UR), ("PLAIN", CS)], &[]);
        expect("BIND PLAN(OLD) MEMBER(A,B C) ISOLATION(RS)", &[("A", RS), ("B", RS), ("C", RS)], &[]);
    }

    #[test]
    fn what_is_bound_again_keeps_what_it_had() {
        let text = "BIND PACKAGE(C) MEMBER(A) ISOLATION(RR)\nREBIND PACKAGE(C.A) EXPLAIN(YES)\nREBIND PACKAGE(LOC.C.A.(V1)) ISOLATION(RS)\n\
                    REBIND PACKAGE(C.*) ISOLATION(UR)\nBIND PACKAGE(D) COPY(C.A) ISOLATION(CS)\n";
        expect(text, &[("A", RR), ("A", RS), ("A", UR), ("A", UR), ("A", CS)], &[]);
    }

    #[test]
    fn what_is_asked_for_and_not_done_is_told() {
        expect("\nBIND PACKAGE(C) MEMBER(A) ISOLATION(NC)", &[("A", CS)], &["2 ISOLATION(NC) is none"]);
        expect("BIND PLAN(P) PKLIST(C.*) ISOLATION(RR)", &[], &["ISOLATION of plan P"]);
        expect(
            "BIND PACKAGE(C) MEMBER(A) CURRENTSERVER(X) -\n CONC(USECURRENTLYCOMMITTED) SQLR(DB2) TYPO(1)",
            &[("A", CS)],
            &["BIND has no option TYPO", "CURRENTSERVER(X)"],
        );
        assert_eq!(deck("BIND PACKAGE(C) MEMBER(A) QUALIFIER(PROD)").qualifiers, [(1, "PROD".to_owned())]);
        expect("BIND PACKAGE(C MEMBER(A", &[], &[]);
    }
}
