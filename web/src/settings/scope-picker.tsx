import { useState } from 'react';
import { Checkbox, CheckboxGroup, FieldError, Label, Radio, RadioGroup, Text } from 'react-aria-components';
import type { Scope, ScopeCatalog, ScopeName } from '../api/queries.ts';
import { useFieldError } from '../ui/form-errors.tsx';
import { Tick } from '../ui/icons.tsx';
import { Badge } from '../ui/rows.tsx';
import { presetOf, resources } from './credentials.tsx';

const custom = 'custom';

/** Scopes of a key, by preset or one by one. Sets the form field `scopes`. */
export function ScopePicker({ catalog }: { catalog: ScopeCatalog }) {
  const [chosen, setChosen] = useState<ScopeName[]>(catalog.presets[0]?.scopes ?? []);
  const { message, isInvalid } = useFieldError('scopes');
  const [byHand, setByHand] = useState(false);
  const preset = byHand ? undefined : presetOf(catalog, chosen);
  const choose = (name: string) => {
    const found = catalog.presets.find((each) => each.name === name);
    setByHand(!found);
    if (found) setChosen(found.scopes);
  };
  return (
    <>
      <RadioGroup className="field choices" value={preset?.name ?? custom} onChange={choose}>
        <Label>What can this key do?</Label>
        <div className="presets">
          {catalog.presets.map(({ name, title, description }) => (
            <Radio key={name} value={name} className="choice boxed">
              <i className="dot" />
              <span>
                <strong>{title}</strong>
                <span className="muted block">{description}</span>
              </span>
            </Radio>
          ))}
          <Radio value={custom} className="choice boxed">
            <i className="dot" />
            <span>
              <strong>Custom</strong>
              <span className="muted block">Only the scopes selected below.</span>
            </span>
          </Radio>
        </div>
      </RadioGroup>
      <CheckboxGroup
        className="field choices"
        name="scopes"
        validationBehavior="aria"
        isInvalid={isInvalid}
        value={chosen}
        onChange={(names) => {
          setChosen(names as ScopeName[]);
          setByHand(false);
        }}
      >
        <Label>In detail</Label>
        <Text slot="description" className="hint">
          Select only what the key needs. Scopes cannot be changed later.
        </Text>
        <div className="scopes">
          {resources.map(({ resource, title }) => (
            <fieldset key={resource} className="scope-row">
              <legend className="scope-resource">{title}</legend>
              {catalog.scopes.filter((scope) => scope.resource === resource).map(scopeBox)}
            </fieldset>
          ))}
        </div>
        <FieldError className="field-error">{message}</FieldError>
      </CheckboxGroup>
    </>
  );
}

function scopeBox({ name, access, description, sensitive }: Scope) {
  return (
    <Checkbox key={name} value={name} className="choice">
      <Tick />
      <span>
        <strong>{access === 'read' ? 'Read' : 'Change'}</strong>
        {sensitive && <Badge tone="warn">Sensitive</Badge>}
        <span className="muted block">{description}</span>
      </span>
    </Checkbox>
  );
}
