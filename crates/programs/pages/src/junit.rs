//! Outcomes as JUnit XML, which servers of continuous integration read.

use std::fmt::Write;
use std::time::Duration;

use crate::player::Failure;

/// The outcome of one page.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its path below the folder of pages, without the ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// The lines that are not as expected.
    pub failures: Vec<Failure>,
    /// The time that it took.
    pub took: Duration,
}

/// The pages of an application as one test suite.
pub fn xml(suite: &str, outcomes: &[Outcome], took: Duration) -> String {
    let failed = outcomes.iter().filter(|outcome| !outcome.failures.is_empty()).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failed}\" errors=\"0\" skipped=\"0\" time=\"{}\"",
        outcomes.len(),
        seconds(took)
    );
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    line(&mut text, format_args!("<testsuites {counts}>"));
    line(&mut text, format_args!("  <testsuite name=\"{}\" {counts}>", escaped(suite)));
    outcomes.iter().for_each(|outcome| case(&mut text, outcome));
    line(&mut text, format_args!("  </testsuite>\n</testsuites>"));
    text
}

fn case(text: &mut String, outcome: &Outcome) {
    let (folder, name) = outcome.name.rsplit_once('/').unwrap_or(("", &outcome.name));
    let class = if folder.is_empty() { "pages".to_owned() } else { folder.replace('/', ".") };
    let line_number = outcome.failures.first().map_or(1, |failure| failure.line.max(1));
    let head = format!(
        "classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{line_number}\" time=\"{}\"",
        escaped(&class),
        escaped(name),
        escaped(&outcome.file),
        seconds(outcome.took)
    );
    if outcome.failures.is_empty() {
        return line(text, format_args!("    <testcase {head}/>"));
    }
    line(text, format_args!("    <testcase {head}>"));
    for failure in &outcome.failures {
        let message = failure.what.lines().next().unwrap_or_default();
        let place = format!("{}:{}: {message}", outcome.file, failure.line);
        line(
            text,
            format_args!(
                "      <failure message=\"{}\">{}</failure>",
                escaped(&place),
                escaped(&failure.what)
            ),
        );
    }
    line(text, format_args!("    </testcase>"));
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes what is written to it.
    let _ = writeln!(text, "{line}");
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Text without markup; characters that XML does not have show as a question mark.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_cases_and_nothing_in_them_is_markup() {
        let outcome = |name: &str, failures| Outcome {
            name: name.to_owned(),
            title: String::from("T"),
            file: format!("tests/{name}.md"),
            failures,
            took: Duration::from_millis(250),
        };
        let failure = Failure { line: 7, what: String::from("screen: <A> & \"B\"\u{1}\n  more") };
        let text = xml(
            "A&B",
            &[outcome("one", vec![failure]), outcome("deep/er/two", vec![])],
            Duration::from_secs(1),
        );
        for part in [
            "<testsuite name=\"A&amp;B\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.000\">",
            "<testcase classname=\"pages\" name=\"one\" file=\"tests/one.md\" line=\"7\" time=\"0.250\">",
            "message=\"tests/one.md:7: screen: &lt;A&gt; &amp; &quot;B&quot;?\">screen: &lt;A&gt;",
            "<testcase classname=\"deep.er\" name=\"two\" file=\"tests/deep/er/two.md\" line=\"1\" time=\"0.250\"/>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
