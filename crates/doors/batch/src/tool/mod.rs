//! ICETOOL: operators on records, on top of SORT.

mod groups;
mod operators;
mod report;
mod statements;

use access::Client;
use datasets::Shape;
use ebcdic::Characters;

use crate::dd::{Dd, Dds};
use crate::output::Output;
use crate::sort::{self, Field, Mistake, Plan, Route, Symbols, symbols, taken};
use crate::utility_records::{CARD, Desk, Failed, Sink, fitted, shape_of};
use operators::{Bound, Count, DIGITS, Mode, Operator, Work};
use statements::operations;

/// An operator that has failed, and a count that is within its bounds: the return code.
const FAILED: i32 = 12;
/// The same of a count, if RC4 says so.
const WARNING: i32 = 4;
/// Statements that are wrong or not built: the return code.
const REFUSED: i32 = 16;
/// The help of a message about statements.
const HELP: &str = "docs/jobs.md lists what ICETOOL does";

/// Reads the control statements behind a ddname: the name of their text, and the text.
pub(crate) type Control<'c> = &'c mut dyn FnMut(&mut Client, &str) -> Result<(String, String), Failed>;

/// An operator with the control statements that it uses.
struct Planned {
    operator: Operator,
    plan: Plan,
}

/// A mistake in the text behind a ddname.
pub(crate) type Misplaced = (String, Mistake);

/// Checks statements; `control` is the text behind a ddname, if it stands in the job.
pub(crate) fn check(
    text: &str,
    names: &str,
    control: &dyn Fn(&str) -> Option<String>,
) -> Result<(), Misplaced> {
    let symbols = symbols(names).map_err(|mistake| ("SYMNAMES".to_owned(), mistake))?;
    for operator in read(text, &symbols)? {
        let text = match &operator.using {
            None => Some(String::new()),
            Some(using) => control(&control_name(using)),
        };
        if let Some(text) = text {
            planned(operator, &text, &symbols)?;
        }
    }
    Ok(())
}

fn read(text: &str, symbols: &Symbols) -> Result<Vec<Operator>, Misplaced> {
    let in_tool = |mistake| ("TOOLIN".to_owned(), mistake);
    let operations = operations(text, symbols).map_err(in_tool)?;
    let operators = operations.iter().map(|one| Operator::read(one).map_err(in_tool));
    let operators = operators.collect::<Result<Vec<_>, _>>()?;
    match operators.is_empty() {
        true => Err(in_tool((0, "no operator says what to do".into(), HELP.into()))),
        false => Ok(operators),
    }
}

fn control_name(using: &str) -> String {
    format!("{using}CNTL")
}

/// Reads the control statements that an operator uses.
fn planned(operator: Operator, text: &str, symbols: &Symbols) -> Result<Planned, Misplaced> {
    let ddname = operator.using.as_deref().map_or_else(|| "TOOLIN".to_owned(), control_name);
    let (sorts, writes) = match &operator.work {
        Work::Copy { sorts, .. } => (*sorts, true),
        _ => (false, false),
    };
    let plan = sort::plan(text, symbols, None, !sorts).map_err(|mistake| (ddname.clone(), mistake))?;
    let refuse = |what: &str| {
        let text = format!("{}: {what}", operator.name);
        Err((ddname.clone(), (operator.using.as_ref().map_or(operator.line, |_| 0), text, HELP.to_owned())))
    };
    if !sorts && plan.sorts() {
        return refuse("SORT and MERGE are not taken here");
    }
    if !writes && plan.rebuilds_output() {
        return refuse("OUTREC, SUM and OUTFIL are not built here");
    }
    if let Work::Copy { to, .. } = &operator.work
        && to.is_empty()
        && !plan.names_outputs()
    {
        return refuse("TO(ddname) is missing");
    }
    Ok(Planned { operator, plan })
}

