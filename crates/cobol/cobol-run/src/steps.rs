//! Blocks, steps and ends.

use super::abend::{Abend, ProgramFault};
use super::machine::{Answer, Host, Left, Machine};
use cobol_ir::program::{BlockId, End, Number, Operation, Shown, Test};

impl Machine<'_> {
    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot go on; the statement is named.
    pub fn run(&mut self, host: &mut dyn Host) -> Result<Left, Abend> {
        let mut line = 0;
        self.run_lines(BlockId(0), host, &mut line).map_err(|fault| Abend {
            fault,
            program: self.program.name.clone(),
            line: self.program.lines[line as usize].clone(),
        })
    }

    pub(super) fn run_from(&mut self, block: BlockId, host: &mut dyn Host) -> Result<Left, ProgramFault> {
        self.run_lines(block, host, &mut 0)
    }

    fn run_lines(
        &mut self,
        start: BlockId,
        host: &mut dyn Host,
        line: &mut u32,
    ) -> Result<Left, ProgramFault> {
        let program = self.program;
        let mut at = start;
        loop {
            let block = &program.blocks[at.0 as usize];
            for step in &block.steps {
                *line = step.line;
                self.step(&step.operation, host)?;
            }
            *line = block.line;
            let next = match &block.end {
                End::Jump(to) => *to,
                End::Branch { test, yes, no } => {
                    if self.test(test)? {
                        *yes
                    } else {
                        *no
                    }
                }
                End::Switch { slot, targets, other } => choose(self.slot(*slot), targets, *other),
                End::Select { value, targets, other } => choose(self.select(value)?, targets, *other),
                End::Host { site, next, failed } => match self.host_call(*site, host)? {
                    Answer::Continue => *next,
                    Answer::Label(label) => *program.labels.get(label as usize).ok_or(ProgramFault::Host)?,
                    Answer::NoProgram => failed.ok_or(ProgramFault::NoProgram)?,
                },
                End::Leave(how) => return Ok(*how),
            };
            if next <= at && host.must_stop() {
                return Err(ProgramFault::Stopped);
            }
            at = next;
        }
    }

    /// One operation.
    ///
    /// # Errors
    /// It cannot be done.
    pub fn step(&mut self, operation: &Operation, host: &mut dyn Host) -> Result<(), ProgramFault> {
        match operation {
            Operation::Move { from, to, right } => self.move_text(from, to, *right),
            Operation::MoveNational { from, to } => self.move_national(from, to),
            Operation::MoveUtf8 { from, to } => self.move_utf8(from, to),
            Operation::EditNational { from, to, picture } => self.edit_national(from, to, *picture),
            Operation::EditText { from, to, picture } => self.edit_text(from, to, *picture),
            Operation::Store { value, to, error } => self.store(value, to, *error),
            Operation::Hold { held, value, shape, error } => self.hold(*held, value, *shape, *error),
            Operation::Replicate { place, unit } => self.replicate(place, *unit as usize),
            Operation::Count { slot, value } => {
                let value = self.integer(value)?;
                self.set_slot(*slot, value);
                Ok(())
            }
            Operation::SetSlot(slot, value) => {
                self.set_slot(*slot, *value);
                Ok(())
            }
            Operation::CopySlot { from, to } => {
                self.set_slot(*to, self.slot(*from));
                Ok(())
            }
            Operation::AddSlot(slot, by) => {
                self.set_slot(*slot, self.slot(*slot).saturating_add(*by));
                Ok(())
            }
            Operation::SetAddress { linkage, value } => {
                let address = u32::try_from(self.integer(value)?).map_err(|_| ProgramFault::Protection)?;
                self.frame.activation.linkage[*linkage as usize] = address;
                self.frame.records(self.program, self.task);
                Ok(())
            }
            Operation::GoNowhere => Err(ProgramFault::Protection),
            Operation::String { sources, into, pointer, overflow } => {
                self.string(sources, into, pointer.as_ref(), *overflow, host)
            }
            Operation::Unstring(unstring) => self.unstring(unstring, host),
            Operation::Inspect(inspect) => self.inspect(inspect, host),
            Operation::National(statement) => self.national(statement, host),
            Operation::Utf8(statement) => self.utf8_statement(statement, host),
            Operation::KeepSign { from, to, numeric } => self.keep_sign(from, to, *numeric),
            Operation::Routine(routine, source, target) => self.routine(*routine, source.as_ref(), target),
            Operation::SortTable { table, stride, order } => self.sort_table(table, *stride, order),
            Operation::Generate(generate) => self.generate(generate, host),
            Operation::JsonParse(parse) => self.json_parse(parse, host),
            Operation::XmlRead(read) => self.xml_read(read),
            Operation::XmlNext(next) => self.xml_next(next),
            Operation::Exhibit(exhibit) => self.exhibit(exhibit, host),
            Operation::Display { items, advancing } => self.display(items, *advancing, host),
        }
    }

    /// A test.
    ///
    /// # Errors
    /// A number in it is none.
    pub fn test(&mut self, test: &Test) -> Result<bool, ProgramFault> {
        match test {
            Test::Numbers(relation, left, right) => Ok(relation.holds(self.compare_numbers(left, right)?)),
            Test::Texts(relation, left, right) => Ok(relation.holds(self.compare_texts(left, right)?)),
            Test::Nationals(relation, left, right) => {
                Ok(relation.holds(self.compare_nationals(left, right)?))
            }
            Test::Utf8s(relation, left, right) => Ok(relation.holds(self.compare_utf8s(left, right)?)),
            Test::Class(text, class) => self.is_of_class(text, class),
            Test::Numeric(place, numeric) => self.is_numeric(place, *numeric),
            Test::Positive(slot) => Ok(self.slot(*slot) > 0),
        }
    }

    fn display(&mut self, items: &[Shown], advancing: bool, host: &mut dyn Host) -> Result<(), ProgramFault> {
        let mut text = Vec::new();
        for item in items {
            self.show(item, &mut text)?;
        }
        host.display(&text, advancing);
        Ok(())
    }

    /// The number of GO TO DEPENDING ON.
    ///
    /// # Errors
    /// It is none.
    pub fn select(&mut self, value: &Number) -> Result<i64, ProgramFault> {
        self.integer(value)
    }
}

/// The block of a number, from 1.
pub(super) fn choose(number: i64, targets: &[BlockId], other: BlockId) -> BlockId {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| targets.get(index)).copied().unwrap_or(other)
}
