import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageAt } from '../../web/src/navigation/pages.ts';
import type { Command } from '../../web/src/shell/command.ts';
import { commands } from '../../web/src/shell/commands.ts';
import { ariaKeys, clashesOf, shownKeys } from '../../web/src/shell/keys.ts';
import { appearanceIn } from '../../web/src/ui/appearance-cookie.ts';

const test = suite('the registry of commands');

const command = (id: string, keys: string, scope: Command['scope'] = 'everywhere'): Command => ({
  id,
  title: id,
  section: 'View',
  scope,
  keys,
  run: () => {},
});

test('no two commands share keys where both work', () => {
  assert.equal(clashesOf(commands), []);
});

test('a clash is found: equal keys, the start of a sequence, and those of a scope that is within another', () => {
  assert.equal(clashesOf([command('a', 'g t'), command('b', 'g t')]), [['a', 'b']]);
  assert.equal(clashesOf([command('a', 'g'), command('b', 'g t')]), [['a', 'b']]);
  assert.equal(clashesOf([command('a', 'e'), command('b', 'E', 'list')]), [['a', 'b']]);
  assert.equal(clashesOf([command('a', '[Shift]+?'), command('b', '?')]), [['a', 'b']]);
  assert.equal(clashesOf([command('a', 'e', 'todo'), command('b', 'e', 'list')]), []);
  assert.equal(clashesOf([command('a', 'g t'), command('b', 'g c'), command('c', '$mod+g')]), []);
});

test('ids are unique, and every command has a title', () => {
  const ids = commands.map(({ id }) => id);
  assert.equal(ids, [...new Set(ids)]);
  for (const { id, title } of commands) assert.match(title, /^[A-Z]/, id);
});

test('every command that goes to a page leads to one that exists', () => {
  const gone: string[] = [];
  for (const { run } of commands) {
    run({
      go: (path) => gone.push(path),
      openPalette: () => {},
      openShortcuts: () => {},
      toggleSidebar: () => {},
      signOut: () => {},
      hasSidebar: true,
      list: null,
    });
  }
  assert.ok(gone.length > 10);
  for (const path of gone) assert.ok(pageAt(new URL(path, 'http://x').pathname), path);
});

test('the keys that people bring from elsewhere do what they expect', () => {
  const expected = {
    'new-todo': 'c',
    'search-todos': '[Shift]+/',
    'go-inbox': 'g i',
    'go-today': 'g t',
    'go-mine': 'g m',
    'go-todos': 'g a',
    'go-chats': 'g c',
    'go-schedules': 'g s',
    'next-todo': 'j',
    'previous-todo': 'k',
    'open-todo': 'Enter',
    'peek-todo': 'Space',
    'select-todo': 'x',
    complete: 'e',
    'choose-status': 's',
    'choose-priority': 'p',
    'choose-assignee': 'a',
    'choose-due': 'd',
    'choose-list': 'l',
    'choose-agent': 'r',
    'schedule-todo': 'Shift+S',
    'archive-todos': '[Shift]+#',
    undo: '$mod+z',
    sidebar: '[Alt]+[Control]+[',
    'close-peek': '[Alt]+[Control]+]',
    shortcuts: '[Shift]+?',
    palette: '$mod+k',
  };
  const bound = new Map(commands.map(({ id, keys }) => [id, keys]));
  for (const [id, keys] of Object.entries(expected)) assert.is(bound.get(id), keys, id);
});

test('keys are shown as people read them', () => {
  assert.equal(shownKeys('g t'), ['G', 'T']);
  // ⌘ on a Mac.
  assert.match(shownKeys('$mod+k').join(), /^(Ctrl|⌘) K$/);
  assert.equal(shownKeys('[Shift]+?'), ['?']);
  assert.equal(shownKeys('[Alt]+[Control]+['), ['[']);
  assert.match(ariaKeys('$mod+k') ?? '', /^(Control|Meta)\+K$/);
  assert.is(ariaKeys('g t'), undefined);
  assert.is(ariaKeys(undefined), undefined);
});

test('an address without parameters is found before one with them, and unknown ones are no page', () => {
  assert.is(pageAt('/captures/new')?.name, 'captures/new-note');
  assert.equal(pageAt('/captures/abc')?.params, { captureId: 'abc' });
  assert.is(pageAt('/lists/abc')?.name, 'todos/todos-page');
  for (const path of ['/nothing', '/todos/a/b', '/settings/nothing']) assert.is(pageAt(path), undefined, path);
});

test('an appearance that the pages did not write is the standard', () => {
  const standard = { theme: 'system', density: 'comfortable', shortcuts: 'on', enter: 'sends' };
  for (const cookies of [
    '',
    'a=b',
    'tandem_appearance=',
    'tandem_appearance=neon.wide.maybe',
    'x_tandem_appearance=dark.compact.off',
  ])
    assert.equal(appearanceIn(cookies), standard, cookies);
  assert.equal(appearanceIn('a=b; tandem_appearance=dark.compact.off; c=d'), {
    theme: 'dark',
    density: 'compact',
    shortcuts: 'off',
    enter: 'sends',
  });
  assert.equal(appearanceIn('tandem_appearance=light.compact.on.breaks').enter, 'breaks');
});

const source = join(import.meta.dirname, '../../web/src');
const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));

test('keys of a composition are known in one way, which knows the key that ends one too', () => {
  const own = sources.filter(({ text }) => text.includes('.isComposing'));
  assert.equal(
    own.map(({ path }) => path),
    [join('ui', 'typed-ahead.tsx')],
  );
});

test('what opens by a key or a press takes no page away where its code cannot be loaded', () => {
  // What React's own `lazy` cannot load takes all away up to the next boundary, and stays unloaded.
  const own = sources.filter(({ text }) => /\blazy(<.*>)?\(/.test(text));
  assert.equal(
    own.map(({ path }) => path),
    [join('ui', 'lazy-part.tsx')],
  );
});

test.run();
