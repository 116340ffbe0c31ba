import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { offlineWorker, webManifest } from './installable.ts';
import { leanPackages } from './lean-packages.ts';

/** React Aria ships translations in thirty languages; the pages need English only. */
const inEnglish: Plugin = {
  name: 'in-english',
  enforce: 'pre',
  transform: (code, id) =>
    /\/react-(aria|stately|aria-components)\/.*\/intlStrings\.m?js$/.test(id)
      ? code.replace(/^ +"(?!en-US)[a-z]{2}-[A-Z]{2}": .*$/gm, '')
      : null,
};

const markdownItParts = join(import.meta.dirname, 'markdown-it-parts.ts');

/**
 * What the shell of a signed-in person is made of. The other lines are what the list of todos shares with other pages.
 */
const shell = [
  ...['shell/app.tsx', 'shell/frame.tsx', 'settings/layout.tsx'],
  ...[
    'ui/copy-button.tsx',
    'todo-common/new-todo.tsx',
    'todo-common/todo-parts.tsx',
    'quick-add/queries.ts',
    'ui/settled.ts',
  ],
  ...['quick-add/zoned.ts', 'session/stored-drafts.ts', 'outbox/shown.ts', 'lists/use-archive.ts', 'ui/clock.ts'],
  ...['quick-add/new-todo.ts', 'ui/read-on.ts'],
];
/** The list of todos, with the form above it. */
const todos = ['todos/todos-page.tsx', 'quick-add/quick-add.tsx'];

/**
 * Packages that are imported through one file which names all of them, so that their imports do not show who needs
 * what: they are split by use. Of tRPC that is what reads a stream (lean-packages.ts).
 */
const isSplit = (id: string) =>
  /[\\/]node_modules[\\/](react-aria|react-stately|@react-|@internationalized|@trpc[\\/]server[\\/]dist[\\/]resolveResponse)/.test(
    id,
  );

interface ModuleGraph {
  getModuleInfo(id: string): { importers: readonly string[] } | null;
}

/** Whether one of `roots` imports a module statically, over any number of others. */
function isReachedFrom(roots: readonly string[], id: string, graph: ModuleGraph): boolean {
  const ends = new Set(roots.map((file) => join(import.meta.dirname, 'src', file)));
  const seen = new Set<string>();
  const queue = [id];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (ends.has(next)) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...(graph.getModuleInfo(next)?.importers ?? []));
  }
  return false;
}

/**
 * What the entry imports is one chunk, and so is what the shell adds to it, and what the list of todos adds to both;
 * the rest is split by use. With a function instead of the tag, rolldown 1.2 puts its own runtime into a fourth file.
 */
const groups = [
  { name: 'start', priority: 3, tags: ['$initial' as const] },
  {
    debugName: 'shell',
    priority: 2,
    name: (id: string, graph: ModuleGraph) => (isSplit(id) || !isReachedFrom(shell, id, graph) ? null : 'shell'),
  },
  {
    // What the pages of todos share with the outbox, which is loaded after the first page. The guard is loaded by
    // itself.
    debugName: 'outbox',
    priority: 1,
    name: (id: string) => (/[\\/]src[\\/]outbox[\\/](?!guard|store)/.test(id) ? 'outbox' : null),
  },
  {
    debugName: 'todos',
    priority: 1,
    name: (id: string, graph: ModuleGraph) => (isSplit(id) || !isReachedFrom(todos, id, graph) ? null : 'todos'),
  },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), inEnglish, leanPackages, offlineWorker, webManifest],
  resolve: { alias: { 'linkify-it': markdownItParts, entities: markdownItParts } },
  build: {
    outDir: 'dist',
    // The content security policy allows own files only, so no assets are inlined.
    assetsInlineLimit: 0,
    // The code needs browsers of the same age; for older ones each colour would be written twice.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The chunks that a page needs are fetched together. Browsers without modulepreload load them one after the other.
    modulePreload: { polyfill: false },
    // One file of styles: it is small, and pages that are opened later do not wait for theirs.
    cssCodeSplit: false,
    // For adapters/pages/chunks.ts, and for the sizes that tests/web/sizes.test.ts checks.
    manifest: true,
    rolldownOptions: {
      input: { start: join(import.meta.dirname, 'index.html') },
      // Its client over WebSockets would stay, because a property of its class is set.
      treeshake: { moduleSideEffects: [{ test: /[\\/]@trpc[\\/]/, sideEffects: false }] },
      output: { codeSplitting: { groups } },
    },
  },
  // `npx vite web` while working on the pages: other requests go to the service.
  server: {
    proxy: Object.fromEntries(['/trpc', '/api', '/oauth/interactions'].map((path) => [path, 'http://127.0.0.1:8080'])),
  },
});
