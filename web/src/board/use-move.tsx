import { type ReactNode, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { startsWords, tryOut } from '../edits/changes.ts';
import type { Changes } from '../edits/use-changes.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { ConfirmDialog } from '../ui/lazy-overlay.tsx';
import { useNotice } from '../ui/notice.tsx';
import { asTheyAre, type BoardColumn, type BoardField, type Move, movesTo, type PlacedCard } from './moves.ts';

interface Asked {
  cards: readonly PlacedCard[];
  moves: readonly Move[];
  to: BoardColumn;
  moved: () => void;
}

/**
 * Moves cards to other columns, at once and as one change that can be undone. A move to an agent starts it, and is
 * asked for first. `todoOf`: a todo as the board has it. `moved`: called when it is made.
 */
export function useMove(field: BoardField, changes: Changes, todoOf: (id: string) => Todo | undefined) {
  const { workspace } = useIdentity();
  const notify = useNotice();
  const [asked, setAsked] = useState<Asked | null>(null);
  const make = ({ cards, to, moved }: Asked) => {
    changes.move(movesTo(field, asTheyAre(cards, todoOf), to), `in “${to.name}” now`);
    moved();
  };
  const move = (cards: readonly PlacedCard[], to: BoardColumn, moved = () => {}) => {
    const moves = movesTo(field, cards, to);
    if (moves.length === 0) return;
    const asking = { cards, moves, to, moved };
    if (to.type !== 'agent') return make(asking);
    void Promise.all(moves.map(({ todos, patch }) => tryOut(patch, todos))).then(
      () => setAsked(asking),
      (error: unknown) => notify(problemOf(error).message),
    );
  };
  const dialog: ReactNode = asked && (
    <ConfirmDialog
      title={`Assign to ${asked.to.name}?`}
      confirm="Assign and start"
      busy="Assigning…"
      onConfirm={async () => make(asked)}
      close={() => setAsked(null)}
    >
      {startsWords(
        asked.moves.flatMap(({ todos }) => todos),
        asked.to.id,
        workspace.agentMinutesRemaining,
      )}
    </ConfirmDialog>
  );
  return { move, dialog };
}
