import { useLayoutEffect, useRef } from 'react';

/*
 * What the commands of the list, and of the todo beside it, act on (shell/commands.ts). The list on the page sets it;
 * without a list, or one that is empty, there is none.
 */

/** Where the focus goes: so many rows down or up, or to an end of the list. */
export type Step = number | 'first' | 'last';

/** What is chosen in a dialog: a field of todos, or the agent that runs one. */
export type FieldName = 'status' | 'priority' | 'due' | 'list' | 'assignee' | 'agent';

/**
 * What commands do with todos: the selected ones, else the one in focus, else the one whose page it is or that is shown
 * beside.
 */
export interface TodoCommands {
  /** Whether there are any. */
  hasTodos(): boolean;
  /** Whether an agent at work on one of them waits for a decision. */
  waits(): boolean;
  /** Opens what that agent asks for. */
  decide(): void;
  /** Marks the todos as done, or opens them again if all of them are. */
  complete(): void;
  archive(): void;
  /** Opens the dialog of the labels of the todos. */
  label(): void;
  /** Opens the dialog of a field of the todos. */
  choose(field: FieldName): void;
  /** Goes to the schedule of the first of them. */
  schedule(): void;
  /** Undoes the last change; before there is one, nothing. */
  undo(): void;
}

/** What commands do with the list of todos. “The todos” are the selected ones, else the one in focus. */
export interface ListActions extends TodoCommands {
  /** Whether a row has the focus. */
  isFocused(): boolean;
  hasSelection(): boolean;
  /** Focuses another row. `extend`: all between the start of the selection and that row become selected. */
  move(step: Step, extend?: boolean): void;
  /** Whether the list is in the manual order, which `step` changes: the todo in focus moves a row up or down. */
  isManual(): boolean;
  step(by: 1 | -1): void;
  /** Goes to the page of the todo in focus. */
  open(): void;
  /** Shows the todo in focus beside the list, or ends that. */
  peek(): void;
  /** Selects the todo in focus, or ends that. */
  select(): void;
  selectAll(): void;
  clearSelection(): void;
}

/** The field in which words filter the list. */
export interface SearchActions {
  focus(): void;
}

/** What commands do with the todo that is shown beside the list. */
export interface PeekActions {
  close(): void;
}

/** The actions of what is on the page, by what it is; read when a command asks for them. */
interface OnPage {
  list: (() => ListActions) | null;
  peek: (() => PeekActions) | null;
  board: (() => TodoCommands) | null;
  todo: (() => TodoCommands) | null;
  search: (() => SearchActions) | null;
}

const onPage: OnPage = { list: null, peek: null, board: null, todo: null, search: null };

/** The list on the page; null when there is none. */
export function listOnPage(): ListActions | null {
  return onPage.list?.() ?? null;
}

/** The todo beside the list; null when there is none. */
export function peekOnPage(): PeekActions | null {
  return onPage.peek?.() ?? null;
}

/**
 * The todos on the page: of its list or board, or the one whose page it is; null when there are none. `isBeside`: the
 * one beside the list, if there is one.
 */
export function todosOnPage(isBeside: boolean): TodoCommands | null {
  const { list, board, todo } = onPage;
  return ((isBeside && todo) || list || board || todo)?.() ?? null;
}

/** The field that filters the list on the page; null when there is none. */
export function searchOnPage(): SearchActions | null {
  return onPage.search?.() ?? null;
}

/**
 * Offers actions to commands while the component is on the page; null for none. Before it is painted: a key that is
 * pressed as soon as a row is seen is for that row.
 */
export function useOnPage<Name extends keyof OnPage>(
  name: Name,
  actions: ReturnType<NonNullable<OnPage[Name]>> | null,
): void {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  const isOffered = actions !== null;
  useLayoutEffect(() => {
    if (!isOffered) return;
    const read = (() => latest.current) as OnPage[Name];
    onPage[name] = read;
    return () => {
      if (onPage[name] === read) onPage[name] = null as OnPage[Name];
    };
  }, [name, isOffered]);
}
