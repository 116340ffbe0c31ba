import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withClosures } from '../../scripts/route-matching.ts';

const test = suite('the router in the bundle');

const require = createRequire(createRequire(import.meta.url).resolve('fastify'));

interface Router {
  on(method: 'GET', path: string, options: object, handler: () => void, store: number): void;
  find(method: 'GET', path: string, constraints?: object): { params: object; store: number } | null;
}

/** The router of the package, with all its files read anew; `changed` as they are in the bundle. */
function routerOf(changed: boolean): Router {
  const loaded = new Map<string, { exports: unknown }>();
  const load = (file: string): unknown => {
    const known = loaded.get(file);
    if (known) return known.exports;
    const part = { exports: {} };
    loaded.set(file, part);
    const text = readFileSync(file, 'utf8');
    const name = file.slice(file.lastIndexOf('find-my-way/'));
    const script = new Script(`(function (exports, require, module) {${changed ? withClosures(name, text) : text}\n})`);
    const requireFrom = createRequire(file);
    const required = (id: string) => (id.startsWith('./') ? load(requireFrom.resolve(id)) : requireFrom(id));
    script.runInThisContext()(part.exports, required, part);
    return part.exports;
  };
  const find = load(require.resolve('find-my-way')) as () => Router;
  return find();
}

const paths = [
  ...[
    '/',
    '/a',
    '/ab',
    '/abc',
    '/abd/:x',
    '/todos',
    '/todos/summary',
    '/todos/:todoId',
    '/todos/:todoId/notes/:noteId',
  ],
  ...['/a-prefix-that-is-long-enough', '/a-prefix-that-is-long/:x', '/:a/:b/:c/:d/:e/:f', '/files/*', '/x/:y.json'],
];
const asked = [
  ...[
    '/',
    '/a',
    '/ab',
    '/abc',
    '/abx',
    '/abd/1',
    '/todos',
    '/todo',
    '/todos/summary',
    '/todos/summar',
    '/todos/7/notes/8',
  ],
  ...['/a-prefix-that-is-long-enough', '/a-prefix-that-is-long-enougx', '/a-prefix-that-is-long/1', '/1/2/3/4/5/6'],
  ...['/files/a/b', '/files/', '/x/y.json', '/x/y', '/1/2/3/4/5', '/tod', '/todos/%41', '/todos/'],
];

test('finds the same routes and parameters, also with constraints', () => {
  const found = [true, false].map((changed) => {
    const router = routerOf(changed);
    for (const [store, path] of paths.entries()) router.on('GET', path, {}, () => {}, store);
    const before = asked.map((path) => router.find('GET', path));
    for (const [store, version] of ['1.2.0', '2.0.0'].entries())
      router.on('GET', '/todos', { constraints: { version } }, () => {}, 100 + store);
    const after = [{}, { version: '1.x' }, { version: '2.x' }, { version: '3.x' }].flatMap((constraints) =>
      ['/todos', '/ab'].map((path) => router.find('GET', path, constraints)),
    );
    return [...before, ...after].map((each) => each && [each.store, Object.entries(each.params)]);
  });
  assert.equal(found[0], found[1]);
  assert.equal(found[0]?.[10], [
    8,
    [
      ['todoId', '7'],
      ['noteId', '8'],
    ],
  ]);
  assert.is(found[0]?.at(-6)?.[0], 100);
});

test('another version of the router is refused', () => {
  assert.throws(() => withClosures('find-my-way/lib/node.js', 'nothing'), 'has another version');
  assert.is(withClosures('find-my-way/index.js', 'as it is'), 'as it is');
});

test.run();
