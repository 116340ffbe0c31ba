import { Button } from '../ui/button.tsx';
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

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Asks which value stays where somebody else changed the same field at the same time. */
export function Conflicts({ conflicts, settle }: ConflictsProps) {
  return (
    <div role="alert">
      {conflicts.map((conflict) => {
        const { field, mine, current } = conflict;
        const name = names[field] ?? field;
        return (
          <div className="callout warn" key={field}>
            <div>
              <p className="callout-title">Somebody else changed the {name} at the same time.</p>
              <p className="conflict-value">Yours: {shown(mine[field])}</p>
              <p className="conflict-value">Theirs: {shown(fieldOf(current, field))}</p>
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
