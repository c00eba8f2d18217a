//! SORT: records sorted, chosen, summed up and rebuilt, on the sort that COBOL programs have.

mod build;
mod condition;
mod control;
mod fields;
mod rebuild;

use std::cell::RefCell;
use std::collections::BTreeSet;

use access::Client;
use cobol_ir::program::files::{SortKey, SortOrder};
use datasets::Shape;

use crate::dd::{Dd, Dds};
use crate::output::Output;
use crate::running::sorting::Sorter;
use crate::utility_records::{Desk, Failed, Sink, fitted, read, shape_of};
use condition::Condition;
pub(crate) use control::{Item, Mistake, Symbols, items, symbols};
use control::{Statement, statements};
pub(crate) use fields::{Field, Format};
use rebuild::{Rebuild, Rebuilding};

/// Control statements that are wrong or not built, or records that do not fit: the return code.
const FAILED: i32 = 16;
/// Bytes before the data of records of varying length, as positions count them.
const RECORD_WORD: usize = 4;
/// The output that needs no name.
const SORTOUT: &str = "SORTOUT";
/// Data sets that OUTFIL names.
const OUTPUTS_MAX: usize = 100;

/// Options that mean nothing here.
const HARMLESS: [&str; 32] = [
    "EQUALS",
    "NOEQUALS",
    "DYNALLOC",
    "NODYNALLOC",
    "MAINSIZE",
    "FILSZ",
    "SIZE",
    "VLSHRT",
    "NOVLSHRT",
    "VLSCMP",
    "NOVLSCMP",
    "MSGPRT",
    "MSGDDN",
    "LIST",
    "NOLIST",
    "LISTX",
    "NOLISTX",
    "HIPRMAX",
    "DSPSIZE",
    "MOSIZE",
    "AVGRLEN",
    "CKPT",
    "VERIFY",
    "NOVERIFY",
    "ZDPRINT",
    "NZDPRINT",
    "SOLRF",
    "NOSOLRF",
    "RESINV",
    "USEWKDD",
    "DSA",
    "SZERO",
];

/// The work that control statements ask for.
#[derive(Default)]
pub(crate) struct Plan {
    keys: Vec<(Field, bool)>,
    copies: bool,
    merges: bool,
    include: Option<Condition>,
    omit: Option<Condition>,
    /// SUM: the fields; none of them for FIELDS=NONE.
    sum: Option<Vec<Field>>,
    inrec: Option<Rebuild>,
    outrec: Option<Rebuild>,
    skip: u64,
    stop: Option<u64>,
    outputs: Vec<OutputPlan>,
}

impl Plan {
    /// Returns true if it sorts or merges by keys.
    pub fn sorts(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Returns true if records are changed or distributed behind the sort.
    pub fn rebuilds_output(&self) -> bool {
        self.outrec.is_some() || self.sum.is_some() || !self.outputs.is_empty()
    }

    /// Returns true if OUTFIL names every output.
    pub fn names_outputs(&self) -> bool {
        !self.outputs.is_empty() && self.outputs.iter().all(|output| !output.ddnames.is_empty())
    }

    /// Returns the shape of the records that come out, where OUTFIL says nothing.
    pub fn shape(&self, route: &Route) -> Shape {
        self.shape_built(None, route)
    }

    /// Returns the shape of the records of an output that are rebuilt.
    fn shape_built(&self, build: Option<&Rebuild>, route: &Route) -> Shape {
        // What is built decides how long records are; otherwise the input does.
        let built = built_length(build, self.length_given(route));
        match (built, route.shape()) {
            (_, Shape::Variable) => Shape::Variable,
            (Some(length), _) => Shape::Fixed(Some(length)),
            (None, Shape::Lines | Shape::Fixed(None)) => Shape::Fixed(Some(crate::utility_records::CARD)),
            (None, shape) => shape,
        }
    }

    /// Returns the length of the records that are sorted, if it is always the same.
    fn length_taken(&self, route: &Route) -> Option<usize> {
        built_length(self.inrec.as_ref(), route.length())
    }

    /// Returns the length of the records that OUTFIL gets, if it is always the same.
    fn length_given(&self, route: &Route) -> Option<usize> {
        built_length(self.outrec.as_ref(), self.length_taken(route))
    }
}

/// Returns the length of records that are rebuilt, or come as they are, if it is always the same.
fn built_length(rebuild: Option<&Rebuild>, length: Option<usize>) -> Option<usize> {
    rebuild.map_or(length, |rebuild| rebuild.length(length))
}

/// An OUTFIL statement.
struct OutputPlan {
    /// The outputs; where none is named, the first that the step has.
    ddnames: Vec<String>,
    include: Option<Condition>,
    omit: Option<Condition>,
    /// SAVE: the records that no other OUTFIL has taken.
    saves: bool,
    build: Option<Rebuild>,
    first: u64,
    last: u64,
}

/// DD statements whose control statements would count together with those of SYSIN.
const MORE_CONTROL: [&str; 3] = ["DFSPARM", "$ORTPARM", "SORTCNTL"];

/// Returns the first of a step's ddnames that has control statements which are not read.
pub(crate) fn unread_control<'d>(mut ddnames: impl Iterator<Item = &'d str>) -> Option<&'d str> {
    ddnames.find(|ddname| MORE_CONTROL.contains(ddname))
}

