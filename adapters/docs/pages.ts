import { type ErrorCode, errorCodes } from '../../routers/errors.ts';
import { errorGuide } from '../error-guide.ts';

/** Addresses of the assets, relative to the root of the service, so that it may live below a path. */
export type AssetAddress = (name: 'pages.css' | 'reference.js' | 'swagger-ui.css' | 'swagger-ui-bundle.js') => string;

interface Page {
  title: string;
  /** From the page to the root of the service: a prefix of relative addresses. */
  root: string;
  main: string;
  wide?: boolean;
  head?: string;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}

function pageOf({ title, root, main, head = '', wide = false }: Page, address: AssetAddress): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${address('pages.css')}">
${head}</head>
<body${wide ? ' class="wide"' : ''}>
<header>
<strong>Tandem</strong>
<a href="${root}docs">Reference</a>
<a href="${root}docs/errors">Errors</a>
<a href="${root}docs/deprecation">Deprecation</a>
<a href="${root}api/v1/openapi.json">OpenAPI document</a>
</header>
${main}
</body>
</html>
`;
}

/** The reference of all operations, drawn by Swagger UI from the document of the service. */
export function referencePage(address: AssetAddress): string {
  const head = `<link rel="stylesheet" href="${address('swagger-ui.css')}">
<script src="${address('swagger-ui-bundle.js')}" defer></script>
<script type="module" src="${address('reference.js')}"></script>
`;
  const main = `<main id="reference"><p>Loading the reference…</p></main>
<noscript><p>The reference needs JavaScript. The <a href="api/v1/openapi.json">OpenAPI document</a> says the same.</p></noscript>`;
  return pageOf({ title: 'Tandem API reference', root: '', main, head, wide: true }, address);
}

function errorSection(code: string): string {
  const { statuses, means, remedy } = errorGuide[code as ErrorCode];
  return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="status">${escaped(errorCodes[code as ErrorCode])} · HTTP ${statuses.join(', ')}</p>
<p>${escaped(means)}</p>
<p><strong>What to do:</strong> ${escaped(remedy)}</p>
</section>`;
}

/** Every error code, at an anchor of its name: where `docUrl` of an error points. */
export function errorsPage(address: AssetAddress): string {
  const main = `<main class="text">
<h1>Errors</h1>
<p>Every failure answers one error object. Branch on its <code>code</code>: the codes below are all there are, and they never change within version 1. Show its <code>message</code> to people, and quote its <code>requestId</code> when you ask for help.</p>
${Object.keys(errorCodes).map(errorSection).join('\n')}
</main>`;
  return pageOf({ title: 'Errors · Tandem', root: '../', main }, address);
}

/** The deprecation policy: where the `Link` header of a deprecated operation points. */
export function deprecationPage(address: AssetAddress): string {
  const main = `<main class="text">
<h1>Versions and deprecation</h1>
<p>The version of the API is in its path: <code>/api/v1</code>. Within a version, answers may gain fields, and operations may gain optional parameters; new operations may appear. Clients must ignore fields that they do not know. Whatever would break a client gets a new path version.</p>
<h2>How an operation is retired</h2>
<p>A deprecated operation works for at least <strong>90 days</strong> after the announcement. From then on, every response of it, errors included, carries three headers:</p>
<ul>
<li><code>Deprecation: true</code></li>
<li><code>Sunset</code> (RFC 8594): the date on which it stops working, such as <code>Tue, 01 Sep 2026 00:00:00 GMT</code></li>
<li><code>Link</code> with <code>rel="deprecation"</code>: the address of this policy</li>
</ul>
<p>The <a href="../api/v1/openapi.json">OpenAPI document</a> marks it as <code>deprecated</code>, and its description names the operation that replaces it and the day on which it stops working.</p>
<h2>What to do</h2>
<p>Let your client log every response with a <code>Deprecation</code> header. When one appears, move to the named replacement before the date in <code>Sunset</code>.</p>
</main>`;
  return pageOf({ title: 'Versions and deprecation · Tandem', root: '../', main }, address);
}
