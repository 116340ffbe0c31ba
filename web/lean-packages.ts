import { join } from 'node:path';
import type { Plugin } from 'vite';

/*
 * What packages bring into the first list although no page needs it there: it is left out of the build, or loaded when
 * it is used. Each edit must find its text, so that a new version of a package cannot bring it back unseen.
 */

interface Edit {
  /** The end of the path of a module. */
  module: string;
  from: string;
  to: string;
}

/** Loaded after the first page, in every window. */
const live = join(import.meta.dirname, 'src/live/stream.ts');

const edits: readonly Edit[] = [
  {
    // No link prefetches: what it would prefetch with is of pages that a service renders.
    module: '/react-router/dist/production/lib/dom/lib.js',
    from: 'return shouldPrefetch && !isAbsolute ? /* @__PURE__ */ React$1.createElement(React$1.Fragment, null, link, /* @__PURE__ */ React$1.createElement(PrefetchPageLinks, { page: href })) : link;',
    to: 'return link;',
  },
  {
    // What reads a stream, of events or of the answer of an agent.
    module: '/@trpc/client/dist/index.mjs',
    from: 'await jsonlStreamConsumer(',
    to: `await (await import(${JSON.stringify(live)})).jsonlStreamConsumer(`,
  },
];

export const leanPackages: Plugin = {
  name: 'lean-packages',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    const edit = edits.find(({ module }) => id.replaceAll('\\', '/').endsWith(module));
    if (!edit) return null;
    if (!code.includes(edit.from)) this.error(`${edit.module} no longer has the text that lean-packages.ts replaces`);
    return code.replace(edit.from, () => edit.to);
  },
};
