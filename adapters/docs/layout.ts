import type { AssetName } from './assets.ts';
import type { ReferencePage } from './reference/model.ts';
import type { Guide } from './texts/guides.ts';
import { escaped } from './texts/markdown.ts';

/** Addresses of the assets, relative to the root of the service, which may be below a path. */
export type AssetAddress = (name: AssetName) => string;

/** What the menu of every page is made of. */
export interface Menu {
  guides: readonly Guide[];
  pages: readonly ReferencePage[];
}

export interface Page {
  title: string;
  /** Its address from the root of the service, such as `docs/quick-start`. */
  path: string;
  main: string;
  /** Its Markdown, from the root of the service. */
  markdown: string;
  /** The first sentence, for search results. */
  summary: string;
}

/** From a page to the root of the service: a prefix of relative addresses. */
export function rootOf(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}

function link(root: string, path: string, text: string, current: string): string {
  const mark = path === current ? ' aria-current="page"' : '';
  return `<li><a href="${root}${path}"${mark}>${escaped(text)}</a></li>`;
}

function menuOf({ guides, pages }: Menu, current: string): string {
  const root = rootOf(current);
  const operations = (page: ReferencePage) =>
    `docs/reference/${page.tag}` === current
      ? `<li><ul>${page.operations.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('')}</ul></li>`
      : '';
  return `<nav id="menu" aria-label="Documents">
<h2>Guides</h2>
<ul>
${guides.map(({ name, title }) => link(root, `docs/${name}`, title, current)).join('\n')}
</ul>
<h2>Reference</h2>
<ul>
${link(root, 'docs', 'All operations', current)}
${pages.map((page) => link(root, `docs/reference/${page.tag}`, page.title, current) + operations(page)).join('\n')}
</ul>
</nav>`;
}

/** A page of the documents. It runs no inline script, has no inline style and requests nothing from elsewhere. */
export function pageOf({ title, path, main, markdown, summary }: Page, menu: Menu, address: AssetAddress): string {
  const root = rootOf(path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<title>${escaped(title)} · Tandem</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${root}${markdown}">
<link rel="stylesheet" href="${root}${address('pages.css')}">
<script type="module" src="${root}${address('pages.js')}"></script>
</head>
<body>
<header>
<a class="skip" href="#main">Skip to the content</a>
<a class="home" href="${root}docs">Tandem <small>documents</small></a>
<a class="to-menu" href="#menu">Menu</a>
<a href="${root}docs/quick-start">Quick start</a>
<a href="${root}api/v1/openapi.json">OpenAPI</a>
<a href="${root}llms.txt">llms.txt</a>
</header>
<main id="main">
<p class="formats"><a href="${root}${markdown}">This page as Markdown</a></p>
${main}
</main>
${menuOf(menu, path)}
</body>
</html>
`;
}
