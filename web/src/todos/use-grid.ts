import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { useAwaitedFocus } from '../ui/awaited-focus.ts';

const rowHeight = { fine: 36, coarse: 44 };
const overscan = 3;
/** What stands over the first and the last rows of the window: the bars of the shell and of the selection. */
const scrollPadding = 72;
const coarse = '(pointer: coarse)';

function subscribe(changed: () => void): () => void {
  const query = matchMedia(coarse);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** The key of the row that something is in. */
export function rowIdOf(target: EventTarget): string | undefined {
  return (target as Element).closest<HTMLElement>('[data-id]')?.dataset.id;
}

/** Whether a row of a grid itself has the focus. */
export function isOnRow(grid: HTMLElement | null): boolean {
  const focused = document.activeElement;
  return focused !== null && focused.closest('[role="row"]') === focused && (grid?.contains(focused) ?? false);
}

/** The active rows of lists by the entry of the history that they are shown at. */
const lastActive = new Map<string, string>();

/** The row that the keys begin at. A list that a person goes back to has the one that it had. */
export function useActiveRow() {
  const { key } = useLocation();
  const [active, setActive] = useState(() => lastActive.get(key));
  useEffect(() => {
    if (active !== undefined) lastActive.set(key, active);
  }, [key, active]);
  return [active, setActive] as const;
}

/**
 * The visible part of a grid in the scrolling window, and the focus that moves between its rows. `headings`: the places
 * of rows that are headings; the one of the first visible row stays in the document and is `stuck`.
 */
export function useGrid(
  grid: RefObject<HTMLElement | null>,
  keys: readonly string[],
  activeKey: string | undefined,
  headings: readonly number[],
) {
  const isCoarse = useSyncExternalStore(subscribe, () => matchMedia(coarse).matches);
  const height = isCoarse ? rowHeight.coarse : rowHeight.fine;
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const top = grid.current === null ? 0 : Math.round(grid.current.getBoundingClientRect().top + window.scrollY);
    if (top !== margin) setMargin(top);
  });
  const active = activeKey === undefined ? -1 : keys.indexOf(activeKey);
  const stuck = useRef(-1);
  // The row that has the focus stays in the document: the focus would be lost with it.
  const rangeExtractor = useCallback(
    (range: Range) => {
      stuck.current = headings.findLast((place) => place <= range.startIndex) ?? -1;
      const kept = [active, stuck.current].filter((place) => place >= 0);
      return [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b);
    },
    [active, headings],
  );
  const virtualizer = useWindowVirtualizer({
    count: keys.length,
    estimateSize: useCallback(() => height, [height]),
    getItemKey: useCallback((place: number) => keys[place] ?? place, [keys]),
    overscan,
    scrollMargin: margin,
    scrollPaddingStart: scrollPadding,
    scrollPaddingEnd: scrollPadding,
    rangeExtractor,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height of rows changes.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const { focus: focusRow } = useAwaitedFocus((key) => grid.current?.querySelector<HTMLElement>(`[data-id="${key}"]`), {
    preventScroll: true,
  });
  /** Scrolls a row into view and focuses it once it is rendered. The caller makes it the active one. */
  const focus = useCallback(
    (key: string) => {
      focusRow(key);
      const place = keys.indexOf(key);
      if (place >= 0) virtualizer.scrollToIndex(place, { align: 'auto' });
    },
    [keys, virtualizer, focusRow],
  );
  return { virtualizer, margin, stuck, isCoarse, focus };
}
