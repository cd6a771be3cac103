/** Text that a model, a web page or a messenger could send to harm the page. None of it may run, or ask the network. */
export type HostileCase = { name: string; source: string };

/** Where every attempt to reach out would go; a test counts the requests to it. */
export const HOSTILE_HOST = 'evil.invalid';
const out = `https://${HOSTILE_HOST}`;
const run = 'window.pwned=1';

const scripts: HostileCase[] = [
  { name: 'script element', source: `<script>${run}</script>` },
  { name: 'script element in upper case', source: `<SCRIPT>${run}</SCRIPT>` },
  { name: 'script with a source', source: `<script src="${out}/x.js"></script>` },
  { name: 'script split by a comment', source: `<scr<!-- -->ipt>${run}</script>` },
  { name: 'script inside a paragraph', source: `Hello <script>${run}</script> world` },
  { name: 'script inside svg', source: `<svg><script>${run}</script></svg>` },
  { name: 'script inside math', source: `<math><mtext><script>${run}</script></mtext></math>` },
  { name: 'script after a broken tag', source: `<<script>${run}//<</script>` },
  { name: 'script in a table cell', source: `| a |\n| --- |\n| <script>${run}</script> |` },
  { name: 'script in a heading', source: `# <script>${run}</script>` },
  { name: 'script in a list', source: `- <script>${run}</script>` },
  { name: 'module script', source: `<script type="module">${run}</script>` },
  {
    name: 'noscript that closes itself',
    source: `<noscript><p title="</noscript><img src=x onerror=${run}>"></noscript>`,
  },
  { name: 'template with a script', source: `<template><script>${run}</script></template>` },
];

const handlers: HostileCase[] = [
  { name: 'image with onerror', source: `<img src=x onerror="${run}">` },
  { name: 'image with onerror and slashes', source: `<img/src=x/onerror=${run}>` },
  { name: 'svg with onload', source: `<svg onload="${run}"></svg>` },
  { name: 'body with onload', source: `<body onload="${run}">` },
  { name: 'details with ontoggle', source: `<details open ontoggle="${run}">x</details>` },
  { name: 'input with autofocus', source: `<input autofocus onfocus="${run}">` },
  { name: 'video with a source that fails', source: `<video><source onerror="${run}"></video>` },
  { name: 'link with onclick', source: `<a href="#" onclick="${run}">x</a>` },
  { name: 'marquee with onstart', source: `<marquee onstart="${run}">x</marquee>` },
  {
    name: 'style with an animation handler',
    source: `<style>@keyframes x{}</style><p style="animation-name:x" onanimationstart="${run}">x</p>`,
  },
  { name: 'handler through a link title', source: `[x](https://example.org "\\" onmouseover=${run} x=\\"")` },
  { name: 'handler through an image text', source: `![" onerror="${run}](x)` },
  { name: 'handler through a language name', source: `\`\`\`js" onmouseover="${run}\ncode\n\`\`\`` },
  { name: 'svg animate', source: `<svg><animate onbegin=${run} attributeName=x dur=1s></svg>` },
];

const addresses: HostileCase[] = [
  { name: 'javascript link', source: `[x](javascript:${run})` },
  { name: 'javascript link in mixed case', source: `[x](JaVaScRiPt:${run})` },
  { name: 'javascript link with a tab', source: `[x](<java\tscript:${run}>)` },
  { name: 'javascript link with entities', source: `[x](javascript&#58;${run})` },
  { name: 'javascript link with encoded letters', source: `[x](&#x6A;avascript:${run})` },
  { name: 'javascript link with a leading control character', source: `[x](\u0001javascript:${run})` },
  { name: 'javascript reference', source: `[x][r]\n\n[r]: javascript:${run}` },
  { name: 'javascript autolink', source: `<javascript:${run}>` },
  { name: 'vbscript link', source: `[x](vbscript:${run})` },
  { name: 'data link to a page', source: `[x](data:text/html,<script>${run}</script>)` },
  {
    name: 'data link in base64',
    source: '[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cucHduZWQ9MTwvc2NyaXB0Pg==)',
  },
  { name: 'blob link', source: '[x](blob:https://example.org/1)' },
  { name: 'file link', source: '[x](file:///etc/passwd)' },
  { name: 'link relative to the page', source: '[sign in again](/settings/account)' },
  { name: 'link relative to the scheme', source: `[x](//${HOSTILE_HOST}/x)` },
  { name: 'form that sends elsewhere', source: `<form action="${out}"><button>Approve</button></form>` },
  { name: 'button with formaction', source: `<button formaction="javascript:${run}">x</button>` },
  { name: 'base element', source: `<base href="${out}/">` },
  { name: 'refresh', source: `<meta http-equiv="refresh" content="0;url=${out}">` },
  { name: 'svg link', source: `<svg><a xlink:href="javascript:${run}"><text>x</text></a></svg>` },
];

