//! Calls whose numbers are in memory that JavaScript sees: no allocation, a single copy each way.

use crate::robot::Robot;
use featherline::{Error, Model, Workspace};
use wasm_bindgen::prelude::wasm_bindgen;

/// Numbers of one call: q, v, accelerations or joint forces, and the result.
pub struct Shared(Vec<f64>);

impl Shared {
    pub fn new(model: &Model) -> Self {
        Self(vec![0.0; model.nq() + 3 * model.nv()])
    }
}

/// One of the algorithms below.
type Algorithm =
    for<'w> fn(&Model, &'w mut Workspace<f64>, &[f64], &[f64], &[f64]) -> Result<&'w [f64], Error>;

impl Robot {
    #[inline(always)]
    fn run_shared(&mut self, algorithm: Algorithm) -> bool {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let (q, rest) = self.shared.0.split_at_mut(nq);
        let (v, rest) = rest.split_at_mut(nv);
        let (third, result) = rest.split_at_mut(nv);
        match algorithm(&self.model, &mut self.ws, q, v, third) {
            Ok(numbers) => {
                result.copy_from_slice(numbers);
                true
            }
            Err(_) => false,
        }
    }
}

#[wasm_bindgen]
impl Robot {
    /// Where in the memory the shared numbers begin: q, v, a third vector, and the result.
    #[wasm_bindgen(getter)]
    pub fn shared(&self) -> *const f64 {
        self.shared.0.as_ptr()
    }

    /// RNEA on shared numbers; false for an error, which [`rnea`](Self::rnea) throws.
    #[wasm_bindgen(js_name = rneaShared)]
    pub fn rnea_shared(&mut self) -> bool {
        self.run_shared(|model, ws, q, v, a| model.rnea(ws, q, v, a))
    }

    /// The articulated-body algorithm on shared numbers; false for an error.
    #[wasm_bindgen(js_name = abaShared)]
    pub fn aba_shared(&mut self) -> bool {
        self.run_shared(|model, ws, q, v, tau| model.aba(ws, q, v, tau))
    }

    /// The bias on shared numbers; false for an error.
    #[wasm_bindgen(js_name = biasShared)]
    pub fn bias_shared(&mut self) -> bool {
        self.run_shared(|model, ws, q, v, _| model.bias(ws, q, v))
    }

    /// The gravity torque on shared numbers; false for an error.
    #[wasm_bindgen(js_name = gravityTorqueShared)]
    pub fn gravity_torque_shared(&mut self) -> bool {
        self.run_shared(|model, ws, q, _, _| model.gravity_torque(ws, q))
    }
}
