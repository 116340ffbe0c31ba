import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Conflict, fieldOf } from '../outbox/merge.ts';
import { assignableQuery, labelsQuery } from '../quick-add/queries.ts';
import { scheduleInWords } from '../schedule/words.ts';
import { useIdentity } from '../session/session.ts';
import { todoListsQuery } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Diff } from '../ui/diff-view.tsx';

interface ConflictsProps<Each extends Conflict> {
  conflicts: readonly Each[];
  settle: (conflict: Each, keeps: 'mine' | 'theirs') => void;
}

/** The fields as they are named in sentences, where that is not the name of the field. */
export const fieldWords: Partial<Record<Conflict['field'], string>> = {
  title: 'title',
  content: 'text',
  dueDate: 'due date',
  todoListId: 'list',
  isSuggested: 'suggestion',
  labelIds: 'labels',
  schedulePaused: 'pause of the schedule',
};

/** A value in words: names instead of ids where they are known. */
function shown(value: unknown, nameOf: (id: string) => string | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'boolean') return value ? 'paused' : 'not paused';
  if (typeof value === 'object' && !Array.isArray(value)) return scheduleInWords(value);
  if (!Array.isArray(value)) return nameOf(String(value)) ?? String(value);
  const named = (value as (string | { id: string })[]).map((each) =>
    typeof each === 'string' ? (nameOf(each) ?? 'a deleted label') : (nameOf(each.id) ?? 'somebody who left'),
  );
  return named.length === 0 ? 'none' : named.join(', ');
}

/** Puts values of fields into words, with the names of people and lists once they are needed. */
export function useValueWords(isNeeded: boolean): (value: unknown) => string {
  const { workspace } = useIdentity();
  const people = useQuery({ ...assignableQuery(workspace.id), enabled: isNeeded }).data ?? [];
  const lists = useQuery({ ...todoListsQuery(workspace.id), enabled: isNeeded }).data ?? [];
  const labels = useQuery({ ...labelsQuery(workspace.id), enabled: isNeeded }).data ?? [];
  return (value) => shown(value, (id) => [...people, ...lists, ...labels].find((each) => each.id === id)?.name);
}

interface ValuesProps {
  field: Conflict['field'];
  mine: unknown;
  theirs: unknown;
  inWords: (value: unknown) => string;
}

/** Both values; of texts of several lines, the lines in which they differ. */
function Values({ field, mine, theirs, inWords }: ValuesProps) {
  if (field === 'content' && mine && theirs && `${mine}${theirs}`.includes('\n'))
    return (
      <>
        <p>Lines with − are only in theirs, lines with + only in yours.</p>
        <Diff
          label="Theirs and yours, line by line"
          before={`${theirs}`}
          after={`${mine}`}
          removed="Theirs"
          added="Yours"
        />
      </>
    );
  return (
    <>
      <p className="conflict-value">Yours: {inWords(mine)}</p>
      <p className="conflict-value">Theirs: {inWords(theirs)}</p>
    </>
  );
}

/** Asks which value stays where somebody else changed the same field at the same time. */
export function Conflicts<Each extends Conflict>({ conflicts, settle }: ConflictsProps<Each>) {
  const inWords = useValueWords(conflicts.length > 0);
  const region = useRef<HTMLDivElement>(null);
  const isSettling = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the question that was answered is gone.
  useEffect(() => {
    const hasSettled = isSettling.current;
    isSettling.current = false;
    // The button that was pressed is gone: on to the next question, or back to the todo.
    if (!hasSettled || document.activeElement !== document.body) return;
    const todo = region.current?.closest('main, .peek');
    (region.current?.querySelector('button') ?? todo?.querySelector<HTMLElement>('h1, .peek-title'))?.focus();
  }, [conflicts.length]);
  const decide = (conflict: Each, keeps: 'mine' | 'theirs') => {
    isSettling.current = true;
    settle(conflict, keeps);
  };
  return (
    <div role="alert" ref={region}>
      {conflicts.map((conflict) => {
        const { field, mine, current } = conflict;
        const name = fieldWords[field] ?? field;
        return (
          <div className="callout warn" key={field}>
            <div className="their-change">
              <p className="callout-title">Somebody else changed the {name} at the same time.</p>
              <Values field={field} mine={mine[field]} theirs={fieldOf(current, field)} inWords={inWords} />
              <div className="form-actions">
                <Button onPress={() => decide(conflict, 'mine')}>Keep yours</Button>
                <Button onPress={() => decide(conflict, 'theirs')}>Take theirs</Button>
              </div>
            </div>
          </div>
        );
      })}
    </div>
  );
}
