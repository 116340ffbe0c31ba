import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { type Passkey, passkeysQuery, readFactorsAgain } from '../api/queries.ts';
import { arePasskeysSupported, createPasskey } from '../session/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { browserName } from './browser-name.ts';
import { useReauthenticated } from './reauthentication.tsx';

const fields: Fields = { name: { label: 'Name', required: 'Enter a name' } };
const maxNameLength = 80;

type OnCodes = (made: { codes: string[] } | null) => void;

/** The passkeys of the person: add, rename, delete. */
export function Passkeys({ onCodes }: { onCodes: OnCodes }) {
  const passkeys = useQuery(passkeysQuery);
  return (
    <Card
      title="Passkeys"
      intro="Sign in with your fingerprint, face, device PIN or a security key, with or without your password."
    >
      <Loaded query={passkeys} what="your passkeys">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="You have no passkeys yet" />
          ) : (
            <Rows label="Passkeys">
              {data.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {arePasskeysSupported() ? (
        <AddPasskey onCodes={onCodes} />
      ) : (
        <p className="muted">
          Passkeys need https and a host name, or on this machine PUBLIC_URL=http://localhost:8080, and a browser that
          supports them.
        </p>
      )}
    </Card>
  );
}

function AddPasskey({ onCodes }: { onCodes: OnCodes }) {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const add = async (filled: Filled) => {
    const { options } = await reauthenticated(() => api.secondFactors.beginPasskey.mutate({}));
    const credential = await createPasskey(options);
    const name = filled.text('name').trim();
    const { recoveryCodes } = await api.secondFactors.createPasskey.mutate({ name, credential });
    onCodes(recoveryCodes);
    await readFactorsAgain(queryClient);
    notify(`The passkey ${name} is added.`);
  };
  return (
    <Form
      fields={fields}
      submit="Add a passkey"
      busy="Adding…"
      kind="secondary"
      onSubmit={add}
      label="Add a passkey"
      clears
    >
      <TextField
        name="name"
        label="Name"
        hint="To recognise it by, such as the device."
        defaultValue={browserName(navigator.userAgent)}
        maxLength={maxNameLength}
      />
    </Form>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const [isRenaming, setRenaming] = useState(false);
  const { id: passkeyId, name, isSynced, createdAt, lastUsedAt } = passkey;
  const remove = async () => {
    await reauthenticated(() => api.secondFactors.deletePasskey.mutate({ passkeyId }));
    await readFactorsAgain(queryClient);
    notify(`The passkey ${name} is deleted.`);
  };
  const rename = async (filled: Filled) => {
    await api.secondFactors.updatePasskey.mutate({ passkeyId, name: filled.text('name').trim() });
    await readFactorsAgain(queryClient);
    setRenaming(false);
  };
  return (
    <Row
      title={name}
      badges={isSynced && <Badge>Synced</Badge>}
      detail={
        isRenaming && (
          <Form
            fields={fields}
            submit="Save"
            busy="Saving…"
            kind="secondary"
            onSubmit={rename}
            label={`Rename ${name}`}
            actions={<Button onPress={() => setRenaming(false)}>Cancel</Button>}
          >
            <TextField name="name" label="New name" defaultValue={name} maxLength={maxNameLength} />
          </Form>
        )
      }
      facts={[
        <>Added {<Ago at={createdAt} />}</>,
        lastUsedAt ? <>Last used {<Ago at={lastUsedAt} />}</> : 'Never used',
      ]}
      actions={
        <>
          {!isRenaming && (
            <Button aria-label={`Rename: ${name}`} onPress={() => setRenaming(true)}>
              Rename
            </Button>
          )}
          <ConfirmButton
            label="Delete"
            about={name}
            title="Delete this passkey?"
            confirm="Delete passkey"
            busy="Deleting…"
            onConfirm={remove}
          >
            <p>{name} cannot sign in any more. Delete it in your browser or password manager too.</p>
          </ConfirmButton>
        </>
      }
    />
  );
}
