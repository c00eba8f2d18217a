//! From the operands of a DD statement to its meaning.

use diagnostics::{Diagnostic, TextPlace};

use super::check::check;
use super::codes;
use super::model::{Dd, Disposition, Fate, Format, Part, Status, Step, What};
use super::operands::{Operand, Value};
use super::overriding::{RawDd, RawPart};

/// ddnames of libraries of programs, of command procedures and of catalogues, which mean nothing here.
const LIBRARIES: [&str; 7] = ["JOBLIB", "STEPLIB", "JOBCAT", "STEPCAT", "SYSEXEC", "SYSPROC", "DBRMLIB"];
/// The writer to which jobs are printed that are to be run.
const INTERNAL_READER: &str = "INTRDR";
/// The greatest length of a data set name, and of each qualifier.
const NAME_MAX: usize = 44;
const QUALIFIER_MAX: usize = 8;
const LENGTH_MAX: u32 = 32_760;

/// Reads the DD statements of a step; `before` are the steps that came before it.
pub(super) fn dds(raw: &[RawDd], step: &Step, before: &[Step], messages: &mut Vec<Diagnostic>) -> Vec<Dd> {
    let mut reader = Reader { own: Vec::new(), step, before, messages, makes_library: false, unnamed: 0 };
    for dd in raw.iter().filter(|dd| !LIBRARIES.contains(&dd.name.as_str())) {
        let parts = dd.parts.iter().filter_map(|part| reader.part(part)).collect();
        reader.own.push(Dd { name: dd.name.clone(), parts });
    }
    let mut dds = reader.own;
    resolve_later(&mut dds);
    dds
}

/// Resolves a backward reference in PGM=: the member of a library that an earlier DD statement names.
///
/// # Errors
/// The fault that it has.
pub(super) fn program(reference: &str, step: &Step, before: &[Step]) -> Result<String, Diagnostic> {
    let Some(part) = referred(reference, &step.dds, step, before) else {
        return Err(no_referent(reference));
    };
    let member = match &part.what {
        What::Named(name) if is_member(name) => name.split_once('('),
        _ => None,
    };
    member.map(|(_, member)| member.trim_end_matches(')').to_owned()).ok_or_else(|| {
        let text = format!("*.{reference} names no member of a library that is kept");
        Diagnostic::error(codes::REFERENCE, text).help("name the program itself")
    })
}

/// Returns the message about a backward reference that leads nowhere.
fn no_referent(reference: &str) -> Diagnostic {
    let text = format!("*.{reference} refers to no DD statement before this one");
    let help = "*.DDNAME of this step, *.STEP.DDNAME, or *.STEP.PROCSTEP.DDNAME";
    Diagnostic::error(codes::REFERENCE, text).help(help)
}

/// Finds the first part of the DD statement that a backward reference means: `DD`, `STEP.DD`, `STEP.PROCSTEP.DD`; `own` are the
/// statements of the step itself.
fn referred<'s>(reference: &str, own: &'s [Dd], step: &Step, before: &'s [Step]) -> Option<&'s Part> {
    let names: Vec<&str> = reference.split('.').collect();
    let of_step = |name: &str, inner: Option<&str>| {
        before.iter().rev().find(|before| match inner {
            Some(inner) => before.name == name && before.procedure_step.as_deref() == Some(inner),
            None => {
                let beside = before.name == step.name && before.procedure_step.as_deref() == Some(name);
                beside || before.name == name && before.procedure_step.is_none()
            }
        })
    };
    let found = match names[..] {
        [dd] => own.iter().find(|own| own.name == dd),
        [step, dd] => of_step(step, None).and_then(|step| step.dd(dd)),
        [step, inner, dd] => of_step(step, Some(inner)).and_then(|step| step.dd(dd)),
        _ => None,
    };
    found.and_then(|dd| dd.parts.first())
}

