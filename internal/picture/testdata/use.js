// Searches and filters a page as a person does, and tells what is shown after each step.
(() => {
  const filter = document.getElementById('filter');
  const chip = (of) => document.querySelector(`.chip[data-of="${of}"]`);
  const shown = () => ({
    Cells: document.querySelectorAll('#site .host:not(.faint)').length,
    Lines: document.querySelectorAll('tbody tr:not([hidden])').length,
    Found: document.getElementById('found').textContent,
  });
  const type = (text) => { filter.value = text; filter.dispatchEvent(new Event('input')); };
  const out = { All: shown(), Wide: [], Broken: [] };

  type('node-00042');
  out.Name = shown();
  chip(2).click();
  document.querySelector('.chip[data-of="11"]').click();
  chip(2).click();
  out.NameOfTenant = shown();
  chip(11).click();
  type('');
  chip(2).click();
  out.Tenant = shown();
  chip(3).click();
  out.TwoTenants = shown();
  document.getElementById('clear').click();
  document.querySelector('.chip[data-key="failed"]').click();
  out.Failed = shown();
  document.querySelector('.chip[data-key="failed"]').click();
  type('no such host');
  out.Nothing = shown();
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  out.Cleared = shown();

  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('.scroll') && !e.matches('.scroll')) continue; // scrolls by itself
    if (e.getBoundingClientRect().right > innerWidth + 1) out.Wide.push(e.tagName + '.' + e.className);
  }
  const racks = document.getElementById('site');
  if (racks.scrollWidth > racks.clientWidth) out.Wide.push('the racks');
  for (const cell of document.querySelectorAll('tbody td:first-child')) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    if (range.getClientRects().length !== 1) out.Broken.push(cell.textContent);
  }
  return out;
})()
