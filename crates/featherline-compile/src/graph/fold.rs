//! Making nodes, simplified as they are made.

use super::{Graph, Node, Value};
use featherline::scalar::Scalar;

impl Graph {
    /// A constant, kept to the last bit; the sign of a zero is not.
    pub fn constant(&mut self, constant: f64) -> Value {
        let negative = constant < 0.0;
        let magnitude = if negative { -constant } else { constant + 0.0 };
        self.intern(Node::Constant(magnitude.to_bits()))
            .negated_if(negative)
    }

    /// a + b.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => return self.constant(x + y),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        let (a, b) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        let (x, y) = (a.magnitude(), b.magnitude());
        if a.is_negated() == b.is_negated() {
            self.intern(Node::Add(x, y)).negated_if(a.is_negated())
        } else if x == y {
            self.constant(0.0)
        } else {
            self.intern(Node::Sub(x, y)).negated_if(a.is_negated())
        }
    }

    /// a − b.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.add(a, -b)
    }

    /// a · b.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        let (a, b) = (a.magnitude(), b.magnitude());
        let product = match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.constant(x * y),
            (Some(x), None) => self.scale(x, a, b),
            (None, Some(y)) => self.scale(y, b, a),
            (None, None) => self.intern(Node::Mul(a, b)),
        };
        product.negated_if(negate)
    }

    /// The product of a constant, which is not negative, with a variable.
    fn scale(&mut self, factor: f64, constant: Value, x: Value) -> Value {
        if factor == 0.0 {
            return constant;
        }
        if factor == 1.0 {
            return x;
        }
        // The constant of the inner operation takes in the outer one: one operation in either case,
        // and the inner one may be left without a use.
        #[expect(clippy::wildcard_enum_match_arm, reason = "others keep the factor")]
        match self.nodes[x.index()] {
            Node::Mul(a, b) => {
                if let Some(inner) = self.constant_value(a) {
                    return self.scaled_by(factor * inner, b);
                }
                if let Some(inner) = self.constant_value(b) {
                    return self.scaled_by(factor * inner, a);
                }
            }
            Node::Div(a, b) => {
                if let Some(inner) = self.constant_value(a) {
                    let numerator = self.constant(factor * inner);
                    return self.div(numerator, b);
                }
            }
            _ => {}
        }
        let (a, b) = if constant < x {
            (constant, x)
        } else {
            (x, constant)
        };
        self.intern(Node::Mul(a, b))
    }

    fn scaled_by(&mut self, factor: f64, x: Value) -> Value {
        let constant = self.constant(factor);
        self.mul(constant, x)
    }

    /// a · b + c: a product and a sum. Programs fuse them on request.
    pub fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.mul(a, b);
        self.add(product, c)
    }

    /// a / b.
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.magnitude(), b.magnitude());
        let quotient = match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.constant(x / y),
            (Some(0.0), None) => a,
            (None, Some(divisor)) if divisor.recip().is_normal() => {
                self.scaled_by(divisor.recip(), a)
            }
            _ => self.intern(Node::Div(a, b)),
        };
        quotient.negated_if(negate)
    }

    /// The square root.
    pub fn sqrt(&mut self, a: Value) -> Value {
        match self.constant_value(a) {
            Some(x) => self.constant(x.sqrt()),
            None => self.intern(Node::Sqrt(a)),
        }
    }

    /// Sine and cosine of an angle in radians.
    pub fn sin_cos(&mut self, a: Value) -> (Value, Value) {
        if let Some(x) = self.constant_value(a) {
            let (sin, cos) = Scalar::sin_cos(x);
            return (self.constant(sin), self.constant(cos));
        }
        let angle = a.magnitude();
        let sin = self.intern(Node::Sin(angle));
        let cos = self.intern(Node::Cos(angle));
        (sin.negated_if(a.is_negated()), cos)
    }

    /// The angle of the vector (`x`, `y`) in radians.
    pub fn atan2(&mut self, y: Value, x: Value) -> Value {
        match (self.constant_value(y), self.constant_value(x)) {
            (Some(y), Some(x)) => self.constant(y.atan2(x)),
            _ => {
                let angle = self.intern(Node::Atan2(y.magnitude(), x));
                angle.negated_if(y.is_negated())
            }
        }
    }

    /// The absolute value.
    pub fn abs(&mut self, a: Value) -> Value {
        let a = a.magnitude();
        if let Node::Constant(_) | Node::Abs(_) | Node::Sqrt(_) = self.nodes[a.index()] {
            a
        } else {
            self.intern(Node::Abs(a))
        }
    }

    /// `yes` if a < b, else `no`; constants decide at once.
    pub fn select_less(&mut self, a: Value, b: Value, yes: Value, no: Value) -> Value {
        if let (Some(x), Some(y)) = (self.constant_value(a), self.constant_value(b)) {
            return if x < y { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        // −a < −b is b < a: one sign in front of the comparison at most.
        let (a, b) = match (a.is_negated(), b.is_negated()) {
            (true, true) => (-b, -a),
            _ => (a, b),
        };
        if (a, b) == (yes, no) {
            return self.min(a, b);
        }
        if (a, b) == (no, yes) {
            return self.max(b, a);
        }
        if yes == -no {
            let zero = Some(0.0);
            if (self.constant_value(b), a) == (zero, no)
                || (self.constant_value(a), b) == (zero, yes)
            {
                return self.abs(yes);
            }
        }
        let negate = yes.is_negated();
        let yes = yes.magnitude();
        // A zero has no sign.
        let no = match self.constant_value(no) {
            Some(0.0) => no.magnitude(),
            _ => no.negated_if(negate),
        };
        self.intern(Node::Select([a, b, yes, no]))
            .negated_if(negate)
    }

    /// a if a < b, else b.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => return if x < y { a } else { b },
            _ if a == b => return a,
            _ => {}
        }
        if a.is_negated() && b.is_negated() {
            return -self.intern(Node::Max(-a, -b));
        }
        self.intern(Node::Min(a, b))
    }

    /// a if b < a, else b.
    pub fn max(&mut self, a: Value, b: Value) -> Value {
        -self.min(-a, -b)
    }
}
