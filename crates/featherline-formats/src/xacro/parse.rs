//! Expressions of Python, parsed.

use super::budget::{Outcome, Refusal, refuse};
use super::value::Value;

/// The most brackets, signs and conditions inside one another.
const DEPTH: usize = 64;

/// An expression. Operands in a row are a list, so that no long row is deep.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Constant(Value),
    Name(String),
    List(Vec<Expression>),
    Dict(Vec<(Expression, Expression)>),
    /// An item for each of the values of a list: the items, the names of the value, the list, and
    /// the conditions.
    Each(Box<[Expression; 2]>, Vec<String>, Vec<Expression>),
    /// A value with what follows it: `.name`, `[index]`, `(arguments)`.
    Access(Box<Expression>, Vec<Access>),
    /// `-`, `+` or `not`.
    Prefix(&'static str, Box<Expression>),
    /// Operators of one precedence, from left to right.
    Row(Box<Expression>, Vec<(&'static str, Expression)>),
    /// `a ** b`.
    Power(Box<[Expression; 2]>),
    /// `a if b else c`, as b, a, c.
    Choice(Box<[Expression; 3]>),
}

impl Expression {
    /// The function that is named by this expression, such as `float` or `math.sin`.
    pub(super) fn function_name(&self) -> Option<&str> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are values")]
        match self {
            Self::Name(name) => Some(name),
            Self::Access(base, accesses) => match (&**base, &accesses[..]) {
                (Self::Name(space), [Access::Attribute(name)]) => {
                    matches!(space.as_str(), "math" | "python").then_some(name)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// An access to a part of a value, or a call.
#[derive(Clone, Debug)]
pub(super) enum Access {
    Attribute(String),
    Item(Expression),
    Slice(Option<Expression>, Option<Expression>),
    Call(Vec<(Option<String>, Expression)>),
}

/// The operators of each precedence, the weakest first.
const ROWS: [&[&str]; 5] = [
    &["or"],
    &["and"],
    &["==", "!=", "<=", ">=", "<", ">", "in", "not in"],
    &["+", "-"],
    &["*", "//", "/", "%"],
];

/// The precedence of `not`, which is weaker than that of comparisons.
const NOT: usize = 2;

/// Operators and brackets, the longest first.
const SYMBOLS: [&str; 25] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{",
    "}", ",", ":", ".", "=", "|", "&",
];

const WORDS: [&str; 7] = ["or", "and", "not", "in", "if", "else", "for"];

#[derive(Clone, Debug)]
enum Token {
    Value(Value),
    Name(String),
    /// A symbol, or a word of the language.
    Symbol(&'static str),
}

/// Parses an expression.
pub(super) fn parse(text: &str) -> Outcome<Expression> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
    };
    let first = parser.choice()?;
    let expression = match parser.takes(",") {
        true => Expression::List(parser.rest_of_list(first, "")?),
        false => first,
    };
    match parser.next < parser.tokens.len() {
        true => Err(parser.unexpected()),
        false => Ok(expression),
    }
}

fn tokens(text: &str) -> Outcome<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            tokens.push(match WORDS.iter().find(|it| **it == name) {
                Some(word) => Token::Symbol(word),
                None => match name {
                    "True" => Token::Value(Value::Bool(true)),
                    "False" => Token::Value(Value::Bool(false)),
                    "None" => Token::Value(Value::None),
                    "lambda" => return Err(Refusal("`lambda` is not expanded".to_owned())),
                    _ => Token::Name(name.to_owned()),
                },
            });
            end
        } else if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let (value, length) = number(rest)?;
            tokens.push(Token::Value(value));
            length
        } else if first == '\'' || first == '"' {
            let (value, length) = quoted(rest, first)?;
            tokens.push(Token::Value(Value::text_of(value)));
            length
        } else {
            let symbol = SYMBOLS.iter().find(|it| rest.starts_with(**it));
            let unknown = || Refusal(format!("`{first}` is not expected in an expression"));
            let symbol = symbol.ok_or_else(unknown)?;
            tokens.push(Token::Symbol(symbol));
            symbol.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The number that a text begins with, and its length.
fn number(text: &str) -> Outcome<(Value, usize)> {
    let bytes = text.as_bytes();
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        let end = hexadecimal.find(|c: char| !c.is_ascii_hexdigit());
        let digits = &hexadecimal[..end.unwrap_or(hexadecimal.len())];
        let value = i64::from_str_radix(digits, 16);
        let value = value.map_err(|_| Refusal(format!("`0x{digits}` is not a number")))?;
        return Ok((Value::Int(value), 2 + digits.len()));
    }
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E');
        if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E') || end > 0 && is_sign) {
            break;
        }
        end += 1;
    }
    let number = super::value::number(&text[..end]);
    let number = number.ok_or_else(|| Refusal(format!("`{}` is not a number", &text[..end])))?;
    Ok((number, end))
}

/// The text in quotes that a text begins with, and its length with them.
fn quoted(text: &str, quote: char) -> Outcome<(String, usize)> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((index, c)) = characters.next() {
        if c == quote {
            return Ok((value, index + 1));
        }
        if c != '\\' {
            value.push(c);
            continue;
        }
        match characters.next() {
            Some((_, 'n')) => value.push('\n'),
            Some((_, 't')) => value.push('\t'),
            Some((_, c @ ('\\' | '\'' | '"'))) => value.push(c),
            Some((_, c)) => value.extend(['\\', c]),
            None => break,
        }
    }
    Err(Refusal(format!("the quote {quote} is not closed")))
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn symbol(&self) -> Option<&'static str> {
        match self.tokens.get(self.next) {
            Some(Token::Symbol(symbol)) => Some(symbol),
            Some(Token::Value(_) | Token::Name(_)) | None => None,
        }
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = self.symbol() == Some(symbol);
        self.next += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Outcome<()> {
        match self.takes(symbol) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    fn name(&mut self) -> Outcome<String> {
        let Some(Token::Name(name)) = self.tokens.get(self.next) else {
            return Err(self.unexpected());
        };
        self.next += 1;
        Ok(name.clone())
    }

    fn unexpected(&self) -> Refusal {
        Refusal(match self.tokens.get(self.next) {
            Some(Token::Symbol(symbol)) => format!("`{symbol}` is not expected there"),
            Some(Token::Name(name)) => format!("`{name}` is not expected there"),
            Some(Token::Value(_)) => "an operator is missing before a value".to_owned(),
            None => "this expression can't be read: it ends too early".to_owned(),
        })
    }

    /// An expression with its conditions, as it stands inside brackets.
    fn choice(&mut self) -> Outcome<Expression> {
        self.depth += 1;
        if self.depth > DEPTH {
            let what = "brackets, signs and conditions are inside one another";
            refuse!("more than {DEPTH} {what}, the most that is accepted");
        }
        let value = self.row(0)?;
        let value = if self.takes("if") {
            let condition = self.row(0)?;
            self.expect("else")?;
            Expression::Choice(Box::new([condition, value, self.choice()?]))
        } else {
            value
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Operators of a precedence and those that are stronger.
    fn row(&mut self, precedence: usize) -> Outcome<Expression> {
        let Some(operators) = ROWS.get(precedence) else {
            return self.signed();
        };
        if precedence == NOT && self.takes("not") {
            let mut is_odd = true;
            while self.takes("not") {
                is_odd = !is_odd;
            }
            let operand = self.row(NOT)?;
            let negated = Expression::Prefix("not", Box::new(operand));
            return Ok(match is_odd {
                true => negated,
                false => Expression::Prefix("not", Box::new(negated)),
            });
        }
        let first = self.row(precedence + 1)?;
        let mut others = Vec::new();
        while let Some(operator) = self.operator(operators) {
            others.push((operator, self.row(precedence + 1)?));
        }
        Ok(match others.is_empty() {
            true => first,
            false => Expression::Row(Box::new(first), others),
        })
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        let symbol = self.symbol()?;
        if symbol == "not" && operators.contains(&"not in") {
            let is_in = matches!(self.tokens.get(self.next + 1), Some(Token::Symbol("in")));
            self.next += 2 * usize::from(is_in);
            return is_in.then_some("not in");
        }
        operators.contains(&symbol).then(|| {
            self.next += 1;
            symbol
        })
    }

    fn signed(&mut self) -> Outcome<Expression> {
        let mut sign = None;
        while let Some(symbol @ ("-" | "+")) = self.symbol() {
            let is_negative = (symbol == "-") != (sign == Some("-"));
            sign = Some(if is_negative { "-" } else { "+" });
            self.next += 1;
        }
        let value = self.power()?;
        Ok(match sign {
            Some(sign) => Expression::Prefix(sign, Box::new(value)),
            None => value,
        })
    }

    fn power(&mut self) -> Outcome<Expression> {
        let base = self.accessed()?;
        if !self.takes("**") {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEPTH {
            refuse!("more than {DEPTH} powers are inside one another");
        }
        let power = Expression::Power(Box::new([base, self.signed()?]));
        self.depth -= 1;
        Ok(power)
    }

    fn accessed(&mut self) -> Outcome<Expression> {
        let value = self.atom()?;
        let mut accesses = Vec::new();
        loop {
            if self.takes(".") {
                accesses.push(Access::Attribute(self.name()?));
            } else if self.takes("[") {
                accesses.push(self.index()?);
            } else if self.takes("(") {
                accesses.push(Access::Call(self.arguments()?));
            } else {
                break;
            }
        }
        Ok(match accesses.is_empty() {
            true => value,
            false => Expression::Access(Box::new(value), accesses),
        })
    }

    fn index(&mut self) -> Outcome<Access> {
        let from = self.choice_before(":")?;
        if !self.takes(":") {
            self.expect("]")?;
            // There is none before a `:` alone.
            return from.map(Access::Item).ok_or_else(|| self.unexpected());
        }
        let to = self.choice_before("]")?;
        self.expect("]")?;
        Ok(Access::Slice(from, to))
    }

    /// An expression, unless a symbol comes at once.
    fn choice_before(&mut self, symbol: &str) -> Outcome<Option<Expression>> {
        match self.symbol() == Some(symbol) {
            true => Ok(None),
            false => self.choice().map(Some),
        }
    }

    /// An expression, or the items that `for` makes of it.
    fn choice_or_each(&mut self, value: Expression) -> Outcome<Expression> {
        match self.symbol() == Some("for") {
            true => self.each(value),
            false => Ok(value),
        }
    }

    fn arguments(&mut self) -> Outcome<Vec<(Option<String>, Expression)>> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            let is_named = matches!(self.tokens.get(self.next), Some(Token::Name(_)))
                && matches!(self.tokens.get(self.next + 1), Some(Token::Symbol("=")));
            let name = is_named.then(|| self.name()).transpose()?;
            self.next += usize::from(is_named);
            let value = self.choice()?;
            let value = self.choice_or_each(value)?;
            arguments.push((name, value));
            if !self.takes(",") && self.symbol() != Some(")") {
                return Err(self.unexpected());
            }
        }
        Ok(arguments)
    }

    fn atom(&mut self) -> Outcome<Expression> {
        if self.takes("(") {
            if self.takes(")") {
                return Ok(Expression::List(Vec::new()));
            }
            let first = self.choice()?;
            if self.takes(",") {
                return Ok(Expression::List(self.rest_of_list(first, ")")?));
            }
            let value = self.choice_or_each(first)?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.takes("[") {
            if self.takes("]") {
                return Ok(Expression::List(Vec::new()));
            }
            let first = self.choice()?;
            if self.symbol() == Some("for") {
                let each = self.each(first)?;
                self.expect("]")?;
                return Ok(each);
            }
            if !self.takes(",") {
                self.expect("]")?;
                return Ok(Expression::List(vec![first]));
            }
            return Ok(Expression::List(self.rest_of_list(first, "]")?));
        }
        if self.takes("{") {
            return self.dict();
        }
        let atom = match self.tokens.get(self.next) {
            Some(Token::Value(value)) => Expression::Constant(value.clone()),
            Some(Token::Name(name)) => Expression::Name(name.clone()),
            Some(Token::Symbol(_)) | None => return Err(self.unexpected()),
        };
        self.next += 1;
        Ok(atom)
    }

    /// The items of a list behind its first and the comma, and the bracket that closes it; without
    /// a bracket, to the end.
    fn rest_of_list(&mut self, first: Expression, close: &str) -> Outcome<Vec<Expression>> {
        let mut items = vec![first];
        loop {
            let is_end = match close {
                "" => self.next == self.tokens.len(),
                close => self.takes(close),
            };
            if is_end {
                return Ok(items);
            }
            items.push(self.choice()?);
            let is_last = match close {
                "" => self.next == self.tokens.len(),
                close => self.symbol() == Some(close),
            };
            if !is_last {
                self.expect(",")?;
            }
        }
    }

    fn dict(&mut self) -> Outcome<Expression> {
        let mut entries = Vec::new();
        while !self.takes("}") {
            let key = self.choice()?;
            self.expect(":")?;
            entries.push((key, self.choice()?));
            if !self.takes(",") && self.symbol() != Some("}") {
                return Err(self.unexpected());
            }
        }
        Ok(Expression::Dict(entries))
    }

    /// `for names in list if condition`, behind the item.
    fn each(&mut self, item: Expression) -> Outcome<Expression> {
        self.expect("for")?;
        let mut names = vec![self.name()?];
        while self.takes(",") {
            names.push(self.name()?);
        }
        self.expect("in")?;
        let list = self.row(0)?;
        let mut conditions = Vec::new();
        while self.takes("if") {
            conditions.push(self.row(0)?);
        }
        if self.symbol() == Some("for") {
            refuse!("a list over two lists is not expanded");
        }
        Ok(Expression::Each(Box::new([item, list]), names, conditions))
    }
}
