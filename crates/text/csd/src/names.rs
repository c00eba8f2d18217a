//! Names that may be abbreviated.

/// The meaning of an abbreviation.
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
