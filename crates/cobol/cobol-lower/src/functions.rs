//! Intrinsic functions: what their arguments are, and the digits of their values.

use cobol_check::literal_byte;
use cobol_data::Type;
use cobol_source::At;
use cobol_syntax::tree::{
    Expression, FunctionCall, LiteralKind, Modification, Operand, Reference, Subscript,
};
use cobol_syntax::{FunctionRecord, ValueClass, function};

use super::kinds::is_usage_national;
use super::places::Extent;
use super::reals::{absolute, is_real, real_field, width};
use super::value::{Value, trim};
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Bounds, BytePlace, Currency, Function, Linear, Number, Operator, Reading, Segment, Shape, Text,
    TextFunction, TextOf,
};
use cobol_run::ARGUMENT_MAX;

/// Half of a length in bytes: how many national characters there are. All of its parts are twice as many.
fn halved(length: Linear) -> Linear {
    let terms = length.terms.into_iter().map(|(factor, number)| (factor / 2, number)).collect();
    Linear { constant: length.constant / 2, terms }
}

/// Length of CURRENT-DATE: YYYYMMDDhhmmsscc, and the distance from UTC.
const MOMENT: u32 = 21;
/// YEAR-TO-YYYY and its like: the hundred years end so many years behind the present one.
const WINDOW: i64 = 50;
/// Occurrences that the subscript ALL stands for, at most.
const OCCURRENCES_MAX: usize = 2048;
/// Digits of a length.
pub(super) const LENGTH: Shape = Shape { integers: 9, decimals: 0 };

impl<'a> Lowering<'a> {
    /// A function.
    pub(crate) fn function(&mut self, call: &'a FunctionCall) -> Lowered<Value> {
        let Some(record) = function(&call.name.text) else { return self.unknown(call) };
        if !record.arguments.takes(call.arguments.len()) {
            return self.unknown(call);
        }
        let value = match self.date_extension(call)? {
            Some(value) => value,
            None => match self.text_function(call)? {
                Some(text) => Value::Text(text),
                None => Value::Number(self.number_function(call, record)?),
            },
        };
        match (value, &call.modification) {
            (value, None) => Ok(value),
            (Value::Text(text), Some(modification)) => {
                Ok(Value::Text(self.part_of_text(text, modification, call.name.at)?))
            }
            (Value::Number(_), Some(_)) => self
                .refuse(call.name.at, format_args!("reference modification of FUNCTION {}", call.name.text)),
        }
    }

    pub(super) fn unknown<T>(&mut self, call: &FunctionCall) -> Lowered<T> {
        self.refuse(call.name.at, format_args!("FUNCTION {}", call.name.text))
    }

    // Characters.

    fn text_function(&mut self, call: &'a FunctionCall) -> Lowered<Option<Text>> {
        let function = match (&*call.name.text, &call.arguments[..]) {
            ("CURRENT-DATE", []) => return Ok(Some(Text::Place(self.present_moment()))),
            ("TRIM", [one]) => trim(call, self.argument_text(call, one)?),
            ("CONTENT-OF", [one]) if self.is_characters(one) => {
                return Ok(Some(self.argument_text(call, one)?));
            }
            ("DISPLAY-OF", _) => self.display_of(call)?,
            ("CHAR", [one]) => TextFunction::Character(self.argument_whole(call, one)?),
            (name, arguments) => match (TextOf::named(name), arguments) {
                (Some(function), [one]) => TextFunction::Of(function, self.argument_text(call, one)?),
                _ => match self.unicode_part(call)? {
                    Some(function) => function,
                    None => return self.made_text(call),
                },
            },
        };
        Ok(Some(Text::Function(Box::new(function))))
    }

    /// Value of CURRENT-DATE now.
    pub(super) fn present_moment(&mut self) -> BytePlace {
        let place = self.hidden_storage(MOMENT);
        self.call_accept("CURRENT-DATE".to_owned(), place.clone());
        place
    }