/// Carries statements out, and returns the greatest return code.
pub(crate) fn run(
    (name, text): &(String, String),
    names: &str,
    control: Control<'_>,
    dds: &Dds,
    client: &mut Client,
    output: &mut dyn Output,
) -> Result<i32, Failed> {
    // All of them are looked at before the first one is carried out.
    let all = match symbols(names).map_err(|mistake| ("SYMNAMES".to_owned(), mistake)) {
        Ok(symbols) => prepared(text, &symbols, control, client)?,
        Err(misplaced) => Err(misplaced),
    };
    let all = match all {
        Ok(all) => all,
        Err((ddname, (line, what, help))) => {
            let place = if ddname == "TOOLIN" { name } else { &ddname };
            output.log(format!("{place}:{line}: {what}: {help}"));
            return Ok(REFUSED);
        }
    };
    let (mut greatest, mut mode) = (0, Mode::Stop);
    for Planned { operator, plan } in all {
        let Operator { line, name: operation, from, work, .. } = operator;
        if let Work::Mode(asked) = work {
            mode = asked;
            continue;
        }
        if mode == Mode::Scan {
            output.display(&format!("{operation} OF LINE {line}: NOT CARRIED OUT"));
            continue;
        }
        let mut desk = Desk { dds, client: &mut *client, output: &mut *output };
        let code = match carried_out(&from, &work, &plan, &mut desk) {
            Ok(code) => code,
            Err(error) => {
                output.log(format!("{name}:{line}: {operation}: {error}"));
                FAILED
            }
        };
        output.display(&format!("{operation} OF LINE {line}: RETURN CODE {code}"));
        greatest = greatest.max(code);
        if mode == Mode::Stop && code >= FAILED {
            mode = Mode::Scan;
        }
    }
    Ok(greatest)
}

fn prepared(
    text: &str,
    symbols: &Symbols,
    control: Control<'_>,
    client: &mut Client,
) -> Result<Result<Vec<Planned>, Misplaced>, Failed> {
    let operators = match read(text, symbols) {
        Ok(operators) => operators,
        Err(misplaced) => return Ok(Err(misplaced)),
    };
    let mut all = Vec::new();
    for operator in operators {
        let text = match &operator.using {
            None => String::new(),
            Some(using) => control(client, &control_name(using))?.1,
        };
        match planned(operator, &text, symbols) {
            Ok(planned) => all.push(planned),
            Err(misplaced) => return Ok(Err(misplaced)),
        }
    }
    Ok(Ok(all))
}

/// Carries one operator out, and returns its return code.
fn carried_out(from: &str, work: &Work, plan: &Plan, desk: &mut Desk<'_>) -> Result<i32, Failed> {
    let input = desk.dds.get(from).cloned();
    let input = input.ok_or_else(|| Failed::Other(format!("there is no DD statement {from}")))?;
    let mut route = Route { inputs: vec![input], outputs: Vec::new() };
    match work {
        Work::Copy { to, .. } => {
            route.outputs.clone_from(to);
            sort::sort(plan, &route, desk)?;
        }
        Work::Count(count) => return counted(count, plan, &route, desk),
        Work::Select { to, discard, fields, chosen } => {
            let targets = [to.as_deref(), discard.as_deref()];
            groups::select(fields, *chosen, targets, (plan, &route), desk)?;
        }
        Work::Statistics(fields) => statistics(fields, plan, &route, desk)?,
        Work::Unique(field) => {
            let (mut all, mut values) = (0_u64, 0_u64);
            groups::each(&[*field], plan, &route, desk.client, &mut |_, _, size| {
                (all, values) = (all + size, values + 1);
                Ok(())
            })?;
            desk.output.display(&format!("RECORD COUNT: {all:0DIGITS$}"));
            desk.output.display(&format!("COUNT OF UNIQUE VALUES: {values:0DIGITS$}"));
        }
        Work::Range(field, bounds) => {
            let (mut all, mut within) = (0_u64, 0_u64);
            taken(plan, &route, desk.client, &mut |_, record| {
                let number = number(field, &record, all)?;
                all += 1;
                within += u64::from(bounds.iter().all(|bound| bound.holds(number)));
                Ok(())
            })?;
            desk.output.display(&format!("NUMBER OF VALUES IN RANGE: {within:0DIGITS$}"));
        }
        Work::Report(report) => report::write(report, plan, &route, desk)?,
        Work::Mode(_) => {}
    }
    Ok(0)
}

/// Returns the number in a field; that it has none is a failure, which names the record.
fn number(field: &Field, record: &[u8], place: u64) -> Result<i128, Failed> {
    let wrong = || Failed::Other(format!("record {}: position {} has no number", place + 1, field.at + 1));
    field.number(record).ok_or_else(wrong)
}

