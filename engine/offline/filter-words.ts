import type { PriorityWord } from './details.ts';

/** The filters of list_todos that requests can name. */
export interface Filter {
  status?: 'ready' | 'in_progress' | 'done' | 'active';
  priority?: PriorityWord | 'none';
  type?: 'responsibility';
  todoListId?: string;
  assigneeId?: string;
  assignedToMe?: true;
  unassigned?: true;
  includeArchived?: true;
  dueAfter?: string;
  dueBefore?: string;
  createdSince?: string;
  updatedSince?: string;
  query?: string;
}

/** A filter as it was read, and the words that it did not take. */
export interface FilterWords {
  filter: Filter;
  /** The filter in words, in the order in which they are shown; without the status. */
  phrases: string[];
  rest: string;
  /** Whether the words named todos, or one of the filters. */
  isAboutTodos: boolean;
  /** Whether the word “todos” itself occurred. */
  isByName: boolean;
  /** “most urgent first”. */
  sort?: 'priority' | 'dueDate' | 'updatedAt' | 'createdAt';
}

/** Longest `query` of list_todos. */
const maxQueryLength = 200;

/** The text as a `query`, cut to the longest that the tool takes. */
export function queryText(text: string): string {
  return Array.from(text.trim()).slice(0, maxQueryLength).join('').trim();
}

const statusWords = { ready: 'ready', in_progress: 'in progress', done: 'done', active: 'open' };

/** “3 open todos in the list “Groceries””. */
export function filterText({ filter, phrases }: Pick<FilterWords, 'filter' | 'phrases'>, count: number): string {
  const status = filter.status === undefined || phrases.includes('overdue') ? '' : statusWords[filter.status];
  const isFront = (words: string) => ['urgent', 'archived', 'standing', 'overdue'].includes(words);
  const query = filter.query === undefined ? [] : [`matching “${filter.query}”`];
  const front = [status === 'in progress' ? '' : status, ...phrases.filter(isFront)].filter(Boolean);
  const back = [status === 'in progress' ? status : '', ...phrases.filter((words) => !isFront(words)), ...query];
  const parts = [String(count), ...front, count === 1 ? 'todo' : 'todos', ...back.filter(Boolean)];
  return parts.join(' ');
}
