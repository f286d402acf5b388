// Draws a mechanism on a canvas: an orthographic view that turns by mouse, touch and arrow keys. All lengths in metres.
"use strict";
function drawPicture(canvas, picture, controls) {
    const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
    const pen = canvas.getContext("2d"), frames = picture.time_s.length;
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const sum = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
    const unit = a => a.map(x => x / Math.hypot(...a));
    let azimuth = picture.is_flat ? 0.3 : 0.6, elevation = 0.25, frame = 0, playing = false, right, above;

    function turned(q, v) {
        const axis = q.slice(1), across = cross(axis, v).map(x => 2 * x);
        return sum(sum(v, across, q[0]), cross(axis, across));
    }
    function world(body, point) {
        if (body < 0) return point;
        const q = picture.orientation ? picture.orientation[frame][body] : [1, 0, 0, 0];
        return sum(picture.position[frame][body], turned(q, point));
    }
    function turn(body, v) {
        return body < 0 || !picture.orientation ? v : turned(picture.orientation[frame][body], v);
    }
    function look() {
        const across = cross(picture.up, picture.toward);
        const level = sum(picture.toward.map(x => x * Math.cos(azimuth)), across, Math.sin(azimuth));
        const viewer = sum(level.map(x => x * Math.cos(elevation)), picture.up, Math.sin(elevation));
        right = sum(across.map(x => x * Math.cos(azimuth)), picture.toward, -Math.sin(azimuth));
        above = cross(viewer, right);
    }
    const scale = () => 0.42 * Math.min(canvas.width, canvas.height) / picture.radius;
    function screen(point) {
        const from = sum(point, picture.centre, -1);
        return [canvas.width / 2 + scale() * dot(from, right), canvas.height / 2 - scale() * dot(from, above)];
    }
    function line(points, colour, width, dash = []) {
        pen.beginPath();
        points.forEach((point, i) => pen[i ? "lineTo" : "moveTo"](...screen(point)));
        pen.strokeStyle = colour; pen.lineWidth = width; pen.setLineDash(dash); pen.stroke(); pen.setLineDash([]);
    }
    function disc(point, radius, fill, edge) {
        pen.beginPath(); pen.arc(...screen(point), radius, 0, 2 * Math.PI);
        if (fill) { pen.fillStyle = fill; pen.fill(); }
        if (edge) { pen.strokeStyle = edge; pen.lineWidth = 1.5; pen.stroke(); }
    }
    const colourOf = body => body < 0 ? "#555555" : colours[body % colours.length];
    const draw = {
        plane(one) {
            const normal = unit(turn(one.body, one.normal)), at = world(one.body, one.at);
            const other = Math.abs(dot(normal, right)) < 0.9 ? right : above;
            const first = unit(cross(normal, other)), second = cross(normal, first), r = picture.radius;
            // The point of the plane nearest to the middle, so that the plane is in view.
            const middle = sum(picture.centre, normal, dot(sum(at, picture.centre, -1), normal));
            for (let k = -4; k <= 4; ++k) {
                const along = sum(middle, first, k * r / 4), across = sum(middle, second, k * r / 4);
                line([sum(along, second, -r), sum(along, second, r)], "#c4c4c4", 1);
                line([sum(across, first, -r), sum(across, first, r)], "#c4c4c4", 1);
            }
        },
        stick(one) { line([world(one.body, [0, 0, 0]), world(one.body, one.at)], colourOf(one.body), 5); },
        frame(one) {
            const at = world(one.body, [0, 0, 0]), length = 0.09 * picture.radius;
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
                const tip = sum(at, turn(one.body, axis), length);
                line([at, tip], "#222222", 1.2);
                pen.fillStyle = "#222222"; pen.font = "10px sans-serif"; pen.fillText("xyz"[k], ...screen(tip));
            });
            disc(at, 4, colourOf(one.body), "#222222");
        },
        joint(one) {
            const at = world(one.body, one.at);
            if (one.axis) {
                const axis = unit(turn(one.body, one.axis)), length = 0.06 * picture.radius;
                line([sum(at, axis, -length), sum(at, axis, length)], "#000000", 1, [3, 3]);
            }
            if (one.body < 0) { const [x, y] = screen(at); pen.fillStyle = "#555555"; pen.fillRect(x - 6, y - 6, 12, 12); }
            disc(at, 4.5, "#ffffff", "#000000");
        },
        spring(one) { line(one.ends.map(([body, at]) => world(body, at)), "#009E73", 2, [7, 4]); },
        sphere(one) {
            disc(world(one.body, one.at), Math.max(3, one.radius * scale()), colourOf(one.body) + "40", colourOf(one.body));
        },
        capsule(one) {
            const ends = one.ends.map(end => world(one.body, end)), radius = Math.max(3, one.radius * scale());
            pen.lineCap = "round"; line(ends, colourOf(one.body) + "55", 2 * radius); pen.lineCap = "butt";
            ends.forEach(end => disc(end, radius, null, colourOf(one.body)));
        },
        box(one) {
            const corner = k => world(one.body, one.at.map((x, i) => x + (k >> i & 1 ? 0.5 : -0.5) * one.size[i]));
            for (let k = 0; k < 8; ++k)
                for (let i = 0; i < 3; ++i) if (!(k >> i & 1)) line([corner(k), corner(k | 1 << i)], colourOf(one.body), 2);
        },
        trail(one) {
            line(picture.position.slice(0, frame + 1).map(row => row[one.body]), colourOf(one.body), 1.5);
            disc(world(one.body, [0, 0, 0]), 6, colourOf(one.body), "#222222");
        },
        link(one) {
            line([one.ground, picture.position[frame][one.body]], "#555555", 3);
            disc(one.ground, 5, "#ffffff", "#000000");
        },
    };
    const order = ["plane", "spring", "link", "stick", "box", "capsule", "sphere", "trail", "joint", "frame"];
    const shapes = [...picture.shapes].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));

    function paint() {
        look();
        pen.fillStyle = "#ffffff"; pen.fillRect(0, 0, canvas.width, canvas.height);
        (picture.cloud || []).forEach(rows => rows[frame].forEach(point => disc(point, 2, "#9a9a9a")));
        shapes.forEach(one => draw[one.kind](one));
        canvas.dataset.frame = frame;
        if (controls.time) { controls.time.value = frame; controls.says.textContent = `${picture.time_s[frame].toPrecision(4)} s`; }
    }
    function resize() {
        canvas.width = canvas.clientWidth || 720; canvas.height = Math.round(0.62 * canvas.width); paint();
    }
    resize();
    const pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data;
    let painted = 0;
    for (let i = 0; i < pixels.length; i += 4) painted += pixels[i] + pixels[i + 1] + pixels[i + 2] < 765;
    canvas.dataset.painted = painted;
    window.addEventListener("resize", resize);

    let last = null;
    canvas.addEventListener("pointerdown", event => { last = event; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", event => {
        if (!last) return;
        azimuth -= 0.01 * (event.clientX - last.clientX);
        elevation = Math.max(-1.5, Math.min(1.5, elevation + 0.01 * (event.clientY - last.clientY)));
        last = event; paint();
    });
    canvas.addEventListener("pointerup", () => { last = null; });
    canvas.addEventListener("keydown", event => {
        const turns = {ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[event.key];
        if (!turns) return;
        azimuth += turns[0]; elevation = Math.max(-1.5, Math.min(1.5, elevation + turns[1]));
        event.preventDefault(); paint();
    });
    if (!controls.play) return;
    controls.time.max = frames - 1;
    controls.time.addEventListener("input", () => { frame = Number(controls.time.value); paint(); });
    // In the time of the motion, but for no less than 4 s and no more than 20 s.
    const span = picture.time_s[frames - 1] - picture.time_s[0], shown = Math.max(4, Math.min(20, span));
    let begun = 0;
    function advance(now) {
        if (!playing) return;
        frame = Math.min(frames - 1, Math.max(0, Math.floor((now - begun) / 1000 / shown * frames)));
        paint();
        if (frame === frames - 1) { playing = false; controls.play.textContent = "Play"; } else requestAnimationFrame(advance);
    }
    controls.play.addEventListener("click", () => {
        playing = !playing;
        controls.play.textContent = playing ? "Pause" : "Play";
        if (frame === frames - 1) frame = 0;
        begun = performance.now() - frame / frames * shown * 1000;
        if (playing) requestAnimationFrame(advance);
    });
}
