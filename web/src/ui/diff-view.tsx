import { diffOf, foldedOf } from './diff.ts';

const signs = { same: ' ', removed: '−', added: '+' };

interface DiffProps {
  label: string;
  before: string | null;
  after: string | null;
  /** What lines that are only in one of them are called. */
  removed?: string;
  added?: string;
}

/** Two texts compared line by line, by sign and by colour. */
export function Diff({ label, before, after, removed = 'Removed', added = 'Added' }: DiffProps) {
  const readAs = { same: '', removed: `${removed}: `, added: `${added}: ` };
  const lines = foldedOf(diffOf(before, after));
  // The same line may be there twice, so its place is its key.
  const keyed = lines.map((line, place) => ({ line, key: `${place}` }));
  return (
    <ul className="diff" aria-label={label}>
      {keyed.map(({ line, key }) =>
        line.kind === 'gap' ? (
          <li key={key} className="diff-gap">
            {line.count === 1 ? '1 line is' : `${line.count} lines are`} unchanged
          </li>
        ) : (
          <li key={key} className={`diff-line ${line.kind}`}>
            <span aria-hidden="true">{signs[line.kind]}</span>
            <span className="visually-hidden">{readAs[line.kind]}</span>
            <span>{line.text === '' ? ' ' : line.text}</span>
          </li>
        ),
      )}
    </ul>
  );
}