/// Resolves DDNAME=: the statement that comes later stands for both names; if none comes, it is DUMMY, as published.
fn resolve_later(dds: &mut [Dd]) {
    for at in 0..dds.len() {
        let Some(What::Later(name)) = dds[at].parts.first().map(|part| part.what.clone()) else { continue };
        let found = dds[at + 1..].iter().find(|dd| dd.name == name).map(|dd| dd.parts.clone());
        match found {
            Some(parts) => dds[at].parts.splice(..1, parts).for_each(drop),
            None => dds[at].parts[0].what = What::Dummy,
        }
    }
}

struct Reader<'a> {
    own: Vec<Dd>,
    step: &'a Step,
    before: &'a [Step],
    messages: &'a mut Vec<Diagnostic>,
    /// The statement that is read makes a library.
    makes_library: bool,
    /// Data sets without a name in this step.
    unnamed: usize,
}

impl Reader<'_> {
    fn wrong(&mut self, code: &'static str, text: String, place: TextPlace, help: &str) {
        self.messages.push(Diagnostic::error(code, text).at(place).help(help));
    }

    fn part(&mut self, raw: &RawPart) -> Option<Part> {
        for operand in &raw.operands {
            match operand.keyword.is_empty() {
                true => drop(check("DD", &operand.value.upper(), &operand.place, self.messages)),
                false => drop(check("DD", &operand.keyword, &operand.place, self.messages)),
            }
        }
        let disposition = self.disposition(raw);
        self.makes_library = self.is_library(raw);
        let format = self.format(raw);
        let what = self.what(raw)?;
        let member = matches!(&what, What::Named(name) | What::Temporary(name) if is_member(name));
        let oldest_first = match raw.operand(&["GDGORDER"]).map(|operand| (operand, operand.value.upper())) {
            Some((_, order)) if order == "FIFO" => true,
            Some((operand, order)) if !matches!(order.as_str(), "LIFO" | "USECATLG") => {
                let text = format!("GDGORDER={order} does not exist");
                self.wrong(codes::VALUE, text, operand.value.place(), "FIFO, LIFO or USECATLG");
                false
            }
            _ => false,
        };
        let library = self.makes_library || member;
        Some(Part { place: raw.place.clone(), what, disposition, format, library, oldest_first })
    }

    fn what(&mut self, raw: &RawPart) -> Option<What> {
        if raw.has("DUMMY") {
            return Some(What::Dummy);
        }
        if let Some(data) = &raw.data {
            return Some(What::Lines(data.clone()));
        }
        if let Some(operand) = raw.operand(&["SYSOUT"]) {
            if operand.value.list().get(1).is_some_and(|writer| writer.upper() == INTERNAL_READER) {
                let text = "the internal reader is not built: a job that is written is not run".into();
                self.wrong(
                    codes::VALUE,
                    text,
                    operand.value.place(),
                    "write it to a data set, and run it by another command",
                );
                return None;
            }
            return Some(What::Printed);
        }
        if let Some(operand) = raw.operand(&["DDNAME"]) {
            return Some(What::Later(operand.value.upper()));
        }
        let Some(operand) = raw.operand(&["DSN", "DSNAME"]) else {
            // A backward reference means this data set and no other.
            self.unnamed += 1;
            return Some(What::Temporary(format!("-{}-{}", self.before.len() + 1, self.unnamed)));
        };
        self.data_set(&operand.value)
    }

    fn data_set(&mut self, value: &Value) -> Option<What> {
        let name = value.upper().trim_end().to_owned();
        if let Some(reference) = name.strip_prefix("*.") {
            let found = self.referred(reference, value)?;
            return Some(found.what);
        }
        if name == "NULLFILE" {
            return Some(What::Dummy);
        }
        if let Some(temporary) = name.strip_prefix("&&").or_else(|| name.strip_prefix('&')) {
            let plain = temporary.split('(').next().unwrap_or_default();
            if !name.starts_with("&&") && plain.contains('.') {
                // A symbol without a value: that was said when the statement was read.
                return None;
            }
            if plain.is_empty()
                || plain.len() > QUALIFIER_MAX
                || !plain.chars().all(super::symbols::is_of_name)
            {
                let text = format!("{name} is no name of a temporary data set");
                self.wrong(codes::NAME, text, value.place(), "&& and up to 8 letters and digits");
                return None;
            }
            return Some(What::Temporary(temporary.to_owned()));
        }
        if let Some(why) = not_a_name(&name) {
            self.wrong(codes::NAME, format!("{name} is not a data set name"), value.place(), why);
            return None;
        }
        Some(What::Named(name))
    }

    fn referred(&mut self, reference: &str, value: &Value) -> Option<Part> {
        let part = referred(reference, &self.own, self.step, self.before).cloned();
        if part.is_none() {
            self.messages.push(no_referent(reference).at(value.place()));
        }
        part
    }

    fn disposition(&mut self, raw: &RawPart) -> Disposition {
        let mut words: Vec<(String, TextPlace)> = Vec::new();
        if let Some(operand) = raw.operand(&["DISP"]) {
            words = operand.value.list().iter().map(|value| (value.upper(), value.place())).collect();
        }
        for (at, (word, place)) in words.iter().enumerate() {
            let fits = match word.as_str() {
                "" => true,
                "NEW" | "OLD" | "SHR" | "MOD" => at == 0,
                "PASS" => at == 1,
                _ => at == 1 || at == 2,
            };
            if !word.is_empty() && check("DISP", word, place, self.messages) && !fits || at > 2 {
                let text = format!("{word} cannot stand here in DISP");
                let help = "DISP=(status,normal,abnormal): (NEW,CATLG,DELETE)";
                self.wrong(codes::VALUE, text, place.clone(), help);
            }
        }
        let said = |at: usize| words.get(at).map_or("", |(word, _)| word.as_str());
        let status = match said(0) {
            "OLD" => Status::Old,
            "SHR" => Status::Shared,
            "MOD" => Status::Mod,
            _ => Status::New,
        };
        let fate = |word: &str, default: Fate| match word {
            "KEEP" => Fate::Keep,
            "DELETE" => Fate::Delete,
            "CATLG" => Fate::Catalogue,
            "PASS" => Fate::Pass,
            _ => default,
        };
        let normal = fate(said(1), if status == Status::New { Fate::Delete } else { Fate::Keep });
        Disposition { status, normal, abnormal: fate(said(2), normal) }
    }

    fn format(&mut self, raw: &RawPart) -> Format {
        let mut format = Format::default();
        let mut like = None;
        for operand in raw.operands.iter().filter(|operand| operand.keyword != "DCB") {
            self.attribute(operand, &mut format);
        }
        for dcb in raw.operands.iter().filter(|operand| operand.keyword == "DCB") {
            for operand in dcb.value.operands() {
                if operand.keyword.is_empty() {
                    like.get_or_insert(operand.value);
                } else if check("DCB", &operand.keyword, &operand.place, self.messages) {
                    self.attribute(&operand, &mut format);
                }
            }
        }
        let named = raw.operand(&["LIKE", "REFDD"]).map(|operand| operand.value.clone());
        if let Some(value) = like.or(named) {
            let name = value.upper();
            match name.strip_prefix("*.") {
                Some(reference) => {
                    if let Some(found) = self.referred(reference, &value) {
                        self.take_format(&found, &mut format);
                    }
                }
                None => match not_a_name(&name) {
                    Some(why) => {
                        self.wrong(codes::NAME, format!("{name} is not a data set name"), value.place(), why);
                    }
                    None => format.like = Some(name),
                },
            }
        }
        format
    }

    /// Takes the format of a statement that is referred to, where this one says nothing.
    fn take_format(&self, found: &Part, format: &mut Format) {
        format.form = format.form.take().or_else(|| found.format.form.clone());
        format.length = format.length.or(found.format.length);
        format.like = found.format.like.clone().or_else(|| match &found.what {
            What::Named(name) => Some(name.clone()),
            _ => None,
        });
    }

    fn attribute(&mut self, operand: &Operand, format: &mut Format) {
        let value = operand.value.upper();
        match operand.keyword.as_str() {
            "RECFM" if format.form.is_none() => {
                let rest = value.strip_prefix(['F', 'V']);
                // Libraries of programs are made, and nothing here writes to them.
                if value == "U" && self.makes_library {
                    return;
                }
                if rest.is_some_and(|rest| rest.chars().all(|c| "BSAMT".contains(c))) {
                    format.form = Some(value);
                    return;
                }
                let text = format!("RECFM={value} is not built");
                self.wrong(codes::VALUE, text, operand.value.place(), "F, FB, V or VB, each perhaps with A");
            }
            "LRECL" if format.length.is_none() => match value.parse() {
                Ok(length) if length <= LENGTH_MAX => {
                    format.length = Some(length).filter(|length| *length > 0)
                }
                _ => {
                    let text = format!("LRECL={value} is not built");
                    self.wrong(codes::VALUE, text, operand.value.place(), "a number up to 32760");
                }
            },
            "DSORG" if !matches!(value.as_str(), "PS" | "PO" | "PSU" | "POU") => {
                let text = format!("DSORG={value} is not built");
                self.wrong(
                    codes::VALUE,
                    text,
                    operand.value.place(),
                    "PS or PO; IDCAMS defines data sets of VSAM",
                );
            }
            "DSNTYPE"
                if matches!(
                    operand.value.list().first().map(Value::upper).as_deref(),
                    Some("HFS" | "PIPE")
                ) =>
            {
                let text = format!("DSNTYPE={value} is not built");
                self.wrong(codes::VALUE, text, operand.value.place(), "LIBRARY, PDS, or none");
            }
            _ => {}
        }
    }

    fn is_library(&self, raw: &RawPart) -> bool {
        let dcb = raw.operands.iter().filter(|operand| operand.keyword == "DCB");
        let mut inner = dcb.flat_map(|dcb| dcb.value.operands());
        let is_partitioned = |operand: &Operand| operand.value.upper().starts_with("PO");
        let by_organization = raw.operand(&["DSORG"]).is_some_and(is_partitioned)
            || inner.any(|operand| operand.keyword == "DSORG" && is_partitioned(&operand));
        let by_type = raw.operand(&["DSNTYPE"]).is_some_and(|operand| {
            matches!(operand.value.list().first().map(Value::upper).as_deref(), Some("LIBRARY" | "PDS"))
        });
        let directory = raw.operand(&["SPACE"]).and_then(|operand| operand.value.list().get(1).cloned());
        let has_directory = directory.and_then(|sizes| sizes.list().get(2).map(Value::upper));
        let has_directory =
            has_directory.and_then(|blocks| blocks.parse::<u32>().ok()).is_some_and(|blocks| blocks > 0);
        by_organization || by_type || has_directory
    }
}

