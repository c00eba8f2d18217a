//! Names for the steps of a program that generated code leaves to the interpreter: what keeps each of them there.

use cobol_ir::Program;
use cobol_ir::program::{
    Block, BlockId, BytePlace, Class, End, Form, Inspect, Number, Operation, Receiver, Segment, Test, Text,
};

use crate::fits;

/// A step that is left to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Left {
    /// Its block.
    pub block: BlockId,
    /// Its place in the block; `None` for the test or choice that ends the block.
    pub step: Option<u32>,
}

impl Left {
    /// Its statement, by its place in [`Program::lines`].
    pub fn line(self, program: &Program) -> u32 {
        let Some(block) = program.blocks.get(self.block.0 as usize) else { return 0 };
        self.step.and_then(|step| block.steps.get(step as usize)).map_or(block.line, |step| step.line)
    }

    /// The kind of step, and what keeps it with the interpreter.
    pub fn kind(self, program: &Program) -> String {
        let Some(block) = program.blocks.get(self.block.0 as usize) else { return String::new() };
        match self.step {
            Some(step) => {
                block.steps.get(step as usize).map_or_else(String::new, |step| operation(&step.operation))
            }
            None => end(block),
        }
    }
}

fn operation(operation: &Operation) -> String {
    match operation {
        Operation::Move { from, to, right } => {
            let how = if *right { " JUSTIFIED" } else { "" };
            format!("MOVE{how}: {} to {}", text(from), place(to))
        }
        Operation::EditText { from, to, .. } => format!("edited MOVE: {} to {}", text(from), place(to)),
        Operation::Store { value, to, error } => {
            let error = if error.is_some() { ", SIZE ERROR" } else { "" };
            format!("number: {}{error}", number(value).unwrap_or_else(|| receivers(value, to)))
        }
        Operation::Hold { .. } => "number held within a statement".to_owned(),
        Operation::Count { value, .. } => {
            format!("count: {}", number(value).unwrap_or_else(|| "digits".to_owned()))
        }
        Operation::Replicate { .. } => "INITIALIZE or VALUE of a table".to_owned(),
        Operation::SetAddress { .. } => "SET ADDRESS OF".to_owned(),
        Operation::String { sources, pointer, into, .. } => {
            let plain = sources.iter().all(|(_, delimiter)| delimiter.is_none());
            let fixed = sources
                .iter()
                .all(|(source, _)| matches!(source, Text::Place(place) if fits::place(place).is_some()));
            format!(
                "STRING{}{}{}: into {}",
                if plain { " BY SIZE" } else { " BY delimiters" },
                if fixed { " of fixed pieces" } else { "" },
                if pointer.is_some() { " WITH POINTER" } else { "" },
                place(into)
            )
        }
        Operation::Unstring(_) => "UNSTRING".to_owned(),
        Operation::Routine { .. } => "CALL of a routine of other compilers".to_owned(),
        Operation::Inspect(inspect) => match &**inspect {
            Inspect::Tally { .. } => "INSPECT TALLYING".to_owned(),
            Inspect::Replace { .. } => "INSPECT REPLACING".to_owned(),
            Inspect::Convert { .. } => "INSPECT CONVERTING".to_owned(),
        },
        Operation::KeepSign { .. } => "INSPECT of a number with a sign".to_owned(),
        Operation::SortTable { .. } => "SORT of a table".to_owned(),
        Operation::Generate(_) => "JSON or XML GENERATE".to_owned(),
        Operation::JsonParse(_) => "JSON PARSE".to_owned(),
        Operation::XmlRead(_) | Operation::XmlNext(_) => "XML PARSE".to_owned(),
        Operation::Exhibit(_) => "EXHIBIT".to_owned(),
        Operation::Display { .. } => "DISPLAY".to_owned(),
        Operation::GoNowhere => "GO TO without a name".to_owned(),
        Operation::MoveNational { .. }
        | Operation::MoveUtf8 { .. }
        | Operation::EditNational { .. }
        | Operation::National(_)
        | Operation::Utf8(_) => "national characters or UTF-8".to_owned(),
        Operation::SetSlot(..) | Operation::CopySlot { .. } | Operation::AddSlot(..) => "frame".to_owned(),
    }
}

fn end(block: &Block) -> String {
    match &block.end {
        End::Branch { test, .. } => test_kind(test),
        End::Select { .. } => "GO TO DEPENDING ON".to_owned(),
        End::Jump(_) | End::Switch { .. } | End::Host { .. } | End::Leave(_) => "control".to_owned(),
    }
}

