//! Mapsets as bytes: reading gives the written mapset back, and nothing else.

mod common;

use bms::{ImageError, Mapset};
use common::mapset;
use proptest::prelude::*;

/// A mapset that uses everything.
fn rich() -> Mapset {
    mapset(
        "\
RICH     DFHMSD TYPE=MAP,MODE=INOUT,SUFFIX=M,BASE=AREA,\\
               EXTATT=YES,CURSLOC=YES
ONE      DFHMDI SIZE=(10,40),LINE=NEXT,COLUMN=SAME,\\
               JUSTIFY=(RIGHT,LAST),\\
               CTRL=(PRINT,L64,ALARM),HEADER=YES,TIOAPFX=YES
A        DFHMDF POS=0,LENGTH=4,ATTRB=(UNPROT,NUM,IC),COLOR=RED,\\
               XINIT=C1C2
B        DFHMDF POS=(2,1),LENGTH=6,OCCURS=2,CASE=MIXED,INITIAL='it''s'
C        DFHMDF POS=(3,1),LENGTH=7,PICIN='9(7)',PICOUT='ZZZ,ZZ9'
D        DFHMDF POS=(4,1),LENGTH=2,GRPNAME=G
TWO      DFHMDI SIZE=(24,80),TRAILER=YES
         DFHMSD TYPE=FINAL
",
    )
}

#[test]
fn what_was_written_is_read_back() {
    assert_eq!(Mapset::from_bytes(&rich().to_bytes()), Ok(rich()));
}

#[test]
fn other_bytes_are_an_error() {
    let bytes = rich().to_bytes();
    let mut other_version = bytes.clone();
    other_version[4] = 99;
    let table = [
        (&b""[..], ImageError::NotAnImage),
        (b"\x7FELF", ImageError::NotAnImage),
        (b"SMAP", ImageError::Damaged),
        (&other_version, ImageError::OtherVersion(99)),
        (&bytes[..bytes.len() - 1], ImageError::Damaged),
        (&[bytes.as_slice(), b"x"].concat(), ImageError::Damaged),
    ];
    for (bytes, error) in table {
        assert_eq!(Mapset::from_bytes(bytes), Err(error));
    }
}

/// Makes the checksum right again, so that damage reaches the code after the check.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = bytes[9..]
        .iter()
        .fold(0x811C_9DC5u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    bytes[5..9].copy_from_slice(&sum.to_be_bytes());
    bytes
}

proptest! {
    #[test]
    fn damage_is_never_a_panic(at in 9usize.., byte: u8, cut in 0usize..) {
        let mut bytes = rich().to_bytes();
        let length = bytes.len();
        bytes[9 + at % (length - 9)] = byte;
        let _ = Mapset::from_bytes(&sealed(bytes.clone()));
        bytes.truncate(9 + cut % (length - 9));
        let _ = Mapset::from_bytes(&sealed(bytes));
    }

    #[test]
    fn garbage_is_an_error(bytes: Vec<u8>) {
        prop_assert!(Mapset::from_bytes(&bytes).is_err());
    }
}
