// Opens the parts of this file: deflated JSON in base64, each read when it is needed.
(() => {
  const kept = new Map();

  async function part(name) {
    if (kept.has(name)) return kept.get(name);
    const element = document.querySelector(`script[data-part="${CSS.escape(name)}"]`);
    const letters = atob(element.textContent);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const data = JSON.parse(await new Response(stream).text());
    if (name !== 'run') {
      if (kept.size > 3) kept.delete(kept.keys().next().value);
      kept.set(name, data);
    }
    return data;
  }

  async function load(key) {
    const [name, place] = key.split('.');
    return (await part(name))[Number(place)];
  }

  const report = document.getElementById('report');
  part('run').then((run) => adjudgeViewer.mount(report, run, { load })).catch((error) => {
    report.textContent = `This report cannot be opened here: ${error.message}. It needs a browser of 2023 or later.`;
  });
})();
