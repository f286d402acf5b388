// Unpacks plotly.js, draws the page's figures one after the other, and says on <html> when it is ready.
"use strict";
(async () => {
    const json = id => JSON.parse(document.getElementById(id).textContent), page = document.documentElement;
    for (const canvas of document.querySelectorAll("canvas[data-picture]")) {
        const of = name => document.getElementById(`${canvas.id}-${name}`);
        drawPicture(canvas, json(canvas.dataset.picture), {play: of("play"), time: of("time"), says: of("says")});
    }
    const plots = [...document.querySelectorAll(".plot")], packed = document.getElementById("plotly");
    if (packed) {
        const bytes = Uint8Array.from(atob(packed.textContent), letter => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
        const script = document.createElement("script");
        script.textContent = await new Response(stream).text();
        document.head.append(script);
    }
    for (const plot of plots) {
        const figure = json(plot.dataset.figure);
        await Plotly.newPlot(plot, figure.data, figure.layout, {displaylogo: false, responsive: true, showLink: false});
        await new Promise(done => setTimeout(done));
    }
    page.dataset.ready = Math.round(performance.now());
    page.dataset.figures = document.querySelectorAll(".plot .main-svg:first-child").length;
})().catch(error => {
    document.documentElement.dataset.failed = error;
    document.getElementById("trouble").textContent = `The plots could not be drawn: ${error}. The tables are complete; a browser of 2023 or later draws the plots.`;
});