/// Checks control statements.
pub(crate) fn check(text: &str, names: &str, parm: Option<&str>) -> Result<(), Mistake> {
    plan(text, &symbols(names)?, parm, false).map(drop)
}

/// Sorts SORTIN to SORTOUT, and returns the return code.
pub(crate) fn run(
    (name, text): &(String, String),
    (_, names): &(String, String),
    parm: Option<&str>,
    dds: &Dds,
    client: &mut Client,
    output: &mut dyn Output,
) -> Result<i32, Failed> {
    let plan = match symbols(names).and_then(|symbols| plan(text, &symbols, parm, false)) {
        Ok(plan) => plan,
        Err((line, what, help)) => {
            output.log(format!("{name}:{line}: {what}: {help}"));
            return Ok(FAILED);
        }
    };
    let sorted = inputs(&plan, dds).and_then(|inputs| {
        let route = Route { inputs, outputs: vec![SORTOUT.to_owned()] };
        sort(&plan, &route, &mut Desk { dds, client, output })
    });
    match sorted {
        Ok(()) => Ok(0),
        Err(error) => {
            output.log(error.to_string());
            Ok(FAILED)
        }
    }
}

/// The help of a message about control statements.
const HELP: &str = "docs/jobs.md lists what SORT does";

/// Reads control statements; `copies` says that records are copied where no statement says how to sort them.
pub(crate) fn plan(text: &str, symbols: &Symbols, parm: Option<&str>, copies: bool) -> Result<Plan, Mistake> {
    let mut plan = Plan::default();
    // PARM says options as the statement OPTION does.
    if let Some(parm) = parm.map(str::trim).filter(|parm| !parm.is_empty()) {
        let options = control::options(parm, symbols)?;
        option(&options, &mut plan).map_err(|what| (0, format!("PARM: {what}"), HELP.to_owned()))?;
    }
    let mut seen = BTreeSet::new();
    for statement in statements(text, symbols)? {
        let Statement { line, operation, operands } = &statement;
        let wrong = |what: String| (*line, what, HELP.to_owned());
        // INCLUDE and OMIT exclude each other, as do SORT and MERGE.
        let once = match operation.as_str() {
            "OMIT" => "INCLUDE",
            "MERGE" => "SORT",
            other => other,
        };
        if !matches!(once, "OPTION" | "OUTFIL" | "RECORD" | "END") && !seen.insert(once.to_owned()) {
            return Err(wrong(format!("a second {operation} is not built")));
        }
        match operation.as_str() {
            "SORT" | "MERGE" => {
                plan.merges = operation == "MERGE";
                keys(operands, &mut plan).map_err(wrong)?;
            }
            "OPTION" => option(operands, &mut plan).map_err(wrong)?,
            "INCLUDE" => plan.include = Some(condition(operands).map_err(wrong)?),
            "OMIT" => plan.omit = Some(condition(operands).map_err(wrong)?),
            "SUM" => plan.sum = Some(sum(operands).map_err(wrong)?),
            "INREC" => plan.inrec = Some(Rebuild::read(operands).map_err(wrong)?),
            "OUTREC" => plan.outrec = Some(Rebuild::read(operands).map_err(wrong)?),
            "OUTFIL" => {
                plan.outputs.push(outfil(operands).map_err(wrong)?);
                if plan.outputs.len() > OUTPUTS_MAX {
                    return Err(wrong(format!("there are more than {OUTPUTS_MAX} OUTFIL statements")));
                }
            }
            "RECORD" | "END" => {}
            other => return Err(wrong(format!("the statement {other} of SORT is not built"))),
        }
    }
    if plan.keys.is_empty() && !plan.copies && !copies {
        return Err((
            0,
            "nothing says how to sort".into(),
            "SORT FIELDS=(position,length,format,A), or OPTION COPY".into(),
        ));
    }
    plan.copies |= plan.keys.is_empty();
    if plan.copies {
        // Records that are copied are not added up.
        plan.sum = None;
    }
    Ok(plan)
}