fn test_kind(test: &Test) -> String {
    match test {
        Test::Numbers(_, left, right) => {
            let kept = number(left).or_else(|| number(right));
            format!("IF of numbers: {}", kept.unwrap_or_else(|| "digits".to_owned()))
        }
        Test::Texts(_, left, right) => format!("IF of characters: {} with {}", text(left), text(right)),
        Test::Class(of, class) => format!("IF {}: {}", class_name(class), text(of)),
        Test::Numeric(of, _) => format!("IF NUMERIC: {}", place(of)),
        Test::Nationals(..) | Test::Utf8s(..) => "IF of national characters or UTF-8".to_owned(),
        Test::Positive(_) => "frame".to_owned(),
    }
}

fn class_name(class: &Class) -> &'static str {
    match class {
        Class::Digits => "NUMERIC",
        Class::Letters => "ALPHABETIC",
        Class::Lower => "ALPHABETIC-LOWER",
        Class::Upper => "ALPHABETIC-UPPER",
        Class::Named(_) => "CLASS",
    }
}

fn text(text: &Text) -> String {
    match text {
        Text::Place(of) => place(of),
        Text::Repeated(_) => "a figurative constant".to_owned(),
        Text::Digits(of, _) => format!("the digits of a number ({})", number(of).unwrap_or_default()),
        Text::Unsigned(..) => "digits with a sign".to_owned(),
        Text::Function(function) => {
            let all = format!("{function:?}");
            let name = all.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            format!("a function of characters ({name})")
        }
    }
}

fn place(place: &BytePlace) -> String {
    let literal = if place.segment == Segment::Constant { "literal" } else { "item" };
    match (place.fixed_length(), fits::place(place)) {
        (None, _) => format!("{literal} of varying length"),
        (Some(_), None) => format!("{literal} at a place that varies"),
        (Some(257..), _) => format!("{literal} of more than 256 bytes"),
        (Some(65..), _) => format!("{literal} of more than 64 bytes"),
        _ => literal.to_owned(),
    }
}

/// The part of a number that is not written out; `None` if there is none.
fn number(value: &Number) -> Option<String> {
    if fits::number(value).is_some() {
        return None;
    }
    let name = |what: &str| Some(what.to_owned());
    match value {
        Number::Field(at, numeric) if fits::place(at).is_some() => {
            let representation = format!("{:?}", numeric.representation);
            Some(format!("item of {} digits ({representation})", numeric.digits))
        }
        Number::Field(..) => name("item at a place that varies"),
        Number::Literal { .. } => name("literal of many digits"),
        Number::Text(_) => name("characters as a number"),
        Number::Edited(..) | Number::NationalEdited(..) => name("edited item as a number"),
        Number::Held(..) => name("number held within a statement"),
        Number::Linear(_) => name("number that varies with a place"),
        Number::Address(_) => name("ADDRESS OF"),
        Number::Absolute(inner) | Number::Negative(inner) => number(inner).or_else(|| name("ABS")),
        Number::Read(reading, ..) => {
            let all = format!("{reading:?}");
            Some(format!("FUNCTION {}", all.split('(').next().unwrap_or_default()))
        }
        Number::Function(function, ..) => Some(format!("FUNCTION {function:?}")),
        Number::PlaceAmong { .. } | Number::Unicode(_) => name("function of characters"),
        Number::Power(_) => name("power"),
        Number::Real(_) => name("floating point"),
        Number::Slot(_) => name("frame"),
        Number::Binary(operator, left, right, _) => number(left)
            .or_else(|| number(right))
            .or_else(|| Some(format!("{operator:?} of too many digits"))),
    }
}

fn receivers(value: &Number, to: &[Receiver]) -> String {
    let Some(bound) = fits::number(value) else { return String::new() };
    let kept = to.first().map(|receiver| match &receiver.form {
        _ if fits::place(&receiver.place).is_none() => "to an item at a place that varies".to_owned(),
        Form::Number(numeric) => format!(
            "{} digits to an item of {} digits ({:?})",
            bound.digits, numeric.digits, numeric.representation
        ),
        Form::Floating(_) => "to floating point".to_owned(),
        Form::Edited { .. } | Form::NationalEdited { .. } => "to an edited item".to_owned(),
    });
    kept.unwrap_or_default()
}
