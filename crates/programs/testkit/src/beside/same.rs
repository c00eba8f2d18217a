//! When two names, values or arguments say the same: what must differ between any two programs of both compilers.

use super::Difference;

/// Returns true if two names are of the same item: one may be qualified, and have no subscripts where a group without a
/// name has them.
pub fn is_same_name(hosted: &str, native: &str) -> bool {
    let parts = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or_default().to_owned();
        let (name, subscripts) = name.split_once('(').unwrap_or((&name, ""));
        (name.to_owned(), subscripts.to_owned())
    };
    let ((there, of_there), (here, of_here)) = (parts(hosted), parts(native));
    there == here && (of_there == of_here || of_there.is_empty() || of_here.is_empty())
}

/// Returns true if two values are the same. A pointer has eight bytes in a hosted program and four natively, so
/// pointers are not compared.
pub fn is_same(hosted: &str, native: &str) -> bool {
    let digits = |text: &str| {
        let inner = text.strip_prefix("X'")?.strip_suffix('\'')?;
        inner.bytes().all(|c| c.is_ascii_hexdigit()).then_some(inner.len())
    };
    const HOSTED: usize = 16;
    const NATIVE: usize = 8;
    let are_pointers = digits(hosted) == Some(HOSTED) && (native == "NULL" || digits(native) == Some(NATIVE));
    // The digits of binary zeros and of blanks are zeros, as natively compiled statements read them, and so does their dump;
    // that of the other says that they are none.
    let zeros = hosted.strip_suffix("'  not a number").and_then(|bytes| bytes.strip_prefix("X'"));
    let are_zeros = zeros.is_some_and(|bytes| bytes.bytes().skip(1).step_by(2).all(|digit| digit == b'0'))
        && native.bytes().all(|c| b"0.".contains(&c));
    hosted == native || are_pointers || are_zeros
}

/// The same of an argument. LENGTH OF is a binary number as the processor has it where a program is hosted.
pub fn is_same_argument(hosted: &str, native: &str) -> bool {
    const FULLWORD: usize = "X'00000000'".len();
    let reversed = || {
        let digits = hosted.strip_prefix("X'")?.strip_suffix('\'')?;
        let bytes: Vec<&str> = (0..digits.len()).step_by(2).filter_map(|at| digits.get(at..at + 2)).collect();
        Some(format!("X'{}'", bytes.into_iter().rev().collect::<String>()))
    };
    is_same(hosted, native) || hosted.len() <= FULLWORD && reversed().is_some_and(|bytes| bytes == native)
}

/// Returns the differences of two arguments: each run of bytes that differ, by its first and last place from 1, if both
/// have as many bytes.
pub fn arguments_differ(option: &str, hosted: &str, native: &str) -> Vec<Difference> {
    if is_same_argument(hosted, native) {
        return Vec::new();
    }
    let item = format!("({option})");
    let digits = |text: &'_ str| Some(text.strip_prefix("X'")?.strip_suffix('\'')?.as_bytes().to_vec());
    let (Some(there), Some(here)) = (digits(hosted), digits(native)) else {
        return vec![Difference::new(item, beside(hosted, native))];
    };
    if there.len() != here.len() {
        return vec![Difference::new(item, beside(hosted, native))];
    }
    let places = there.chunks(2).zip(here.chunks(2)).enumerate();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, _) in places.filter(|(_, (there, here))| there != here) {
        match runs.last_mut() {
            Some((_, last)) if *last == place => *last = place + 1,
            _ => runs.push((place + 1, place + 1)),
        }
    }
    let run = |bytes: (usize, usize)| {
        let of = |digits: &[u8]| String::from_utf8_lossy(&digits[2 * bytes.0 - 2..2 * bytes.1]).into_owned();
        let what = beside(&format!("X'{}'", of(&there)), &format!("X'{}'", of(&here)));
        let what = format!("bytes {} to {} are {what}", bytes.0, bytes.1);
        Difference { item: item.clone(), bytes: Some(bytes), what }
    };
    runs.into_iter().map(run).collect()
}

/// Two values that differ, as much of them as a line takes: long ones from a little before the first difference.
pub fn beside(hosted: &str, native: &str) -> String {
    const SHOWN: usize = 60;
    const BEFORE: usize = 20;
    let same = hosted.chars().zip(native.chars()).take_while(|(there, here)| there == here).count();
    let is_short = |text: &str| text.chars().count() <= SHOWN;
    let from = if is_short(hosted) && is_short(native) { 0 } else { same.saturating_sub(BEFORE) };
    let excerpt = |text: &str| {
        let shown: String = text.chars().skip(from).take(SHOWN).collect();
        let is_cut = text.chars().count() > from + SHOWN;
        format!("{}{shown}{}", if from > 0 { "…" } else { "" }, if is_cut { "…" } else { "" })
    };
    format!("{}, natively {}", excerpt(hosted), excerpt(native))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_differ_is_the_same() {
        assert!(is_same("X'0000000000000000'", "NULL") && is_same("X'D045437FA4720000'", "X'00012000'"));
        assert!(!is_same("SPACES", "LOW-VALUES") && !is_same("0", "1") && !is_same("X'00'", "NULL"));
        assert!(is_same_argument("X'04000000'", "X'00000004'") && !is_same_argument("X'C1C2'", "X'C1C3'"));
        assert!(is_same_name("GIVEN.DOMAIN", "DOMAIN") && is_same_name("PTR", "PTR(2)"));
        assert!(!is_same_name("T(1)", "T(2)") && !is_same_name("A", "B"));
    }

    #[test]
    fn of_arguments_each_run_of_bytes_is_a_difference() {
        let runs = |hosted: &str, native: &str| -> Vec<_> {
            arguments_differ("FROM", hosted, native)
                .into_iter()
                .map(|found| (found.bytes, found.what))
                .collect()
        };
        let two = [
            (2, 3, "bytes 2 to 3 are X'C2C3', natively X'D2D3'"),
            (5, 5, "bytes 5 to 5 are X'C5', natively X'D5'"),
        ];
        let two = two.map(|(first, last, what)| (Some((first, last)), what.to_owned()));
        assert_eq!(runs("X'C1C2C3C4C5'", "X'C1D2D3C4D5'"), two);
        assert!(runs("X'C1'", "X'C1'").is_empty());
        assert_eq!(runs("X'C1C2C3C4C5'", "X'C1'"), [(None, String::from("X'C1C2C3C4C5', natively X'C1'"))]);
        assert_eq!(runs("-", "X'C1'").len(), 1);
    }

    #[test]
    fn long_values_are_shown_from_where_they_differ() {
        assert_eq!(beside("5", "6"), "5, natively 6");
        let long = |end: &str| format!("{}{end}", "A".repeat(100));
        let both = format!("…{0}B, natively …{0}C", "A".repeat(20));
        assert_eq!(beside(&long("B"), &long("C")), both);
    }
}
