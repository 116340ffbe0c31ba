import { useState } from 'react';
import { Checkbox, CheckboxGroup, FieldError, Label, Radio, RadioGroup, Text } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { useFieldError } from '../../ui/form-errors.tsx';
import { Tick } from '../../ui/icons.tsx';
import { type Group, groups, typesOf } from './event-types.ts';

const everything = '*';

/** Chooses types of events, all or by group. Sets the form field `types`. */
export function TypesField({ initial }: { initial: readonly string[] }) {
  const [isAll, setAll] = useState(initial.includes(everything));
  const [chosen, setChosen] = useState<string[]>(initial.filter((type) => type !== everything));
  const { message, isInvalid } = useFieldError('types');
  const toggle = (types: readonly string[], on: boolean) =>
    setChosen([...chosen.filter((type) => !types.includes(type)), ...(on ? types : [])]);
  return (
    <>
      <RadioGroup
        className="field choices"
        value={isAll ? 'all' : 'chosen'}
        onChange={(value) => setAll(value === 'all')}
      >
        <Label>Which events are sent?</Label>
        <div className="type-choice">
          <Radio value="chosen" className="choice boxed">
            <i className="dot" />
            <span>
              <strong>Chosen types</strong>
              <span className="muted block">Only what your receiver needs.</span>
            </span>
          </Radio>
          <Radio value="all" className="choice boxed">
            <i className="dot" />
            <span>
              <strong>Everything</strong>
              <span className="muted block">All that you may read, also types that are added later.</span>
            </span>
          </Radio>
        </div>
      </RadioGroup>
      {isAll ? (
        <input type="hidden" name="types" value={everything} />
      ) : (
        <CheckboxGroup
          className="field choices"
          name="types"
          isInvalid={isInvalid}
          value={chosen}
          onChange={(types) => setChosen(types)}
        >
          <Label>Types of events</Label>
          <Text slot="description" className="hint">
            {chosen.length === 0 ? 'None is chosen yet.' : `${chosen.length} chosen.`}
          </Text>
          <div className="type-groups">
            {groups.map((group) => (
              <TypeGroup key={group.label} group={group} chosen={chosen} toggle={toggle} />
            ))}
          </div>
          <FieldError className="field-error">{message}</FieldError>
        </CheckboxGroup>
      )}
    </>
  );
}

interface TypeGroupProps {
  group: Group;
  chosen: readonly string[];
  toggle: (types: readonly string[], on: boolean) => void;
}

/** One group. The first is open, so that an error of the field has something to focus, and those with chosen types. */
function TypeGroup({ group, chosen, toggle }: TypeGroupProps) {
  const types = typesOf(group);
  const count = types.filter((type) => chosen.includes(type)).length;
  const [isOpen] = useState(count > 0 || group === groups[0]);
  const isWhole = count === types.length;
  return (
    <details className="type-group" open={isOpen}>
      <summary>
        <strong>{group.label}</strong>{' '}
        <span className="muted small">
          {count} of {types.length}
        </span>
      </summary>
      <Button
        kind="quiet"
        aria-label={`${isWhole ? 'Choose none' : 'Choose all'}: ${group.label}`}
        onPress={() => toggle(types, !isWhole)}
      >
        {isWhole ? 'Choose none' : 'Choose all'}
      </Button>
      {group.resources.map((resource) => (
        <fieldset key={resource.label} className="type-row">
          <legend>{resource.label}</legend>
          <div className="type-boxes">
            {resource.types.map(({ type, label }) => (
              <Checkbox key={type} value={type} className="choice inline" aria-label={`${resource.label} ${label}`}>
                <Tick />
                {label}
              </Checkbox>
            ))}
          </div>
        </fieldset>
      ))}
    </details>
  );
}
