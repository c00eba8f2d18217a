//! Whole programs that follow a seed: sections of paragraphs that PERFORM, GO TO and CALL, with counters that end every loop.
//!
//! A generated program means the same to every compiler: a range is performed by what stands in front of it, GO TO stays in its
//! section, and what goes back counts.

use super::generator::Seeded;

/// Sections of a program, paragraphs of a section, statements of a paragraph.
const SECTIONS: usize = 4;
const PARAGRAPHS: usize = 3;
const STATEMENTS: usize = 4;
/// Steps after which nothing goes back any more.
const STEPS: usize = 60;

/// A program: its statements by section and paragraph, so that a test can leave some of them out.
#[derive(Clone, Debug)]
pub struct Flow {
    seed: u64,
    /// Sections, paragraphs, statements; one that is left out is empty.
    pub sections: Vec<Vec<Vec<String>>>,
}

impl Flow {
    /// The program of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Seeded(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed));
        random.below(2);
        let section = |random: &mut Seeded, at: usize| {
            (0..PARAGRAPHS).map(|paragraph| Self::paragraph(random, at, paragraph)).collect()
        };
        let sections = (0..SECTIONS).map(|at| section(&mut random, at)).collect();
        Self { seed, sections }
    }

    fn paragraph(random: &mut Seeded, section: usize, paragraph: usize) -> Vec<String> {
        let count = 1 + random.below(STATEMENTS);
        (0..count).map(|_| statement(random, section, paragraph)).collect()
    }

    /// Its name.
    pub fn name(&self) -> String {
        format!("F{}", self.seed)
    }

    /// Its text, as a program within another.
    pub fn text(&self) -> String {
        let name = self.name();
        let mut text = format!(
            "ID DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
             01 ST PIC 9(4) VALUE 0.\n01 A PIC S9(5) VALUE 7.\n01 B PIC S9(5) COMP-3 VALUE -3.\n01 C PIC S9(4) COMP VALUE 2.\n01 I PIC 9(3) VALUE 0.\n\
             01 J PIC 9(3) COMP VALUE 0.\n01 S PIC -(6)9.\n01 ODO-RECORD.\n 05 N PIC 9 VALUE 3.\n 05 R OCCURS 1 TO 9 DEPENDING ON N INDEXED BY X.\n  10 Q PIC 9(2) VALUE 5.\n\
             01 G1.\n 05 U PIC 9(3) VALUE 4.\n 05 V PIC X(2) VALUE 'ab'.\n 05 W PIC S9(3) VALUE 1.\n\
             01 G2.\n 05 W PIC S9(4) COMP VALUE 2.\n 05 U PIC 9(4) VALUE 1.\n 05 V PIC X(3) VALUE 'xyz'.\n\
             PROCEDURE DIVISION.\nMAIN SECTION.\nM0.\n"
        );
        for at in 0..self.sections.len() {
            text.push_str(&format!("PERFORM S{at}.\n"));
        }
        text.push_str(&format!(
            "DISPLAY '{name} ' ST. MOVE A TO S DISPLAY S. MOVE B TO S DISPLAY S. MOVE C TO S DISPLAY S.\n\
             DISPLAY I ' ' ODO-RECORD '|'. MOVE W OF G2 TO S DISPLAY U OF G2 V OF G2 S. EXIT PROGRAM.\n"
        ));
        for (at, section) in self.sections.iter().enumerate() {
            text.push_str(&format!("S{at} SECTION.\n"));
            for (paragraph, statements) in section.iter().enumerate() {
                text.push_str(&format!("P{at}{paragraph}.\nADD 1 TO ST.\n"));
                for statement in statements.iter().filter(|statement| !statement.is_empty()) {
                    text.push_str(&format!("{statement}.\n"));
                }
            }
        }
        text.push_str(&format!("END PROGRAM {name}.\n"));
        text
    }

    /// The same without one statement, for each that there is.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for (section, paragraphs) in self.sections.iter().enumerate() {
            for (paragraph, statements) in paragraphs.iter().enumerate() {
                for at in (0..statements.len()).filter(|at| !statements[*at].is_empty()) {
                    let mut smaller = self.clone();
                    smaller.sections[section][paragraph][at].clear();
                    all.push(smaller);
                }
            }
        }
        all
    }
}