/// Returns the value of a keyword.
fn value<'a>(operands: &'a [Item], keyword: &str) -> Option<&'a Item> {
    operands.iter().find_map(|item| match item {
        Item::Pair(own, value) if own == keyword => Some(value.as_ref()),
        _ => None,
    })
}

fn format_of(operands: &[Item]) -> Result<Option<Format>, String> {
    match value(operands, "FORMAT") {
        None => Ok(None),
        Some(item) => {
            let name = item.word().unwrap_or_default();
            Format::named(name).map(Some).ok_or_else(|| format!("FORMAT={name} is not built"))
        }
    }
}

fn keys(operands: &[Item], plan: &mut Plan) -> Result<(), String> {
    for item in operands {
        match item {
            Item::Pair(keyword, value) => match keyword.as_str() {
                "FIELDS" | "FORMAT" => {}
                "SKIPREC" => plan.skip = number(value, keyword)?,
                "STOPAFT" => plan.stop = Some(number(value, keyword)?),
                other if HARMLESS.contains(&other) => {}
                other => return Err(format!("{other}= is not built")),
            },
            Item::Word(word) if HARMLESS.contains(&word.as_str()) => {}
            other => return Err(format!("{} is not understood", other.word().unwrap_or("a list"))),
        }
    }
    let fields = value(operands, "FIELDS").ok_or("SORT needs FIELDS=")?;
    if fields.list().first().and_then(Item::word) == Some("COPY") {
        plan.copies = true;
        return Ok(());
    }
    let default = format_of(operands)?;
    let items = fields.list();
    let mut at = 0;
    while at < items.len() {
        let (position, length) = (&items[at], items.get(at + 1).unwrap_or(&items[at]));
        let own = items.get(at + 2).and_then(Item::word).and_then(Format::named);
        let order_at = at + 2 + usize::from(own.is_some());
        let descending = match items.get(order_at).and_then(Item::word) {
            Some("A") => false,
            Some("D") => true,
            other => {
                return Err(format!(
                    "{} is neither a format that is built nor A or D",
                    other.unwrap_or("nothing")
                ));
            }
        };
        let format = own.or(default).ok_or("a key has no format")?;
        let field = Field::new(position, length, format);
        plan.keys
            .push((field.ok_or_else(|| format!("key {} is no field", plan.keys.len() + 1))?, descending));
        at = order_at + 1;
    }
    if plan.keys.is_empty() {
        return Err("FIELDS= names no key".into());
    }
    Ok(())
}

fn number(item: &Item, keyword: &str) -> Result<u64, String> {
    item.number().map(|number| number as u64).ok_or_else(|| format!("{keyword}= is a number"))
}

fn option(operands: &[Item], plan: &mut Plan) -> Result<(), String> {
    for item in operands {
        let name = match item {
            Item::Word(word) => word,
            Item::Pair(keyword, _) => keyword,
            _ => return Err("a list in OPTION is not understood".into()),
        };
        match (name.as_str(), item) {
            ("COPY", _) => plan.copies = true,
            ("SKIPREC", Item::Pair(_, value)) => plan.skip = number(value, name)?,
            ("STOPAFT", Item::Pair(_, value)) => plan.stop = Some(number(value, name)?),
            (other, _) if HARMLESS.contains(&other) => {}
            (other, _) => return Err(format!("the option {other} is not built")),
        }
    }
    Ok(())
}

