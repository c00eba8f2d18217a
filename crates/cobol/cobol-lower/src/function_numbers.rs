//! Intrinsic functions of floating point, of statistics and finance, and of moments.

use cobol_data::{Numeric, Representation, SignPlace};
use cobol_runtime::dates::Epoch;
use cobol_runtime::floating::Hex;
use cobol_syntax::Arguments;
use cobol_syntax::tree::FunctionCall;

use super::reals::to_real;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    BytePlace, Function, Linear, Number, Operator, Reading, Real, RealFunction, Shape, Text,
};

/// The circle's number and Euler's, with thirty decimals.
const PI: i128 = 3_141_592_653_589_793_238_462_643_383_279;
const E: i128 = 2_718_281_828_459_045_235_360_287_471_352;
/// Seconds are a hundred thousandth of a day in COMBINED-DATETIME.
const COMBINED: Number = Number::Literal { value: 1, scale: 5 };

fn real(real: Real) -> Number {
    Number::Real(Box::new(real))
}

impl<'a> Lowering<'a> {
    /// A function of floating point; `None` if it is another.
    pub(super) fn floating_function(
        &mut self,
        call: &'a FunctionCall,
        takes: Arguments,
    ) -> Lowered<Option<Number>> {
        let arguments = &call.arguments[..];
        let constant = |value| real(Real::Literal(Hex::from_decimal(value, 30).unwrap_or_default()));
        Ok(Some(match (&*call.name.text, arguments) {
            ("PI", []) => constant(PI),
            ("E", []) => constant(E),
            ("RANDOM", []) => real(Real::Random(self.random_state(), None)),
            ("RANDOM", [seed]) => {
                let seed = self.argument_whole(call, seed)?;
                real(Real::Random(self.random_state(), Some(Box::new(seed))))
            }
            ("NUMVAL-F", [text]) => real(Real::Read(Box::new(self.argument_text(call, text)?))),
            (name, _) => {
                let Some(function) = RealFunction::named(name) else { return Ok(None) };
                // The subscript ALL stands for several arguments.
                let list = self.argument_numbers_in(call, true)?;
                if !takes.takes(list.len()) {
                    return self.unknown(call);
                }
                real(Real::Function(function, list.into_iter().map(to_real).collect()))
            }
        }))
    }

    /// Functions of several numbers, of which one at least is of floating point.
    pub(super) fn several_real(&mut self, call: &'a FunctionCall, list: Vec<Number>) -> Lowered<Number> {
        let one = list.len() == 1;
        let of = |function: RealFunction, list: Vec<Number>| {
            real(Real::Function(function, list.into_iter().map(to_real).collect()))
        };
        Ok(match &*call.name.text {
            "MAX" => of(RealFunction::Greatest, list),
            "MIN" => of(RealFunction::Least, list),
            "MEAN" => of(RealFunction::Mean, list),
            "MEDIAN" => of(RealFunction::Median, list),
            "RANGE" | "MIDRANGE" => {
                let (greatest, least) =
                    (of(RealFunction::Greatest, list.clone()), of(RealFunction::Least, list));
                match &*call.name.text {
                    "RANGE" => self.combine(Operator::Subtract, greatest, least, 0),
                    _ => of(RealFunction::Mean, vec![greatest, least]),
                }
            }
            "ABS" if one => {
                let argument = list.into_iter().map(to_real).next();
                argument.map_or_else(
                    || self.unknown(call),
                    |argument| Ok(real(Real::Absolute(Box::new(argument)))),
                )?
            }
            "SUM" => {
                let mut list = list.into_iter();
                let first = list.next().unwrap_or(Number::whole(0));
                list.fold(first, |sum, next| self.combine(Operator::Add, to_real_number(sum), next, 0))
            }
            "INTEGER" if one => whole(Function::Integer, list),
            "INTEGER-PART" if one => whole(Function::IntegerPart, list),
            "SIGN" if one => whole(Function::Sign, list),
            _ => return self.unknown(call),
        })
    }

    /// MEAN, MEDIAN and MIDRANGE of fixed-point numbers.
    pub(super) fn middle_of(
        &mut self,
        call: &'a FunctionCall,
        list: Vec<Number>,
        own: Shape,
    ) -> Lowered<Number> {
        match &*call.name.text {
            "MEAN" => {
                let count = Number::whole(list.len() as i64);
                let sum = self.sum_of(call, list, own.decimals)?;
                Ok(self.divided_exactly(sum, count))
            }
            "MIDRANGE" => {
                let greatest = Number::Function(Function::Greatest, list.clone(), own);
                let least = Number::Function(Function::Least, list, own);
                let sum = self.combine(Operator::Add, greatest, least, own.decimals);
                Ok(self.divided_exactly(sum, Number::whole(2)))
            }
            _ => {
                let shape = Shape { integers: own.integers + 1, decimals: own.decimals + 1 };
                Ok(Number::Function(Function::Median, list, shape))
            }
        }
    }

