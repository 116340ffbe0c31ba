import { useSyncExternalStore } from 'react';
import type { DropPlace } from './changes.ts';

/*
 * Todos that a pointer is dragging. The parts around the page can take them too: these parts are in the shell and
 * cannot change todos, so whoever started the drag changes them.
 */

/** Todos that a pointer drags. */
export interface Lifted {
  /** Whether a drop would change any of them. */
  isTakenBy(place: DropPlace): boolean;
  dropOn(place: DropPlace): void;
}

let current: Lifted | null = null;
const listeners = new Set<() => void>();

function set(lifted: Lifted | null): void {
  current = lifted;
  for (const changed of listeners) changed();
}

/** Ends the drag, wherever it ended. */
export function letGo(): void {
  removeEventListener('dragend', letGo, true);
  removeEventListener('pointerdown', letGo, true);
  set(null);
}

/**
 * Begins a drag. A row that leaves the page while it is dragged gets no event at the end; the next press of a pointer
 * ends the drag.
 */
export function lift(lifted: Lifted): void {
  addEventListener('dragend', letGo, true);
  addEventListener('pointerdown', letGo, true);
  set(lifted);
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => void listeners.delete(changed);
};

/** The todos that a pointer drags; null while it drags none. */
export function useLifted(): Lifted | null {
  return useSyncExternalStore(subscribe, () => current);
}
