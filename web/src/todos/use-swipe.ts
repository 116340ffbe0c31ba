import { type TouchEvent, useRef } from 'react';

/** How far a finger moves before it is known where to, and how far to the side a row goes until it counts, in px. */
const slopPx = 10;
const swipePx = 72;
/** Near the edge of the screen a finger goes back to the page before, in some browsers. */
const edgePx = 24;

interface Swipe {
  row: HTMLElement;
  id: string;
  x: number;
  y: number;
  /** How far it has gone to the right; 0 until it is known that it goes to a side. */
  by: number;
}

/**
 * Rows that a finger moves aside, with handlers for the element that has them: `act` gets the id and the side once the
 * finger leaves a row that has gone far enough. What a swipe does can be done by the controls of the row and its page
 * too.
 */
export function useSwipe(act: ((id: string, side: 'left' | 'right') => void) | undefined) {
  const swipe = useRef<Swipe | null>(null);
  const end = () => {
    if (swipe.current) swipe.current.row.style.translate = '';
    swipe.current = null;
  };
  return {
    onTouchStart: ({ target, touches }: TouchEvent) => {
      end();
      const row = (target as Element).closest<HTMLElement>('[data-id]');
      const touch = touches[0];
      const isInside = touch && touch.clientX > edgePx && touch.clientX < window.innerWidth - edgePx;
      if (!act || !isInside || !row?.dataset.id || touches.length > 1) return;
      swipe.current = { row, id: row.dataset.id, x: touch.clientX, y: touch.clientY, by: 0 };
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      const { current } = swipe;
      const touch = touches[0];
      if (!current || !touch) return;
      const [right, down] = [touch.clientX - current.x, touch.clientY - current.y];
      // It scrolls.
      if (current.by === 0 && Math.abs(down) > slopPx && Math.abs(down) >= Math.abs(right)) return end();
      if (current.by === 0 && Math.abs(right) <= slopPx) return;
      current.by = right;
      current.row.style.translate = `${Math.sign(right) * Math.min(Math.abs(right), 1.5 * swipePx)}px`;
    },
    onTouchEnd: () => {
      const { current } = swipe;
      end();
      if (current && Math.abs(current.by) >= swipePx) act?.(current.id, current.by > 0 ? 'right' : 'left');
    },
    onTouchCancel: end,
  };
}