    /// A quotient with as many decimals as there is room for.
    fn divided_exactly(&mut self, dividend: Number, divisor: Number) -> Number {
        let shape = dividend.shape();
        let room = (self.options.digits_max - shape.integers - divisor.shape().integers).max(shape.decimals);
        self.combine(Operator::Divide, dividend, divisor, room)
    }

    /// Functions of moments; `None` for other functions.
    pub(super) fn moment_function(&mut self, call: &'a FunctionCall) -> Lowered<Option<Number>> {
        let epoch = self.epoch();
        let (reading, shape, text) = match (&*call.name.text, &call.arguments[..]) {
            ("COMBINED-DATETIME", [day, seconds]) => {
                let day = self.argument_whole(call, day)?;
                let seconds = self.argument_number(call, seconds)?;
                let dmax = seconds.shape().decimals + 5;
                let part = self.combine(Operator::Multiply, seconds, COMBINED, dmax);
                return Ok(Some(self.combine(Operator::Add, day, part, dmax)));
            }
            ("SECONDS-PAST-MIDNIGHT", []) => return Ok(Some(self.seconds_past_midnight())),
            ("INTEGER-OF-FORMATTED-DATE", [format, text]) => {
                let format = self.format(call, format)?;
                (Reading::DayOf(format, epoch), Shape { integers: 7, decimals: 0 }, text)
            }
            ("SECONDS-FROM-FORMATTED-TIME", [format, text]) => {
                let format = self.format(call, format)?;
                (Reading::SecondsOf(format), Shape { integers: 5, decimals: 9 }, text)
            }
            ("TEST-FORMATTED-DATETIME", [format, text]) => {
                let format = self.format(call, format)?;
                (Reading::TestFormatted(format), Shape { integers: 3, decimals: 0 }, text)
            }
            ("TEST-NUMVAL-F", [text]) => (Reading::TestNumvalF, Shape { integers: 9, decimals: 0 }, text),
            _ => return Ok(None),
        };
        let text = match reading {
            Reading::DayOf(..) | Reading::SecondsOf(_) | Reading::TestFormatted(_) => {
                self.date_text(call, text)?
            }
            _ => self.argument_text(call, text)?,
        };
        Ok(Some(Number::Read(reading, Box::new(text), shape)))
    }

    fn seconds_past_midnight(&mut self) -> Number {
        let moment = self.present_moment();
        let digits = |at: i64| {
            let place = BytePlace {
                at: moment.at.clone().plus(1, Linear::constant(at)),
                length: Linear::constant(2),
                ..moment.clone()
            };
            let representation = Representation::Zoned(SignPlace::None);
            Number::Field(place, Numeric { digits: 2, scale: 0, signed: false, representation })
        };
        let [hours, minutes, seconds] = [digits(8), digits(10), digits(12)];
        let hours = self.combine(Operator::Multiply, hours, Number::whole(3600), 0);
        let minutes = self.combine(Operator::Multiply, minutes, Number::whole(60), 0);
        let all = self.combine(Operator::Add, hours, minutes, 0);
        self.combine(Operator::Add, all, seconds, 0)
    }

    /// ORD-MAX and ORD-MIN of characters; `None` for another function, or one of numbers.
    pub(super) fn place_among(&mut self, call: &'a FunctionCall) -> Lowered<Option<Number>> {
        let greatest = &*call.name.text == "ORD-MAX";
        let of_texts = call.arguments.first().is_some_and(|first| self.is_characters(first));
        if !of_texts || !(greatest || &*call.name.text == "ORD-MIN") {
            return Ok(None);
        }
        let texts: Vec<Text> = self.texts(call, &call.arguments)?;
        Ok(Some(Number::PlaceAmong { greatest, texts }))
    }

    /// Place of RANDOM's state: one for the whole program.
    fn random_state(&mut self) -> BytePlace {
        if let Some(place) = &self.random {
            return place.clone();
        }
        let place = self.hidden_storage(4);
        self.random = Some(place.clone());
        place
    }

    /// Day 1 of the program's days.
    pub(super) fn epoch(&self) -> Epoch {
        if self.options.lilian { Epoch::Lilian } else { Epoch::Ansi }
    }
}

fn whole(function: Function, list: Vec<Number>) -> Number {
    Number::Function(function, list, Shape { integers: 31, decimals: 0 })
}

fn to_real_number(number: Number) -> Number {
    real(to_real(number))
}
