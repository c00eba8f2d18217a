//! CREATE SEQUENCE, and the numbers of an identity column.

use db2_values::Type;

use crate::catalogue::{CreateSequence, Generated, Numbers};
use crate::context::Context;
use crate::kind;
use crate::refusal::Refusal;

/// Reads CREATE SEQUENCE, behind these words.
pub(super) fn sequence(context: &mut Context<'_>) -> Result<CreateSequence, Refusal> {
    let (_, name) = context.reader.qualified("a sequence")?;
    if context.sequence(&name.text).is_some() {
        return Err(Refusal::code(-601, name.spot, format!("there is a sequence {}", name.text)));
    }
    let kind = if context.reader.take("AS") { kind::kind(context)? } else { Type::Integer };
    let numbers = Options::read(context, false)?.numbers(context, kind)?;
    Ok(CreateSequence { name: name.text, kind, numbers })
}

/// Reads what follows GENERATED behind a column.
pub(super) fn identity(context: &mut Context<'_>, kind: Type) -> Result<(Generated, Numbers), Refusal> {
    let generated = match () {
        () if context.reader.take("ALWAYS") => Generated::Always,
        () if context.reader.take_all(&["BY", "DEFAULT"]) => Generated::ByDefault,
        () => return Err(context.reader.unexpected("ALWAYS or BY DEFAULT")),
    };
    if !context.reader.take_all(&["AS", "IDENTITY"]) {
        return Err(context.reader.not_built("a generated column that is no identity column"));
    }
    let options = match context.reader.take("(") {
        true => {
            let options = Options::read(context, true)?;
            context.reader.want(")")?;
            options
        }
        false => Options::default(),
    };
    Ok((generated, options.numbers(context, kind)?))
}

/// The options of a sequence, as they are said.
#[derive(Default)]
struct Options {
    start: Option<i64>,
    increment: Option<i64>,
    least: Option<i64>,
    greatest: Option<i64>,
    cycles: bool,
}

impl Options {
    /// Reads them in any order; those of a column may have commas between them.
    fn read(context: &mut Context<'_>, has_commas: bool) -> Result<Self, Refusal> {
        let mut options = Self::default();
        loop {
            let reader = &mut context.reader;
            match () {
                () if reader.take_all(&["START", "WITH"]) => options.start = Some(number(context)?),
                () if reader.take_all(&["INCREMENT", "BY"]) => options.increment = Some(number(context)?),
                () if reader.take("MINVALUE") => options.least = Some(number(context)?),
                () if reader.take("MAXVALUE") => options.greatest = Some(number(context)?),
                () if reader.take("CACHE") => drop(number(context)?),
                () if reader.take("CYCLE") => options.cycles = true,
                () if reader.take_all(&["NO", "CYCLE"]) => options.cycles = false,
                () if reader.take("ORDER")
                    || reader.take_all(&["NO", "ORDER"])
                    || reader.take_all(&["NO", "CACHE"])
                    || reader.take_all(&["NO", "MINVALUE"])
                    || reader.take_all(&["NO", "MAXVALUE"]) => {}
                () if has_commas && reader.take(",") => {}
                () => return Ok(options),
            }
        }
    }

    /// The numbers of a sequence of a type. Those that are not said are the published ones.
    fn numbers(&self, context: &Context<'_>, kind: Type) -> Result<Numbers, Refusal> {
        let most = match kind {
            Type::SmallInt => i16::MAX.into(),
            Type::Integer => i32::MAX.into(),
            Type::BigInt => i64::MAX,
            Type::Decimal { precision, scale: 0 } => {
                10_i64.checked_pow(precision.into()).map_or(i64::MAX, |most| most - 1)
            }
            _ => {
                let spot = context.reader.spot();
                return Err(Refusal::code(
                    -846,
                    spot,
                    "a sequence is of whole numbers, or of decimal ones without places",
                ));
            }
        };
        let increment = self.increment.unwrap_or(1);
        let (least, greatest) = match increment > 0 {
            true => (self.least.or(self.start).unwrap_or(1), self.greatest.unwrap_or(most)),
            false => (self.least.unwrap_or(-most), self.greatest.or(self.start).unwrap_or(-1)),
        };
        let start = self.start.unwrap_or(if increment > 0 { least } else { greatest });
        Ok(Numbers { start, increment, least, greatest, cycles: self.cycles })
    }
}

/// A whole number, perhaps with a sign.
fn number(context: &mut Context<'_>) -> Result<i64, Refusal> {
    let is_negative = context.reader.take("-");
    if !is_negative {
        context.reader.take("+");
    }
    let spot = context.reader.spot();
    let number = i128::from(context.reader.unsigned("a whole number")?);
    let number = if is_negative { -number } else { number };
    i64::try_from(number).map_err(|_| Refusal::code(-846, spot, "this number is out of the range of BIGINT"))
}