    fn part_of_text(&mut self, text: Text, modification: &'a Modification, at: At) -> Lowered<Text> {
        let start = self.whole(&modification.start)?;
        let length = match &modification.length {
            Some(length) => Some(self.whole(length)?),
            None => None,
        };
        let Some(place) = within_task(&text) else {
            return Ok(Text::Function(Box::new(TextFunction::Part { text, start, length })));
        };
        let Some((from, whole)) = place.as_fixed() else {
            return self.refuse(at, "reference modification of this function");
        };
        let length = length.unwrap_or_else(|| Linear::constant(i64::from(whole) + 1).plus(-1, start.clone()));
        let within = BytePlace {
            at: place.at.clone().plus(1, start).plus(-1, Linear::constant(1)),
            length,
            segment: place.segment,
            bounds: Bounds::Item { from, to: from + whole },
        };
        match within.as_fixed() {
            // What never varies is checked now.
            Some((at, length)) if at >= from && length > 0 && at + length <= from + whole => {
                Ok(Text::Place(BytePlace { bounds: Bounds::Task, ..within }))
            }
            _ if within.at.is_constant() && within.length.is_constant() => self.mistaken(
                at,
                "this part lies beyond the value of the function",
                "the value is shorter: begin earlier, or take fewer characters",
            ),
            _ => Ok(Text::Place(within)),
        }
    }

    /// An argument of characters.
    pub(super) fn argument_text(&mut self, call: &FunctionCall, argument: &'a Expression) -> Lowered<Text> {
        let text = match argument.operand() {
            Some(Operand::Literal(literal)) if literal.kind != LiteralKind::Number => {
                let bytes = self.literal_bytes(literal)?;
                Text::Place(self.constant_place(&bytes))
            }
            Some(Operand::Function(inner)) => match self.function(inner)? {
                Value::Text(text) => text,
                Value::Number(_) => return self.wrong(call, argument),
            },
            Some(operand @ Operand::Reference(reference)) => {
                if self.item(reference.id).is_some_and(|(_, item)| item.kind == Type::Constant) {
                    self.text(operand)?
                } else {
                    let located = self.locate(reference, Extent::Present)?;
                    match self.located_text(located, reference.at())? {
                        Text::Place(place) => Text::Place(place),
                        _ => return self.wrong(call, argument),
                    }
                }
            }
            _ => return self.wrong(call, argument),
        };
        match &text {
            Text::Place(place) if place.fixed_length().is_some_and(|n| n as usize > ARGUMENT_MAX) => {
                self.refuse(argument.at(), format_args!("FUNCTION {} of more than 16 MiB", call.name.text))
            }
            _ => Ok(text),
        }
    }

    pub(super) fn wrong<T>(&mut self, call: &FunctionCall, argument: &Expression) -> Lowered<T> {
        self.refuse(argument.at(), format_args!("this argument of FUNCTION {}", call.name.text))
    }

    // Numbers.

    /// CONTENT-OF of a number: the number itself. The bytes at an address are another function, which GnuCOBOL has under this name.
    fn content_of(&mut self, call: &'a FunctionCall) -> Lowered<Option<Number>> {
        let ("CONTENT-OF", [one]) = (&*call.name.text, &call.arguments[..]) else { return Ok(None) };
        let is_number = match one.operand() {
            Some(Operand::Reference(reference)) => {
                self.item(reference.id).is_some_and(|(_, item)| item.kind.is_numeric())
            }
            Some(Operand::AddressOf(..)) => false,
            _ => true,
        };
        match is_number {
            true => Ok(Some(self.argument_number(call, one)?)),
            false => self.refuse(one.at(), "FUNCTION CONTENT-OF of an address"),
        }
    }

    fn number_function(
        &mut self,
        call: &'a FunctionCall,
        record: &'static FunctionRecord,
    ) -> Lowered<Number> {
        if let Some(number) = self.content_of(call)? {
            return Ok(number);
        }
        if let Some(number) = self.reading_function(call)? {
            return Ok(number);
        }
        if let Some(number) = self.floating_function(call, record.arguments)? {
            return Ok(number);
        }
        if let Some(number) = self.moment_function(call)? {
            return Ok(number);
        }
        if let Some(number) = self.unicode_function(call)? {
            return Ok(number);
        }
        if let Some(number) = self.place_among(call)? {
            return Ok(number);
        }
        if let Some(function) = self.whole_function(call) {
            let mut list = Vec::new();
            for argument in &call.arguments {
                list.push(self.argument_whole(call, argument)?);
            }
            let integers = match record.value {
                ValueClass::Whole(digits) => digits.into(),
                // The remainder has no more digits than the divisor.
                _ => list.last().map_or(1, |divisor| divisor.shape().integers),
            };
            return Ok(Number::Function(function, list, Shape { integers, decimals: 0 }));
        }
        if let Some(number) = self.window_function(call, record.value)? {
            return Ok(number);
        }
        let arguments = self.argument_numbers(call)?;
        self.several(call, arguments)
    }

