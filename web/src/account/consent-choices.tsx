import { Checkbox, CheckboxGroup, FieldError, Label, Radio, RadioGroup, Text } from 'react-aria-components';
import type { Interaction } from '../api/consent.ts';
import { useFieldError } from '../ui/form-errors.tsx';
import { Tick } from '../ui/icons.tsx';
import { Badge } from '../ui/rows.tsx';

/** Exactly one workspace; preselected only when there is just one. */
export function WorkspaceChoice({ name, workspaces }: { name: string; workspaces: Interaction['workspaces'] }) {
  const [first] = workspaces;
  const { message, isInvalid } = useFieldError(name);
  return (
    <RadioGroup
      className="field choices"
      name={name}
      isRequired
      validationBehavior="aria"
      isInvalid={isInvalid}
      {...(workspaces.length === 1 && first && { defaultValue: first.id })}
    >
      <Label>Workspace</Label>
      <Text slot="description" className="hint">
        The app gets access to this workspace only.
      </Text>
      <div className="choice-box">
        {workspaces.map(({ id, name: title, role }) => (
          <Radio key={id} value={id} className="choice">
            <i className="dot" />
            <span>
              <strong>{title}</strong>
              <span className="muted"> You are {role === 'owner' ? 'an owner' : 'a member'}.</span>
            </span>
          </Radio>
        ))}
      </div>
      <FieldError className="field-error">{message}</FieldError>
    </RadioGroup>
  );
}

/** The requested scopes; sensitive ones are not ticked by default. */
export function ScopeChoice({ name, scopes }: { name: string; scopes: Interaction['scopes'] }) {
  const { message, isInvalid } = useFieldError(name);
  const harmless = scopes.filter(({ sensitive }) => !sensitive).map((scope) => scope.name);
  return (
    <CheckboxGroup
      className="field choices"
      name={name}
      validationBehavior="aria"
      isRequired
      isInvalid={isInvalid}
      defaultValue={harmless}
    >
      <Label>It will be able to</Label>
      <Text slot="description" className="hint">
        Untick what it does not need.
      </Text>
      <div className="choice-box">
        {scopes.map((scope) => (
          <Checkbox key={scope.name} value={scope.name} className="choice">
            <Tick />
            <span>
              {scope.description}
              {scope.sensitive && <Badge tone="warn">Sensitive</Badge>}
              {scope.sensitive && <span className="muted block">This may include confidential conversations.</span>}
            </span>
          </Checkbox>
        ))}
      </div>
      <FieldError className="field-error">{message}</FieldError>
    </CheckboxGroup>
  );
}
