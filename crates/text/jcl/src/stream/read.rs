//! From the lines of a job stream to jobs.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};

use super::check::check;
use super::codes;
use super::condition::{Cond, Expression, StepName, expression};
use super::dd::{dds, program};
use super::events::{Event, collect, data_of, is_pend, mentions};
use super::exec::{apply, checked_name, condition, is_of_exec, restart, time};
use super::model::{Job, Step};
use super::operands::{Operand, operands};
use super::overriding::{RawDd, RawPart, override_dd};
use super::supplied;
use super::symbols::{Symbols, replaced};
use super::text::{Written, text};
use crate::table;

/// The greatest depth of nested procedures and INCLUDEs; 15 are published.
const DEPTH_MAX: usize = 15;
/// Steps of a job; 255 are published.
const STEPS_MAX: usize = 255;

/// Finds a member: of libraries, in their order, by its name in upper case.
pub type Finder<'f> = &'f mut dyn FnMut(&[String], &str) -> Option<Arc<Source>>;

/// A job stream.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    /// The jobs in order.
    pub jobs: Vec<Job>,
    /// Messages about mistakes in them. If there is an error, none of the jobs is to be run.
    pub messages: Vec<Diagnostic>,
}

/// Reads a job stream. `symbols` are those of the system; `finder` brings procedures and members that INCLUDE names.
pub fn jobs(source: &Arc<Source>, symbols: &Symbols, finder: Finder<'_>) -> Jobs {
    let mut reader = Reader {
        finder,
        system: symbols.clone(),
        symbols: symbols.clone(),
        read: Jobs::default(),
        job: None,
        procedures: BTreeMap::new(),
        libraries: Vec::new(),
        exported: Vec::new(),
        guards: Vec::new(),
        open: None,
        depth: 0,
    };
    let events = collect(source, &mut reader.read.messages);
    reader.all(&events);
    reader.job_ends();
    // As the user's file has them; those of members come last.
    let order = |message: &Diagnostic| {
        let place = message.place.as_ref();
        place.map(|place| {
            (!Arc::ptr_eq(&place.source, source), place.source.name.clone(), place.line, place.column)
        })
    };
    reader.read.messages.sort_by_cached_key(order);
    reader.read
}

/// A job while it is read.
struct Building {
    job: Job,
    /// The DD statements of each step as they are written.
    raw: Vec<Vec<RawDd>>,
}

/// The owner of the DD statements that follow.
#[derive(Clone, Debug)]
enum Open {
    /// A step, by its place in the job.
    Step(usize),
    /// The steps of a procedure: those from `first` on, and how many DD statements have changed which ddname of which step.
    Procedure { first: usize, last: Option<(usize, String, usize)> },
    /// A step that is refused already.
    Nothing,
}

struct Reader<'f> {
    finder: Finder<'f>,
    system: Symbols,
    symbols: Symbols,
    read: Jobs,
    job: Option<Building>,
    /// Procedures in the stream, by name, with PROC and PEND.
    procedures: BTreeMap<String, Vec<Event>>,
    libraries: Vec<String>,
    exported: Vec<String>,
    guards: Vec<(usize, bool)>,
    open: Option<Open>,
    depth: usize,
}

