// What is seen of a picture: its hosts, and texts that leave their box or are too pale (WCAG 2.2, contrast minimum: 4.5 to 1).
(() => {
  const out = { Hosts: [], Invisible: [], Outside: [], Pale: [], Tiled: 0 };
  const text = (e) => e.textContent.trim();
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;

  for (const host of document.querySelectorAll('[data-host]')) {
    const title = host.querySelector('title');
    out.Hosts.push({ Name: host.dataset.host, Class: host.getAttribute('class'), Title: title ? title.textContent : '' });
    const box = host.querySelector('.cell').getBoundingClientRect();
    if (box.width < 4 || box.height < 4) out.Invisible.push(host.dataset.host);
  }
  for (const tile of document.querySelectorAll('[data-count]')) out.Tiled += Number(tile.dataset.count);

  // Colors come as rgb() or rgba(), whatever the style sheet says.
  const color = (css) => {
    const n = (css.match(/[\d.]+/g) || []).map(Number);
    return css.startsWith('rgb') ? { r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1 } : null;
  };
  const over = (front, back) => ({
    r: front.r * front.a + back.r * (1 - front.a), g: front.g * front.a + back.g * (1 - front.a), b: front.b * front.a + back.b * (1 - front.a), a: 1,
  });
  const luminance = (c) => {
    const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
  };
  const contrast = (a, b) => {
    const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  const inside = (x, y, b) => x >= b.left && x <= b.right && y >= b.top && y <= b.bottom;

  const canvas = (() => {
    const css = document.body ? getComputedStyle(document.body).backgroundColor : '';
    const found = color(css);
    return found && found.a > 0 ? found : dark ? { r: 18, g: 18, b: 18, a: 1 } : { r: 255, g: 255, b: 255, a: 1 };
  })();

  for (const svg of document.querySelectorAll('svg')) {
    // What lies behind a text: the filled rectangles and circles that come before it, from the page up.
    const behind = [];
    for (const e of svg.querySelectorAll('rect, circle, text')) {
      if (e.closest('defs, pattern')) continue;
      const style = getComputedStyle(e);
      const box = e.getBoundingClientRect();
      if (style.display === 'none' || style.visibility === 'hidden' || box.width === 0) continue;
      if (e.tagName !== 'text') {
        const fill = color(style.fill);
        if (fill && fill.a > 0) behind.push({ box, fill });
        continue;
      }
      if (!text(e)) continue;
      const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      let ground = canvas;
      for (const b of behind) if (inside(x, y, b.box)) ground = over(b.fill, ground);
      const stroke = color(style.stroke); // a halo in the cell's own color, where the cell is hatched
      if (stroke && stroke.a > 0 && parseFloat(style.strokeWidth) >= 2) ground = over(stroke, ground);
      const fill = color(style.fill);
      const c = contrast(over(fill, ground), ground);
      if (c < 4.5) out.Pale.push(`"${text(e)}" (${e.getAttribute('class')}): ${c.toFixed(2)} to 1, ${style.fill} on ${JSON.stringify(ground)}`);
      const cell = e.parentElement.querySelector(':scope > .cell, :scope > .frame');
      if (cell && !e.classList.contains('sign')) {
        const room = cell.getBoundingClientRect();
        if (box.left < room.left - 1 || box.right > room.right + 1) out.Outside.push(`"${text(e)}": ${box.left.toFixed(0)} to ${box.right.toFixed(0)}, in ${room.left.toFixed(0)} to ${room.right.toFixed(0)}`);
      }
      const all = svg.getBoundingClientRect();
      if (box.right > all.right + 1 || box.left < all.left - 1 || box.bottom > all.bottom + 1) out.Outside.push(`"${text(e)}" leaves the picture`);
    }
  }
  return out;
})()
