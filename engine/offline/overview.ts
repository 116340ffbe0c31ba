import { addDays } from './calendar.ts';
import { causeOf } from './faults.ts';
import { readFilter } from './filter.ts';
import { type FilterWords, filterText } from './filter-words.ts';
import { listCall } from './listing.ts';
import { first, type Plan, respond, type Scene } from './plan.ts';
import { type Counted, countText, numbered, pageOf, type Row } from './rows.ts';
import { type Sentence, withText } from './sentence.ts';

const asked =
  /^(?:summari[sz]e|sum up|recap|brief me(?: on)?|(?:give me |show me |what is )?(?:an? |the |my )?(?:(?:quick|short|brief|daily) )?(?:summary|overview|recap|status(?: report)?|briefing|digest|report)(?: of| on| for)?|how (?:am i|are we) doing(?: with)?|where (?:do|am) (?:i|we) (?:stand|at)(?: with)?|what is the (?:status|state)(?: of)?)\b/i;

/** Rows shown of each kind. */
const maxRowsOfEach = 5;

function countsText({ total, byStatus, byPriority }: Counted): string {
  const { ready = 0, in_progress: started = 0, done = 0 } = byStatus;
  const { urgent = 0, high = 0, medium = 0, low = 0, none = 0 } = byPriority;
  return [
    `- ${countText(total, 'todo')}: ${ready} ready, ${started} in progress, ${done} done`,
    `- By priority: ${urgent} urgent, ${high} high, ${medium} medium, ${low} low, ${none} without`,
  ].join('\n');
}

function part(title: string, rows: readonly Row[], total: number, today: string): string {
  if (total === 0) return `${title}: none.`;
  return `${title} (${total}):\n\n${numbered(rows.slice(0, maxRowsOfEach), total, today).text}`;
}

function plan(scene: Scene, found: FilterWords): Plan {
  const { today } = scene;
  const { filter } = found;
  const coming = { sort: 'dueDate', order: 'asc', limit: maxRowsOfEach };
  const late = { ...filter, status: 'active' as const, dueBefore: addDays(today, -1) };
  const soon = { ...filter, status: 'active' as const, dueAfter: today, dueBefore: addDays(today, 6) };
  const calls = [listCall(filter, { limit: 1 }), listCall(late, coming), listCall(soon, coming)];
  return first(calls, (done) => {
    const pages = done.map((each) => (each.isError ? undefined : pageOf(each.output)));
    const [all, overdue, next] = pages;
    const failed = done.find((_, place) => !pages[place]);
    if (failed || !all?.counted || !overdue || !next) {
      return respond(`I could not look at the todos: ${failed ? causeOf(failed) : 'the counts are missing'}.`);
    }
    if (all.total === 0) return respond(`There are no ${filterText(found, 0).replace(/^0 /, '')}.`, { isDone: true });
    const scope = found.phrases.length > 0 ? ` ${filterText(found, 2).replace(/^2 /, '')}` : ' todos';
    const parts = [
      `Summary of the${scope}:`,
      countsText(all.counted),
      part('Overdue', overdue.rows, overdue.total, today),
      part('Due in the next seven days', next.rows, next.total, today),
    ];
    return respond(parts.join('\n\n'), { isDone: true });
  });
}

/** Requests for an overview: “summarise my todos”. */
export function readOverview(scene: Scene, sentence: Sentence): Plan | undefined {
  const match = asked.exec(sentence.text);
  if (!match || sentence.text.includes('\n')) return undefined;
  const found = readFilter(scene, withText(sentence, sentence.text.slice(match[0].length)));
  const others = found.rest
    .replaceAll(
      /\b(?:of|on|for|all|the|my|our|today|everything|i|me|we|it|things|work|lists?|a|an|with|workspace)\b/gi,
      '',
    )
    .trim();
  const isAbout = found.isAboutTodos || (!scene.isRun && others === '');
  if (!isAbout || others.replaceAll(/[\s.,]/g, '') !== '') return undefined;
  const { dueAfter: _, dueBefore: __, status: ___, ...filter } = found.filter;
  const phrases = found.phrases.filter((words) => !words.startsWith('due') && words !== 'overdue');
  return plan(scene, { ...found, filter, phrases });
}
