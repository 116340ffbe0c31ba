import type { ReactNode } from 'react';
import { Checkbox } from 'react-aria-components';
import { TextField } from '../../ui/fields.tsx';
import { type Filled, Form } from '../../ui/form.tsx';
import type { Fields } from '../../ui/form-errors.tsx';
import { Tick } from '../../ui/icons.tsx';
import { useChanged } from '../../ui/use-changed.ts';
import type { WantedType } from './event-types.ts';
import type { Endpoint } from './queries.ts';
import { TypesField } from './types-field.tsx';

const fields: Fields = {
  url: { label: 'Address', required: 'Enter the address that events are sent to' },
  types: { label: 'Types of events', required: 'Choose at least one type of events' },
  description: { label: 'Note' },
  ordered: { label: 'One after the other' },
};

/** What the form sends. */
export interface EndpointValues {
  url: string;
  description: string;
  types: WantedType[];
  ordered: boolean;
}

function valuesOf(filled: Filled): EndpointValues {
  return {
    url: filled.text('url').trim(),
    description: filled.text('description').trim(),
    types: filled.all('types') as WantedType[],
    ordered: filled.all('ordered').length > 0,
  };
}

interface EndpointFormProps {
  /** The endpoint that is changed; omitted for a new one. */
  endpoint?: Endpoint;
  submit: string;
  busy: string;
  actions?: ReactNode;
  /** `changes`: the values that differ from those of the endpoint as it was when the form was shown. */
  onSubmit: (values: EndpointValues, changes: Partial<EndpointValues>) => Promise<unknown>;
}

/** The form of a webhook endpoint. */
export function EndpointForm({ endpoint, submit, busy, actions, onSubmit }: EndpointFormProps) {
  const send = useChanged<EndpointValues>(
    endpoint ? { ...endpoint, description: endpoint.description ?? '', types: endpoint.types as WantedType[] } : {},
  );
  const submitted = (filled: Filled) => {
    const values = valuesOf(filled);
    return send(values, (changes) => onSubmit(values, changes));
  };
  return (
    <Form fields={fields} submit={submit} busy={busy} label="Webhook endpoint" actions={actions} onSubmit={submitted}>
      <TextField
        name="url"
        label="Address"
        type="url"
        hint="Reached by https, such as https://example.com/hooks/tandem. Addresses in private networks are refused."
        defaultValue={endpoint?.url ?? ''}
        maxLength={2000}
      />
      <TextField
        name="description"
        label="Note"
        optional
        hint="For people, such as what the receiver does."
        defaultValue={endpoint?.description ?? ''}
        maxLength={500}
      />
      <TypesField initial={endpoint?.types ?? []} />
      <Checkbox className="choice inline" name="ordered" value="true" defaultSelected={endpoint?.ordered ?? false}>
        <Tick />
        <span>
          <strong>One after the other</strong>
          <span className="muted block">
            In the order in which it happened: an event waits until the one before it is delivered or has failed.
          </span>
        </span>
      </Checkbox>
    </Form>
  );
}
