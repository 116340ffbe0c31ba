import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import pages from './pages.json' with { type: 'json' };

/* What makes the pages an application that can be installed: its manifest with icons, and the service worker. */

const sources = join(import.meta.dirname, 'src');

const icons = [
  { file: 'icon-192.png', sizes: '192x192', purpose: 'any' },
  { file: 'icon-512.png', sizes: '512x512', purpose: 'any' },
  { file: 'icon-maskable-512.png', sizes: '512x512', purpose: 'maskable' },
];

/** Files that other applications may share: recordings, and transcripts that another service finished. */
const accept = ['audio/*', 'text/vtt', 'application/x-subrip', 'text/plain', '.vtt', '.srt', '.txt'];

/** The members of the web application manifest, apart from the icons. */
const manifest = {
  id: '/',
  name: 'Tandem',
  short_name: 'Tandem',
  description: 'One list of work for people and agents.',
  lang: 'en',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  // As --canvas in light. The document names the colour of each theme.
  background_color: '#f5f5f1',
  theme_color: '#f5f5f1',
  shortcuts: [
    { name: 'New todo', url: '/todos#new' },
    { name: 'Record', url: '/record' },
  ],
  share_target: {
    action: '/share',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { title: 'title', text: 'text', url: 'url', files: [{ name: 'files', accept }] },
  },
};

/** The manifest, at an address that does not change, with icons whose names change with their content. */
export const webManifest: Plugin = {
  name: 'web-manifest',
  apply: 'build',
  transformIndexHtml: () => [{ tag: 'link', attrs: { rel: 'manifest', href: '/manifest.webmanifest' } }],
  async generateBundle() {
    const emitted = icons.map(async ({ file, ...icon }) => {
      const source = await readFile(join(sources, 'icons', file));
      const src = `/${this.getFileName(this.emitFile({ type: 'asset', name: file, source }))}`;
      return { src, type: 'image/png', ...icon };
    });
    const source = JSON.stringify({ ...manifest, icons: await Promise.all(emitted) });
    this.emitFile({ type: 'asset', fileName: 'manifest.webmanifest', source });
  },
};

/** The code of the worker in one script without imports. */
async function workerCode(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry: join(sources, 'offline/worker.ts'), formats: ['iife'], name: 'worker' },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) => ('output' in each ? each.output : []));
  const [script] = outputs.filter((file) => file.type === 'chunk');
  if (!script) throw new Error('The service worker was not built.');
  return script.code;
}

/** The service worker: one file, at an address that does not change. */
export const offlineWorker: Plugin = {
  name: 'offline-worker',
  apply: 'build',
  async generateBundle() {
    const addressesOf = (usesMicrophone: boolean) =>
      Object.values(pages)
        .filter((page) => ['work', 'settings'].includes(page.layout) && 'usesMicrophone' in page === usesMicrophone)
        .flatMap((page) => page.addresses);
    // A page that uses the microphone needs a document of the service that allows it.
    const lists = { addresses: addressesOf(false), microphoneAddresses: addressesOf(true) };
    const declared = Object.entries(lists).map(([name, list]) => `const ${name} = ${JSON.stringify(list)};\n`);
    const source = `${declared.join('')}${await workerCode()}`;
    this.emitFile({ type: 'asset', fileName: 'offline-worker.js', source });
  },
};
