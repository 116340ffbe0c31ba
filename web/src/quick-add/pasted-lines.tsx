import { useState } from 'react';
import { problemOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import type { NewTodoInput, ParsedLine } from './parse.ts';

/** Todos that one request creates. */
const maxBatch = 50;
const maxTitle = 500;
const maxShown = 5;

/** The lines of a pasted text that are not blank, without the marks of a list. */
function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, ''))
    .filter((line) => line !== '');
}

/** A todo of a line as it was pasted; the text of a line that is too long for a title is its content. */
function plainTodo(line: string): NewTodoInput {
  return line.length <= maxTitle ? { title: line } : { content: line };
}

interface PastedLinesProps {
  text: string;
  read: (line: string) => ParsedLine;
  /** Creates todos, all or none. @throws TandemError */
  create: (todos: NewTodoInput[]) => Promise<void>;
  onDone: (created: number) => void;
  onCancel: () => void;
}

/** Offers a todo for each of several pasted lines. They are created in requests of 50; after an error the rest is offered again. */
export function PastedLines({ text, read, create, onDone, onCancel }: PastedLinesProps) {
  const lines = linesOf(text);
  const [isRead, setRead] = useState(true);
  const [made, setMade] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const todoOf = (line: string): NewTodoInput => {
    const { title, input } = read(line);
    return isRead && title !== '' && title.length <= maxTitle ? input : plainTodo(line);
  };
  const add = async () => {
    setBusy(true);
    setError(null);
    try {
      for (let start = made; start < lines.length; start += maxBatch) {
        await create(lines.slice(start, start + maxBatch).map(todoOf));
        setMade(Math.min(start + maxBatch, lines.length));
      }
      onDone(lines.length);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const left = lines.length - made;
  return (
    <section className="pasted" aria-label="Pasted lines">
      <p>
        {lines.length} lines were pasted.{made > 0 && ` ${made} are on the list.`}
      </p>
      <ul>
        {lines.slice(made, made + maxShown).map((line, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
          <li key={place}>{todoOf(line).title ?? line}</li>
        ))}
        {left > maxShown && <li className="muted">and {left - maxShown} more</li>}
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
          {isBusy ? `Adding ${made} of ${lines.length}…` : `Add ${left} todos`}
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </section>
  );
}