fn condition(operands: &[Item]) -> Result<Condition, String> {
    let item = value(operands, "COND").ok_or("COND= is missing")?;
    Condition::read(item, format_of(operands)?)
        .ok_or_else(|| "the condition is not understood or not built".into())
}

fn sum(operands: &[Item]) -> Result<Vec<Field>, String> {
    let item = value(operands, "FIELDS").ok_or("SUM needs FIELDS=")?;
    if item.list().first().and_then(Item::word) == Some("NONE") {
        return Ok(Vec::new());
    }
    if operands.iter().any(|item| item.word() == Some("XSUM")) {
        return Err("XSUM is not built".into());
    }
    let default = format_of(operands)?;
    let items = item.list();
    let mut fields = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let own = items.get(at + 2).and_then(Item::word).and_then(Format::named);
        let format = own.or(default).ok_or("a field of SUM has no format that is built")?;
        let length = items.get(at + 1).ok_or("a field of SUM has no length")?;
        let field = Field::new(&items[at], length, format);
        let summed = field.filter(|field| {
            matches!(field.format, Format::Packed | Format::Zoned | Format::Fixed | Format::Binary)
        });
        fields.push(summed.ok_or("SUM adds fields of PD, ZD, FI and BI")?);
        at += 2 + usize::from(own.is_some());
    }
    Ok(fields)
}

fn outfil(operands: &[Item]) -> Result<OutputPlan, String> {
    let mut plan = OutputPlan {
        ddnames: Vec::new(),
        include: None,
        omit: None,
        saves: false,
        build: None,
        first: 1,
        last: u64::MAX,
    };
    let format = format_of(operands)?;
    let mut builds = Vec::new();
    let read =
        |item: &Item| Condition::read(item, format).ok_or("the condition is not understood or not built");
    for item in operands {
        let Item::Pair(keyword, value) = item else {
            match item.word() {
                Some("SAVE") => plan.saves = true,
                other => return Err(format!("{} of OUTFIL is not built", other.unwrap_or("a list"))),
            }
            continue;
        };
        let words = || value.list().iter().filter_map(Item::word).map(str::to_owned).collect::<Vec<_>>();
        match keyword.as_str() {
            "FNAMES" => plan.ddnames.extend(words()),
            "FILES" => plan.ddnames.extend(words().into_iter().map(|end| match end.as_str() {
                "OUT" => SORTOUT.to_owned(),
                end => format!("SORTOF{end}"),
            })),
            "INCLUDE" => plan.include = Some(read(value)?),
            "OMIT" => plan.omit = Some(read(value)?),
            own if Rebuild::is_asked_for(own) => builds.push(item.clone()),
            "STARTREC" => plan.first = number(value, keyword)?,
            "ENDREC" => plan.last = number(value, keyword)?,
            "FORMAT" => {}
            other => return Err(format!("{other}= of OUTFIL is not built")),
        }
    }
    if !builds.is_empty() {
        plan.build = Some(Rebuild::read(&builds)?);
    }
    Ok(plan)
}

/// An open output.
struct Out<'p> {
    plan: Option<&'p OutputPlan>,
    sinks: Vec<(Sink, Shape)>,
    seen: u64,
    rebuilding: Rebuilding<'p>,
}

/// The data sets that are read, and the ddnames that are written where nothing else is named.
pub(crate) struct Route {
    /// Read one after the other.
    pub inputs: Vec<Dd>,
    /// The ddnames that get all records.
    pub outputs: Vec<String>,
}

impl Route {
    /// Returns the bytes before the data of the inputs' records, as positions count them.
    pub fn front(&self) -> usize {
        match self.inputs.first() {
            Some(Dd::DataSet(_)) | None => 0,
            Some(dd) if shape_of(dd) == Shape::Variable => RECORD_WORD,
            Some(_) => 0,
        }
    }

    /// Returns the shape of the records that are read.
    fn shape(&self) -> Shape {
        self.inputs.first().map_or(Shape::Variable, shape_of)
    }

    /// Returns the length of the records that are read, if it is always the same.
    fn length(&self) -> Option<usize> {
        match self.shape() {
            Shape::Fixed(length) => length,
            _ => None,
        }
    }
}

