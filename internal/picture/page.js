"use strict";
(() => {
  const site = document.getElementById("site");
  const cells = [...site.querySelectorAll(".host, .tile")];
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const about = document.getElementById("about");
  const chips = [...document.querySelectorAll(".chip")];
  const idle = about.textContent;
  const words = cells.map((cell) => cell.querySelector("title").textContent);
  const lower = words.map((text) => text.toLowerCase());
  const place = new Map(cells.map((cell, i) => [cell, i]));

  // The table's lines: of hosts by name, of racks in the order of the tiles.
  const lines = [...document.querySelectorAll("tr[data-for]")];
  const lineOf = new Map(lines.map((line) => [line.dataset.for, line]));
  const own = cells.map((cell, i) => cell.dataset.host === undefined ? lines[i] : lineOf.get(cell.dataset.host));
  const has = (cell, chip) => {
    const { key, of } = chip.dataset;
    if (of !== undefined) {
      return cell.dataset.tenant === of || cell.querySelector(`[data-tenant="${of}"]`) !== null;
    }
    return cell.classList.contains("tile") || cell.classList.contains(key);
  };

  // A cell is shown when it has every word of the filter, and one of the pressed buttons of each group.
  const show = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const pressed = chips.filter((chip) => chip.getAttribute("aria-pressed") === "true");
    const groups = [pressed.filter((c) => c.dataset.of !== undefined), pressed.filter((c) => c.dataset.of === undefined)];
    let shown = 0;
    cells.forEach((cell, i) => {
      const hit = wanted.every((word) => lower[i].includes(word)) &&
        groups.every((group) => group.length === 0 || group.some((chip) => has(cell, chip)));
      cell.classList.toggle("faint", !hit);
      if (own[i]) own[i].hidden = !hit;
      shown += hit ? 1 : 0;
    });
    found.textContent = wanted.length + pressed.length > 0 ? `${shown} of ${cells.length}` : "";
  };

  filter.addEventListener("input", show);
  chips.forEach((chip) => chip.addEventListener("click", () => {
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    show();
  }));
  const clear = () => {
    filter.value = "";
    chips.forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    show();
  };
  document.getElementById("clear").addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear();
  });

  // One stop for the tab key; arrows go on from there, to the nearest cell that is not faint.
  let current = cells[0];
  cells.forEach((cell) => cell.setAttribute("tabindex", cell === current ? "0" : "-1"));
  const middle = (cell) => {
    const box = cell.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  site.addEventListener("keydown", (event) => {
    const way = directions[event.key];
    if (!way || !place.has(document.activeElement)) return;
    event.preventDefault();
    const [x, y] = middle(current);
    let best = null, least = Infinity;
    for (const cell of cells) {
      if (cell === current || cell.classList.contains("faint")) continue;
      const [a, b] = middle(cell);
      const along = (a - x) * way[0] + (b - y) * way[1];
      const aside = Math.abs((a - x) * way[1]) + Math.abs((b - y) * way[0]);
      if (along > 1 && along + 4 * aside < least) {
        least = along + 4 * aside;
        best = cell;
      }
    }
    if (best) best.focus();
  });
  const tell = (cell) => { about.textContent = words[place.get(cell)].split("\n").join(" · "); };
  site.addEventListener("focusin", (event) => {
    if (!place.has(event.target)) return;
    current.setAttribute("tabindex", "-1");
    current = event.target;
    current.setAttribute("tabindex", "0");
    tell(current);
  });
  site.addEventListener("pointerover", (event) => {
    const cell = event.target.closest(".host, .tile");
    if (cell) tell(cell);
  });
  site.addEventListener("pointerleave", () => { about.textContent = idle; });
  document.querySelector(".controls").hidden = false;
})();
