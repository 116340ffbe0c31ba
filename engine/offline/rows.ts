import { z } from 'zod';
import { addDays } from './calendar.ts';

const Assignee = z.object({ id: z.string().optional(), name: z.string() });

const RowShape = z.object({
  id: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  status: z.enum(['ready', 'in_progress', 'done']).nullish(),
  priority: z.string().nullish(),
  dueDate: z.string().nullish(),
  todoListId: z.string().nullish(),
  isArchived: z.boolean().nullish(),
  assignees: z.array(Assignee).nullish(),
});

/** A todo as tools return it, brief or whole. */
export type Row = z.infer<typeof RowShape>;

const Counts = z.record(z.string(), z.int());
const SummaryShape = z.object({ total: z.int(), active: z.int(), byStatus: Counts, byPriority: Counts });
export type Counted = z.infer<typeof SummaryShape>;

const PageShape = z.object({
  data: z.array(z.unknown()),
  hasMore: z.boolean().nullish(),
  summary: SummaryShape.nullish(),
});

/** The page of todos in a result of list_todos; undefined when it is no such thing. */
export function pageOf(output: unknown): { rows: Row[]; total: number; counted: Counted | undefined } | undefined {
  const page = PageShape.safeParse(output);
  if (!page.success) return undefined;
  const rows = page.data.data
    .map((each) => RowShape.safeParse(each))
    .flatMap((each) => (each.success ? [each.data] : []));
  return { rows, total: page.data.summary?.total ?? rows.length, counted: page.data.summary ?? undefined };
}

/** The todo in a result of a tool for one todo. */
export function todoIn(output: unknown): Row | undefined {
  const found = z.object({ todo: RowShape }).safeParse(output);
  return found.success ? found.data.todo : undefined;
}

/** Text of others within Markdown of ours: in one line, shown as it is and not as links, images or HTML. */
export function shown(text: string, longest = 120): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  const line = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('');
  return line.replaceAll(/[\\`*_[\]<>~|]/g, (mark) => `\\${mark}`);
}

/** A title or name in quotation marks. */
export function quote(text: string | null | undefined): string {
  return text?.trim() ? `“${shown(text)}”` : '(untitled)';
}

/** The title of a todo in quotation marks, or its content where it has none. */
export function titleOf({ title, content }: Row): string {
  return quote(title?.trim() ? title : content);
}

/** `YYYY-MM-DD`, and the word for it when it is close. */
export function dayText(date: string, today: string): string {
  if (date === today) return `${date} (today)`;
  if (date === addDays(today, 1)) return `${date} (tomorrow)`;
  return date;
}

const priorityText: Record<string, string> = {
  urgent: 'urgent',
  high: 'high priority',
  medium: 'medium priority',
  low: 'low priority',
};

/** The fields of a todo beside its title, in a few words. */
export function detailsOf(row: Row, today: string): string {
  const { status, priority, dueDate, assignees } = row;
  const late = dueDate && status !== 'done' && dueDate < today;
  const parts = [
    status === 'done' ? 'done' : status === 'in_progress' ? 'in progress' : '',
    priority ? (priorityText[priority] ?? priority) : '',
    dueDate ? (late ? `overdue since ${dueDate}` : `due ${dayText(dueDate, today)}`) : '',
    (assignees ?? []).map(({ name }) => shown(name, 60)).join(', '),
  ];
  return parts.filter(Boolean).join('; ');
}

function rowText(row: Row, today: string): string {
  const details = detailsOf(row, today);
  return details === '' ? titleOf(row) : `${titleOf(row)} (${details})`;
}

/** Most todos in one text. */
export const maxRows = 20;

/** The todos as a numbered list, at most 20 of them, and how many more of `total` there are. */
export function numbered(rows: readonly Row[], total: number, today: string): { text: string; rows: readonly Row[] } {
  const some = rows.slice(0, maxRows);
  const lines = some.map((row, place) => `${place + 1}. ${rowText(row, today)}`);
  if (total > some.length) lines.push(`\n… and ${total - some.length} more.`);
  return { text: lines.join('\n'), rows: some };
}

/** “1 todo”, “3 todos”. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** “a”, “a and b”, “a, b and c”. */
export function listed(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
