import { diffOf, foldedOf } from './diff.ts';
import { hoursInWords } from './hours.ts';
import type { AgentDetail, Field } from './merge.ts';

const signs = { same: ' ', removed: '−', added: '+' };
const readAs = { same: '', removed: 'Removed: ', added: 'Added: ' };

interface DiffProps {
  label: string;
  before: string | null;
  after: string | null;
}

/** Two texts compared line by line, by sign and by colour. */
export function Diff({ label, before, after }: DiffProps) {
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

/** What the fields of an agent are called. */
export const fieldNames: Record<Field, string> = {
  name: 'Name',
  description: 'Role',
  instructions: 'Instructions',
  approvalGuidance: 'Guidance',
  requiresApproval: 'Approval',
  workingHoursEnabled: 'Working hours',
  workingHours: 'Hours',
};

/** A value of a field in words. */
export function valueInWords(field: Field, value: AgentDetail[Field] | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'object') return hoursInWords(value);
  if (field === 'requiresApproval') return value ? 'asks first' : 'does not ask';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value;
}