/// Takes a record of the inputs.
pub(crate) type Taker<'t> = &'t mut dyn FnMut(&mut Client, Vec<u8>) -> Result<(), Failed>;

/// Gives each record of the inputs that a plan takes to `each`, rebuilt as INREC says and with the bytes in front that positions
/// count; returns the number of records that were read.
pub(crate) fn taken(plan: &Plan, route: &Route, client: &mut Client, each: Taker<'_>) -> Result<u64, Failed> {
    let front = route.front();
    let (mut read_records, mut left) = (0_u64, plan.stop);
    let mut rebuilding = Rebuilding::of(plan.inrec.as_ref(), route.length());
    let mut skip = plan.skip;
    for dd in &route.inputs {
        read(dd, client, &mut |client, record| {
            if left == Some(0) {
                return Ok(false);
            }
            if skip > 0 {
                skip -= 1;
                return Ok(true);
            }
            read_records += 1;
            let record = [&vec![0; front], record.as_slice()].concat();
            let is_taken = plan.include.as_ref().is_none_or(|condition| condition.holds(&record))
                && !plan.omit.as_ref().is_some_and(|condition| condition.holds(&record));
            if !is_taken {
                return Ok(true);
            }
            left = left.map(|left| left - 1);
            each(client, rebuilding.next(record))?;
            Ok(true)
        })?;
    }
    Ok(read_records)
}

/// A sort by bytes at the beginning of records, in which fields are in the order of their values.
pub(crate) fn sorter(key_length: usize) -> Sorter {
    let key = SortKey { offset: 0, length: key_length as u32, numeric: None, descending: false };
    Sorter::new(SortOrder { keys: vec![key], collating: None })
}

/// Says that a sort has failed.
pub(crate) fn gave_up(error: std::io::Error) -> Failed {
    Failed::Other(format!("the sort failed: {error}"))
}

/// Sorts or copies records as a plan says.
pub(crate) fn sort(plan: &Plan, route: &Route, desk: &mut Desk<'_>) -> Result<(), Failed> {
    let Desk { dds, client, output } = desk;
    let (client, output) = (&mut **client, &mut **output);
    let front = route.front();
    let key_length: usize = plan.keys.iter().map(|(field, _)| field.ordered_length()).sum();
    let mut sorter = sorter(key_length);
    let read_records = taken(plan, route, client, &mut |_, record| {
        let mut whole = Vec::with_capacity(key_length + record.len());
        if !plan.copies {
            for (field, descending) in &plan.keys {
                let from = whole.len();
                whole.extend(field.ordered(&record));
                if *descending {
                    whole[from..].iter_mut().for_each(|byte| *byte = !*byte);
                }
            }
        }
        whole.extend(record);
        sorter.release(whole).map_err(gave_up)?;
        Ok(())
    })?;
    sorter.turn().map_err(gave_up)?;
    let prefix = if plan.copies { 0 } else { key_length };
    let mut outs = open_outputs(plan, route, dds, client)?;
    let written = RefCell::new(0_u64);
    let mut rebuilding = Rebuilding::of(plan.outrec.as_ref(), plan.length_taken(route));
    let mut give = |record: &[u8], client: &mut Client, output: &mut dyn Output| -> Result<(), Failed> {
        let record = rebuilding.next(record.to_vec());
        *written.borrow_mut() += 1;
        deliver(&mut outs, &record, front, client, output)
    };
    let mut held: Option<Vec<u8>> = None;
    while let Some(whole) = sorter.next().map_err(gave_up)? {
        let Some(fields) = &plan.sum else {
            give(&whole[prefix..], client, output)?;
            continue;
        };
        held = Some(match held.take() {
            Some(mut first) => {
                let is_same = first[..prefix] == whole[..prefix];
                if is_same && added(fields, &mut first[prefix..], &whole[prefix..]) {
                    first
                } else {
                    give(&first[prefix..], client, output)?;
                    whole
                }
            }
            None => whole,
        });
    }
    if let Some(last) = held {
        give(&last[prefix..], client, output)?;
    }
    for out in outs {
        for (sink, _) in out.sinks {
            sink.finish(client)?;
        }
    }
    output.display(&format!("RECORDS - IN: {read_records}, OUT: {}", written.into_inner()));
    Ok(())
}

