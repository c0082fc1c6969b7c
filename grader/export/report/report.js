import { drawClass } from "./class.js";
import { drawStudent } from "./student.js";
import { enhanceTables } from "./table.js";

const data = document.getElementById("data");
enhanceTables();
if (data) {
  const value = JSON.parse(data.textContent);
  (data.dataset.kind === "class" ? drawClass : drawStudent)(value);
}

// Paper has no buttons to open things with.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details.print-open:not([open])")];
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
});
