import type { DropPlace } from '../edits/changes.ts';
import { lift } from '../edits/lifted.ts';
import type { Changes } from '../edits/use-changes.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { movesOnDrop } from './moves.ts';

/**
 * Lets a pointer drag todos out of the page, to a list in the sidebar or to “My todos”. A drop is one change, which can
 * be undone.
 */
export function useLift(changes: Changes): (todos: readonly Todo[]) => void {
  const { user } = useIdentity();
  return (todos) => {
    const movesOf = (place: DropPlace) => movesOnDrop(todos, place, user.id);
    lift({
      isTakenBy: (place) => movesOf(place).length > 0,
      dropOn: (place) => {
        const moves = movesOf(place);
        if (place.type === 'list') changes.move(moves, `moved to ${place.name}`);
        else changes.move(moves, 'assigned to you', 'not assigned');
      },
    });
  };
}
