import { type ComponentType, createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { tsImport } from 'tsx/esm/api';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/* Texts of any length, as their elements: tests/proof/pages-captures.test.ts shows some in a browser. */

const test = suite('long texts');

type Shown = ComponentType<{ text: string }>;
const load = (path: string) =>
  tsImport(`../../web/src/captures/${path}`, { parentURL: import.meta.url, tsconfig: 'web/tsconfig.json' });
const { default: Prose }: { default: Shown } = await load('prose.tsx');
const { Transcript }: { Transcript: Shown } = await load('transcript.tsx');

const countOf = (component: Shown, text: string, element: string) => {
  const markup = renderToStaticMarkup(createElement(component, { text }));
  const [, more = null] = />(Show \w+)</.exec(markup) ?? [];
  return { elements: markup.split(`<${element}>`).length - 1, more };
};

test('of a text with very many lines the first are shown, whatever they are', () => {
  for (const [text, element, elements] of [
    ['a\n\n'.repeat(133_000), 'p', 2_500],
    ['- a\n'.repeat(125_000), 'li', 5_000],
    [`a|b\n-|-\n${'c\n'.repeat(150_000)}`, 'tr', 4_999],
  ] as const)
    assert.equal(countOf(Prose, text, element), { elements, more: 'Show more' }, element);
  assert.equal(countOf(Transcript, 'Ada: yes\n\n'.repeat(150_000), 'strong'), { elements: 2_500, more: 'Show more' });
});

test('a text of thousands of lines is shown as a whole, or in two parts', () => {
  assert.equal(countOf(Prose, 'a\n\n'.repeat(5_000), 'p'), { elements: 2_500, more: 'Show all' });
  assert.equal(countOf(Prose, 'a\n\n'.repeat(2_500), 'p'), { elements: 2_500, more: null });
  assert.equal(countOf(Transcript, 'Ada: yes\n\n'.repeat(2_000), 'strong'), { elements: 2_000, more: null });
});

test('one line may have very many elements', () => {
  assert.equal(countOf(Prose, '`a` '.repeat(125_000), 'code'), { elements: 125_000, more: null });
});

test.run();
