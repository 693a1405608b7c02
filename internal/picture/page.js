
"use strict";
(() => {
  const site = document.getElementById("site");
  const cells = [...site.querySelectorAll(".host")];
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const about = document.getElementById("about");
  const chips = [...document.querySelectorAll(".chip")];
  const clusters = chips.filter((chip) => chip.dataset.of !== undefined);
  const states = chips.filter((chip) => chip.dataset.state !== undefined);
  const idle = about.textContent;
  const lower = cells.map((cell) => cell.title.toLowerCase());
  const lineOf = new Map([...document.querySelectorAll("tr[data-for]")].map((line) => [line.dataset.for, line]));
  const isPressed = (chip) => chip.getAttribute("aria-pressed") === "true";
  const press = (chip, on) => chip.setAttribute("aria-pressed", String(on));

  // Of a chosen rack: its cells are down, and the clusters that lose hosts are told.
  const racks = [...site.querySelectorAll(".choose")];
  const lost = document.getElementById("lost");
  const lossesOf = new Map([...document.querySelectorAll("tr[data-rack]")].map((line) => [line.dataset.rack, line]));
  const chosen = () => racks.find(isPressed);
  const choose = (button) => racks.forEach((one) => press(one, one === button));
  const fall = () => {
    const button = chosen();
    racks.forEach((one) => one.closest(".rack").classList.toggle("down", one === button));
    if (!lost) return null;
    lost.hidden = !button;
    lost.replaceChildren();
    if (!button) return null;
    const losses = [...lossesOf.get(button.dataset.rack).querySelectorAll("li")];
    lost.append(...losses.map((line) => line.cloneNode(true)));
    lost.setAttribute("aria-label", button.textContent);
    return { rack: button.closest(".rack"), of: new Set(losses.map((line) => line.dataset.of)) };
  };

  // A cell is shown when it has every word of the filter, and one of the pressed buttons of each group, and when it is in
  // the chosen rack or of a cluster that loses hosts with it.
  const show = () => {
    const down = fall();
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const of = clusters.filter(isPressed).map((chip) => chip.dataset.of);
    const state = states.filter(isPressed).map((chip) => chip.dataset.state);
    let shown = 0;
    cells.forEach((cell, i) => {
      const hit = wanted.every((word) => lower[i].includes(word)) &&
        (of.length === 0 || of.includes(cell.dataset.of)) &&
        (state.length === 0 || state.some((name) => cell.classList.contains(name))) &&
        (!down || down.rack.contains(cell) || down.of.has(cell.dataset.of));
      cell.classList.toggle("faint", !hit);
      lineOf.get(cell.dataset.host).hidden = !hit;
      shown += hit ? 1 : 0;
    });
    found.textContent = down || wanted.length + of.length + state.length > 0 ? `${shown} of ${cells.length}` : "";
  };

  // The page's address has the filter, so that a link shows what its sender sees.
  const write = () => {
    const asked = new URLSearchParams();
    if (filter.value) asked.append("filter", filter.value);
    clusters.filter(isPressed).forEach((chip) => asked.append("cluster", chip.dataset.of));
    states.filter(isPressed).forEach((chip) => asked.append("state", chip.dataset.state));
    racks.filter(isPressed).forEach((rack) => asked.append("rack", rack.dataset.rack));
    history.replaceState(null, "", `#${asked}`);
  };
  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const of = new Set(asked.getAll("cluster")), state = new Set(asked.getAll("state"));
    clusters.forEach((chip) => press(chip, of.delete(chip.dataset.of)));
    states.forEach((chip) => press(chip, state.delete(chip.dataset.state)));
    choose(racks.find((rack) => rack.dataset.rack === asked.get("rack")));
    filter.value = [...asked.getAll("filter"), ...of, ...state].join(" "); // without a button: no host is in it
    show();
  };
  const clear = () => {
    filter.value = "";
    chips.forEach((chip) => press(chip, false));
    choose(null);
    show();
    write();
  };
  filter.addEventListener("input", show);
  filter.addEventListener("change", write);
  chips.forEach((chip) => chip.addEventListener("click", () => {
    press(chip, !isPressed(chip));
    show();
    write();
  }));
  racks.forEach((rack) => rack.addEventListener("click", () => {
    choose(isPressed(rack) ? null : rack);
    show();
    write();
  }));
  document.getElementById("clear").addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear();
  });
  window.addEventListener("hashchange", read);

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
    if (!way || document.activeElement !== current) return;
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
  const tell = (cell) => { about.textContent = cell ? cell.title.split("\n").join(" · ") : idle; };
  site.addEventListener("focusin", (event) => {
    if (!event.target.matches(".host")) return;
    current.setAttribute("tabindex", "-1");
    current = event.target;
    current.setAttribute("tabindex", "0");
    tell(current);
  });
  site.addEventListener("pointerover", (event) => {
    const cell = event.target.closest(".host");
    if (cell) tell(cell);
  });
  site.addEventListener("pointerleave", () => tell(document.activeElement === current ? current : null));
  document.querySelector(".controls").hidden = false;
  read();
})();