    /// Functions of whole numbers.
    fn whole_function(&self, call: &FunctionCall) -> Option<Function> {
        let epoch = self.epoch();
        let factorial = if self.options.digits_max == 31 { 29 } else { 28 };
        Some(match &*call.name.text {
            "INTEGER-OF-DATE" => Function::IntegerOfDate(epoch),
            "INTEGER-OF-DAY" => Function::IntegerOfDay(epoch),
            "DATE-OF-INTEGER" => Function::DateOfInteger(epoch),
            "DAY-OF-INTEGER" => Function::DayOfInteger(epoch),
            "FACTORIAL" => Function::Factorial(factorial),
            name => return Function::named(name),
        })
    }

    /// Functions of years of two digits: the window is left out as a rule, and the present year comes from the host.
    fn window_function(&mut self, call: &'a FunctionCall, value: ValueClass) -> Lowered<Option<Number>> {
        let (function, integers) = match (&*call.name.text, value) {
            ("YEAR-TO-YYYY", ValueClass::Whole(digits)) => (Function::YearToYyyy, digits.into()),
            ("DATE-TO-YYYYMMDD", ValueClass::Whole(digits)) => (Function::DateToYyyymmdd, digits.into()),
            ("DAY-TO-YYYYDDD", ValueClass::Whole(digits)) => (Function::DayToYyyyddd, digits.into()),
            _ => return Ok(None),
        };
        let (date, window) = match &call.arguments[..] {
            [date] => (self.argument_whole(call, date)?, Number::whole(WINDOW)),
            [date, window] => (self.argument_whole(call, date)?, self.argument_whole(call, window)?),
            _ => return self.unknown(call),
        };
        let moment = self.present_moment();
        let year = Number::Text(BytePlace { length: Linear::constant(4), ..moment });
        let shape = Shape { integers, decimals: 0 };
        Ok(Some(Number::Function(function, vec![date, window, year], shape)))
    }

    /// Functions of any numbers.
    fn several(&mut self, call: &'a FunctionCall, arguments: Vec<Number>) -> Lowered<Number> {
        let shape = |arguments: &[Number]| {
            let shapes = arguments.iter().map(Number::shape);
            shapes.fold(Shape { integers: 1, decimals: 0 }, |one, other| Shape {
                integers: one.integers.max(other.integers),
                decimals: one.decimals.max(other.decimals),
            })
        };
        let own = shape(&arguments);
        if arguments.iter().any(is_real) {
            return self.several_real(call, arguments);
        }
        let one = arguments.len() == 1;
        let whole = Shape { integers: own.integers + 1, decimals: 0 };
        let (function, shape) = match &*call.name.text {
            "INTEGER" if one => (Function::Integer, whole),
            "INTEGER-PART" if one => (Function::IntegerPart, whole),
            "SIGN" if one => (Function::Sign, Shape { integers: 1, decimals: 0 }),
            "REM" if arguments.len() == 2 => (Function::Remainder, own),
            "MAX" => (Function::Greatest, own),
            "MIN" => (Function::Least, own),
            "ORD-MAX" => (Function::PlaceOfGreatest, LENGTH),
            "ORD-MIN" => (Function::PlaceOfLeast, LENGTH),
            "ABS" if one => {
                return arguments
                    .into_iter()
                    .next()
                    .map_or_else(|| self.unknown(call), |argument| Ok(absolute(argument)));
            }
            "MEAN" | "MEDIAN" | "MIDRANGE" => return self.middle_of(call, arguments, own),
            "SUM" => return self.sum_of(call, arguments, own.decimals),
            "RANGE" => {
                let greatest = Number::Function(Function::Greatest, arguments.clone(), own);
                let least = Number::Function(Function::Least, arguments, own);
                return Ok(self.combine(Operator::Subtract, greatest, least, own.decimals));
            }
            _ => return self.unknown(call),
        };
        Ok(Number::Function(function, arguments, shape))
    }

    pub(super) fn sum_of(
        &mut self,
        call: &FunctionCall,
        arguments: Vec<Number>,
        decimals: i32,
    ) -> Lowered<Number> {
        let mut list = arguments.into_iter();
        let Some(mut sum) = list.next() else { return self.unknown(call) };
        for argument in list {
            sum = self.combine(Operator::Add, sum, argument, decimals);
        }
        Ok(sum)
    }