fn counted(count: &Count, plan: &Plan, route: &Route, desk: &mut Desk<'_>) -> Result<i32, Failed> {
    let Desk { dds, client, output } = desk;
    let (client, output) = (&mut **client, &mut **output);
    let mut found = 0_i128;
    taken(plan, route, client, &mut |_, _| {
        found += 1;
        Ok(())
    })?;
    // What is taken off leaves nothing less than none.
    let found = (found + count.added).max(0);
    output.display(&format!("RECORD COUNT: {found:0DIGITS$}"));
    if let Some(ddname) = &count.write {
        let digits = count.digits.unwrap_or(DIGITS);
        let shown = format!("{found:0digits$}");
        if shown.len() > digits {
            return Err(Failed::Other(format!("the count {found} has more than {digits} digits")));
        }
        let line = format!("{}{shown}", count.text.as_deref().unwrap_or_default());
        let width = count.width.unwrap_or(line.chars().count());
        if line.chars().count() > width {
            return Err(Failed::Other(format!("the count needs more than the {width} bytes of WIDTH")));
        }
        let mut target = ToolTarget::open(ddname, Shape::Fixed(Some(width)), dds, client)?;
        target.write(Characters::default().bytes(&format!("{line:width$}")), client, output)?;
        target.finish(client)?;
    }
    let is_met = count.bounds.iter().any(|bound: &Bound| bound.holds(found));
    Ok(match (is_met, count.is_warning) {
        (false, _) => 0,
        (true, false) => FAILED,
        (true, true) => WARNING,
    })
}

fn statistics(fields: &[Field], plan: &Plan, route: &Route, desk: &mut Desk<'_>) -> Result<(), Failed> {
    let Desk { client, output, .. } = desk;
    let mut all = 0_u64;
    let mut found = vec![(i128::MAX, i128::MIN, 0_i128); fields.len()];
    taken(plan, route, client, &mut |_, record| {
        for (field, (least, most, total)) in fields.iter().zip(&mut found) {
            let number = number(field, &record, all)?;
            (*least, *most) = ((*least).min(number), (*most).max(number));
            let sum = total.checked_add(number);
            *total = sum.ok_or_else(|| Failed::Other("a total has more than 38 digits".into()))?;
        }
        all += 1;
        Ok(())
    })?;
    output.display(&format!("RECORD COUNT: {all:0DIGITS$}"));
    let signed =
        |number: i128| format!("{}{:0DIGITS$}", if number < 0 { '-' } else { '+' }, number.unsigned_abs());
    for (field, (least, most, total)) in fields.iter().zip(found) {
        let (least, most) = if all == 0 { (0, 0) } else { (least, most) };
        let average = if all == 0 { 0 } else { total / i128::from(all) };
        output.display(&format!("STATISTICS FOR ({},{})", field.at + 1, field.length));
        output.display(&format!("MINIMUM: {}, MAXIMUM: {}", signed(least), signed(most)));
        output.display(&format!("AVERAGE: {}, TOTAL: {}", signed(average), signed(total)));
    }
    Ok(())
}

/// A ddname that an operator writes.
pub(crate) struct ToolTarget {
    sink: Sink,
    shape: Shape,
}

impl ToolTarget {
    /// Opens it; `shape` is that of its records, where nothing else says one.
    fn open(ddname: &str, shape: Shape, dds: &Dds, client: &mut Client) -> Result<Self, Failed> {
        let shape = match shape {
            Shape::Lines | Shape::Fixed(None) => Shape::Fixed(Some(CARD)),
            shape => shape,
        };
        let sink = Sink::open(dds, ddname, shape, client)?;
        let own = match dds.get(ddname) {
            Some(Dd::Sequential(sequential)) => sequential.shaped().shape,
            Some(dd) => shape_of(dd),
            None => shape,
        };
        Ok(Self { sink, shape: own })
    }

    fn write(&mut self, record: Vec<u8>, client: &mut Client, output: &mut dyn Output) -> Result<(), Failed> {
        self.sink.write(&fitted(record, self.shape), client, output)
    }

    fn finish(self, client: &mut Client) -> Result<(), Failed> {
        self.sink.finish(client)
    }
}
