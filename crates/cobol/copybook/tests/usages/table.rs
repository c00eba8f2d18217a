//! Records of every USAGE, SIGN, SYNCHRONIZED, size and kind of table, with the bytes that z/OS has of them.
//!
//! Sources of the bytes: the published representations of data (zoned, packed, binary, hexadecimal floating point) and rules of
//! slack bytes, written out by hand.

/// A record, its fields in order, and their values.
#[allow(dead_code, reason = "each test uses some of it")]
pub struct Record {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub text: &'static str,
    /// Its bytes from the first to the last.
    pub pieces: &'static [Piece],
    /// The same as a message; empty for a record that no message can hold.
    pub json: &'static str,
}

/// A field, or slack bytes.
pub struct Piece {
    /// The path of the field; empty for slack bytes.
    pub path: &'static str,
    /// Its value as text.
    pub value: &'static str,
    /// Its bytes on z/OS.
    pub zos: &'static str,
    /// Its bytes in program characters, if they are others.
    pub here: &'static str,
}

/// A field of characters or zoned digits.
const fn text(path: &'static str, value: &'static str, zos: &'static str, here: &'static str) -> Piece {
    Piece { path, value, zos, here }
}

/// A field with the same bytes on both sides.
const fn same(path: &'static str, value: &'static str, zos: &'static str) -> Piece {
    Piece { path, value, zos, here: zos }
}

/// Slack bytes.
const fn slack(zos: &'static str) -> Piece {
    same("", "", zos)
}

const KEY: Piece = text("K", "KEY1", "D2C5E8F1", "4B455931");

