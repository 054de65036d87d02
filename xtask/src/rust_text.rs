//! A Rust source, divided into what is run and what is read.

/// Two texts with the lines and columns of the source; what belongs to the other one is blank.
pub struct Divided {
    pub code: String,
    /// Comments and string literals.
    pub prose: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Region {
    Code,
    LineComment,
    BlockComment(usize),
    Text,
    RawText(usize),
    Letter,
}

pub fn divide(source: &str) -> Divided {
    let chars: Vec<char> = source.chars().collect();
    let mut divided = Divided {
        code: String::with_capacity(source.len()),
        prose: String::with_capacity(source.len()),
    };
    let (mut at, mut region) = (0, Region::Code);
    while at < chars.len() {
        let was = region;
        let length = step(
            &chars[at..],
            at.checked_sub(1).map(|i| chars[i]),
            &mut region,
        );
        for &c in &chars[at..(at + length).min(chars.len())] {
            let blank = if c == '\n' { '\n' } else { ' ' };
            let is_code = was == Region::Code && region == Region::Code;
            divided.code.push(if is_code { c } else { blank });
            divided.prose.push(if is_code { blank } else { c });
        }
        at += length;
    }
    divided
}

/// How many characters of `rest` belong together; changes the region where it ends or begins.
fn step(rest: &[char], before: Option<char>, region: &mut Region) -> usize {
    let begins = |text: &str| {
        text.chars()
            .enumerate()
            .all(|(i, c)| rest.get(i) == Some(&c))
    };
    match *region {
        Region::Code if begins("//") => *region = Region::LineComment,
        Region::Code if begins("/*") => {
            *region = Region::BlockComment(1);
            return 2;
        }
        Region::Code if rest[0] == '"' => *region = Region::Text,
        Region::Code
            if rest[0] == 'r' && !before.is_some_and(|c| c.is_alphanumeric() && c != 'b') =>
        {
            let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
            if rest.get(1 + hashes) == Some(&'"') {
                *region = Region::RawText(hashes);
                return hashes + 2;
            }
        }
        // A letter, not a lifetime.
        Region::Code if begins("'\\") || rest[0] == '\'' && rest.get(2) == Some(&'\'') => {
            *region = Region::Letter;
            return if begins("'\\") { 3 } else { 2 };
        }
        Region::LineComment if rest[0] == '\n' => *region = Region::Code,
        Region::BlockComment(depth) if begins("/*") || begins("*/") => {
            let deeper = begins("/*");
            *region = match depth {
                1 if !deeper => Region::Code,
                _ if deeper => Region::BlockComment(depth + 1),
                _ => Region::BlockComment(depth - 1),
            };
            return 2;
        }
        Region::Text if rest[0] == '\\' => return 2,
        Region::Text if rest[0] == '"' => *region = Region::Code,
        Region::RawText(hashes)
            if rest[0] == '"'
                && rest[1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes =>
        {
            *region = Region::Code;
            return 1 + hashes;
        }
        Region::Letter if rest[0] == '\'' => *region = Region::Code,
        Region::Code
        | Region::LineComment
        | Region::BlockComment(_)
        | Region::Text
        | Region::RawText(_)
        | Region::Letter => {}
    }
    1
}

/// Blanks modules of tests that stand in the file.
pub fn without_tests(code: &str) -> String {
    const TESTS: [&str; 2] = ["#[cfg(test)]", "#[cfg(all(test,"];
    let mut left = String::with_capacity(code.len());
    let mut rest = code;
    let start_of = |text: &str| {
        TESTS
            .iter()
            .filter_map(|t| Some((text.find(t)?, t.len())))
            .min()
    };
    while let Some((start, attribute)) = start_of(rest) {
        let item = start + attribute;
        let length = item + item_length(&rest[item..]);
        left.push_str(&rest[..start]);
        left.extend(
            rest[start..length]
                .chars()
                .map(|c| if c == '\n' { c } else { ' ' }),
        );
        rest = &rest[length..];
    }
    left.push_str(rest);
    left
}

/// The bytes up to the `;` or the closing brace that ends an item.
fn item_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}') {
            return at + 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_prose_and_the_rest_is_code() {
        let source = "use a::b; // use c\nlet s: &'a str = \"d \\\" e\"; let c = '\"'; r#\"f\"g\"#; /* h /* i */ j */ k";
        let divided = divide(source);
        assert_eq!(divided.code.chars().count(), source.chars().count());
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
            words.filter(|w| !w.is_empty()).map(String::from).collect()
        };
        assert_eq!(
            words(&divided.code).join(" "),
            "use a b let s 'a str let c k"
        );
        assert_eq!(words(&divided.prose).join(" "), "use c d e ' ' r f g h i j");
    }

    #[test]
    fn modules_of_tests_are_left_out_and_what_follows_is_not() {
        let code = "use a;\n#[cfg(test)]\nmod tests { fn f() { b } }\nuse c;\n#[cfg(all(test, x))]\nmod d;\nuse e;";
        let left = without_tests(code);
        assert_eq!(
            left.split_whitespace().collect::<Vec<_>>().join(" "),
            "use a; use c; use e;"
        );
        assert_eq!(left.lines().count(), code.lines().count());
    }
}