/// Returns true if a member stands in the parentheses behind a name: anything but a number.
fn is_member(name: &str) -> bool {
    name.split_once('(')
        .is_some_and(|(_, rest)| !rest.trim_end_matches(')').chars().all(|c| "+-0123456789".contains(c)))
}

/// Returns the reason why a text is no data set name, perhaps with a member or a generation.
fn not_a_name(name: &str) -> Option<&'static str> {
    if name.contains(['<', '>']) || name.matches('@').count() > 1 {
        return Some("if a part of it is to be replaced, [tokens] of region.toml says by what");
    }
    let (plain, inner) = match name.split_once('(') {
        Some((plain, rest)) => (plain, Some(rest.strip_suffix(')'))),
        None => (name, None),
    };
    let is_qualifier = |part: &str| {
        let starts = part.starts_with(|c: char| c.is_ascii_uppercase() || "@#$".contains(c));
        starts
            && part.len() <= QUALIFIER_MAX
            && part.chars().all(|c| super::symbols::is_of_name(c) || c == '-')
    };
    if plain.len() > NAME_MAX || !plain.split('.').all(is_qualifier) {
        return Some("up to 44 characters; each part between dots has up to 8 and begins with a letter");
    }
    match inner {
        Some(None) => Some("the parenthesis is not closed"),
        Some(Some(inner)) if is_member(name) && !is_qualifier(inner) => {
            Some("a member has up to 8 characters")
        }
        Some(Some("")) => Some("a member or a generation stands in the parentheses"),
        _ => None,
    }
}
