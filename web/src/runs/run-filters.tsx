import type { Named } from '../approvals/subject-queries.ts';
import { Labelled } from '../ui/fields.tsx';
import type { RunFilter } from './filter.ts';

interface RunFiltersProps {
  filter: RunFilter;
  agents: readonly Named[];
  onChange: (changes: RunFilter) => void;
}

const statusOptions = [
  ['', 'Any result'],
  ['completed', 'Finished'],
  ['failed,timed_out', 'Failed or took too long'],
  ['cancelled', 'Stopped'],
] as const;
const triggerOptions = [
  ['', 'Any cause'],
  ['manual', 'By hand'],
  ['create', 'With the todo'],
  ['assignment', 'By assignment'],
  ['schedule', 'By schedule'],
] as const;

/** The controls of the filter of runs. Each change is another address. */
export function RunFilters({ filter, agents, onChange }: RunFiltersProps) {
  const { status = [], agentId = '', trigger = [], since = '' } = filter;
  return (
    <search className="run-filters">
      <Choice
        label="Result"
        value={status.join()}
        options={statusOptions}
        onChange={(value) => onChange({ status: value.split(',') as NonNullable<RunFilter['status']> })}
      />
      <Choice
        label="Agent"
        value={agentId}
        options={[['', 'Any agent'], ...agents.map(({ id, name }) => [id, name] as const)]}
        onChange={(value) => onChange({ agentId: value })}
      />
      <Choice
        label="Cause"
        value={trigger.join()}
        options={triggerOptions}
        onChange={(value) => onChange({ trigger: value.split(',') as NonNullable<RunFilter['trigger']> })}
      />
      <Labelled label="Since">
        {(id) => (
          <input
            id={id}
            type="date"
            className="input"
            value={since.slice(0, 10)}
            onChange={({ target }) => onChange({ since: target.value })}
          />
        )}
      </Labelled>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const isListed = options.some(([each]) => each === value);
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} className="input" value={value} onChange={({ target }) => onChange(target.value)}>
          {!isListed && <option value={value}>As in the address</option>}
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
