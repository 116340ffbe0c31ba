import { useQuery } from '@tanstack/react-query';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { todoListsQuery } from '../work/queries.ts';
import { type Conflict, fieldOf } from './merge.ts';

interface ConflictsProps {
  conflicts: readonly Conflict[];
  settle: (conflict: Conflict, keeps: 'mine' | 'theirs') => void;
}

const names: Partial<Record<Conflict['field'], string>> = {
  title: 'title',
  content: 'text',
  dueDate: 'due date',
  todoListId: 'list',
};

/** A value in words: names instead of ids where they are known. */
function shown(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (!Array.isArray(value)) return nameOf(String(value)) ?? String(value);
  const names = (value as { id: string }[]).map(({ id }) => nameOf(id) ?? 'somebody who left');
  return names.length === 0 ? 'nobody' : names.join(', ');
}

/** Asks which value stays where somebody else changed the same field at the same time. */
export function Conflicts({ conflicts, settle }: ConflictsProps) {
  const { workspace } = useIdentity();
  const isNeeded = conflicts.length > 0;
  const people = useQuery({ ...assignableQuery(workspace.id), enabled: isNeeded }).data ?? [];
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: isNeeded }).data ?? [];
  const nameOf = (id: string) => [...people, ...lists].find((each) => each.id === id)?.name;
  return (
    <div role="alert">
      {conflicts.map((conflict) => {
        const { field, mine, current } = conflict;
        const name = names[field] ?? field;
        return (
          <div className="callout warn" key={field}>
            <div>
              <p className="callout-title">Somebody else changed the {name} at the same time.</p>
              <p className="conflict-value">Yours: {shown(mine[field], nameOf)}</p>
              <p className="conflict-value">Theirs: {shown(fieldOf(current, field), nameOf)}</p>
              <div className="form-actions">
                <Button onPress={() => settle(conflict, 'mine')}>Keep yours</Button>
                <Button onPress={() => settle(conflict, 'theirs')}>Take theirs</Button>
              </div>
            </div>
          </div>
        );
      })}
    </div>
  );
}
