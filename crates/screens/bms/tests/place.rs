//! The places of maps on a page.

mod common;

use bms::{Area, Page, SendError, place};
use common::mapset;
use tn3270::datastream::Size;

const SCREEN: Size = Size::new(24, 80);

/// The area of a map of two lines by ten columns with these operands, below and right of one at line 5, column 20.
fn placed(operands: &str, page: Page) -> Result<(u16, u16), SendError> {
    let source = format!(
        "\
SET      DFHMSD TYPE=MAP
MAP      DFHMDI SIZE=(2,10){operands}
         DFHMSD TYPE=FINAL
"
    );
    place(&mapset(&source).maps[0], SCREEN, page).map(|area| (area.line + 1, area.column + 1))
}

#[test]
fn maps_stand_where_their_numbers_say_or_in_relation_to_the_one_before() {
    let before = Page::default().with(Area { line: 4, column: 19, size: Size::new(3, 30) });
    let table = [
        ("", (1, 1), (1, 1)),
        (",LINE=7,COLUMN=11", (7, 11), (7, 11)),
        (",LINE=NEXT", (1, 1), (8, 1)),
        (",LINE=SAME,COLUMN=NEXT", (1, 1), (5, 50)),
        (",LINE=NEXT,COLUMN=SAME", (1, 1), (8, 20)),
        (",LINE=3,JUSTIFY=RIGHT", (3, 71), (3, 71)),
        (",COLUMN=4,JUSTIFY=RIGHT", (1, 68), (1, 68)),
        (",JUSTIFY=LAST", (23, 1), (23, 1)),
        (",JUSTIFY=(RIGHT,BOTTOM)", (23, 71), (23, 71)),
    ];
    for (operands, alone, after) in table {
        assert_eq!(placed(operands, Page::default()), Ok(alone), "{operands}");
        assert_eq!(placed(operands, before), Ok(after), "{operands}");
    }
}

#[test]
fn a_map_that_does_not_fit_is_an_error() {
    for operands in [",LINE=24", ",COLUMN=72", ",COLUMN=72,JUSTIFY=RIGHT"] {
        let error = SendError::MapTooLarge { map: "MAP".into(), screen: SCREEN };
        assert_eq!(placed(operands, Page::default()), Err(error), "{operands}");
    }
}
