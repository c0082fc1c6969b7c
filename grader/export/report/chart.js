// What all charts share: where they go, how wide they are, and the words that stand for them.
import { plot } from "@observablehq/plot";

const px = (text) => Number.parseFloat(text) || 0;

// Shows the figure `name` with the chart that make(width) describes; draws again when the width changes.
export function drawFigure(figure, describe, make) {
  const frame = figure.querySelector(".plot");
  figure.hidden = false;
  let drawn = 0;
  const draw = () => {
    const style = getComputedStyle(frame);
    const width = Math.floor(frame.clientWidth - px(style.paddingLeft) - px(style.paddingRight));
    if (width <= 0 || width === drawn) return;
    drawn = width;
    const chart = plot({
      style: { fontFamily: "inherit", fontSize: "12px", background: "transparent", overflow: "visible" },
      width,
      ...make(width),
    });
    // One picture with one name; Plot's names for its parts are for its style alone.
    for (const part of chart.querySelectorAll("[aria-label]")) {
      part.dataset.mark = part.getAttribute("aria-label");
      part.removeAttribute("aria-label");
    }
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", describe);
    frame.replaceChildren(chart);
  };
  draw();
  new ResizeObserver(draw).observe(frame);
}

export function figures(name) {
  return [...document.querySelectorAll(`figure[data-chart="${name}"]`)];
}

export const number = (value, digits = 3) =>
  value === null || value === undefined ? "" : Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
