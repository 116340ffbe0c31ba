import { causeOf } from './faults.ts';
import { first, type Plan, respond, type Scene } from './plan.ts';
import { detailsOf, quote, type Row, titleOf, todoIn } from './rows.ts';
import { quotesIn, type Sentence, withText } from './sentence.ts';
import { targetOf } from './targets.ts';
import { workOn } from './work.ts';

/** Longest text of a todo that is shown. */
const maxTextLength = 1500;

/** Text of others as a quotation in Markdown, shown as it was written. */
export function quoted(text: string, longest = maxTextLength): string {
  const characters = Array.from(text.trim());
  const cut = characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('');
  return cut
    .split('\n')
    .map((line) => `> ${line.replaceAll(/[\\`*_[\]<>~|#]/g, (mark) => `\\${mark}`)}`.trimEnd())
    .join('\n');
}

function shownTodo(row: Row, today: string): string {
  const details = detailsOf(row, today);
  const archived = row.isArchived ? ' It is archived.' : '';
  const head = `${titleOf(row)}${details === '' ? '' : `: ${details}`}.${archived}`;
  return row.title && row.content?.trim() ? `${head}\n\n${quoted(row.content)}` : head;
}

/** Shows the todos whole. */
function show(scene: Scene, rows: readonly Row[]): Plan {
  const calls = rows.map(({ id }) => ({ name: 'get_todo', input: { todoId: id } }));
  return first(calls, (done) => {
    const texts = done.map((each, place) => {
      const row = each.isError ? undefined : todoIn(each.output);
      const name = rows[place]?.title;
      return row
        ? shownTodo(row, scene.today)
        : `I could not read ${name ? quote(name) : 'the todo'}: ${causeOf(each)}.`;
    });
    return respond(texts.join('\n\n'), { isDone: done.every(({ isError }) => !isError) });
  });
}

const shapes = [
  /^what\s+(?:does|do)\s+(.+?)\s+say$/i,
  /^(?:tell\s+me\s+(?:more\s+)?about|show\s+(?:me\s+)?(?:the\s+)?(?:details?|content|text)\s+(?:of|for)|(?:the\s+)?details?\s+(?:of|for)|read(?:\s+me)?|open|describe|explain)\s+(.+)$/i,
  /^(?:show|display|get)\s+(?:me\s+)?(.+)$/i,
  /^what\s+is\s+(.+?)(?:\s+about)?$/i,
  /^is\s+(.+?)\s+(?:done|finished|completed?|open|overdue|urgent|in progress)$/i,
  /^when\s+is\s+(.+?)\s+due$/i,
  /^(?:what\s+is\s+the\s+(?:status|due\s+date|priority|deadline)\s+of|who\s+(?:has|does|is\s+assigned\s+to))\s+(.+)$/i,
];
const isOne =
  /\uE000|^(?:it|that|this)$|^(?:the|this|that|my)\s+(?:first\s+|second\s+|third\s+|last\s+)?(?:todo|task)\b|^(?:todo|task)\b|^#?\d{1,2}$/i;

/** Requests to read one todo: “what does “Call Ada” say?”. */
export function readOne(scene: Scene, sentence: Sentence): Plan | undefined {
  for (const shape of shapes) {
    const match = shape.exec(sentence.text);
    const words = match?.[1] ?? '';
    if (!isOne.test(words) || (/\b(?:list|todos|tasks)\b/i.test(words) && quotesIn(sentence, words).length > 0))
      continue;
    const target = targetOf(scene, withText(sentence, words));
    if (target) return workOn(scene, target, { verb: 'show', filter: {}, act: (rows) => show(scene, rows) });
  }
  return undefined;
}
