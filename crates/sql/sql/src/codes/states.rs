//! The usual state of a code: tests give codes, and programs may look at states.

use super::table::TABLE;

/// Db2's SQLSTATE of a code, where one is known that mostly comes with it.
pub fn state(code: i32) -> Option<&'static [u8; 5]> {
    let own = OWN.iter().find(|(own, _)| *own == code).map(|(_, state)| *state);
    own.or_else(|| TABLE.iter().find(|row| row.code == code).map(|row| row.db2))
}

/// Those of codes that no state of PostgreSQL has, or that mostly come otherwise than the table's first row says.
const OWN: &[(i32, &[u8; 5])] = &[
    (0, b"00000"),
    (100, b"02000"),
    (304, b"01515"),
    (-102, b"54002"),
    (-112, b"42607"),
    (-120, b"42903"),
    (-125, b"42805"),
    (-129, b"54004"),
    (-150, b"42807"),
    (-151, b"42808"),
    (-153, b"42908"),
    (-156, b"42809"),
    (-158, b"42811"),
    (-160, b"42813"),
    (-161, b"44000"),
    (-170, b"42605"),
    (-182, b"42816"),
    (-193, b"42601"),
    (-214, b"42822"),
    (-301, b"42895"),
    (-302, b"22001"),
    (-303, b"42806"),
    (-304, b"22003"),
    (-305, b"22002"),
    (-310, b"22023"),
    (-311, b"22501"),
    (-312, b"42618"),
    (-342, b"42925"),
    (-344, b"42825"),
    (-345, b"42836"),
    (-402, b"42819"),
    (-412, b"42823"),
    (-414, b"42824"),
    (-415, b"42825"),
    (-501, b"24501"),
    (-502, b"24502"),
    (-504, b"34000"),
    (-510, b"42828"),
    (-514, b"26501"),
    (-518, b"07003"),
    (-537, b"42709"),
    (-542, b"42831"),
    (-544, b"23512"),
    (-546, b"42621"),
    (-573, b"42890"),
    (-574, b"42894"),
    (-580, b"42625"),
    (-581, b"42804"),
    (-603, b"23515"),
    (-629, b"42834"),
    (-667, b"23520"),
    (-752, b"0A001"),
    (-805, b"51002"),
    (-818, b"51003"),
    (-880, b"3B001"),
    (-881, b"3B501"),
    (-904, b"57011"),
    (-906, b"24514"),
    (-913, b"57033"),
    (-922, b"42505"),
    (-923, b"57015"),
    (-924, b"58006"),
    (-925, b"2D521"),
    (-926, b"2D521"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_state_that_programs_look_for() {
        for (code, known) in
            [(0, b"00000"), (100, b"02000"), (-803, b"23505"), (-911, b"40001"), (-305, b"22002")]
        {
            assert_eq!(state(code), Some(known), "{code}");
        }
        assert_eq!((state(-9_999), state(7)), (None, None));
    }
}
