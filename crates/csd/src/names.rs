//! Names that may be abbreviated, and names that were meant.

/// What an abbreviation stands for.
pub(crate) enum Found<T> {
    /// One thing.
    One(T),
    /// Several things.
    Many(Vec<T>),
    /// Nothing.
    None,
}

/// The thing that a word names: by its whole name, or by a start that no other name has. Any case.
pub(crate) fn abbreviated<T: Copy>(word: &str, things: &[T], name: impl Fn(T) -> &'static str) -> Found<T> {
    let word = word.to_ascii_uppercase();
    if let Some(&thing) = things.iter().find(|&&t| name(t) == word) {
        return Found::One(thing);
    }
    let starting: Vec<T> = things.iter().copied().filter(|&t| name(t).starts_with(&word)).collect();
    match starting[..] {
        [] => Found::None,
        [one] => Found::One(one),
        _ => Found::Many(starting),
    }
}

/// The name that is nearest to a word, if any is near: at most a third of its letters differ.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_uppercase();
    let near = names.map(|name| (distance(&word, name), name)).min_by_key(|(distance, _)| *distance)?;
    (near.0 <= word.chars().count().div_ceil(3)).then_some(near.1)
}

/// How many letters must be put in, left out or changed to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
