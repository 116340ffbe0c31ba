import * as assert from 'uvu/assert';
import { exists } from '../../engine/offline/calendar.ts';
import type { CaptureDigest, CaptureMaterial } from '../../engine/writer/captures/shapes.ts';

const length = (text: string) => Array.from(text).length;

/** Letters and digits alone: Markdown and spaces may differ between a text and what is quoted of it. */
const bare = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Holds what was written about a capture to its limits, and its quotations to the material. */
export function checkDigest({ title, subtitle, summary, todos }: CaptureDigest, material: CaptureMaterial): void {
  const whole = bare([material.notes, material.text].join('\n'));
  const isQuoted = (quoted: string) => assert.ok(whole.includes(bare(quoted)), `not in the material: ${quoted}`);
  for (const [line, most] of [
    [title, 300],
    [subtitle, 120],
    ...todos.map((todo) => [todo.title, 500] as const),
  ] as const) {
    if (line === null) continue;
    assert.ok(length(line) <= most && line.trim() === line && line !== '', JSON.stringify(line));
    assert.not.match(line, /[\r\n\0]/);
  }
  assert.ok(summary === null || (length(summary) <= 8000 && summary.trim() !== ''));
  if (summary?.startsWith('Key points, quoted:'))
    for (const [, quoted = ''] of summary.matchAll(/“(.*)”$/gm)) isQuoted(quoted);
  assert.ok(todos.length <= 20);
  for (const { content, dueDate, assignee } of todos) {
    if (content !== null) isQuoted(/“([\s\S]*)”$/.exec(content)?.[1] ?? 'no quotation');
    assert.ok(content === null || length(content) <= 2000);
    assert.ok(dueDate === null || exists(dueDate), String(dueDate));
    assert.ok(assignee === null || material.people.includes(assignee));
  }
  for (const text of [title, subtitle, summary, ...todos.flatMap((todo) => [todo.title, todo.content])])
    assert.ok(text === null || text.isWellFormed());
}

const size = 500_000;

/** A text of half a million characters that repeats a piece. */
export const ofHalfAMillion = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