    /// Functions of characters whose values are numbers.
    fn reading_function(&mut self, call: &'a FunctionCall) -> Lowered<Option<Number>> {
        let digits = if self.options.digits_max == 31 { 31 } else { 18 };
        let (reading, shape) = match &*call.name.text {
            "LENGTH" | "BYTE-LENGTH" => return self.length_function(call).map(Some),
            "STORED-CHAR-LENGTH" => (Reading::StoredLength, LENGTH),
            "ORD" => (Reading::Ordinal, Shape { integers: 3, decimals: 0 }),
            "NUMVAL" => (Reading::Numval(digits), Shape { integers: digits as i32, decimals: 0 }),
            "NUMVAL-C" => {
                let currency = self.currency(call)?;
                (Reading::NumvalC(digits, currency), Shape { integers: digits as i32, decimals: 0 })
            }
            "TEST-NUMVAL" => (Reading::TestNumval(digits), LENGTH),
            "TEST-NUMVAL-C" => (Reading::TestNumvalC(digits, self.currency(call)?), LENGTH),
            _ => return Ok(None),
        };
        let of_money = matches!(reading, Reading::NumvalC(..) | Reading::TestNumvalC(..));
        let argument = match &call.arguments[..] {
            [argument] => argument,
            [argument, _] if of_money => argument,
            _ => return self.unknown(call),
        };
        let text = self.argument_text(call, argument)?;
        let shape = match reading {
            Reading::Numval(_) | Reading::NumvalC(..) => numval_shape(&text, digits as i32),
            _ => shape,
        };
        Ok(Some(Number::Read(reading, Box::new(text), shape)))
    }

    /// The currency sign of NUMVAL-C: its second argument, else that of SPECIAL-NAMES, else `$`.
    fn currency(&mut self, call: &'a FunctionCall) -> Lowered<Currency> {
        let written = match (call.arguments.get(1), &self.program.syntax.environment.currencies[..]) {
            (Some(argument), _) => match argument.operand() {
                Some(Operand::Literal(literal)) if literal.kind == LiteralKind::Text => Some(literal),
                _ => return self.refuse(argument.at(), "a currency sign that is no literal"),
            },
            (None, []) => None,
            (None, [one]) => Some(&one.sign),
            (None, _) => return self.refuse(call.name.at, "FUNCTION NUMVAL-C with several CURRENCY SIGNs"),
        };
        let bytes = match written {
            Some(literal) => self.literal_bytes(literal)?,
            None => {
                let symbol = cobol_source::currency(&self.checked.options).unwrap_or('$');
                vec![literal_byte(symbol).unwrap_or(b'$')]
            }
        };
        Ok(Currency { at: self.constant(&bytes), length: bytes.len() as u32 })
    }

    /// LENGTH: of an item as it lies, of everything else its characters.
    fn length_function(&mut self, call: &'a FunctionCall) -> Lowered<Number> {
        let [argument] = &call.arguments[..] else { return self.unknown(call) };
        if let Some(length) = self.utf8_length(call, argument)? {
            return Ok(length);
        }
        match argument.operand() {
            Some(Operand::Reference(reference))
                if self.item(reference.id).is_some_and(|(_, item)| item.kind != Type::Constant) =>
            {
                let located = self.locate(reference, Extent::Present)?;
                let units = &*call.name.text == "LENGTH" && is_usage_national(located.kind());
                let length = located.place.length;
                Ok(Number::Linear(Box::new(if units { halved(length) } else { length })))
            }
            _ => match self.argument_text(call, argument)? {
                Text::Place(place) => Ok(Number::Linear(Box::new(place.length))),
                text => Ok(Number::Read(Reading::Length, Box::new(text), LENGTH)),
            },
        }
    }

    /// A whole number; decimals are cut off.
    pub(super) fn argument_whole(
        &mut self,
        call: &FunctionCall,
        argument: &'a Expression,
    ) -> Lowered<Number> {
        let number = self.argument_number(call, argument)?;
        let shape = Shape { decimals: 0, ..number.shape() };
        if number.shape().decimals <= 0 && !is_real(&number) {
            return Ok(number);
        }
        Ok(Number::Function(Function::IntegerPart, vec![number], shape))
    }

    /// An argument of a function that takes one number, or several of which each has its own meaning.
    pub(super) fn argument_number(
        &mut self,
        call: &FunctionCall,
        argument: &'a Expression,
    ) -> Lowered<Number> {
        self.argument_in(call, argument, 0, false)
    }

