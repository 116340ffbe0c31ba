import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { api, ProblemError, problemOf } from '../api/client.ts';
import { secondFactorsQuery } from '../api/queries.ts';
import { arePasskeysSupported, getPasskey } from '../session/passkeys.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { PasswordField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { Overlay } from '../ui/overlay.tsx';

type Run = <Result>(change: () => Promise<Result>) => Promise<Result>;

interface Asked {
  resolve: () => void;
  reject: (error: unknown) => void;
}

const RunContext = createContext<Run>((change) => change());

/** A function that runs a change; where the service wants to know that it is the person, it asks first. */
export function useReauthenticated(): Run {
  return useContext(RunContext);
}

function cancelled(): ProblemError {
  const message = 'Nothing was changed.';
  return new ProblemError({ status: 0, code: 'cancelled', message, retryable: true, errors: [] });
}

/** Asks for the password or a passkey when `useReauthenticated` needs it. */
export function ReauthenticationProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const run: Run = useCallback(async (change) => {
    try {
      return await change();
    } catch (error) {
      if (problemOf(error).reason !== 'reauthentication_required') throw error;
      await new Promise<void>((resolve, reject) => setAsked({ resolve, reject }));
      return change();
    }
  }, []);
  const close = (finish: (asked: Asked) => void) => {
    if (asked) finish(asked);
    setAsked(null);
  };
  const cancel = () => close(({ reject }) => reject(cancelled()));
  return (
    <RunContext value={run}>
      {children}
      {asked !== null && (
        <Overlay title="Confirm that it is you" isDismissable close={cancel}>
          <Questions onDone={() => close(({ resolve }) => resolve())} onCancel={cancel} />
        </Overlay>
      )}
    </RunContext>
  );
}

const fields: Fields = { password: { label: 'Password', required: 'Enter your password' } };

function Questions({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const { user } = useIdentity();
  const factors = useQuery(secondFactorsQuery);
  const withPassword = async (filled: Filled) => {
    await api.auth.reauthenticate.mutate({ method: 'password', password: filled.text('password') });
    onDone();
  };
  const withPasskey = async () => {
    const { options } = await api.auth.requestReauthentication.mutate({});
    await api.auth.reauthenticate.mutate({ method: 'passkey', credential: await getPasskey(options) });
    onDone();
  };
  return (
    <>
      <p className="dialog-text">This changes how you sign in. You are not asked again for ten minutes.</p>
      <Form
        fields={fields}
        submit="Confirm"
        busy="Confirming…"
        onSubmit={withPassword}
        label="Confirm with your password"
        actions={<Button onPress={onCancel}>Cancel</Button>}
      >
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordField name="password" label="Password" autoComplete="current-password" />
      </Form>
      {(factors.data?.passkeys ?? 0) > 0 && arePasskeysSupported() && (
        <Form
          fields={{}}
          submit="Use a passkey"
          busy="Waiting for your passkey…"
          kind="secondary"
          wide
          onSubmit={withPasskey}
          label="Confirm with a passkey"
        >
          {null}
        </Form>
      )}
    </>
  );
}
