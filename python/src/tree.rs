//! The tree of joints: who carries whom, centres of mass of subtrees, Jacobians of many frames.

use crate::array::{Answer, Shape, Value};
use crate::model::Model;
use crate::quantities::{quantity_methods, reference};
use crate::states::for_each_one;
use featherline::kinematics::Target;
use featherline::model::JointId;
use nalgebra::DMatrixViewMut;
use pyo3::prelude::*;

impl Model {
    fn names_of(&self, joints: impl Iterator<Item = JointId>) -> Vec<String> {
        let name = |joint: JointId| self.model.joint(joint).name.clone();
        joints.map(name).collect()
    }
}

#[pymethods]
impl Model {
    /// The names of the joints of a subtree: the joint itself, or the one that carries a link or
    /// frame, and all that it carries, parents before children.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("panda").subtree("panda_joint6")
    /// ['panda_joint6', 'panda_joint7']
    fn subtree(&self, joint: &str) -> PyResult<Vec<String>> {
        Ok(self.names_of(self.model.subtree(self.joint_of(joint)?)))
    }

    /// The names of the joints that move a joint, link or frame, from there up to the root.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("panda").support("panda_joint2")
    /// ['panda_joint2', 'panda_joint1']
    fn support(&self, joint: &str) -> PyResult<Vec<String>> {
        Ok(self.names_of(self.model.support(self.joint_of(joint)?)))
    }

    /// The names of the joints that a joint, or the body of a link or frame, carries directly.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("panda").children("panda_joint1")
    /// ['panda_joint2']
    fn children(&self, joint: &str) -> PyResult<Vec<String>> {
        Ok(self.names_of(self.model.children(self.joint_of(joint)?)))
    }

    /// Whether quaternions and (cos, sin) pairs of a configuration have length one, but for a
    /// tolerance; of many, an array (states,) of booleans.
    ///
    /// >>> import featherline as fl
    /// >>> quadruped = fl.load("quadruped")
    /// >>> quadruped.is_normalised(1.1 * quadruped.neutral())
    /// False
    #[pyo3(signature = (q, tolerance=1e-9))]
    fn is_normalised<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        tolerance: f64,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q)];
        let result = for_each_one(py, &arguments, Shape::Scalar, None, |inputs, result| {
            let is_normalised = self.model.is_normalised(inputs[0], tolerance)?;
            result[0] = f64::from(u8::from(is_normalised));
            Ok(())
        })?;
        match result.extract::<f64>() {
            Ok(one) => Ok((one == 1.0).into_pyobject(py)?.to_owned().into_any()),
            Err(_) => result.call_method1("astype", ("bool",)),
        }
    }

    /// The Jacobians of several frames (frames, 6, nv) in one pass; without a list, those of all
    /// joints in the order of `joints`. reference: as for `jacobian`.
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> panda.joint_jacobians(panda.neutral()).shape
    /// (7, 6, 7)
    #[pyo3(signature = (q, frames=None, reference="local", *, out=None))]
    fn joint_jacobians<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        frames: Option<Vec<String>>,
        reference: &str,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let reference = self::reference(reference)?;
        let targets: Vec<Target> = match frames {
            Some(names) => (names.iter().map(|name| self.target(name))).collect::<PyResult<_>>()?,
            None => self.model.joint_ids().map(Target::Joint).collect(),
        };
        let nv = self.model.nv();
        let shape = Shape::Matrices(targets.len(), 6, nv);
        let arguments = [self.q("q", q)];
        for_each_one(py, &arguments, shape, out, |inputs, result| {
            self.with_workspace(|model, ws| {
                let jacobians = model.joint_jacobians(ws, inputs[0])?;
                let matrices = result.chunks_exact_mut((6 * nv).max(1));
                for (matrix, &target) in matrices.zip(&targets) {
                    matrix.fill(0.0);
                    let matrix = DMatrixViewMut::from_slice(matrix, 6, nv);
                    jacobians.jacobian_into(target, reference, matrix)?;
                }
                Ok(())
            })
        })
    }
}

quantity_methods! {
    /// The centre of mass (3,) in the world of all that a joint, or the body of a link or frame,
    /// moves, itself included.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("double_pendulum").subtree_center_of_mass([0.0, 0.0], "shoulder").shape
    /// (3,)
    subtree_center_of_mass(q; joint) -> SubtreeCenterOfMass;
    /// The velocity (3,) in the world of the centre of mass of all that a joint moves.
    subtree_center_of_mass_velocity(q, v; joint) -> SubtreeCenterOfMassVelocity;
    /// The acceleration (3,) in the world of the centre of mass of all that a joint moves.
    subtree_center_of_mass_acceleration(q, v, a; joint) -> SubtreeCenterOfMassAcceleration;
    /// The Jacobian (3, nv) of the centre of mass of all that a joint moves.
    subtree_center_of_mass_jacobian(q; joint) -> SubtreeCenterOfMassJacobian;
    /// Forward dynamics by the mass matrix and its LTDL factorisation: the accelerations (nv,) that
    /// the joint forces tau cause. The same numbers as `aba`, in another way, loops open as there.
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> state = panda.neutral(), [0.1] * 7, [1.0] * 7
    /// >>> bool(abs(panda.forward_dynamics_crba(*state) - panda.aba(*state)).max() < 1e-8)
    /// True
    forward_dynamics_crba(q, v, tau; forces) -> ForwardDynamicsCrba;
    /// The elements of the mass matrix without structural zeros: of each coordinate those of what
    /// moves with it, from the root on, one coordinate after the other.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("panda").crba_packed([0.0] * 7).shape
    /// (28,)
    crba_packed(q) -> CrbaPacked;
    /// The spatial accelerations (joints, 6) of all joints' frames, in their own coordinates.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("panda").accelerations([0.0] * 7, [0.0] * 7, [1.0] * 7).shape
    /// (7, 6)
    accelerations(q, v, a) -> JointAccelerations;
}