/// A program that calls others, which stand in it.
pub fn around(flows: &[Flow]) -> String {
    let calls: String =
        flows.iter().map(|flow| format!("CALL '{}'.\nCALL '{}'.\n", flow.name(), flow.name())).collect();
    let texts: String = flows.iter().map(Flow::text).collect();
    format!("ID DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n{calls}STOP RUN.\n{texts}END PROGRAM T.\n")
}

fn statement(random: &mut Seeded, section: usize, paragraph: usize) -> String {
    let later = |random: &mut Seeded| section + 1 + random.below(SECTIONS - section - 1);
    match random.below(16) {
        0 | 1 if section + 1 < SECTIONS => format!("PERFORM S{}", later(random)),
        2 if section + 1 < SECTIONS => {
            let target = later(random);
            let from = random.below(PARAGRAPHS);
            let to = from + random.below(PARAGRAPHS - from);
            // A range of paragraphs, whose GO TO stay in the section: those that leave the range would not come back.
            if from == 0 && to + 1 == PARAGRAPHS {
                format!("PERFORM P{target}{from} THRU P{target}{to}")
            } else {
                format!("IF ST < {STEPS} PERFORM S{target} {} TIMES END-IF", 1 + random.below(3))
            }
        }
        3 if section + 1 < SECTIONS => {
            let target = later(random);
            format!(
                "PERFORM S{target} VARYING I FROM 1 BY 1 UNTIL I > {} OR ST > {STEPS}",
                1 + random.below(4)
            )
        }
        4 if paragraph + 1 < PARAGRAPHS => {
            let target = paragraph + 1 + random.below(PARAGRAPHS - paragraph - 1);
            format!("IF {} GO TO P{section}{target} END-IF", condition(random))
        }
        5 => format!(
            "IF ST < {STEPS} AND ({}) GO TO P{section}{} END-IF",
            condition(random),
            random.below(paragraph + 1)
        ),
        6 => {
            let first = (paragraph + 1).min(PARAGRAPHS - 1);
            if paragraph + 1 < PARAGRAPHS {
                format!("GO TO P{section}{first} P{section}{} DEPENDING ON C", PARAGRAPHS - 1)
            } else {
                "EXIT PARAGRAPH".to_owned()
            }
        }
        7 => format!(
            "PERFORM VARYING J FROM 1 BY {} UNTIL J > {} ADD J TO A IF {} EXIT PERFORM END-IF END-PERFORM",
            1 + random.below(3),
            1 + random.below(9),
            condition(random)
        ),
        8 => format!(
            "EVALUATE TRUE WHEN {} ADD 1 TO A WHEN {} SUBTRACT 2 FROM B WHEN OTHER MOVE A TO S DISPLAY 'E' S END-EVALUATE",
            condition(random),
            condition(random)
        ),
        9 => format!(
            "IF {} DISPLAY 'P{section}{paragraph} ' ST ELSE ADD {} TO C END-IF",
            condition(random),
            random.below(5)
        ),
        10 => format!(
            "MOVE {} TO N MOVE A TO Q(N) SET X TO {} ADD 1 TO Q(X)",
            1 + random.below(9),
            1 + random.below(4)
        ),
        11 => "MOVE ODO-RECORD TO V OF G2 MOVE CORRESPONDING G1 TO G2".to_owned(),
        12 => "ADD CORRESPONDING G1 TO G2".to_owned(),
        13 => format!(
            "COMPUTE A ROUNDED = (B * {} - C) / {} ON SIZE ERROR MOVE 1 TO A",
            1 + random.below(9),
            1 + random.below(7)
        ),
        14 => format!(
            "IF {} NEXT SENTENCE ELSE IF {} SUBTRACT C FROM A END-IF ADD 1 TO B",
            condition(random),
            condition(random)
        ),
        _ => format!("IF {} EXIT SECTION END-IF ADD {} TO B", condition(random), random.below(9)),
    }
}

fn condition(random: &mut Seeded) -> String {
    let item = *random.one(&["A", "B", "C", "ST", "I"]);
    let relation = *random.one(&["=", ">", "<", "NOT =", ">=", "<="]);
    match random.below(4) {
        0 => format!("{item} {relation} {} OR {}", random.below(20), random.below(20)),
        1 => format!("NOT ({item} {relation} {} AND B < C)", random.below(20)),
        _ => format!("{item} {relation} {}", random.below(20)),
    }
}
