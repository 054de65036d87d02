//! Account of contact since the start: forces of pairs of bodies, errors, and the energy balance.

use super::{ContactImpulse, StepReport};
use featherline::model::JointId;
use featherline::spatial::Vec3;

impl ContactImpulse {
    /// The impulse along the normal, in N·s: zero or more.
    pub fn normal_impulse(&self) -> f64 {
        self.impulse.dot(self.contact.normal)
    }

    /// The same contact, seen from the other body if the second one is the world.
    pub(super) fn world_first(mut self) -> Self {
        if self.contact.bodies[1] == JointId::UNIVERSE {
            self.contact.bodies.reverse();
            self.contact.normal = -self.contact.normal;
            self.impulse = -self.impulse;
            self.velocity = -self.velocity;
            self.contact.surface_velocity = -self.contact.surface_velocity;
        }
        self
    }

    /// The speed in m/s at which the bodies slide on each other, along the contact's plane; zero
    /// where they do not push.
    pub fn slip(&self) -> f64 {
        if self.normal_impulse() <= 0.0 {
            return 0.0;
        }
        let normal = self.contact.normal;
        (self.velocity - normal * normal.dot(self.velocity)).norm()
    }
}

/// The force between two bodies: the sum over their contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairForce {
    /// The bodies, by their joints; the universe is the world, and comes first.
    pub bodies: [JointId; 2],
    /// The force on the second body in N, in the world; the first takes the opposite.
    pub force: Vec3<f64>,
    /// Where it acts, in the world: the mean of the contacts' points, weighted by their normal
    /// forces, which is the centre of pressure.
    pub point: Vec3<f64>,
    /// The sum of the normal forces, in N.
    pub normal_force: f64,
    /// How many contacts push.
    pub contacts: usize,
}

/// The contact data of a sample, besides the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSample<'a> {
    /// The contacts of the last step that were within reach, with their impulses.
    pub contacts: &'a [ContactImpulse],
    /// The length of that step, in s; zero before the first one.
    pub step: f64,
    /// The worst of the steps since the sample before: the largest residual and overlap, all
    /// factorisations, whether all are exact. None before the first step.
    pub worst: Option<StepReport>,
    /// Errors, work and losses since the start.
    pub account: ContactAccount,
    /// The energy since the start that went elsewhere, in J: into joint friction, dampers, springs
    /// and limits, and into the error of the method, which is of the order of the step.
    pub other_loss: f64,
}

/// Errors, work and losses since the start of a simulation with contact.
///
/// The work of the impulses of a step is exact: λ · (u⁻ + u⁺)/2 with the velocities before and
/// after. Energy at the end = energy at the start + `drive_work` + `force_work` − `friction_loss` −
/// `impact_loss` − [`other_loss`](ContactSample::other_loss).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactAccount {
    /// How many steps there were.
    pub steps: u64,
    /// How many of them have a residual that is too large.
    pub inexact_steps: u64,
    /// The largest residual, in m/s and rad/s.
    pub residual: f64,
    /// The deepest overlap, in m.
    pub penetration: f64,
    /// The work of the drives, in J.
    pub drive_work: f64,
    /// The work of controllers, force models and bodies whose motion is given, in J.
    pub force_work: f64,
    /// The energy lost to friction at contacts, in J.
    pub friction_loss: f64,
    /// The energy lost in impacts, in J: the work of the normal impulses. In a step in which
    /// something rebounds, or that is made in parts, it is what is left of the energy's balance.
    pub impact_loss: f64,
    /// The energy that came from nothing, in J: the largest rise of the energy, that of springs
    /// included and all work taken off, above its least before, less the largest change of the
    /// potential energy in a step, by which the method may err.
    pub energy_gain: f64,
    /// The greatest kinetic energy, in J.
    pub kinetic_energy: f64,
    /// All work of drives, controllers, force models and moved bodies, in J: the sum of its size in
    /// each step. Beside it and the kinetic energy a gain is judged.
    pub total_work: f64,
    /// The energy in J that lifts all that moves by a millimetre: a smaller gain is none to speak
    /// of, as overlaps and limits at the start are undone with it.
    pub lift: f64,
}

impl ContactSample<'_> {
    /// The largest residual of the steps since the sample before, in m/s and rad/s.
    pub fn residual(&self) -> f64 {
        self.worst.map_or(0.0, |worst| worst.outcome.residual)
    }

    /// The deepest overlap at the beginnings of these steps, in m.
    pub fn penetration(&self) -> f64 {
        self.worst.map_or(0.0, |worst| worst.penetration)
    }

    /// The force on the second body of a contact, in N, in the world.
    pub fn force(&self, contact: &ContactImpulse) -> Vec3<f64> {
        match self.step > 0.0 {
            true => contact.impulse * self.step.recip(),
            false => Vec3::zero(),
        }
    }

    /// Writes the forces between bodies that push each other to `forces`, in the order of the
    /// contacts. Cost: contacts × pairs.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointId, JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3};
    /// use featherline_geometry::{CollisionModel, CollisionShape, Plane, Sphere};
    /// use featherline_sim::contact::{CollisionContacts, Surface};
    /// use featherline_sim::simulation::{Method, Simulator};
    ///
    /// // A ball of 1 kg lies on the ground.
    /// let mut builder = ModelBuilder::new("ball");
    /// let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    /// let root = builder.add_joint(root);
    /// builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(1.0, 0.1));
    /// let model = builder.build()?.model;
    /// let ball = CollisionShape::new("ball", model.joint_id("root")?, Se3::identity(), Sphere::new(0.1));
    /// let ground = CollisionShape::new("ground", JointId::UNIVERSE, Se3::identity(), Plane);
    /// let collision = CollisionModel::new(&model, vec![ground, ball])?;
    /// let surface = Surface { friction: 0.8, restitution: 0.0 };
    /// let contacts = CollisionContacts::uniform(collision, surface);
    /// let simulator = Simulator::new(&model, Method::time_stepping(1e-3)?).with_contacts(contacts);
    /// let mut q = model.neutral_configuration();
    /// q[2] = 0.1;
    /// let mut simulation = simulator.start(0.0, &q, &[0.0; 6])?;
    /// simulation.run(0.1, 0.01, &mut ())?;
    /// let sample = simulation.sample()?;
    /// let contact = sample.contact.ok_or("time stepping has contacts")?;
    /// let mut forces = Vec::new();
    /// contact.pair_forces(&mut forces);
    /// assert_eq!(forces.len(), 1);
    /// assert!((forces[0].normal_force - 9.81).abs() < 1e-9);
    /// assert_eq!(contact.account.inexact_steps, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pair_forces(&self, forces: &mut Vec<PairForce>) {
        forces.clear();
        for contact in self.contacts {
            let force = self.force(contact);
            let normal = force.dot(contact.contact.normal);
            if normal <= 0.0 {
                continue;
            }
            let (bodies, point) = (contact.contact.bodies, contact.contact.point);
            match forces.iter_mut().find(|it| it.bodies == bodies) {
                Some(pair) => {
                    pair.force += force;
                    pair.point += point * normal;
                    pair.normal_force += normal;
                    pair.contacts += 1;
                }
                None => forces.push(PairForce {
                    bodies,
                    force,
                    point: point * normal,
                    normal_force: normal,
                    contacts: 1,
                }),
            }
        }
        for pair in forces {
            pair.point = pair.point * pair.normal_force.recip();
        }
    }
}
