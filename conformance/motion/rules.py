# ruff: noqa: E501
"""What can't move a robot, elements that are probed as a whole, and why attributes don't act."""

from __future__ import annotations

from scene import Scene, arm, start, world

# Paths of attributes that move nothing by themselves, and why.
UNMOVING = [
    (r"mujoco/model|.*/(name|class|prefix|sep)", "names, and classes whose attributes are probed themselves"),
    (r".*/(user|rgba|material|width|content_type|castshadow)|(visual|statistic)/.*", "colours, light and drawing"),
    (
        r"(default|body)/(camera|light)/.*|(asset|default)/(texture|material)/.*|(asset|deformable)/skin/.*",
        "colours, light and drawing",
    ),
    (r"asset/mesh/(normal|smoothnormal|texcoord)|(default|body)/site/(size|type|mesh)", "colours, light and drawing"),
    (r"((default|body)/(joint|freejoint|site)|tendon/(spatial|fixed)|default/tendon)/group", "groups of what is drawn"),
    (
        r"sensor/.*|custom/.*|option/magnetic|option/flag/(sensor|energy|fwdinv)|keyframe/key/time",
        "sensors, clocks and numbers of users",
    ),
    (r"size/.*|compiler/usethread", "memory and threads"),
    (
        r"option/(timestep|integrator|solver|jacobian|tolerance|iterations|(ls|noslip|ccd|sdf)_.*|sleep_tolerance)"
        r"|option/flag/(warmstart|eulerdamp|island|midphase|multiccd|nativeccd|ipc|speculative|diagexact|invdiscrete|autoreset|refsafe|sleep)"
        r"|body/(sleep|simple)",
        "MuJoCo's step, method and solver; `timestep` is the default step",
    ),
    (r"compiler/lengthrange/.*", "MuJoCo's search for the length range of a muscle"),
    (
        r"compiler/(assetdir|meshdir|texturedir|strippath|passthrough|conflict|save.*|coordinate|autolimits)",
        "where files are, what is written, and what is refused",
    ),
    (
        r"compiler/(alignfree|discardvisual|fusestatic)|body/freejoint/align|body/fuse",
        "other coordinates or fewer bodies for the same motion",
    ),
    (
        r"actuator/(?!general|muscle).*/lengthrange|(actuator|default)/intvelocity/actlimited",
        "what MuJoCo itself does not use there",
    ),
    (
        r"(actuator|default)/general/(actdim|input|velrange|ffrange)|(actuator|default)/orientation/input",
        "how controls are counted; the kinds with these have probes",
    ),
    (
        r"body/plugin/.*|body/flexcomp/plugin/.*|actuator/plugin/actdim",
        "code outside of the file, of which MuJoCo's package has none for this element",
    ),
]

FLEX = (
    '<flexcomp name="f" type="grid" count="2 2 2" spacing=".1 .1 .1" dim="3" mass="1" radius=".01"><edge equality="false"/>'
    '<contact selfcollide="none"/><pin id="0"/></flexcomp>'
)
PINNED = f'{arm()}<body name="b">{FLEX}</body>'
STRAINED = PINNED.replace("dim=", 'dof="trilinear" dim=').replace('"false"', '"strain"')
FOUR = "".join(
    arm().replace('"a"', f'"{name}" pos="{at}"').replace('"j"', f'"j{name}"')
    for name, at in zip("abcd", ("0 0 0", "1 0 0", "0 1 0", "0 0 1"), strict=True)
)
TORUS = '<plugin plugin="mujoco.sdf.torus"><instance name="p"><config key="radius1" value=".3"/><config key="radius2" value=".1"/></instance></plugin>'
PID = '<extension><plugin plugin="mujoco.pid"><instance name="p"><config key="kp" value="5"/></instance></plugin></extension>'
# Elements that are probed as a whole: `#` stands where the file has the element, which is `base`.
ELEMENTS = [
    (r"body/flexcomp/", Scene(world(arm() + '<body name="b">#</body>'), FLEX)),
    (r"equality/flex/", Scene(world(PINNED, below="#"), '<equality><flex flex="f"/></equality>')),
    (
        r"equality/flexstrain/",
        Scene(world(STRAINED, below="#"), '<equality><flexstrain flex="f" cell="0 0 0"/></equality>'),
    ),
    (
        r"deformable/flex/",
        Scene(
            world(FOUR, below="#" + start(qvel="1 2 3 4")),
            '<deformable><flex name="f" dim="3" body="a b c d" vertex=".3 0 0 .3 0 0 .3 0 0 .3 0 0" element="0 1 2 3">'
            '<elasticity young="1e3"/></flex></deformable>',
        ),
    ),
    (
        r"(actuator|extension)/plugin/",
        Scene(
            world(arm(), below="#" + start(qpos=".5")),
            f'{PID}<actuator><plugin joint="j" plugin="mujoco.pid" instance="p"/></actuator>',
        ),
    ),
    (
        r"(body/geom|asset/mesh)/plugin/",
        Scene(
            world(
                '<geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .2"><freejoint/>#<inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body>',
                f'<extension>{TORUS}</extension><asset><mesh name="m"><plugin instance="p"/></mesh></asset>',
                start(qpos="0 0 .1 1 0 0 0"),
            ),
            '<geom type="sdf" mesh="m"><plugin instance="p"/></geom>',
        ),
    ),
]

# Why attributes do not act; the first that fits counts.
CAUSES = [
    (r".*/plugin/.*", "Plugins are code outside of the file."),
    (r".*flex.*", "There are no elastic bodies."),
    (
        r".*/(solref|solimp|solmix|solref\w+|solimp\w+|torquescale)|option/(o_sol\w+|impratio)|equality/weld/anchor",
        "Constraints are exact; in MuJoCo they are springs with these parameters.",
    ),
    (r".*/(margin|gap)|option/o_margin", "Constraints act where shapes touch and ranges end, not before."),
    (r".*/springyield|keyframe/key/plastic", "Springs are elastic."),
    (r"(body/geom|contact/pair|default/(geom|pair))/adhesion|(actuator|default)/adhesion/.*", "Contacts do not pull."),
    (r".*/surfacevel", "A surface moves with its body."),
    (
        r".*/(condim|friction)|option/(o_friction|flag/override|cone)",
        "Contact has friction in its plane alone; its parameters are those of the geoms, or of the pair.",
    ),
    (r".*/(fluidshape|fluidcoef)|option/(density|viscosity|wind)", "A medium exerts no forces."),
    (r".*/hfield(/.*)?", "Height fields are no shapes of contact."),
    (r".*/(fitscale|fitaabb)", "Primitives are not fitted to meshes; such a body needs an `<inertial>`."),
    (r"asset/mesh/(builtin|params)", "Such meshes are not generated."),
    (r".*mesh/maxhullvert", "A convex hull has all its vertices."),
    (r"asset/model/.*|body/attach/.*", "Parts of other files are not attached."),
    (r".*/actuatorgravcomp|body/gravcomp", "Weight is not compensated."),
    (r".*/(delay|nsample|interp)", "Controls act at once."),
    (r"contact/pair/.*|default/pair/.*", "A pair has the friction of the file, and no other parameters."),
    (r"actuator/.*/jointinparent|default/.*/jointinparent", "Actuators drive no ball joints."),
    (r"(actuator|default)/.*|keyframe/key/act", "Actuators whose force is not linear in length and speed do nothing."),
]
