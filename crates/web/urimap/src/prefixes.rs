//! The longest of many prefixes that a text begins with.

/// Prefixes in order, each with its value.
#[derive(Clone, Debug)]
pub(crate) struct Prefixes<T> {
    sorted: Vec<(Box<[u8]>, T)>,
}

impl<T> Default for Prefixes<T> {
    fn default() -> Self {
        Self { sorted: Vec::new() }
    }
}

impl<T: Default> Prefixes<T> {
    /// The value of a prefix, made if it is new.
    pub fn entry(&mut self, prefix: &[u8]) -> &mut T {
        let at = match self.sorted.binary_search_by(|(has, _)| (**has).cmp(prefix)) {
            Ok(at) => at,
            Err(at) => {
                self.sorted.insert(at, (prefix.into(), T::default()));
                at
            }
        };
        &mut self.sorted[at].1
    }
}

impl<T> Prefixes<T> {
    /// All prefixes of a text, the longest first. Each step is a binary search, and there are at most as many steps as
    /// the list has beginnings of the text, or entries beside it.
    pub fn of<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a T)> {
        let mut rest = Some(text);
        std::iter::from_fn(move || {
            while let Some(key) = rest {
                let at = self.sorted.partition_point(|(prefix, _)| **prefix <= *key);
                let (prefix, value) = self.sorted.get(at.checked_sub(1)?)?;
                let common = prefix.iter().zip(key).take_while(|(one, other)| one == other).count();
                if common == prefix.len() {
                    // A shorter one ends before this one does.
                    rest = common.checked_sub(1).map(|shorter| &key[..shorter]);
                    return Some((&**prefix, value));
                }
                rest = Some(&key[..common]);
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_come_longest_first() {
        let mut prefixes: Prefixes<u8> = Prefixes::default();
        for prefix in ["/", "/a", "/a/", "/a/b", "/a/bc", "/a/bz", "/b", ""] {
            *prefixes.entry(prefix.as_bytes()) += 1;
        }
        let of = |text: &str| -> Vec<String> {
            let found = prefixes.of(text.as_bytes());
            found.map(|(prefix, _)| String::from_utf8_lossy(prefix).into_owned()).collect()
        };
        assert_eq!(of("/a/bcd"), ["/a/bc", "/a/b", "/a/", "/a", "/", ""]);
        assert_eq!(of("/a/by"), ["/a/b", "/a/", "/a", "/", ""]);
        assert_eq!(of("/z"), ["/", ""]);
        assert_eq!(of("x"), [""]);
        assert_eq!(of(""), [""]);
    }
}