pub const RECORDS: [Record; 5] = [
    Record {
        name: "PLAIN",
        text: "
           05 K   PIC X(4).
           05 Z1  PIC 9.
           05 Z18 PIC 9(18).
           05 ZV  PIC 9(3)V99.
           05 ZN  PIC S9(3).
           05 ZP  PIC S9(3) TRAILING.
           05 ZL  PIC S9(3) SIGN LEADING.
           05 ZLS PIC S9(3) SIGN IS LEADING SEPARATE CHARACTER.
           05 ZTS PIC S9(3) SIGN TRAILING SEPARATE.
           05 ZPP PIC 9(3)PPP.
           05 P1  PIC 9 COMP-3.
           05 P2  PIC S9(2) PACKED-DECIMAL.
           05 P7  PIC S9(5)V99 COMP-3.
           05 P18 PIC S9(18) COMP-3.
           05 B1  PIC 9 COMP.
           05 B4  PIC S9(4) COMP.
           05 B5  PIC S9(5) BINARY.
           05 B9  PIC 9(9) COMP-4.
           05 B10 PIC S9(10) COMP.
           05 B18 PIC 9(16)V99 COMP.
           05 N4  PIC 9(4) COMP-5.
           05 NS4 PIC S9(4) COMP-5.
           05 N9  PIC 9(9) COMP-5.
           05 NS9 PIC S9(7)V99 COMP-5.
           05 N18 PIC S9(18) COMP-5.
           05 F4  COMP-1.
           05 FN4 COMP-1.
           05 F8  COMP-2.
           05 F81 COMP-2.
           05 A2  PIC A(2).
           05 X3  PIC X(3).
",
        pieces: &[
            KEY,
            text("Z1", "7", "F7", "37"),
            text(
                "Z18",
                "123456789012345678",
                "F1F2F3F4F5F6F7F8F9F0F1F2F3F4F5F6F7F8",
                "313233343536373839303132333435363738",
            ),
            text("ZV", "1.23", "F0F0F1F2F3", "3030313233"),
            text("ZN", "-12", "F0F1D2", "30314B"),
            text("ZP", "12", "F0F1C2", "303142"),
            text("ZL", "-12", "D0F1F2", "7D3132"),
            text("ZLS", "-12", "60F0F1F2", "2D303132"),
            text("ZTS", "12", "F0F1F24E", "3031322B"),
            text("ZPP", "12000", "F0F1F2", "303132"),
            same("P1", "7", "7F"),
            same("P2", "-12", "012D"),
            same("P7", "-123.45", "0012345D"),
            same("P18", "123456789012345678", "0123456789012345678C"),
            same("B1", "7", "0007"),
            same("B4", "-2", "FFFE"),
            same("B5", "-2", "FFFFFFFE"),
            same("B9", "123456789", "075BCD15"),
            same("B10", "-1", "FFFFFFFFFFFFFFFF"),
            same("B18", "1.23", "000000000000007B"),
            same("N4", "65535", "FFFF"),
            same("NS4", "-32768", "8000"),
            same("N9", "4294967295", "FFFFFFFF"),
            same("NS9", "1.23", "0000007B"),
            same("N18", "5", "0000000000000005"),
            same("F4", "1.5", "41180000"),
            same("FN4", "-118.625", "C276A000"),
            same("F8", "0.1", "401999999999999A"),
            same("F81", "-1000000.5", "C5F4240800000000"),
            text("A2", "AB", "C1C2", "4142"),
            text("X3", "AB", "C1C240", "414220"),
        ],
        json: r#"{"k":"KEY1","z1":7,"z18":123456789012345678,"zv":1.23,"zn":-12,"zp":12,"zl":-12,"zls":-12,"zts":12,"zpp":12000,"p1":7,"p2":-12,"p7":-123.45,"p18":123456789012345678,"b1":7,"b4":-2,"b5":-2,"b9":123456789,"b10":-1,"b18":1.23,"n4":65535,"ns4":-32768,"n9":4294967295,"ns9":1.23,"n18":5,"f4":1.5,"fn4":-118.625,"f8":0.1,"f81":-1000000.5,"a2":"AB","x3":"AB"}"#,
    },
    Record {
        name: "SYN",
        text: "
           05 K   PIC X(4).
           05 X1  PIC X.
           05 S4  PIC S9(4) COMP SYNC.
           05 X2  PIC X.
           05 S9  PIC S9(9) COMP SYNCHRONIZED RIGHT.
           05 X3  PIC X.
           05 S18 PIC S9(18) COMP SYNC.
           05 X4  PIC X.
           05 T18 PIC S9(18) COMP-5 SYNC LEFT.
           05 X5  PIC X.
           05 F4  COMP-1 SYNC.
           05 X6  PIC X.
           05 F8  COMP-2 SYNC.
           05 X7  PIC X.
           05 G.
              10 GB PIC S9(4) COMP SYNC.
              10 GX PIC X.
           05 H SYNC.
              10 HX PIC X.
              10 HB PIC S9(9) COMP-5.
           05 X8  PIC X.
           05 T OCCURS 2.
              10 TX PIC X.
              10 TB PIC S9(4) COMP SYNC.
           05 PS  PIC S9(3) COMP-3 SYNC.
",
        pieces: &[
            KEY,
            text("X1", "A", "C1", "41"),
            slack("00"),
            same("S4", "-2", "FFFE"),
            text("X2", "B", "C2", "42"),
            slack("000000"),
            same("S9", "5", "00000005"),
            text("X3", "C", "C3", "43"),
            slack("000000"),
            same("S18", "6", "0000000000000006"),
            text("X4", "D", "C4", "44"),
            slack("000000"),
            same("T18", "-7", "FFFFFFFFFFFFFFF9"),
            text("X5", "E", "C5", "45"),
            slack("000000"),
            same("F4", "0.5", "40800000"),
            text("X6", "F", "C6", "46"),
            slack("000000"),
            // A doubleword: at 56, four bytes after the fullword that would do for COMP-1.
            slack("00000000"),
            same("F8", "-2", "C120000000000000"),
            text("X7", "G", "C7", "47"),
            slack("00"),
            same("G.GB", "3", "0003"),
            text("G.GX", "H", "C8", "48"),
            text("H.HX", "I", "C9", "49"),
            slack("0000"),
            same("H.HB", "9", "00000009"),
            text("X8", "J", "D1", "4A"),
            text("T(1).TX", "K", "D2", "4B"),
            same("T(1).TB", "1", "0001"),
            slack("00"),
            text("T(2).TX", "L", "D3", "4C"),
            same("T(2).TB", "2", "0002"),
            slack("00"),
            same("PS", "-5", "005D"),
        ],
        json: r#"{"k":"KEY1","x1":"A","s4":-2,"x2":"B","s9":5,"x3":"C","s18":6,"x4":"D","t18":-7,"x5":"E","f4":0.5,"x6":"F","f8":-2.0,"x7":"G","g":{"gb":3,"gx":"H"},"h":{"hx":"I","hb":9},"x8":"J","t":[{"tx":"K","tb":1},{"tx":"L","tb":2}],"ps":-5}"#,
    },
    Record {
        name: "TABLES",
        text: "
           05 K   PIC X(4).
           05 CNT PIC 9(2).
           05 F   PIC S9(4) COMP-5 OCCURS 3.
           05 G OCCURS 2 INDEXED BY GI.
              10 P PIC S9(3) COMP-3 OCCURS 2 TIMES.
              10 RA COMP-1.
              10 D PIC S9(2) SIGN LEADING SEPARATE.
           05 T OCCURS 0 TO 4 TIMES DEPENDING ON CNT.
              10 Q PIC S9(9) COMP-5.
              10 V PIC X(2).
",
        pieces: &[
            KEY,
            text("CNT", "2", "F0F2", "3032"),
            same("F(1)", "1", "0001"),
            same("F(2)", "-1", "FFFF"),
            same("F(3)", "32767", "7FFF"),
            same("G(1).P(1)", "-123", "123D"),
            same("G(1).P(2)", "4", "004C"),
            same("G(1).RA", "1.25", "41140000"),
            text("G(1).D", "-9", "60F0F9", "2D3039"),
            same("G(2).P(1)", "5", "005C"),
            same("G(2).P(2)", "-6", "006D"),
            same("G(2).RA", "0", "00000000"),
            text("G(2).D", "10", "4EF1F0", "2B3130"),
            same("T(1).Q", "16777216", "01000000"),
            text("T(1).V", "AB", "C1C2", "4142"),
            same("T(2).Q", "-2", "FFFFFFFE"),
            text("T(2).V", "C", "C340", "4320"),
        ],
        json: r#"{"k":"KEY1","f":[1,-1,32767],"g":[{"p":[-123,4],"ra":1.25,"d":-9},{"p":[5,-6],"ra":0.0,"d":10}],"t":[{"q":16777216,"v":"AB"},{"q":-2,"v":"C"}]}"#,
    },
    Record {
        name: "BYTES",
        text: "
           05 K   PIC X(4).
           05 X1  PIC X COMP-X.
           05 X3  PIC X(3) COMP-X.
           05 X8  PIC X(8) COMP-X.
           05 P2  PIC 9(2) COMP-X.
           05 P7  PIC 9(7) COMPUTATIONAL-X.
           05 S5  PIC S9(5) COMP-X.
           05 SV  PIC S9(5)V99 COMP-X.
           05 N3  PIC X(3) COMP-N.
           05 C1  BINARY-CHAR.
           05 CU  USAGE BINARY-CHAR UNSIGNED.
           05 S2  BINARY-SHORT SIGNED.
           05 U4  BINARY-LONG UNSIGNED.
           05 D8  BINARY-DOUBLE.
           05 C5  PIC X(2) COMP-5.
           05 T OCCURS 2.
              10 TX PIC X.
              10 TY PIC X(2) COMP-X SYNC.
",
        pieces: &[
            KEY,
            same("X1", "200", "C8"),
            same("X3", "70000", "011170"),
            same("X8", "1099511627776", "0000010000000000"),
            same("P2", "255", "FF"),
            same("P7", "9999999", "98967F"),
            same("S5", "-2", "FFFFFE"),
            same("SV", "-12.34", "FFFFFB2E"),
            same("N3", "66051", "010203"),
            same("C1", "-1", "FF"),
            same("CU", "200", "C8"),
            same("S2", "-32768", "8000"),
            same("U4", "4294967295", "FFFFFFFF"),
            same("D8", "-5", "FFFFFFFFFFFFFFFB"),
            same("C5", "258", "0102"),
            text("T(1).TX", "A", "C1", "41"),
            slack("00"),
            same("T(1).TY", "300", "012C"),
            text("T(2).TX", "B", "C2", "42"),
            slack("00"),
            same("T(2).TY", "1", "0001"),
        ],
        json: r#"{"k":"KEY1","x1":200,"x3":70000,"x8":1099511627776,"p2":255,"p7":9999999,"s5":-2,"sv":-12.34,"n3":66051,"c1":-1,"cu":200,"s2":-32768,"u4":4294967295,"d8":-5,"c5":258,"t":[{"tx":"A","ty":300},{"tx":"B","ty":1}]}"#,
    },
    Record {
        name: "OPAQUE",
        text: "
           05 K   PIC X(4).
           05 NA  PIC N(2).
           05 X1  PIC X.
           05 PT  POINTER SYNC.
           05 X2  PIC X.
           05 IX  INDEX SYNC.
           05 Z   PIC X.
",
        pieces: &[
            KEY,
            same("NA", "X'00410042'", "00410042"),
            text("X1", "A", "C1", "41"),
            slack("000000"),
            same("PT", "X'00000000'", "00000000"),
            text("X2", "B", "C2", "42"),
            slack("000000"),
            same("IX", "X'00000000'", "00000000"),
            text("Z", "Z", "E9", "5A"),
        ],
        json: "",
    },
];

impl Record {
    /// The text of its copybook.
    pub fn copybook(&self) -> String {
        format!("       01 AREC.{}", self.text)
    }

    /// Its fields with a value.
    pub fn fields(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| !piece.path.is_empty())
    }

    /// Its bytes on z/OS.
    pub fn zos(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| bytes(piece.zos)).collect()
    }

    /// Its bytes in program characters.
    pub fn here(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| bytes(piece.here)).collect()
    }
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect()
}