impl Reader<'_> {
    fn say(&mut self, message: Diagnostic) {
        self.read.messages.push(message);
    }

    fn wrong(&mut self, code: &'static str, text: impl Into<String>, place: TextPlace, help: &str) {
        self.say(Diagnostic::error(code, text).at(place).help(help));
    }

    fn all(&mut self, events: &[Event]) {
        let mut at = 0;
        while let Some(event) = events.get(at) {
            at += 1;
            match event {
                Event::Null => self.job_ends(),
                Event::Jes(place, word) => self.jes(place, word),
                Event::Loose(source, lines) => self.loose(source, lines.clone()),
                Event::Statement(written) if written.operation() == "PROC" && self.depth == 0 => {
                    let end = events[at..].iter().position(is_pend);
                    let Some(end) = end else {
                        let help = "a procedure in the job ends with PEND; one in a library is run by EXEC";
                        self.wrong(codes::PLACE, "PROC without PEND", written.place(), help);
                        return;
                    };
                    let name = text(&written.name).to_ascii_uppercase();
                    self.procedures.insert(name, events[at - 1..at + end].to_vec());
                    at += end + 1;
                }
                Event::Statement(written) => self.statement(written),
            }
        }
    }

    fn jes(&mut self, place: &TextPlace, word: &str) {
        match word.to_ascii_uppercase().as_str() {
            "XMIT" | "XEQ" => {
                self.wrong(
                    codes::STATEMENT,
                    format!("/*{word} is not built"),
                    place.clone(),
                    "there is no other node",
                );
            }
            "EOF" | "DEL" | "PURGE" | "SCAN" => self.job_ends(),
            "JOBPARM" | "ROUTE" | "PRIORITY" | "OUTPUT" | "MESSAGE" | "NOTIFY" | "SETUP" | "SIGNON"
            | "SIGNOFF" | "NETACCT" => {}
            _ => {
                let help = "a statement of JES, such as /*JOBPARM, or /* alone behind data";
                self.wrong(codes::STATEMENT, format!("/*{word} is not a statement"), place.clone(), help);
            }
        }
    }

    /// Gives lines without a DD statement to SYSIN of the step before, as published.
    fn loose(&mut self, source: &Arc<Source>, lines: std::ops::Range<usize>) {
        let place = TextPlace::new(source, lines.start, 1, 0);
        let Some(Open::Step(_)) = self.open else {
            let help = "a statement begins with //, a comment with //*, and data stand behind DD *";
            self.wrong(codes::PLACE, "this line belongs to no statement", place, help);
            return;
        };
        let text = "these lines are taken as SYSIN of the step";
        self.say(
            Diagnostic::warning(codes::PASSED_OVER, text)
                .at(place.clone())
                .help("write //SYSIN DD * before them"),
        );
        let data = data_of(source, lines, None);
        let raw = RawPart { source: Arc::clone(source), place, operands: Vec::new(), data: Some(data) };
        self.add_dd("SYSIN", raw);
    }

    fn statement(&mut self, written: &Written) {
        let operation = written.operation();
        if operation.is_empty() {
            let help = "//NAME OPERATION OPERANDS";
            self.wrong(codes::STATEMENT, "a statement without an operation", written.place(), help);
            return;
        }
        if !check("", &operation, &written.place(), &mut self.read.messages) {
            return;
        }
        let (characters, unknown) = replaced(&written.operands, &self.symbols);
        for (name, at) in unknown {
            let before = at
                .first()
                .map_or(0, |first| written.operands.iter().position(|ch| ch == first).unwrap_or_default());
            let before = text(&written.operands[..before]).to_ascii_uppercase();
            let behind = at.last().and_then(|last| {
                let end = written.operands.iter().rposition(|ch| ch == last)?;
                written.operands.get(end + 1)
            });
            let is_temporary = operation == "DD"
                && (before.ends_with("DSN=") || before.ends_with("DSNAME="))
                && behind.is_none_or(|ch| ch.c != '.');
            if !is_temporary && operation != "IF" {
                let place = super::text::place(&written.source, &at, written.line);
                let help = format!("SET {name}=…, PROC or EXEC give a symbol its value");
                self.wrong(codes::SYMBOL, format!("the symbol &{name} has no value"), place, &help);
            }
        }
        let operands = operands(&written.source, &characters, written.line);
        match operation.as_str() {
            "JOB" => self.job(written, &operands),
            "EXEC" => self.exec(written, &operands),
            "DD" => self.dd(written, operands),
            "SET" => self.set(&operands),
            "EXPORT" => self.export(&operands),
            "INCLUDE" => self.include(written, &operands),
            "JCLLIB" => self.jcllib(&operands),
            "IF" => self.begin_if(written, &text(&characters)),
            "ELSE" => match self.guards.last_mut() {
                Some((_, yes)) if *yes => *yes = false,
                _ => self.wrong(
                    codes::PLACE,
                    "ELSE belongs to no IF",
                    written.place(),
                    "IF … THEN comes first",
                ),
            },
            "ENDIF" => {
                if self.guards.pop().is_none() {
                    self.wrong(
                        codes::PLACE,
                        "ENDIF belongs to no IF",
                        written.place(),
                        "IF … THEN comes first",
                    );
                }
            }
            "PROC" | "PEND" if self.depth > 0 => {}
            _ => self.wrong(codes::PLACE, format!("{operation} cannot stand here"), written.place(), ""),
        }
        if operation != "DD" && operation != "EXEC" && operation != "INCLUDE" {
            self.open = None;
        }
    }

    // Jobs.

    fn job(&mut self, written: &Written, operands: &[Operand]) {
        self.job_ends();
        let name = text(&written.name).to_ascii_uppercase();
        let name_place = super::text::place(&written.source, &written.name, written.line);
        checked_name(&name, "a job", name_place, &mut self.read.messages);
        self.symbols.insert("JOBNAME".into(), name.clone());
        let mut job = empty_job(name);
        let messages = &mut self.read.messages;
        for operand in operands.iter().filter(|operand| !operand.keyword.is_empty()) {
            if !check("JOB", &operand.keyword, &operand.place, messages) {
                continue;
            }
            let value = &operand.value;
            let refuse = |what: String, help: &str, messages: &mut Vec<Diagnostic>| {
                messages.push(Diagnostic::error(codes::VALUE, what).at(value.place()).help(help));
            };
            match operand.keyword.as_str() {
                "COND" => job.tests = condition(value, messages).tests,
                "RESTART" => job.restart = restart(value, messages),
                "TIME" => job.time = time(value, messages),
                "TYPRUN" if value.upper() == "SCAN" => job.scan = true,
                "TYPRUN" => {
                    refuse(format!("TYPRUN={} is not built", value.upper()), "SCAN, or none", messages)
                }
                "GDGBIAS" if value.upper() != "JOB" => {
                    refuse(
                        format!("GDGBIAS={} is not built", value.upper()),
                        "relative generations count from the job's start",
                        messages,
                    );
                }
                _ => {}
            }
        }
        self.job = Some(Building { job, raw: Vec::new() });
    }

    /// Returns the job that is read, or one without a JOB statement.
    fn building(&mut self) -> &mut Building {
        self.job.get_or_insert_with(|| Building { job: empty_job(String::new()), raw: Vec::new() })
    }

    fn job_ends(&mut self) {
        self.open = None;
        let Some(Building { mut job, raw }) = self.job.take() else { return };
        if !self.guards.is_empty() {
            let source = job.steps.last().map(|step| step.place.clone());
            self.guards.clear();
            if let Some(place) = source {
                self.wrong(codes::PLACE, "an IF has no ENDIF", place, "each IF ends with ENDIF");
            }
        }
        for (at, raw) in raw.iter().enumerate() {
            let (before, rest) = job.steps.split_at_mut(at);
            let Some(step) = rest.first_mut() else { break };
            step.dds = dds(raw, step, before, &mut self.read.messages);
            if let Some(reference) = step.program.strip_prefix("*.") {
                match program(reference, step, before) {
                    Ok(program) => step.program = program,
                    Err(message) => self.read.messages.push(message.at(step.place.clone())),
                }
            }
        }
        self.references(&job);
        self.symbols = self.system.clone();
        (self.libraries, self.exported) = (Vec::new(), Vec::new());
        self.procedures.clear();
        self.read.jobs.push(job);
    }

    /// Checks that the steps that COND, IF and RESTART name are there, and those of COND before the step.
    fn references(&mut self, job: &Job) {
        let known = |name: &StepName, within: &str, steps: &[Step]| {
            steps.iter().any(|step| name.means(&step.name, step.procedure_step.as_deref(), within))
        };
        let mut lost: Vec<(StepName, TextPlace)> = Vec::new();
        for (at, step) in job.steps.iter().enumerate() {
            let mut names: Vec<StepName> =
                step.cond.tests.iter().filter_map(|test| test.step.clone()).collect();
            for (expression, _) in &step.guards {
                job.expressions[*expression].names(&mut names);
            }
            let before = &job.steps[..at];
            let missing = names.into_iter().filter(|name| !known(name, &step.name, before));
            lost.extend(missing.map(|name| (name, step.place.clone())));
        }
        if let (Some(name), Some(first)) = (&job.restart, job.steps.first())
            && !known(name, "", &job.steps)
        {
            lost.push((name.clone(), first.place.clone()));
        }
        for (name, place) in lost {
            let inner = name.procedure_step.map_or(String::new(), |inner| format!(".{inner}"));
            let text = format!("a condition names the step {}{inner}, which does not come before", name.step);
            self.wrong(
                codes::REFERENCE,
                text,
                place,
                "name an earlier step: STEP, or STEP.PROCSTEP in a procedure",
            );
        }
    }

    // Statements within a job.

    fn set(&mut self, operands: &[Operand]) {
        for operand in operands {
            checked_name(&operand.keyword, "a symbol", operand.place.clone(), &mut self.read.messages);
            self.symbols.insert(operand.keyword.clone(), operand.value.plain());
        }
    }

    fn export(&mut self, operands: &[Operand]) {
        for operand in operands {
            if check("EXPORT", &operand.keyword, &operand.place, &mut self.read.messages) {
                self.exported.extend(operand.value.list().iter().map(|value| value.upper()));
            }
        }
    }

    fn jcllib(&mut self, operands: &[Operand]) {
        for operand in operands {
            if check("JCLLIB", &operand.keyword, &operand.place, &mut self.read.messages) {
                self.libraries = operand.value.list().iter().map(|value| value.upper()).collect();
            }
        }
    }

    fn include(&mut self, written: &Written, operands: &[Operand]) {
        let member = operands.iter().find(|operand| operand.keyword == "MEMBER");
        for operand in operands {
            check("INCLUDE", &operand.keyword, &operand.place, &mut self.read.messages);
        }
        let Some(member) = member else {
            self.wrong(codes::KEYWORD, "INCLUDE needs MEMBER=", written.place(), "INCLUDE MEMBER=NAME");
            return;
        };
        let name = member.value.upper();
        let Some(source) = (self.finder)(&self.libraries, &name) else {
            self.not_found(&name, "INCLUDE", member.value.place());
            return;
        };
        if self.deeper(&member.value.place()) {
            let events = collect(&source, &mut self.read.messages);
            self.all(&events);
            self.depth -= 1;
        }
    }

    /// Says that a procedure or a member is not found.
    fn not_found(&mut self, name: &str, what: &str, place: TextPlace) {
        let looked = match self.libraries.is_empty() {
            true => String::new(),
            false => format!(" in {},", self.libraries.join(", ")),
        };
        let help = match table::of_procedure(name) {
            Some(why) => why.to_owned(),
            None => format!(
                "looked{looked} in the folders of --library, and beside the job: name its folder by --library"
            ),
        };
        self.wrong(codes::MEMBER, format!("{what} {name} is not found"), place, &help);
    }

    /// Goes one level deeper, unless there are too many.
    fn deeper(&mut self, place: &TextPlace) -> bool {
        if self.depth >= DEPTH_MAX {
            let text = format!("procedures and INCLUDEs are nested more than {DEPTH_MAX} deep");
            self.wrong(codes::LIMIT, text, place.clone(), "one may lead to itself");
            return false;
        }
        self.depth += 1;
        true
    }

    fn begin_if(&mut self, written: &Written, text: &str) {
        let found = expression(text).unwrap_or_else(|| {
            let help = "as in IF (STEP1.RC > 4 | ABEND) THEN";
            self.wrong(codes::CONDITION, "the condition is not understood", written.place(), help);
            Expression::And(Vec::new())
        });
        let expressions = &mut self.building().job.expressions;
        expressions.push(found);
        let number = expressions.len() - 1;
        self.guards.push((number, true));
    }

    // Steps.

    fn exec(&mut self, written: &Written, operands: &[Operand]) {
        self.open = None;
        let program = operands.iter().find(|operand| operand.keyword == "PGM");
        match program {
            Some(program) => self.program_step(written, program, operands),
            None => self.procedure_step(written, operands),
        }
    }

    fn program_step(&mut self, written: &Written, program: &Operand, operands: &[Operand]) {
        let name = text(&written.name).to_ascii_uppercase();
        let place = program.value.place();
        let called = program.value.upper();
        let messages = &mut self.read.messages;
        // A backward reference is resolved when the DD statements of the steps before are known.
        if !called.starts_with(['&', '*']) {
            checked_name(&called, "a program", place.clone(), messages);
        }
        let mut step = Step {
            name,
            procedure_step: None,
            program: called,
            place,
            parm: None,
            cond: Cond::default(),
            time: None,
            guards: self.guards.clone(),
            dds: Vec::new(),
        };
        for operand in operands {
            if check("EXEC", &operand.keyword, &operand.place, messages) {
                apply(&mut step, operand, messages);
            }
        }
        self.add_step(step);
    }

    fn add_step(&mut self, step: Step) {
        let place = step.place.clone();
        let building = self.building();
        building.job.steps.push(step);
        building.raw.push(Vec::new());
        let steps = building.job.steps.len();
        if steps == STEPS_MAX + 1 {
            self.wrong(
                codes::LIMIT,
                format!("a job has at most {STEPS_MAX} steps"),
                place,
                "make it two jobs",
            );
        }
        self.open = Some(Open::Step(steps - 1));
    }

    fn procedure_step(&mut self, written: &Written, operands: &[Operand]) {
        self.open = Some(Open::Nothing);
        let called = operands.iter().find(|operand| operand.keyword == "PROC" || operand.keyword.is_empty());
        let Some(called) = called else {
            self.wrong(
                codes::KEYWORD,
                "EXEC needs PGM= or a procedure",
                written.place(),
                "EXEC PGM=NAME, or EXEC NAME",
            );
            return;
        };
        let (name, place) = (called.value.upper(), called.value.place());
        let events = match self.procedures.get(&name) {
            Some(events) => events.clone(),
            None => {
                let found = (self.finder)(&self.libraries, &name).or_else(|| supplied::procedure(&name));
                let Some(source) = found else {
                    self.not_found(&name, "the procedure", place);
                    return;
                };
                collect(&source, &mut self.read.messages)
            }
        };
        if !self.deeper(&place) {
            return;
        }
        let saved = self.symbols.clone();
        let defaults = self.defaults(&events);
        let own: Vec<&Operand> = operands.iter().filter(|operand| !is_of_exec(operand)).collect();
        for operand in &own {
            if !defaults.iter().any(|(name, _)| *name == operand.keyword)
                && !mentions(&events, &operand.keyword)
            {
                let text = format!(
                    "{} is neither a keyword of EXEC nor a symbol of the procedure {name}",
                    operand.keyword
                );
                let near = diagnostics::nearest(&operand.keyword, defaults.keys().map(String::as_str));
                let near = near.or_else(|| table::meant("EXEC", &operand.keyword));
                let help = near.map_or_else(String::new, |near| format!("did you mean {near}?"));
                self.wrong(codes::KEYWORD, text, operand.place.clone(), &help);
            }
        }
        self.symbols.extend(defaults);
        self.symbols.extend(own.iter().map(|operand| (operand.keyword.clone(), operand.value.plain())));
        let first = self.building().job.steps.len();
        self.all(&events);
        self.depth -= 1;
        self.symbols = saved;
        self.finish_procedure(written, operands, first);
    }

    /// Reads the symbols that the PROC statement sets.
    fn defaults(&mut self, events: &[Event]) -> Symbols {
        let Some(Event::Statement(written)) =
            events.iter().find(|event| matches!(event, Event::Statement(_)))
        else {
            return Symbols::new();
        };
        if written.operation() != "PROC" {
            return Symbols::new();
        }
        let (characters, _) = replaced(&written.operands, &self.symbols);
        let operands = operands(&written.source, &characters, written.line);
        operands.into_iter().map(|operand| (operand.keyword, operand.value.plain())).collect()
    }

    /// Gives the steps of a procedure their names, and the operands that EXEC has for them.
    fn finish_procedure(&mut self, written: &Written, operands: &[Operand], first: usize) {
        let name = text(&written.name).to_ascii_uppercase();
        let mut messages = std::mem::take(&mut self.read.messages);
        let steps = &mut self.building().job.steps;
        for step in &mut steps[first..] {
            // Of nested procedures, the innermost step counts.
            let inner = step.procedure_step.take().unwrap_or_else(|| std::mem::take(&mut step.name));
            (step.name, step.procedure_step) = (name.clone(), Some(inner));
        }
        for operand in operands.iter().filter(|operand| is_of_exec(operand)) {
            let (keyword, of) = match operand.keyword.split_once('.') {
                Some((keyword, of)) => (keyword, Some(of)),
                None => (operand.keyword.as_str(), None),
            };
            if keyword.is_empty()
                || keyword == "PROC"
                || !check("EXEC", keyword, &operand.place, &mut messages)
            {
                continue;
            }
            let mut applied = false;
            for (at, step) in steps[first..].iter_mut().enumerate() {
                let meant = match of {
                    Some(of) => step.procedure_step.as_deref() == Some(of),
                    None => keyword != "PARM" || at == 0,
                };
                if meant {
                    applied = true;
                    let plain = Operand { keyword: keyword.to_owned(), ..operand.clone() };
                    apply(step, &plain, &mut messages);
                } else if of.is_none() && keyword == "PARM" {
                    step.parm = None;
                }
            }
            if !applied {
                let text = format!("the procedure has no step {}", of.unwrap_or_default());
                messages.push(Diagnostic::error(codes::REFERENCE, text).at(operand.place.clone()));
            }
        }
        self.read.messages = messages;
        self.open = Some(Open::Procedure { first, last: None });
    }

    // DD statements.

    fn dd(&mut self, written: &Written, operands: Vec<Operand>) {
        let name = text(&written.name).to_ascii_uppercase();
        let place = written.place();
        if !name.is_empty() {
            let place = super::text::place(&written.source, &written.name, written.line);
            for part in name.split('.') {
                checked_name(part, "a DD statement", place.clone(), &mut self.read.messages);
            }
        }
        let data = written.data.clone().map(|lines| {
            let asks = operands.iter().any(|operand| operand.keyword == "SYMBOLS");
            let symbols = asks.then(|| self.exported_symbols());
            data_of(&written.source, lines, symbols.as_ref())
        });
        let raw = RawPart { source: Arc::clone(&written.source), place: place.clone(), operands, data };
        if self.open.is_none() {
            let is_of_job = matches!(name.as_str(), "JOBLIB" | "JOBCAT" | "SYSCHK");
            let goes_on = name.is_empty() && self.job.as_ref().is_some_and(|job| job.job.steps.is_empty());
            if !is_of_job && !goes_on {
                self.wrong(
                    codes::PLACE,
                    "a DD statement belongs to no step",
                    place,
                    "an EXEC statement comes first",
                );
            }
            return;
        }
        self.add_dd(&name, raw);
    }

    /// Returns the symbols that count in data: those that EXPORT has named, and the user, as the job's start has it.
    fn exported_symbols(&self) -> Symbols {
        let all = self.exported.iter().any(|name| name == "*");
        let user = self.system.iter().filter(|(name, _)| *name == "SYSUID");
        let chosen = self.symbols.iter().filter(|(name, _)| all || self.exported.contains(name));
        user.chain(chosen).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn add_dd(&mut self, name: &str, part: RawPart) {
        match self.open.clone() {
            Some(Open::Step(step)) => {
                let place = part.place.clone();
                let Some(dds) = self.building().raw.get_mut(step) else { return };
                if name.is_empty() {
                    match dds.last_mut() {
                        Some(last) => last.parts.push(part),
                        None => {
                            let text = "a concatenated DD statement comes first";
                            self.wrong(codes::PLACE, text, place, "give it a name");
                        }
                    }
                } else if dds.iter().any(|dd| dd.name == name) {
                    let text = format!("{name} stands in this step twice: the first one counts");
                    let help = "concatenated data sets have a name in the first statement only";
                    self.say(Diagnostic::warning(codes::PASSED_OVER, text).at(place).help(help));
                } else {
                    dds.push(RawDd { name: name.to_owned(), parts: vec![part] });
                }
            }
            Some(Open::Procedure { first, last }) => self.override_part(first, last, name, part),
            Some(Open::Nothing) | None => {}
        }
    }

    fn override_part(
        &mut self,
        first: usize,
        last: Option<(usize, String, usize)>,
        name: &str,
        part: RawPart,
    ) {
        let place = part.place.clone();
        let building = self.building();
        let steps = &building.job.steps;
        let found = match (name.split_once('.'), last) {
            (None, Some((step, name_before, at))) if name.is_empty() => Some((step, name_before, at + 1)),
            (Some((step, dd)), _) => {
                let found =
                    (first..steps.len()).find(|at| steps[*at].procedure_step.as_deref() == Some(step));
                found.map(|at| (at, dd.to_owned(), 0))
            }
            (None, Some((step, ..))) => Some((step, name.to_owned(), 0)),
            (None, None) => (first < steps.len() && !name.is_empty()).then(|| (first, name.to_owned(), 0)),
        };
        let Some((step, name, at)) = found else {
            let step = name.split('.').next().unwrap_or_default();
            let text = format!("the procedure has no step {step}");
            self.wrong(codes::REFERENCE, text, place, "PROCSTEP.DDNAME, with a step of the procedure");
            return;
        };
        override_dd(&mut building.raw[step], &name, at, part);
        self.open = Some(Open::Procedure { first, last: Some((step, name, at)) });
    }
}

fn empty_job(name: String) -> Job {
    Job {
        name,
        tests: Vec::new(),
        restart: None,
        scan: false,
        time: None,
        expressions: Vec::new(),
        steps: Vec::new(),
    }
}
