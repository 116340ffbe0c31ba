import { type DragEvent, useState } from 'react';
import type { DropPlace } from '../edits/changes.ts';
import { type Lifted, letGo, useLifted } from '../edits/lifted.ts';

/**
 * What a link of the sidebar needs so that todos are dropped on it: nothing while a pointer drags none that it takes.
 */
export function useDrop(place: DropPlace | undefined) {
  const lifted = useLifted();
  // A drag that ends by Escape leaves no link.
  const [over, setOver] = useState<Lifted | null>(null);
  if (!lifted || !place || !lifted.isTakenBy(place)) return {};
  return {
    'data-drop': over === lifted ? 'over' : '',
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move' as const;
      setOver(lifted);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setOver(null);
    },
    onDrop: (event: DragEvent) => {
      // Firefox opens what is dropped.
      event.preventDefault();
      setOver(null);
      letGo();
      lifted.dropOn(place);
    },
  };
}
