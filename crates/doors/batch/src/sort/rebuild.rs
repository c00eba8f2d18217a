//! Records rebuilt as INREC, OUTREC or OUTFIL says: all alike, or by IFTHEN.

use super::build::Build;
use super::condition::Condition;
use super::control::Item;

/// The most IFTHEN clauses of a statement.
const CLAUSES_MAX: usize = 1_000;

/// The way in which records are rebuilt.
#[derive(Clone, Debug)]
pub(super) enum Rebuild {
    /// All of them alike.
    Whole(Build),
    /// IFTHEN: each as its contents say.
    Chosen(Clauses),
}

/// The IFTHEN clauses of a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Clauses {
    clauses: Vec<Clause>,
    /// IFOUTLEN: the length of the records.
    length: Option<usize>,
}

#[derive(Clone, Debug)]
struct Clause {
    when: When,
    build: Build,
    /// HIT=NEXT: clauses behind it are looked at, too.
    goes_on: bool,
}

#[derive(Clone, Debug)]
enum When {
    /// WHEN=INIT: each record, before the others.
    Init,
    Holds(Condition),
    /// WHEN=NONE: those that no condition has met.
    Otherwise,
}

impl Rebuild {
    /// Reads the keywords of a statement that say how records are rebuilt; an error names what is not built.
    pub fn read(operands: &[Item]) -> Result<Self, String> {
        let mut whole = None;
        let mut chosen = Clauses::default();
        for item in operands {
            let Item::Pair(keyword, value) = item else {
                return Err(format!("{} is not understood", item.word().unwrap_or("a list")));
            };
            let once = match keyword.as_str() {
                "FIELDS" | "BUILD" | "OUTREC" => whole.replace(Build::read(value, false)?).is_some(),
                "OVERLAY" => whole.replace(Build::read(value, true)?).is_some(),
                "IFTHEN" => chosen.add(value).map(|()| false)?,
                "IFOUTLEN" => {
                    let length =
                        value.number().filter(|length| (1..=super::build::RECORD_MAX).contains(length));
                    chosen.length.replace(length.ok_or("IFOUTLEN= is a number")?).is_some()
                }
                other => return Err(format!("{other}= is not built")),
            };
            if once {
                return Err(format!("a second {keyword}= is not built"));
            }
        }
        match (whole, chosen) {
            (Some(build), Clauses { clauses, length: None }) if clauses.is_empty() => Ok(Self::Whole(build)),
            (None, chosen) if !chosen.clauses.is_empty() => Ok(Self::Chosen(chosen)),
            (None, Clauses { length: None, .. }) => Err("BUILD=, OVERLAY= or IFTHEN= is missing".into()),
            _ => Err("IFTHEN= goes with no BUILD= and OVERLAY=, and IFOUTLEN= with IFTHEN= alone".into()),
        }
    }

    /// Returns true if these keywords are among those of a statement.
    pub fn is_asked_for(keyword: &str) -> bool {
        matches!(keyword, "BUILD" | "OUTREC" | "OVERLAY" | "IFTHEN" | "IFOUTLEN")
    }

    /// Returns the length of the records that come out, if it is always the same. `length` is that of those that come in.
    pub fn length(&self, length: Option<usize>) -> Option<usize> {
        match self {
            Self::Whole(build) => build.length(length),
            Self::Chosen(Clauses { length: Some(length), .. }) => Some(*length),
            Self::Chosen(Clauses { clauses, .. }) => {
                let mut base = length;
                let mut longest = length;
                for clause in clauses {
                    let own = clause.build.length(base);
                    if matches!(clause.when, When::Init) {
                        base = own;
                        longest = own;
                    } else {
                        longest = longest.zip(own).map(|(one, other)| one.max(other));
                    }
                }
                longest
            }
        }
    }
}

