import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { readAgain, type ScopeName, scopesQuery } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { SelectField } from '../ui/choices.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { Page } from '../ui/page.tsx';
import { NewSecret } from './new-secret.tsx';
import { ScopePicker } from './scope-picker.tsx';

const fields: Fields = {
  name: { label: 'Name', required: 'Enter a name for the key' },
  scopes: { label: 'What the key may do', required: 'Select at least one permission' },
  expiresInDays: { label: 'Expiry' },
};

const never = 'never';
const lifetimes = [
  { id: '7', label: 'In 7 days' },
  { id: '30', label: 'In 30 days' },
  { id: '90', label: 'In 90 days' },
  { id: '365', label: 'In a year' },
  { id: never, label: 'Never' },
];

type NewKey = Awaited<ReturnType<typeof api.apiKeys.create.mutate>>;

/** Page `/settings/api-keys/new`. */
export function NewApiKey() {
  const { workspace } = useIdentity();
  const catalog = useQuery(scopesQuery);
  const queryClient = useQueryClient();
  const [made, setMade] = useState<NewKey | null>(null);
  const create = async (filled: Filled) => {
    const lifetime = filled.text('expiresInDays');
    const key = await api.apiKeys.create.mutate({
      workspaceId: workspace.id,
      name: filled.text('name').trim(),
      scopes: filled.all('scopes') as ScopeName[],
      ...(lifetime !== never && { expiresInDays: Number(lifetime) }),
    });
    void readAgain(queryClient, 'apiKeys');
    setMade(key);
  };
  if (made) return <NewSecret name={made.name} secret={made.secret} />;
  return (
    <Page title="Create an API key" intro={`It gives access to ${workspace.name} only.`}>
      <section className="card">
        <Loaded query={catalog} what="what a key may do">
          {(known) => (
            <Form
              fields={fields}
              submit="Create key"
              busy="Creating…"
              onSubmit={create}
              actions={<ButtonLink to="/settings/api-keys">Cancel</ButtonLink>}
            >
              <TextField name="name" label="Name" hint="Such as the program that will use it." maxLength={100} />
              <ScopePicker catalog={known} />
              <SelectField name="expiresInDays" label="Expires" options={lifetimes} defaultValue="90" />
            </Form>
          )}
        </Loaded>
      </section>
    </Page>
  );
}
