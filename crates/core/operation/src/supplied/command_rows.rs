//! A command and the EXEC interface block in rows of text, as CECI and CEDF show them.

use spec::{Kind, OptionId};

use kernel::exec::{Content, Parcel};

/// Characters of a value in a row: after them comes its parenthesis.
const VALUE_WIDTH: usize = 48;

/// The form in which bytes are shown.
pub(super) struct Rows<'s> {
    pub hexadecimal: bool,
    /// A program's character.
    pub character: &'s dyn Fn(u8) -> char,
}

impl Rows<'_> {
    /// The command, a row for each option; a long value goes on in further rows.
    pub fn command(&self, parcel: &Parcel) -> Vec<String> {
        let mut lines = vec![format!("EXEC CICS {}", parcel.command().name)];
        for (option, content) in parcel.contents() {
            let mut before = format!("  {}( ", option.name());
            let mut rows = self.value(parcel, option, &content).into_iter().peekable();
            while let Some(row) = rows.next() {
                let after = if rows.peek().is_none() { " )" } else { "" };
                lines.push(format!("{before}{row}{after}"));
                before = " ".repeat(before.len());
            }
        }
        lines.extend(parcel.keywords().map(|keyword| format!("  {}", keyword.name())));
        lines
    }

    /// A value in rows; at least one.
    fn value(&self, parcel: &Parcel, option: OptionId, content: &Content) -> Vec<String> {
        let is_cvda = || parcel.command().options.iter().any(|o| o.id == option && o.kind == Kind::Cvda);
        match content {
            Content::Nothing => vec![String::new()],
            Content::Number(number) => {
                let number_of_cvda = i32::try_from(*number).ok().filter(|_| is_cvda());
                let name = number_of_cvda.and_then(|value| spec::cvda_name_in(option, value));
                vec![name.map_or_else(|| number.to_string(), str::to_owned)]
            }
            Content::Pointer(address) => vec![format!("{address:?}")],
            Content::Bytes(bytes) => self.bytes(bytes),
        }
    }

    /// Bytes in rows; at least one.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<String> {
        let text = |bytes: &[u8]| -> String {
            if self.hexadecimal {
                bytes.iter().map(|byte| format!("{byte:02X}")).collect()
            } else {
                bytes.iter().map(|byte| printing((self.character)(*byte))).collect()
            }
        };
        let in_a_row = if self.hexadecimal { VALUE_WIDTH / 2 } else { VALUE_WIDTH };
        let rows: Vec<String> = bytes.chunks(in_a_row).map(text).collect();
        if rows.is_empty() { vec![String::new()] } else { rows }
    }

    /// The fields of the EXEC interface block, two in a row.
    pub fn block(&self, eib: &[u8]) -> Vec<String> {
        let fields: Vec<String> =
            spec::tables::EIB.lines().skip(1).filter_map(|line| self.field(eib, line)).collect();
        fields.chunks(2).map(|pair| pair.iter().map(|field| format!("{field:<36}")).collect()).collect()
    }

    /// The fields of the EXEC interface block, one in a row, in the published form: numbers with their signs, names in quotes.
    pub fn fields(&self, eib: &[u8]) -> Vec<String> {
        spec::tables::EIB.lines().skip(1).filter_map(|line| self.published(eib, line)).collect()
    }

    fn published(&self, eib: &[u8], line: &str) -> Option<String> {
        let mut cells = line.split('\t');
        let (name, picture) = (cells.next()?, cells.next()?);
        let (offset, length): (usize, usize) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        let bytes = eib.get(offset..offset + length).filter(|_| name.starts_with("EIB"))?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let value = match picture {
            _ if self.hexadecimal => format!("X'{digits}'"),
            "X(4)" | "X(8)" if name != "EIBERRCD" => format!("'{}'", self.bytes(bytes).concat()),
            _ if picture.starts_with('X') => format!("X'{digits}'"),
            _ if picture.ends_with("COMP-3") => format!("+{}", &digits[..digits.len() - 1]),
            _ => format!("{:+0width$}", number(bytes), width = if length == 2 { 6 } else { 11 }),
        };
        let word = match name {
            "EIBFN" => spec::commands()
                .iter()
                .find(|command| command.eibfn == Some(number(bytes) as u16))
                .map(|c| c.name),
            "EIBRESP" => u16::try_from(number(bytes)).ok().map(|resp| spec::Condition(resp).name()),
            _ => None,
        };
        let word = word.filter(|_| !self.hexadecimal).map_or(String::new(), |word| format!(" ({word})"));
        Some(format!("{name:<12} = {value}{word}"))
    }

    /// A field of the block by its line in the table.
    fn field(&self, eib: &[u8], line: &str) -> Option<String> {
        let mut cells = line.split('\t');
        let (name, picture) = (cells.next()?, cells.next()?);
        let (offset, length): (usize, usize) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        let bytes = eib.get(offset..offset + length).filter(|_| name.starts_with("EIB"))?;
        let is_text = picture.starts_with('X')
            && !self.hexadecimal
            && bytes.iter().all(|byte| (b' '..0x7f).contains(byte));
        let value = match picture {
            _ if is_text => bytes.iter().map(|byte| (self.character)(*byte)).collect(),
            _ if self.hexadecimal || picture.starts_with('X') => {
                format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
            }
            _ if picture.ends_with("COMP-3") => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                digits[..digits.len() - 1].to_owned()
            }
            _ => number(bytes).to_string(),
        };
        Some(format!("{name:<9} {value}"))
    }
}

/// A halfword or a fullword.
fn number(bytes: &[u8]) -> i32 {
    let value = bytes.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
    if bytes.len() == 2 { i32::from(value as u16 as i16) } else { value.cast_signed() }
}

fn printing(character: char) -> char {
    if character.is_control() { '.' } else { character }
}
