import type { oas31 } from 'zod-openapi';
import type { Operation } from '../operations.ts';
import { type AssetAddress, type Menu, pageOf, rootOf } from './layout.ts';
import { indexHtml, type Linked, referenceHtml } from './reference/html.ts';
import { type ReferencePage, referencePages, titleOf } from './reference/model.ts';
import { indexText, referenceText } from './reference/text.ts';
import { allGuides, type Guide } from './texts/guides.ts';
import { htmlOf, linkOperations } from './texts/markdown.ts';

/** A file of the documents. */
export interface Document {
  type: 'text/html; charset=utf-8' | 'text/markdown; charset=utf-8' | 'text/plain; charset=utf-8';
  text: string;
}

/**
 * Addresses of all documents, without making any: those of the guides, of the tags, and of the texts for assistants.
 */
export function documentPaths(operations: readonly Operation[]): string[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const guides = allGuides().map(({ name }) => `docs/${name}`);
  const pages = [...guides, ...tags.map((tag) => `docs/reference/${tag}`)];
  return ['docs', 'docs/index.md', ...pages.flatMap((path) => [path, `${path}.md`]), 'llms.txt', 'llms-full.txt'];
}

/** All documents of a service, by address: made once from its OpenAPI document and the guides. */
export class Site {
  readonly #menu: Menu;
  readonly #pageOfOperation: ReadonlyMap<string, string>;
  readonly #address: AssetAddress;
  readonly #introduction: string;
  readonly #publicUrl: string;

  constructor(
    operations: readonly Operation[],
    document: oas31.OpenAPIObject,
    publicUrl: string,
    address: AssetAddress,
  ) {
    this.#menu = { guides: allGuides(), pages: referencePages(operations, document) };
    this.#pageOfOperation = new Map(operations.map(({ id, tag }) => [id, tag]));
    this.#address = address;
    this.#introduction = document.info.description ?? '';
    this.#publicUrl = publicUrl;
  }

  /** Links operations from a document at this address: to pages, which become Markdown files in Markdown. */
  #linker(path: string): Linked {
    const root = rootOf(path);
    return (markdown) =>
      linkOperations(markdown, (id) => {
        const tag = this.#pageOfOperation.get(id);
        return tag === undefined ? undefined : `${root}docs/reference/${tag}.md#${id}`;
      });
  }

  /** A guide as it stands in its file, with links to operations. */
  #guideText({ name, markdown }: Guide): string {
    return this.#linker(`docs/${name}`)(markdown);
  }

  #referenceText(page: ReferencePage): string {
    return referenceText(page, this.#menu.guides, this.#linker(`docs/reference/${page.tag}`));
  }

  #indexText(): string {
    return indexText(this.#menu.pages, this.#menu.guides, this.#linker('docs/index.md')(this.#introduction));
  }

  #html(path: string, title: string, summary: string, main: string): string {
    const markdown = path === 'docs' ? 'docs/index.md' : `${path}.md`;
    return pageOf({ title, path, main, markdown, summary }, this.#menu, this.#address);
  }

  /** Markdown of the document at `path` with whole addresses, so that it can stand anywhere. */
  #absolute(markdown: string, path: string): string {
    const base = `${this.#publicUrl}/${path}`;
    return markdown.replace(/\]\(([^)\s]+)\)/g, (_, address: string) => `](${new URL(address, base).href})`);
  }

  /** The list of all documents for assistants (llmstxt.org). */
  #llms(): string {
    const { guides, pages } = this.#menu;
    const at = (path: string) => `${this.#publicUrl}/docs/${path}.md`;
    return `# Tandem

> Work management for people and agents, who share one list of work: todos, chats with agents, agents, captures. REST below ${this.#publicUrl}/api/v1, MCP at ${this.#publicUrl}/mcp.

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](${at(name)}): ${summary}`).join('\n')}

## Reference

- [All operations](${at('index')}): every operation in one list, and what holds for all of them
${pages.map(({ tag, description }) => `- [${titleOf(tag)}](${at(`reference/${tag}`)}): ${description}`).join('\n')}

## Optional

- [OpenAPI 3.1 document](${this.#publicUrl}/api/v1/openapi.json): the same reference for programs
- [Everything in one file](${this.#publicUrl}/llms-full.txt)
`;
  }

  /** Makes the document at an address of `documentPaths`. @throws Error for any other. */
  make(path: string): Document {
    const { guides, pages } = this.#menu;
    const text = { type: 'text/plain; charset=utf-8' } as const;
    const markdown = { type: 'text/markdown; charset=utf-8' } as const;
    const html = { type: 'text/html; charset=utf-8' } as const;
    if (path === 'llms.txt') return { ...text, text: this.#llms() };
    if (path === 'llms-full.txt') {
      const all = [
        ...guides.map((each) => this.#absolute(this.#guideText(each), `docs/${each.name}`)),
        ...pages.map((each) => this.#absolute(this.#referenceText(each), `docs/reference/${each.tag}`)),
      ];
      return { ...text, text: [this.#llms(), ...all].join('\n---\n\n') };
    }
    if (path === 'docs/index.md') return { ...markdown, text: this.#indexText() };
    if (path === 'docs') {
      const introduction = htmlOf(this.#linker(path)(this.#introduction).replaceAll(/^## /gm, '### '));
      const summary = 'Every operation of the Tandem API, with guides and samples.';
      return { ...html, text: this.#html(path, 'API reference', summary, indexHtml(pages, guides, introduction)) };
    }
    const bare = path.replace(/\.md$/, '');
    const isText = bare !== path;
    const guide = guides.find(({ name }) => `docs/${name}` === bare);
    if (guide) {
      const made = this.#guideText(guide);
      const page = () => this.#html(path, guide.title, guide.summary, `<div class="text">${htmlOf(made)}</div>`);
      return isText ? { ...markdown, text: made } : { ...html, text: page() };
    }
    const page = pages.find(({ tag }) => `docs/reference/${tag}` === bare);
    if (!page) throw new Error(`There is no document ${path}`);
    if (isText) return { ...markdown, text: this.#referenceText(page) };
    const main = referenceHtml(page, guides, this.#linker(path));
    return { ...html, text: this.#html(path, page.title, page.description, main) };
  }
}
