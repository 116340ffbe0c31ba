import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { v7 as newId } from 'uuid';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import type { LineDraft } from './draft.ts';
import type { NewTodoInput, ParsedLine } from './parse.ts';

/** Todos that one request creates. */
const maxBatch = 50;
const maxTitle = 500;
const maxShown = 5;

/** A line without the mark of a list. */
const unmarked = (line: string) => line.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, '');

/** A line as it was pasted; the text of one that is too long for a title is the content. */
const plain = (line: string) => (line.length <= maxTitle ? { title: line } : { content: line });

/** Creates todos with ids, all or none. One of these ids is known: all were made before an answer was lost. @throws */
async function create(data: NewTodoInput[]): Promise<void> {
  try {
    await api.todos.createBatch.mutate({ data });
  } catch (failure) {
    if (!problemOf(failure).reason?.startsWith('id_')) throw failure;
  }
}

interface PastedLinesProps {
  text: string;
  read: (line: string) => ParsedLine;
  sent: LineDraft['sent'];
  /**
   * Stores the lines that are still offered, empty for none, or how they were sent, where `before` is offered still.
   */
  write: (changes: Partial<Pick<LineDraft, 'pasted' | 'sent'>>, before: string) => void;
  onDone: (created: number) => void;
}

/**
 * Offers a todo for each of several pasted lines. They are created in requests of 50; what is left is offered again.
 */
export function PastedLines({ text, read, sent, write, onDone }: PastedLinesProps) {
  const queryClient = useQueryClient();
  const [isRead, setRead] = useState(true);
  /** How many todos were made before which text was left. */
  const [last, setLast] = useState({ count: 0, left: '' });
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const pasted = text.split(/\r?\n/).filter((line) => unmarked(line) !== '');
  const lines = pasted.map(unmarked);
  const made = last.left === text ? last.count : 0;
  const all = made + lines.length;
  const todoOf = (line: string): NewTodoInput => {
    const { title, input } = read(line);
    return isRead && title !== '' && title.length <= maxTitle ? input : { ...read('').input, ...plain(line) };
  };
  const add = async () => {
    setBusy(true);
    setError(null);
    let before = text;
    try {
      for (let start = 0; start < lines.length; start += maxBatch) {
        const end = start + maxBatch;
        const batch = lines.slice(start, end);
        // The same lines have the same ids: sent again after a lost answer, they make no second todos.
        const ids = sent?.text === before ? sent.ids : batch.map(() => newId());
        write({ sent: { text: before, ids } }, before);
        await create(batch.map((line, place) => ({ ...todoOf(line), id: ids[place] })));
        const left = pasted.slice(end).join('\n');
        // Not over what was pasted meanwhile, and not after a cancel.
        write({ pasted: left, sent: undefined }, before);
        setLast({ count: made + Math.min(end, lines.length), left });
        before = left;
      }
      onDone(all);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      void readAgain(queryClient, 'todos');
    }
  };
  return (
    <section className="pasted" aria-label="Pasted lines">
      <p>
        {all} lines were pasted.{made > 0 && ` ${made} are created.`}
      </p>
      <ul>
        {lines.slice(0, maxShown).map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
          <li key={place}>{todoOf(line).title ?? line}</li>
        ))}
        {lines.length > maxShown && <li className="muted">and {lines.length - maxShown} more</li>}
      </ul>
      <label className="choice inline">
        <input type="checkbox" checked={isRead} onChange={(event) => setRead(event.target.checked)} />
        Read dates and names in the lines
      </label>
      {error !== null && (
        <p className="field-error" role="alert">
          {problemOf(error).message}
        </p>
      )}
      <div className="form-actions">
        <Button kind="primary" isBusy={isBusy} onPress={() => void add()}>
          {isBusy ? `Adding ${made} of ${all}…` : `Add ${lines.length} todos`}
        </Button>
        <Button onPress={() => write({ pasted: '', sent: undefined }, text)}>Cancel</Button>
      </div>
    </section>
  );
}