const requests: HostileCase[] = [
  { name: 'remote picture', source: `![x](${out}/pixel.png)` },
  { name: 'remote picture by reference', source: `![x][r]\n\n[r]: ${out}/pixel.png` },
  { name: 'remote picture in HTML', source: `<img src="${out}/pixel.png">` },
  { name: 'remote picture with srcset', source: `<img srcset="${out}/pixel.png 1x">` },
  { name: 'picture inside a link', source: `[![x](${out}/p.png)](${out})` },
  {
    name: 'svg as data',
    source: `![x](data:image/svg+xml,<svg onload=${run} xmlns="http://www.w3.org/2000/svg"/>)`,
  },
  {
    name: 'svg as data in base64',
    source: '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IndpbmRvdy5wd25lZD0xIi8+)',
  },
  { name: 'picture with a data page', source: `![x](data:text/html;base64,PHNjcmlwdD4=)` },
  { name: 'inline frame', source: `<iframe src="${out}"></iframe>` },
  { name: 'frame with srcdoc', source: `<iframe srcdoc="<script>parent.${run}</script>"></iframe>` },
  { name: 'object', source: `<object data="${out}/x.swf"></object>` },
  { name: 'embed', source: `<embed src="${out}/x.swf">` },
  { name: 'style sheet', source: `<link rel="stylesheet" href="${out}/x.css">` },
  { name: 'style with an import', source: `<style>@import "${out}/x.css";</style>` },
  { name: 'style attribute with an address', source: `<p style="background:url(${out}/x.png)">x</p>` },
  { name: 'audio', source: `<audio src="${out}/x.mp3" autoplay></audio>` },
  { name: 'video poster', source: `<video poster="${out}/x.png"></video>` },
  { name: 'prefetch', source: `<link rel="prefetch" href="${out}/x">` },
  { name: 'svg image', source: `<svg><image href="${out}/x.png"/></svg>` },
  { name: 'svg use', source: `<svg><use href="${out}/x.svg#a"/></svg>` },
];

const deceit: HostileCase[] = [
  { name: 'name that clobbers the document', source: '<img name="body"><form id="getElementById"></form>' },
  { name: 'text drawn backwards in code', source: '`rm -rf \u202E/home/sam\u202C`' },
  { name: 'text drawn backwards in a block', source: '```sh\necho \u2066safe\u2069 \u202Edrawkcab\n```' },
  { name: 'text drawn backwards in prose', source: 'Open \u202Egpj.exe\u202C now' },
  { name: 'invisible letters in code', source: '`rm\u200B -rf /`' },
  { name: 'tag characters', source: 'Hello \u{e0041}\u{e0042}' },
  { name: 'link drawn backwards', source: '[\u202Egro.elpmaxe](https://example.org)' },
  {
    name: 'class of a button of the page',
    source: '<a href="https://example.org" class="button primary">Approve</a>',
  },
  {
    name: 'mutation through math and style',
    source: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
  },
  {
    name: 'mutation through svg and style',
    source: `<svg></p><style><a id="</style><img src=1 onerror=${run}>">`,
  },
  { name: 'entities that become a tag', source: `&lt;img src=x onerror=${run}&gt;` },
  { name: 'deep quotes', source: `${'>'.repeat(200)} deep` },
];

export const hostileMarkdown: readonly HostileCase[] = [
  ...scripts,
  ...handlers,
  ...addresses,
  ...requests,
  ...deceit,
];
