//! The tree of joints: who carries whom, centres of mass of subtrees, Jacobians of many frames.

use crate::array::{Answer, Shape, Value};
use crate::model::Model;
use crate::quantities::reference;
use crate::states::for_each_one;
use featherline::Error;
use featherline::kinematics::Target;
use featherline::model::JointId;
use featherline::spatial::Vec3;
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

    /// Forward dynamics by the mass matrix and its LTDL factorisation: the accelerations (nv,) that
    /// the joint forces tau cause. The same numbers as `aba`, in another way.
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> state = panda.neutral(), [0.1] * 7, [1.0] * 7
    /// >>> bool(abs(panda.forward_dynamics_crba(*state) - panda.aba(*state)).max() < 1e-8)
    /// True
    #[pyo3(signature = (q, v, tau, *, out=None))]
    fn forward_dynamics_crba<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("tau", tau),
        ];
        for_each_one(py, &arguments, self.vector(), out, |inputs, result| {
            self.with_workspace(|model, ws| {
                let a = model.forward_dynamics_crba(ws, inputs[0], inputs[1], inputs[2])?;
                result.copy_from_slice(a);
                Ok(())
            })
        })
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

/// Methods of all that a joint, or the body of a link or frame, moves.
macro_rules! of_subtrees {
    ($($(#[$documentation:meta])* $method:ident($($argument:ident: $kind:ident),*) -> $shape:expr,
        |$model:ident, $ws:ident, $root:ident, $out:ident| $work:expr;)*) => {
        #[pymethods]
        impl Model {$(
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, joint, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: Value<'_, 'py>,)*
                joint: &str,
                out: Option<Value<'_, 'py>>,
            ) -> Answer<'py> {
                let ($model, $root) = (&*self.model, self.joint_of(joint)?);
                let arguments = [$(self.$kind(stringify!($argument), $argument)),*];
                for_each_one(py, &arguments, $shape, out, |inputs, $out| {
                    let &[$($argument),*] = inputs else { return Ok(()) };
                    self.with_workspace(|_, $ws| $work)
                })
            }
        )*}
    };
}

of_subtrees! {
    /// The centre of mass (3,) in the world of all that a joint, or the body of a link or frame,
    /// moves, itself included.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("double_pendulum").subtree_center_of_mass([0.0, 0.0], "shoulder").shape
    /// (3,)
    subtree_center_of_mass(q: q) -> Shape::Vector(3), |model, ws, root, out|
        write(model.centers_of_mass(ws, q)?.subtree_center_of_mass(root)?, out);
    /// The velocity (3,) in the world of the centre of mass of all that a joint moves.
    subtree_center_of_mass_velocity(q: q, v: tangent) -> Shape::Vector(3), |model, ws, root, out| {
        let views = model.forward_kinematics_velocities(ws, q, v)?;
        write(views.subtree_center_of_mass_velocity(root)?, out)
    };
    /// The acceleration (3,) in the world of the centre of mass of all that a joint moves.
    subtree_center_of_mass_acceleration(q: q, v: tangent, a: tangent) -> Shape::Vector(3),
        |model, ws, root, out| {
            let views = model.forward_kinematics_accelerations(ws, q, v, a)?;
            write(views.subtree_center_of_mass_acceleration(root)?, out)
        };
    /// The Jacobian (3, nv) of the centre of mass of all that a joint moves.
    subtree_center_of_mass_jacobian(q: q) -> Shape::Matrix(3, model.nv()), |model, ws, root, out| {
        out.fill(0.0);
        let out = DMatrixViewMut::from_slice(out, 3, model.nv());
        model.centers_of_mass(ws, q)?.subtree_center_of_mass_jacobian_into(root, out)
    };
}

fn write(vector: Vec3<f64>, out: &mut [f64]) -> Result<(), Error> {
    out.copy_from_slice(&vector.to_array());
    Ok(())
}