impl Clauses {
    fn add(&mut self, value: &Item) -> Result<(), String> {
        if self.clauses.len() >= CLAUSES_MAX {
            return Err(format!("there are more than {CLAUSES_MAX} IFTHEN clauses"));
        }
        let clause = Clause::read(value)?;
        let last = self.clauses.last().map(|last| &last.when);
        let fits = match (&clause.when, last) {
            (When::Init, None | Some(When::Init)) | (When::Otherwise, _) => true,
            (When::Init, Some(_)) => false,
            (When::Holds(_), last) => !matches!(last, Some(When::Otherwise)),
        };
        if !fits {
            return Err("WHEN=INIT comes before other clauses, and WHEN=NONE behind them".into());
        }
        self.clauses.push(clause);
        Ok(())
    }
}

impl Clause {
    fn read(value: &Item) -> Result<Self, String> {
        let (mut when, mut build, mut goes_on) = (None, None, false);
        for item in value.list() {
            let Item::Pair(keyword, value) = &item else {
                return Err(format!("{} in IFTHEN is not built", item.word().unwrap_or("a list")));
            };
            match (keyword.as_str(), value.word()) {
                ("WHEN", Some("INIT")) => when = Some(When::Init),
                ("WHEN", Some("NONE")) => when = Some(When::Otherwise),
                ("WHEN", Some(other)) => return Err(format!("WHEN={other} is not built")),
                ("WHEN", None) => {
                    let condition = Condition::read(value, None);
                    when = Some(When::Holds(
                        condition.ok_or("a condition of WHEN= is not understood or not built")?,
                    ));
                }
                ("BUILD", _) if build.is_none() => build = Some(Build::read(value, false)?),
                ("OVERLAY", _) if build.is_none() => build = Some(Build::read(value, true)?),
                ("HIT", Some("NEXT")) => goes_on = true,
                (other, _) => return Err(format!("{other}= in IFTHEN is not built")),
            }
        }
        let when = when.ok_or("IFTHEN needs WHEN=")?;
        if goes_on && !matches!(when, When::Holds(_)) {
            return Err("HIT=NEXT goes with a condition".into());
        }
        Ok(Self { when, build: build.ok_or("IFTHEN needs BUILD= or OVERLAY=")?, goes_on })
    }
}

/// Records being rebuilt, each with its number among those of its kind.
pub(super) struct Rebuilding<'p> {
    rebuild: Option<&'p Rebuild>,
    /// The length to which records of IFTHEN are filled or cut.
    length: Option<usize>,
    numbers: Vec<i128>,
}

impl<'p> Rebuilding<'p> {
    /// Begins with the first record; records come in with a length, if it is always the same.
    pub fn of(rebuild: Option<&'p Rebuild>, length: Option<usize>) -> Self {
        let (clauses, length) = match rebuild {
            Some(Rebuild::Chosen(chosen)) => {
                (chosen.clauses.len(), rebuild.and_then(|rebuild| rebuild.length(length)))
            }
            _ => (1, None),
        };
        Self { rebuild, length, numbers: vec![0; clauses] }
    }

    /// Rebuilds the next record.
    pub fn next(&mut self, record: Vec<u8>) -> Vec<u8> {
        match self.rebuild {
            None => record,
            Some(Rebuild::Whole(build)) => counted(build, &record, &mut self.numbers[0]),
            Some(Rebuild::Chosen(chosen)) => {
                let mut record = record;
                let (mut is_met, mut is_done) = (false, false);
                for (clause, number) in chosen.clauses.iter().zip(&mut self.numbers) {
                    let applies = match &clause.when {
                        When::Init => true,
                        When::Holds(condition) => !is_done && condition.holds(&record),
                        When::Otherwise => !is_met,
                    };
                    if !applies {
                        continue;
                    }
                    if matches!(clause.when, When::Holds(_)) {
                        is_met = true;
                        is_done = !clause.goes_on;
                    }
                    record = counted(&clause.build, &record, number);
                }
                if let Some(length) = self.length {
                    record.resize(length, b' ');
                }
                record
            }
        }
    }
}

fn counted(build: &Build, record: &[u8], number: &mut i128) -> Vec<u8> {
    let built = build.apply(record, *number);
    *number += 1;
    built
}
