import { type DragEvent, useState } from 'react';
import type { Place } from '../todo-common/order.ts';

/** What a row of a list takes part in dragging with. */
export interface RowDrag {
  draggable: true;
  onDragStart: (event: DragEvent<HTMLElement>) => void;
  onDragOver: (event: DragEvent<HTMLElement>) => void;
  onDrop: (event: DragEvent<HTMLElement>) => void;
  onDragEnd: () => void;
  'data-drop'?: 'before' | 'after' | undefined;
}

interface Drag {
  id: string;
  over?: { id: string; side: 'before' | 'after' };
}

/**
 * Rows that a pointer drags: out of the list, for which `lift` gets the id of the row, and where the list has an order
 * of its own to other places in it. `drop` gets the row before or after which it is dropped then.
 */
export function useRowDrag(lift: (id: string) => void, drop: ((id: string, place: Place) => void) | undefined) {
  const [drag, setDrag] = useState<Drag | null>(null);
  return (id: string, name: string): RowDrag => ({
    draggable: true,
    'data-drop': drag?.over?.id === id ? drag.over.side : undefined,
    onDragStart: ({ dataTransfer }) => {
      dataTransfer.setData('text/plain', name);
      dataTransfer.effectAllowed = 'move';
      lift(id);
      setDrag({ id });
    },
    onDragOver: (event) => {
      if (!drop || drag === null || drag.id === id) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const side = event.clientY < top + height / 2 ? 'before' : 'after';
      if (drag.over?.id !== id || drag.over.side !== side) setDrag({ id: drag.id, over: { id, side } });
    },
    onDrop: (event) => {
      event.preventDefault();
      setDrag(null);
      if (drag?.over?.id === id) drop?.(drag.id, { [drag.over.side]: id });
    },
    onDragEnd: () => setDrag(null),
  });
}
