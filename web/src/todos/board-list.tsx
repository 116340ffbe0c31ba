import { useMemo } from 'react';
import { Board } from '../board/board.tsx';
import { dateHere, dueInWords } from '../todo-common/days.ts';
import { Failed, Pending } from '../ui/card.tsx';
import { BoardColumn } from './board-column.tsx';
import { isNarrowed } from './filter.ts';
import type { Part, PartField } from './parts.ts';
import type { FilterOfPage } from './use-filter.ts';
import { useParts } from './use-parts.ts';

/** What an empty column says: which todos would be in it. */
function emptyWords(field: PartField, { id, name }: Part, isFiltered: boolean): string {
  const words = {
    status: `No todos are “${name}”`,
    priority: id === 'none' ? 'No todos are without a priority' : `No todos have ${name.toLowerCase()} priority`,
    list: 'No todos are in this list',
    assignee: id === 'none' ? 'No todos are unassigned' : `No todos are assigned to ${name}`,
  };
  return `${words[field]}${isFiltered ? ', or the filter hides them.' : '.'}`;
}

/** The todos of the page as a board: columns by status, or by the field that the address groups by. */
export function BoardList({ at: { filter, listing, change } }: { at: FilterOfPage }) {
  const { peek, group } = filter;
  const field: PartField = group === undefined || group === 'due' ? 'status' : group;
  // Without a status in the filter, a list has the active todos, and columns by status are there for all of them.
  const whole = useMemo(
    () => (field === 'status' ? { ...listing, status: filter.status } : listing),
    [field, listing, filter.status],
  );
  const { parts, error, retry } = useParts(field, whole);
  const today = dateHere();
  if (!parts) return error ? <Failed error={error} retry={retry} /> : <Pending what="the columns" isPaused={false} />;
  const isFiltered = isNarrowed(filter) || field !== 'status';
  const partOf = new Map(parts.map((part) => [part.id, part]));
  return (
    <Board
      key={field}
      field={field}
      columns={parts}
      dueOf={({ dueDate, status }) =>
        dueDate === null ? null : { text: dueInWords(dueDate, today), isOver: dueDate < today && status !== 'done' }
      }
      peek={(todoId) => change({ peek: peek === todoId ? undefined : todoId }, { replace: peek !== undefined })}
    >
      {({ id }, board) => {
        const part = partOf.get(id);
        return part && <BoardColumn key={id} part={part} board={board} empty={emptyWords(field, part, isFiltered)} />;
      }}
    </Board>
  );
}
