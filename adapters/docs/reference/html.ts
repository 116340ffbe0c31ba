import type { CodeSample } from '../../rest/openapi/samples.ts';
import type { Guide } from '../texts/guides.ts';
import { escaped, htmlOf, inlineHtmlOf } from '../texts/markdown.ts';
import type { ReferenceOperation, ReferencePage } from './model.ts';
import { type FieldLine, notesOf } from './schemas.ts';

/** Links the names of operations in Markdown. */
export type Linked = (markdown: string) => string;

interface Shown {
  linked: Linked;
  guides: readonly Guide[];
  /** Names of the objects that the page describes. */
  objects: ReadonlySet<string>;
}

/** The type of a field; names of objects on the page are links to them. */
function typeHtml(type: string, objects: ReadonlySet<string>): string {
  return escaped(type).replace(/\b[A-Z]\w+\b/g, (name) =>
    objects.has(name) ? `<a href="#object-${name}">${name}</a>` : name,
  );
}

function fieldHtml(field: FieldLine, shown: Shown): string {
  const { name, type, isRequired, fields } = field;
  const notes = notesOf(field);
  const inner =
    fields.length > 0
      ? `<details><summary>Fields of <code>${escaped(name)}</code></summary>${fieldsHtml(fields, shown)}</details>`
      : '';
  return `<dt><code>${escaped(name)}</code> <span class="type">${typeHtml(type, shown.objects)}</span>${
    isRequired ? ' <strong class="required">required</strong>' : ''
  }</dt>
<dd>${notes === '' ? '' : `<p>${inlineHtmlOf(shown.linked(notes))}</p>`}${inner}</dd>`;
}

function fieldsHtml(fields: readonly FieldLine[], shown: Shown): string {
  return `<dl class="fields">\n${fields.map((each) => fieldHtml(each, shown)).join('\n')}\n</dl>`;
}

function sampleHtml({ label, source }: CodeSample): string {
  return `<div class="sample" data-language="${label}">
<p class="caption">${label}</p>
<pre tabindex="0"><code>${escaped(source)}</code></pre>
</div>`;
}

function errorsHtml(errors: ReferenceOperation['errors']): string {
  const codes = (names: readonly string[]) =>
    names.map((code) => `<a href="../errors#${code}"><code>${code}</code></a>`).join(', ');
  return `<ul class="errors">${errors.map((each) => `<li>${each.status} ${codes(each.codes)}</li>`).join('')}</ul>`;
}

function operationHtml(operation: ReferenceOperation, shown: Shown): string {
  const { id, method, path, title, description, isDeprecated, inputs, answer, errors, samples, guides } = operation;
  const links = shown.guides.filter(({ name }) => guides.some((each) => each === name));
  const see = links.map((guide) => `<a href="../${guide.name}">${escaped(guide.title)}</a>`).join(', ');
  const type = answer.type === undefined ? '' : ` ${typeHtml(answer.type, shown.objects)}`;
  return `<section class="operation" id="${id}">
<div class="about">
<h2><a href="#${id}">${escaped(title)}</a></h2>
<p class="route"><span class="method">${method}</span> <code>${escaped(path)}</code>${isDeprecated ? ' <strong>deprecated</strong>' : ''}</p>
<p class="id">Operation <code>${id}</code></p>
${htmlOf(shown.linked(description))}
${see === '' ? '' : `<p class="see">Guides: ${see}</p>`}
${inputs.map((each) => `<h3>${each.title}</h3>\n${fieldsHtml(each.fields, shown)}`).join('\n')}
<h3>Answer</h3>
<p>${answer.status}${type}</p>
<h3>Errors</h3>
${errorsHtml(errors)}
</div>
<div class="code">
<div class="samples">
${samples.map(sampleHtml).join('\n')}
</div>
<figure>
<figcaption>Answer: ${answer.status}</figcaption>
<pre tabindex="0"><code>${escaped(answer.example)}</code></pre>
</figure>
</div>
</section>`;
}

/** The operations of one tag, and the objects that they answer with. */
export function referenceHtml(page: ReferencePage, guides: readonly Guide[], linked: Linked): string {
  const shown = { linked, guides, objects: new Set(page.objects.map(({ name }) => name)) };
  const objects = page.objects.map(
    ({ name, fields }) => `<section class="object" id="object-${name}">
<h3><a href="#object-${name}">${name}</a></h3>
${fieldsHtml(fields, shown)}
</section>`,
  );
  return `<h1>${escaped(page.title)}</h1>
<p class="lead">${escaped(page.description)}</p>
${page.operations.map((each) => operationHtml(each, shown)).join('\n')}
<h2 id="objects">Objects</h2>
${objects.join('\n')}`;
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;
}

/** The home of the reference: every operation on one page, and the introduction. */
export function indexHtml(pages: readonly ReferencePage[], guides: readonly Guide[], introduction: string): string {
  const row = (tag: string, { id, method, path, title }: ReferenceOperation) =>
    `<tr><td><a href="docs/reference/${tag}#${id}">${escaped(title)}</a></td><td><code>${id}</code></td><td><code>${method} ${escaped(path)}</code></td></tr>`;
  const group = ({ tag, title, operations }: ReferencePage) => `<section class="group">
<h3><a href="docs/reference/${tag}">${escaped(title)}</a></h3>
<div class="table" tabindex="0"><table>
<thead><tr><th>What it does</th><th>Operation</th><th>Route</th></tr></thead>
<tbody>
${operations.map((each) => row(tag, each)).join('\n')}
</tbody>
</table></div>
</section>`;
  const card = ({ name, title, summary }: Guide) =>
    `<li><a href="docs/${name}">${escaped(title)}</a><span>${inlineHtmlOf(firstSentence(summary))}</span></li>`;
  return `<h1>Tandem API reference</h1>
<p class="lead">Begin with a guide, or go to <a href="#operations">all operations</a>. Every request is shown in curl, TypeScript and for the command line.</p>
<ul class="cards">
${guides.map(card).join('\n')}
</ul>
<h2 id="operations">All operations</h2>
<div id="filter"></div>
${pages.map(group).join('\n')}
<h2 id="introduction">What holds for all operations</h2>
${introduction}`;
}
