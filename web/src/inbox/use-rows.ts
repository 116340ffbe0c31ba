import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { focusPageTitle } from '../ui/page.tsx';
import { type RowActions, showInbox } from './inbox-actions.ts';

const rowsIn = (box: HTMLElement | null) => [...(box?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];

/** The first control of a row, which leads to what it is about. */
const controlOf = (row: HTMLElement | undefined) => row?.querySelector<HTMLElement>('a, button') ?? null;

/** The control that gets the focus when a row leaves: that of the next one, or of the one before the last. */
export function controlBeside(rowId: string): HTMLElement | null {
  const row = document.querySelector<HTMLElement>(`[data-row="${rowId}"]`);
  const rows = rowsIn(row?.closest<HTMLElement>('.inbox') ?? null);
  const place = row ? rows.indexOf(row) : -1;
  return controlOf(rows[place + 1] ?? rows[place - 1]);
}

/** Focuses a row. */
function focusRow(row: HTMLElement | undefined): void {
  const control = controlOf(row);
  control?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}

/** Adds what a row does by keys, and returns how to end that. */
export type RegisterRow = (id: string, actions: () => RowActions) => () => void;

/**
 * Moves the focus between the rows of a box by keys, and to the next row when the one that has it leaves. Rows are
 * elements with `data-row`.
 */
export function useRows(box: RefObject<HTMLElement | null>): RegisterRow {
  const actions = useRef(new Map<string, () => RowActions>());
  const focused = useRef<{ id: string; place: number } | null>(null);

  useEffect(() => {
    const focusedIn = () => document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
    return showInbox({
      move: (step) => {
        const rows = rowsIn(box.current);
        const now = focusedIn();
        const place = now === null ? -1 : rows.indexOf(now);
        focusRow(place < 0 ? rows[0] : rows[Math.max(0, Math.min(rows.length - 1, place + step))]);
      },
      actions: () => actions.current.get(focusedIn()?.dataset.row ?? '')?.() ?? {},
    });
  }, [box]);

  useEffect(() => {
    const element = box.current;
    const note = (event: FocusEvent) => {
      const row = (event.target as Element).closest<HTMLElement>('[data-row]');
      const place = row ? rowsIn(element).indexOf(row) : -1;
      focused.current = row && place >= 0 ? { id: row.dataset.row ?? '', place } : null;
    };
    // Only a move to another element: when a row is removed, the focus goes nowhere.
    const leave = (event: FocusEvent) => {
      if (event.relatedTarget !== null && !element?.contains(event.relatedTarget as Node)) focused.current = null;
    };
    element?.addEventListener('focusin', note);
    element?.addEventListener('focusout', leave);
    return () => {
      element?.removeEventListener('focusin', note);
      element?.removeEventListener('focusout', leave);
    };
  }, [box]);

  // After each rendering: which one removed the row is not known.
  useLayoutEffect(() => {
    const last = focused.current;
    if (last === null || document.activeElement !== document.body) return;
    const rows = rowsIn(box.current);
    if (rows.some(({ dataset }) => dataset.row === last.id)) return;
    focused.current = null;
    if (rows.length === 0) focusPageTitle();
    else focusRow(rows[Math.min(last.place, rows.length - 1)]);
  });

  return useCallback((id, of) => {
    actions.current.set(id, of);
    return () => {
      actions.current.delete(id);
    };
  }, []);
}
