import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { ChatRow } from './rows.ts';

/** Up to so many rows are all in the document, so that the browser can search in them. */
const maxRows = 200;
const overscan = 8;
/** Pixels of a row that was never rendered. */
const estimate = 96;
const gap = 12;

/**
 * The rows of a long conversation that are in the document, and the space of those that are not. Older rows above the
 * visible ones do not move these. The row that has the focus stays, as the focus would be lost with it.
 */
export function useRowWindow(list: RefObject<HTMLElement | null>, rows: readonly ChatRow[]) {
  const [margin, setMargin] = useState(0);
  const [focusedKey, setFocusedKey] = useState<string>();
  useLayoutEffect(() => {
    const top = list.current === null ? 0 : Math.round(list.current.getBoundingClientRect().top + window.scrollY);
    if (top !== margin) setMargin(top);
  });
  const firstKey = rows[0]?.key;
  const knownFirst = useRef(firstKey);
  const hasOlder = knownFirst.current !== undefined && knownFirst.current !== firstKey;
  useLayoutEffect(() => {
    knownFirst.current = firstKey;
  }, [firstKey]);
  const isWindowed = rows.length > maxRows;
  const focused = isWindowed && focusedKey !== undefined ? rows.findIndex(({ key }) => key === focusedKey) : -1;
  const rangeExtractor = useCallback(
    (range: Range) => {
      if (!isWindowed) return Array.from({ length: range.count }, (_, place) => place);
      const visible = defaultRangeExtractor(range);
      return focused < 0 ? visible : [...new Set([...visible, focused])].sort((a, b) => a - b);
    },
    [isWindowed, focused],
  );
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimate,
    getItemKey: useCallback((place: number) => rows[place]?.key ?? place, [rows]),
    gap,
    overscan,
    // Only then: at other times it would follow the end of the list, which is not that of the page.
    anchorTo: hasOlder ? 'end' : 'start',
    scrollMargin: margin,
    rangeExtractor,
  });
  const items = virtualizer.getVirtualItems();
  /** The space before each row in the document: more than the gap where rows are left out. */
  const shown = items.map((item, place) => {
    const before = Math.max(0, item.start - (items[place - 1]?.end ?? margin));
    return { index: item.index, key: String(item.key), before };
  });
  const after = Math.max(0, virtualizer.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin));
  return { shown, after, isWindowed, measure: virtualizer.measureElement, setFocusedKey };
}
