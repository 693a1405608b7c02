// Uses the page in the frame as a person does, and tells what is shown after each step.
const use = (frame) => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const chip = (key, value) => page.querySelector(`.chip[data-${key}="${CSS.escape(value)}"]`);
  const out = { Steps: [], Wide: [], Pale: [], Outside: [], Broken: [], Keys: [] };
  const step = (what) => {
    const address = new URLSearchParams(view.location.hash.slice(1)).toString();
    out.Steps.push({
      What: what, Address: decodeURIComponent(address),
      Cells: page.querySelectorAll("#site .host:not(.faint)").length,
      Lines: page.querySelectorAll("tr[data-for]:not([hidden])").length,
      Found: page.getElementById("found").textContent,
    });
  };
  const type = (text) => {
    page.getElementById("filter").value = text;
    for (const kind of ["input", "change"]) page.getElementById("filter").dispatchEvent(new Event(kind));
  };
  const press = (key) => page.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  step("opened by a link");
  press("Escape");
  step("cleared");
  type("node-00042");
  step("a name");
  chip("of", "tenant-l/edge-12").click();
  step("a name, and a cluster that does not have it");
  type("");
  chip("of", "tenant-l/edge-12").click();
  chip("of", "tenant-c/edge-03").click();
  step("a cluster");
  chip("of", "tenant-d/edge-04").click();
  step("two clusters");
  page.getElementById("clear").click();
  chip("state", "failed").click();
  step("failed");
  view.location.hash = "cluster=gone/gone&state=new";
  view.dispatchEvent(new Event("hashchange"));
  step("a link to a cluster that is not there");
  page.getElementById("clear").click();
  const rack = page.querySelector(`.choose[data-rack="${CSS.escape("A/r2")}"]`);
  rack.click();
  step("a rack");
  out.Lost = [...page.querySelectorAll("#lost:not([hidden]) li")].map((line) => line.textContent);
  out.Down = [...page.querySelectorAll(".down .host")].map((cell) => cell.dataset.host);
  rack.click();
  step("no rack");
  out.Lost.push(...[...page.querySelectorAll("#lost:not([hidden]) li")].map((line) => line.textContent));
  view.location.hash = "rack=A/r2";
  view.dispatchEvent(new Event("hashchange"));
  step("a link to a rack");
  page.getElementById("clear").click();
  chip("state", "failed").click();

  // Arrows go on among the cells that are shown, and the line above the racks tells of the one that has the focus.
  const first = page.querySelector("#site .host:not(.faint)");
  first.focus();
  press("ArrowDown");
  for (const cell of [first, page.activeElement]) out.Keys.push(cell.dataset.host);
  out.Told = page.getElementById("about").textContent;
  press("Escape");

  for (const details of page.querySelectorAll("details")) details.open = true;
  for (const e of page.querySelectorAll("body *")) {
    if (e.closest(".scroll") && !e.matches(".scroll")) continue; // scrolls by itself
    if (e.getBoundingClientRect().right > view.innerWidth + 1) out.Wide.push(`${e.tagName} ${e.className}`);
  }
  // WCAG 2.2, contrast minimum: 4.5 to 1. A text stands on the next color behind it.
  const numbers = (css) => css.match(/[\d.]+/g).map(Number);
  const ground = (e) => {
    const css = view.getComputedStyle(e).backgroundColor, alpha = numbers(css)[3] ?? 1;
    return alpha > 0 || !e.parentElement ? css : ground(e.parentElement);
  };
  const luminance = (css) => numbers(css).slice(0, 3)
    .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  for (const e of page.querySelectorAll("h1, h2, h3, h3 *, p, li, .chip, .chip *, .host > *, td")) {
    const box = e.getBoundingClientRect(), cell = e.closest(".host");
    if (!e.textContent.trim() || box.width === 0) continue;
    const [low, high] = [view.getComputedStyle(e).color, ground(e)].map(luminance).sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) out.Pale.push(`${e.tagName} ${e.textContent}: ${contrast.toFixed(2)}`);
    const room = cell && cell.getBoundingClientRect();
    // On a pattern a text has a ground of its own, and beside the stripes of standby hosts it has its place.
    const patterned = cell && view.getComputedStyle(cell).backgroundImage.includes("gradient");
    if (patterned && ground(e) !== view.getComputedStyle(e).backgroundColor) {
      out.Pale.push(`${cell.dataset.host}: ${e.textContent} on a pattern`);
    }
    const stripes = cell && cell.matches(".standby") ? 8 : 0;
    if (cell && (box.left < room.left || box.right > room.right - stripes + 0.5 || box.bottom > room.bottom + 0.5)) {
      out.Outside.push(`${cell.dataset.host ?? "legend"}: ${e.textContent}`);
    }
  }
  out.Ground = luminance(ground(page.body));
  for (const cell of page.querySelectorAll("tr[data-for] td:first-child")) {
    const range = page.createRange();
    range.selectNodeContents(cell);
    if (range.getClientRects().length !== 1) out.Broken.push(cell.textContent);
  }
  return out;
};