/// Returns the data sets that are read: SORTIN, or SORTIN01 and so on for MERGE.
fn inputs(plan: &Plan, dds: &Dds) -> Result<Vec<Dd>, Failed> {
    if plan.merges && dds.get("SORTIN").is_none() {
        let named = dds.iter().filter(|(name, _)| {
            name.strip_prefix("SORTIN")
                .is_some_and(|end| end.len() == 2 && end.bytes().all(|b| b.is_ascii_digit()))
        });
        let inputs: Vec<Dd> = named.map(|(_, dd)| dd.clone()).collect();
        if !inputs.is_empty() {
            return Ok(inputs);
        }
    }
    match dds.get("SORTIN") {
        Some(dd) => Ok(vec![dd.clone()]),
        None => Err(Failed::Other("there is no DD statement SORTIN".into())),
    }
}

fn open_outputs<'p>(
    plan: &'p Plan,
    route: &Route,
    dds: &Dds,
    client: &mut Client,
) -> Result<Vec<Out<'p>>, Failed> {
    let mut outs = Vec::new();
    let open = |ddname: &str, shape: Shape, client: &mut Client| {
        let sink = Sink::open(dds, ddname, shape, client)?;
        let own = dds.get(ddname).map_or(shape, shape_of);
        Ok::<_, Failed>((sink, own))
    };
    let first = route.outputs.first();
    let of_outfil = |ddname: &String| {
        plan.outputs.iter().any(|output| match output.ddnames.as_slice() {
            [] => first == Some(ddname),
            named => named.contains(ddname),
        })
    };
    // An output that no OUTFIL names gets all records, if the step has it.
    let is_whole =
        |ddname: &&String| plan.outputs.is_empty() || dds.get(ddname).is_some() && !of_outfil(ddname);
    let whole = route.outputs.iter().filter(is_whole);
    let mut sinks = Vec::new();
    for ddname in whole {
        sinks.push(open(ddname, plan.shape(route), client)?);
    }
    if !sinks.is_empty() {
        outs.push(Out { plan: None, sinks, seen: 0, rebuilding: Rebuilding::of(None, None) });
    }
    for output in &plan.outputs {
        let unnamed = first.filter(|_| output.ddnames.is_empty());
        let mut sinks = Vec::new();
        for ddname in output.ddnames.iter().chain(unnamed) {
            sinks.push(open(ddname, plan.shape_built(output.build.as_ref(), route), client)?);
        }
        let rebuilding = Rebuilding::of(output.build.as_ref(), plan.length_given(route));
        outs.push(Out { plan: Some(output), sinks, seen: 0, rebuilding });
    }
    Ok(outs)
}

/// Gives a record to each output that takes it.
fn deliver(
    outs: &mut [Out<'_>],
    record: &[u8],
    front: usize,
    client: &mut Client,
    output: &mut dyn Output,
) -> Result<(), Failed> {
    let mut is_taken = false;
    for saving in [false, true] {
        for out in outs.iter_mut().filter(|out| out.plan.is_some_and(|plan| plan.saves) == saving) {
            out.seen += 1;
            if let Some(plan) = out.plan {
                let chosen = plan.include.as_ref().is_none_or(|condition| condition.holds(record))
                    && !plan.omit.as_ref().is_some_and(|condition| condition.holds(record))
                    && (plan.first..=plan.last).contains(&out.seen)
                    && !(saving && is_taken);
                if !chosen {
                    continue;
                }
                is_taken = true;
            }
            let whole = out.rebuilding.next(record.to_vec());
            for (sink, shape) in &mut out.sinks {
                let data = whole.get(front..).unwrap_or_default().to_vec();
                sink.write(&fitted(data, *shape), client, output)?;
            }
        }
    }
    Ok(())
}

/// Adds the fields of a record to those of another; `false` if a sum does not fit: then nothing is changed.
fn added(fields: &[Field], first: &mut [u8], second: &[u8]) -> bool {
    let mut summed = first.to_vec();
    for field in fields {
        let (Some(left), Some(right)) = (field.number(&summed), field.number(second)) else { return false };
        let Some(sum) = left.checked_add(right) else { return false };
        if !field.store(sum, &mut summed) {
            return false;
        }
    }
    first.copy_from_slice(&summed);
    true
}
