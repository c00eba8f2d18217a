//! Two texts side by side, line by line.

/// What is only expected (`-`), what is only there (`+`), and what is the same.
pub fn lines(expected: &[String], got: &[String]) -> String {
    let common = common(expected, got);
    let (mut e, mut g) = (0, 0);
    let mut text = String::new();
    let mut push = |mark: char, line: &String| {
        text.push_str(&format!("  {mark} {line}\n"));
    };
    while e < expected.len() || g < got.len() {
        if e < expected.len() && g < got.len() && expected[e] == got[g] {
            push(' ', &got[g]);
            (e, g) = (e + 1, g + 1);
        } else if g >= got.len() || e < expected.len() && common[e + 1][g] >= common[e][g + 1] {
            push('-', &expected[e]);
            e += 1;
        } else {
            push('+', &got[g]);
            g += 1;
        }
    }
    text
}

/// For each place in both texts, how many lines behind it are common.
fn common(expected: &[String], got: &[String]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; got.len() + 1]; expected.len() + 1];
    for e in (0..expected.len()).rev() {
        for g in (0..got.len()).rev() {
            table[e][g] = match expected[e] == got[g] {
                true => table[e + 1][g + 1] + 1,
                false => table[e + 1][g].max(table[e][g + 1]),
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked() {
        let text = |lines: &str| lines.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(lines(&text("abc"), &text("axc")), "    a\n  - b\n  + x\n    c\n");
        assert_eq!(lines(&text(""), &text("a")), "  + a\n");
    }
}