    /// An argument. A quotient within one has as many decimals as the operands of all arguments.
    fn argument_in(
        &mut self,
        call: &FunctionCall,
        argument: &'a Expression,
        dmax: i32,
        floating: bool,
    ) -> Lowered<Number> {
        if self.is_characters(argument) {
            return self.wrong(call, argument);
        }
        self.expression_in(argument, Some(dmax), floating)
    }

    fn argument_numbers(&mut self, call: &'a FunctionCall) -> Lowered<Vec<Number>> {
        self.argument_numbers_in(call, false)
    }

    /// All arguments of a function of several numbers, in floating point where its value is one.
    pub(super) fn argument_numbers_in(
        &mut self,
        call: &'a FunctionCall,
        floating: bool,
    ) -> Lowered<Vec<Number>> {
        let mut list = Vec::new();
        let mut dmax = 0;
        let is_all = |argument: &Expression| matches!(argument.operand(), Some(Operand::Reference(reference)) if has_all(reference));
        for argument in call.arguments.iter().filter(|argument| !is_all(argument)) {
            if !self.is_characters(argument) {
                self.prepare(argument)?;
                dmax = dmax.max(self.decimals(argument)?);
            }
        }
        for argument in &call.arguments {
            match argument.operand() {
                Some(Operand::Reference(reference)) if has_all(reference) => {
                    self.occurrences(reference, &mut list)?;
                }
                _ => list.push(self.argument_in(call, argument, dmax, floating)?),
            }
        }
        match list.is_empty() {
            true => self.unknown(call),
            false => Ok(list),
        }
    }

    /// The occurrences that the subscript ALL stands for, the last subscript varying first.
    fn occurrences(&mut self, reference: &'a Reference, out: &mut Vec<Number>) -> Lowered<()> {
        let at = reference.at();
        let Some((id, item)) = self.item(reference.id) else {
            return self.refuse(at, "the subscript ALL here");
        };
        let is_number = matches!(item.kind, Type::Numeric(_) | Type::FloatShort | Type::FloatLong);
        if !is_number || reference.modification.is_some() {
            return self.refuse(at, "the subscript ALL here");
        }
        let mut all: Vec<Vec<Linear>> = vec![Vec::new()];
        for (subscript, table) in reference.subscripts.iter().zip(&item.dimensions) {
            let values = match subscript {
                Subscript::Value(value) => vec![self.whole(value)?],
                Subscript::All(_) => {
                    let occurs = self.program.items.get(*table).occurs.as_ref();
                    let fixed =
                        occurs.filter(|occurs| occurs.depending.is_none()).and_then(|occurs| occurs.max);
                    let Some(count) = fixed.filter(|count| *count * all.len() <= OCCURRENCES_MAX) else {
                        return self
                            .refuse(at, "the subscript ALL of so many occurrences, or of a varying number");
                    };
                    (1..=count as i64).map(Linear::constant).collect()
                }
            };
            let longer = |before: &Vec<Linear>| {
                let before = before.clone();
                values
                    .iter()
                    .map(move |value| before.iter().cloned().chain([value.clone()]).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        for subscripts in all {
            let place = self.place_of(id, subscripts, Extent::Present, at)?;
            out.push(match (&item.kind, width(&item.kind)) {
                (_, Some(width)) => real_field(place, width),
                (Type::Numeric(numeric), None) => Number::Field(place, self.numeric(*numeric)),
                _ => return self.refuse(at, "the subscript ALL here"),
            });
        }
        Ok(())
    }
}

/// As many digits as a text of this length can have on either side of the decimal point.
fn numval_shape(text: &Text, digits_max: i32) -> Shape {
    let length = match text {
        Text::Place(place) => place.fixed_length().map_or(digits_max, |length| length.min(31) as i32),
        _ => digits_max,
    };
    let digits = length.clamp(1, digits_max);
    Shape { integers: digits, decimals: (digits - 1).min(36 - digits) }
}

fn has_all(reference: &Reference) -> bool {
    reference.subscripts.iter().any(|subscript| matches!(subscript, Subscript::All(_)))
}

/// The place of a text that lies in the storage of the task.
fn within_task(text: &Text) -> Option<&BytePlace> {
    match text {
        Text::Place(place) if place.segment != Segment::Constant => Some(place),
        _ => None,
    }
}
