import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** React Aria brings its words in thirty languages; the pages are in English. */
const inEnglish: Plugin = {
  name: 'in-english',
  enforce: 'pre',
  load: (id) =>
    /\/react-(aria|stately|aria-components)\/.*\/intl\/.*\/(?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/.test(id)
      ? 'export default {}'
      : null,
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), inEnglish],
  build: {
    outDir: 'dist',
    // The policy of the pages allows files of our own only: nothing is inlined into them.
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 1500,
  },
  // `npx vite web` while working on the pages: everything else is answered by the service.
  server: {
    proxy: Object.fromEntries(['/trpc', '/api', '/oauth/interactions'].map((path) => [path, 'http://127.0.0.1:8080'])),
  },
});
