//! A table by option, for commands whose options each mean a thing of their own: a look costs the same for the first row
//! and the last.

use spec::OptionId;

/// Values by option.
pub struct ByOption<T>([Option<T>; spec::OPTIONS]);

impl<T: Copy> ByOption<T> {
    /// The table of these rows. Two rows for an option do not compile, where the table is a constant or static.
    ///
    /// # Panics
    /// If there are two rows for an option.
    pub const fn new(mut rows: &[(OptionId, T)]) -> Self {
        let mut table = [None; spec::OPTIONS];
        while let [(option, row), others @ ..] = rows {
            let place: &mut Option<T> = &mut table[option.0 as usize];
            assert!(place.is_none(), "two rows for one option");
            *place = Some(*row);
            rows = others;
        }
        Self(table)
    }

    /// The option's row.
    #[inline(always)]
    pub fn get(&self, option: OptionId) -> Option<T> {
        self.0.get(usize::from(option.0)).copied().flatten()
    }
}
