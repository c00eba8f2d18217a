//! A strict reader of the text format of OpenMetrics 1.0: what is not as the format says is an error.

use std::collections::BTreeSet;

use super::Labels;

/// A sample: its name, its labels, its value.
type Sample = (String, Vec<(String, String)>, f64);

/// The families and samples of an answer.
#[derive(Default)]
pub struct Exposition {
    /// Name and type.
    families: Vec<(String, String)>,
    samples: Vec<Sample>,
}

impl Exposition {
    /// Reads an answer.
    pub fn read(text: &str) -> Result<Self, String> {
        let body = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
        let mut read = Self::default();
        let mut seen = BTreeSet::new();
        for line in body.split_terminator('\n') {
            read.line(line, &mut seen).map_err(|why| format!("{why}: {line}"))?;
        }
        read.histograms()?;
        Ok(read)
    }

    fn line(&mut self, line: &str, seen: &mut BTreeSet<String>) -> Result<(), String> {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, _) = rest.split_once(' ').ok_or("HELP without a text")?;
            return is_name(name).then_some(()).ok_or_else(|| "no name".to_owned());
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').ok_or("TYPE without a type")?;
            if !["counter", "gauge", "histogram", "info"].contains(&kind) || !is_name(name) {
                return Err("an unknown type, or no name".to_owned());
            }
            if self.families.iter().any(|(known, _)| known == name) {
                return Err("a family comes twice".to_owned());
            }
            self.families.push((name.to_owned(), kind.to_owned()));
            return Ok(());
        }
        let (name, labels, value) = sample(line)?;
        // Samples follow their family, with the endings of its type.
        let (family, kind) = self.families.last().ok_or("a sample without a family")?;
        let endings = endings(kind);
        if !endings.iter().any(|ending| format!("{family}{ending}") == name) {
            return Err("a sample of no family, or with another ending".to_owned());
        }
        if kind != "gauge" && value < 0.0 {
            return Err("less than nothing".to_owned());
        }
        if !seen.insert(format!("{name}{labels:?}")) {
            return Err("a sample comes twice".to_owned());
        }
        self.samples.push((name, labels, value));
        Ok(())
    }

    /// Buckets grow, the last one has no bound and as many as there are.
    fn histograms(&self) -> Result<(), String> {
        for (name, _) in self.families.iter().filter(|(_, kind)| kind == "histogram") {
            for (_, labels, count) in
                self.samples.iter().filter(|(sample, ..)| *sample == format!("{name}_count"))
            {
                let without = |labels: &[(String, String)]| -> Vec<_> {
                    labels.iter().filter(|(key, _)| key != "le").cloned().collect()
                };
                let buckets = self.samples.iter().filter(|(sample, other, _)| {
                    *sample == format!("{name}_bucket") && without(other) == *labels
                });
                let (mut bound, mut so_far) = (f64::NEG_INFINITY, 0.0);
                for (_, labels, in_it) in buckets {
                    let le = labels.iter().find(|(key, _)| key == "le").ok_or("a bucket without a bound")?;
                    let next = if le.1 == "+Inf" { f64::INFINITY } else { number(&le.1)? };
                    if next <= bound || *in_it < so_far {
                        return Err(format!("{name}: buckets do not grow"));
                    }
                    (bound, so_far) = (next, *in_it);
                }
                if bound != f64::INFINITY || so_far != *count {
                    return Err(format!("{name}: the last bucket has not all"));
                }
            }
        }
        Ok(())
    }

    /// The value of the sample with exactly these labels.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let mut wanted: Vec<_> =
            labels.iter().map(|(key, text)| (key.to_string(), text.to_string())).collect();
        wanted.sort();
        let found = self.samples.iter().find(|(sample, labels, _)| {
            let mut labels = labels.clone();
            labels.sort();
            sample == name && labels == wanted
        });
        found.map(|(.., value)| *value)
    }

    /// The names that samples of all families have, or would have, with the labels that were seen.
    pub fn labels(&self) -> Labels {
        let mut all = Labels::new();
        for (name, kind) in &self.families {
            endings(kind).iter().for_each(|ending| {
                all.entry(format!("{name}{ending}")).or_default();
            });
        }
        for (name, labels, _) in &self.samples {
            all.entry(name.clone()).or_default().extend(labels.iter().map(|(key, _)| key.clone()));
        }
        all
    }
}

fn endings(kind: &str) -> &'static [&'static str] {
    match kind {
        "counter" => &["_total"],
        "histogram" => &["_bucket", "_sum", "_count"],
        "info" => &["_info"],
        _ => &[""],
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn number(text: &str) -> Result<f64, String> {
    let plain = text.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
    text.parse().ok().filter(|_| plain).ok_or_else(|| format!("{text} is no number"))
}

fn sample(line: &str) -> Result<Sample, String> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, rest) = line.split_at(end);
    if !is_name(name) {
        return Err("no name".to_owned());
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Vec::new(), rest),
    };
    let value = rest.strip_prefix(' ').ok_or("no blank before the value")?;
    Ok((name.to_owned(), labels, number(value)?))
}

/// Labels and their values.
type Pairs = Vec<(String, String)>;

/// The labels up to the brace, and what is behind it.
fn labels(mut rest: &str) -> Result<(Pairs, &str), String> {
    let mut labels = Vec::new();
    loop {
        let (key, behind) = rest.split_once("=\"").ok_or("a label without a value")?;
        if !is_name(key) || labels.iter().any(|(known, _)| known == key) {
            return Err(format!("{key} is no name of a label, or comes twice"));
        }
        let (value, behind) = quoted(behind)?;
        labels.push((key.to_owned(), value));
        match behind.split_at_checked(1) {
            Some(("}", behind)) => return Ok((labels, behind)),
            Some((",", behind)) => rest = behind,
            _ => return Err("neither a comma nor a brace behind a label".to_owned()),
        }
    }
}

/// A value up to its quote, and what is behind that.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, escaped @ ('"' | '\\'))) => value.push(escaped),
                _ => return Err("a backslash before what needs none".to_owned()),
            },
            letter => value.push(letter),
        }
    }
    Err("a value without its end".to_owned())
}
