// Keys and the choice of light or dark: what a page needs before the server answers.
(() => {
  const places = { e: '/', a: '/agents', r: '/runs', j: '/judge', p: '/plugins' };
  const going = [['g e', 'eval sets'], ['g a', 'agents'], ['g r', 'runs'], ['g j', 'AI Judge'], ['g p', 'plugins']];
  window.adjudgeKeys = [['e', 'edit the case'], ...going];
  let afterG = 0;
  const typing = (target) => target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]');
  const key = (name) => document.querySelector(`[data-key="${name}"]`);
  window.adjudgeTheme = (next) => {
    const dark = next === undefined ? !document.body.classList.contains('body--dark') : next;
    Quasar.Dark.set(dark);
    localStorage.setItem('adjudge-theme', dark ? 'dark' : 'light');
  };
  window.addEventListener('load', () => {
    const kept = localStorage.getItem('adjudge-theme');
    if (kept !== null) setTimeout(() => Quasar.Dark.set(kept === 'auto' ? 'auto' : kept === 'dark'), 0);
  });
  // Fields and buttons wait for the server: it hears nothing before.
  let reloading = false;
  const connected = () => {
    const content = document.getElementById('content');
    if (reloading) return;
    if (!content || !window.did_handshake) { setTimeout(connected, 30); return; }
    content.disabled = false;
    const first = content.querySelector('[data-autofocus]');
    if (first && document.activeElement === document.body) first.focus();
  };
  connected();
  // NiceGUI reloads a page whose handshake failed and says at once that it succeeded: what is typed until then would be lost.
  window.navigation?.addEventListener('navigate', (event) => {
    const content = document.getElementById('content');
    reloading = event.navigationType === 'reload';
    if (reloading && content) content.disabled = true;
  });
  const help = () => {
    let dialog = document.querySelector('dialog.ad-keys');
    if (!dialog) {
      dialog = document.createElement('dialog');
      dialog.className = 'ad-keys';
      dialog.setAttribute('aria-label', 'Keys');
      const list = document.createElement('dl');
      const keys = [['/', 'search'], ['n', 'new'], ['s', 'save'], ['u', 'undo'], ['x', 'run'], ['e', 'edit the case'], ['j k', 'next, previous row'], ['[ ]', 'previous, next page'], ...going, ['Esc', 'close']];
      for (const [name, what] of keys) {
        const dt = document.createElement('dt'); dt.textContent = name;
        const dd = document.createElement('dd'); dd.textContent = what;
        list.append(dt, dd);
      }
      dialog.append(list);
      document.body.append(dialog);
    }
    dialog.showModal();
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (afterG && Date.now() - afterG < 1500 && places[event.key]) { afterG = 0; location.href = places[event.key]; return; }
    afterG = event.key === 'g' ? Date.now() : 0;
    // The viewer of a run shows these keys after its own.
    if (event.key === '?' && !document.querySelector('.av-help')) { event.preventDefault(); help(); return; }
    if ((event.key === 'j' || event.key === 'k') && !document.querySelector('.q-dialog, .adjudge-viewer')) {
      const rows = [...document.querySelectorAll('.ad-list [role="listitem"]')];
      const now = rows.findIndex((row) => row.contains(document.activeElement));
      const next = rows[event.key === 'j' ? now + 1 : Math.max(0, now - 1)];
      next?.querySelector('a, button, [tabindex="0"]')?.focus();
      return;
    }
    const found = key(event.key);
    if (found && !document.querySelector('.q-dialog')) {
      event.preventDefault();
      const field = found.matches('input') ? found : found.querySelector('input');
      if (field) field.focus(); else found.click();
    }
  });
})();
// Keeps the end of a conversation in sight of whoever has not scrolled away from it.
let isAtEnd = true;
window.addEventListener('scroll', () => {
  const page = document.scrollingElement;
  isAtEnd = page.scrollHeight - page.scrollTop - window.innerHeight < 40;
});
window.adjudgeFollow = () => setTimeout(() => { if (isAtEnd) window.scrollTo(0, document.scrollingElement.scrollHeight); }, 50);
// Marks the messages beside a trace that belong to the step under the pointer.
const adjudgePoint = (step) => {
  for (const shown of document.querySelectorAll('[data-step]')) {
    const isMeant = shown.dataset.step === String(step);
    shown.classList.toggle('ad-pointed', isMeant);
    if (isMeant) shown.scrollIntoView({ block: 'nearest' });
  }
};
// Fetches a document and hands it to the viewer; its light or dark is the page's.
window.adjudgeShow = async (id, address, cases) => {
  const fetched = async (place) => {
    const answer = await fetch(place);
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error || answer.statusText);
    return found;
  };
  const theme = () => (document.body.classList.contains('body--dark') ? 'dark' : 'light');
  const host = () => document.getElementById(id);
  try {
    const found = await fetched(address);
    while (!host() || !window.adjudgeViewer) await new Promise((done) => setTimeout(done, 30));
    const viewer = window.adjudgeViewer.mount(host(), found, { load: (key) => fetched(cases + key), theme: theme(), part: true, keys: window.adjudgeKeys, hover: adjudgePoint });
    new MutationObserver(() => viewer.theme(theme())).observe(document.body, { attributes: true, attributeFilter: ['class'] });
    const root = host().querySelector('.adjudge-viewer');
    new MutationObserver(() => { if (root.dataset.theme !== theme()) window.adjudgeTheme(root.dataset.theme === 'dark'); })
      .observe(root, { attributes: true, attributeFilter: ['data-theme'] });
  } catch (error) {
    if (host()) { host().textContent = error.message; host().classList.add('ad-problem'); host().setAttribute('role', 'alert'); }
  }
};
