//! Options of Db2's coprocessor: what stands in the parentheses of the option SQL.

use diagnostics::Diagnostic;

use crate::options::CompilerOption;

/// Options that change what a program sees, and are not obeyed: their values without effect on that, and the reason.
const WITHOUT_EFFECT: &[(&str, &[&str], &str)] = &[
    ("COMMA", &[], "constants of EXEC SQL have a decimal point: take the option out, or write them so"),
    ("DATE", &["ISO"], "dates arrive as in ISO: ask for another form by CHAR(…, USA) in the statement"),
    ("TIME", &["ISO"], "times arrive as in ISO: ask for another form by CHAR(…, USA) in the statement"),
    ("FLOAT", &["S390"], "COMP-1 and COMP-2 have z/OS's form here"),
    ("QUOTESQL", &[], "constants of EXEC SQL stand between apostrophes"),
    ("STDSQL", &["NO"], "SQLCODE and the SQLCA are found by their names"),
];

/// Returns the options in the parentheses of SQL, in upper case: they are separated by commas and blanks, and may stand in
/// quotes as a whole.
fn written(option: &CompilerOption) -> Vec<String> {
    let mut depth = 0_i32;
    let text = option.written.trim_matches(['\'', '"']).to_ascii_uppercase();
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Returns the name and the value of `DATE(ISO)`.
fn apart(option: &str) -> (&str, &str) {
    let (name, value) = option.split_once('(').unwrap_or((option, ""));
    (name.trim(), value.trim_end_matches(')').trim())
}

/// Returns the digits and the scale of DEC(31), DEC15, D31.3; `None` if the option is not DEC; an error if it is one that there is
/// not.
fn decimal(option: &str) -> Option<Result<String, ()>> {
    let (name, value) = apart(option);
    let value = match (name, value) {
        ("DEC", value) => value,
        (name, "") => name.strip_prefix("DEC").or(name.strip_prefix('D'))?,
        _ => return None,
    };
    if !value.starts_with(|c: char| c.is_ascii_digit()) && name != "DEC" {
        return None;
    }
    let (digits, scale) = value.split_once('.').unwrap_or((value, "0"));
    let is_scale = scale == "0" && !value.contains('.') || matches!(scale.as_bytes(), [b'1'..=b'9']);
    let is_right = matches!(digits, "15" | "31") && is_scale;
    Some(if is_right { Ok(format!("DEC{digits}.{scale}")) } else { Err(()) })
}

/// Returns the rules of decimal arithmetic in static EXEC SQL that the option SQL asks for, as `DEC31.3`.
pub fn decimal_arithmetic(options: &[CompilerOption]) -> Option<String> {
    let of_sql = options.iter().filter(|option| option.name == "SQL");
    of_sql.flat_map(written).filter_map(|option| decimal(&option)?.ok()).next_back()
}

/// The messages about what stands in the parentheses of SQL and is not obeyed.
pub(crate) fn messages(option: &CompilerOption) -> Vec<Diagnostic> {
    if option.name != "SQL" {
        return Vec::new();
    }
    let mut messages = Vec::new();
    for option in written(option) {
        let (name, value) = apart(&option);
        if let Some(Err(())) = decimal(&option) {
            let message = format!("{option} is no option of SQL");
            let help = "decimal arithmetic is DEC(15) or DEC(31), with a least scale of divisions D15.s or D31.s (s from 1 to 9)";
            messages.push(Diagnostic::error("SPTR004", message).help(help));
        } else if let Some((_, _, why)) =
            WITHOUT_EFFECT.iter().find(|(known, harmless, _)| *known == name && !harmless.contains(&value))
        {
            let message = format!("the option SQL({option}) has no effect here");
            messages.push(Diagnostic::warning("SPTR003", message).help(*why));
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_arithmetic_is_read() {
        for (text, expected) in [
            ("DEC(31)", Some("DEC31.0")),
            ("\"DATE(ISO),dec(15)\"", Some("DEC15.0")),
            ("'APOSTSQL D31.4'", Some("DEC31.4")),
            ("DEC15.2", Some("DEC15.2")),
            ("DEC31,DEC15", Some("DEC15.0")),
            ("DATE(USA)", None),
            ("", None),
        ] {
            let mut option = CompilerOption::new("SQL", text);
            option.value.clear();
            assert_eq!(decimal_arithmetic(&[option]).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_obeyed_is_told_by_name() {
        for (text, expected) in [
            ("DEC(16)", "DEC(16) is no option of SQL"),
            ("D31.0", "D31.0 is no option of SQL"),
            ("DEC", "DEC is no option of SQL"),
            ("DATE(USA)", "the option SQL(DATE(USA)) has no effect here"),
            ("COMMA", "the option SQL(COMMA) has no effect here"),
            ("DATE(ISO),TIME(ISO),STDSQL(NO),SOURCE,DEC31,DYNAMICRULES(BIND)", ""),
        ] {
            let found = messages(&CompilerOption::new("SQL", text));
            let found: Vec<&str> = found.iter().map(|message| message.message.as_str()).collect();
            assert_eq!(found.join("; "), expected, "{text}");
        }
    }
}
