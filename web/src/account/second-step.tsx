import { useEffect, useRef, useState } from 'react';
import { direct } from '../api/direct.ts';
import { arePasskeysSupported, getPasskey } from '../session/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';

/** The answer to a right password of a person with a second factor. */
export type Challenge = Extract<Awaited<ReturnType<typeof direct.auth.signIn.mutate>>, { object: 'sign_in_challenge' }>;
type Method = Challenge['methods'][number];

const names: Record<Method, string> = {
  totp: 'Use the authenticator app',
  passkey: 'Use a passkey',
  recovery_code: 'Use a recovery code',
};

interface SecondStepProps {
  challenge: Challenge;
  onDone: () => Promise<unknown>;
  onBack: () => void;
}

/** The second step of a sign-in: a code, a passkey or a recovery code. */
export function SecondStep({ challenge, onDone, onBack }: SecondStepProps) {
  const methods = challenge.methods.filter((method) => method !== 'passkey' || arePasskeysSupported());
  const [method, setMethod] = useState<Method>(methods[0] ?? 'recovery_code');
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves with every change of the method.
  useEffect(() => heading.current?.focus(), [method]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        Second step
      </h2>
      {method === 'passkey' ? (
        <PasskeyStep token={challenge.token} onDone={onDone} />
      ) : (
        <CodeStep key={method} method={method} token={challenge.token} onDone={onDone} />
      )}
      <div className="second-step-ways">
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} kind="quiet" onPress={() => setMethod(other)}>
              {names[other]}
            </Button>
          ))}
        <Button kind="quiet" onPress={onBack}>
          Start again
        </Button>
      </div>
    </>
  );
}

interface StepProps {
  token: string;
  onDone: () => Promise<unknown>;
}

const codeFields: Fields = { code: { label: 'Code', required: 'Enter the code' } };

function CodeStep({ method, token, onDone }: StepProps & { method: 'totp' | 'recovery_code' }) {
  const complete = async (filled: Filled) => {
    await direct.auth.completeSignIn.mutate({ token, method, code: filled.text('code') });
    await onDone();
  };
  const isTotp = method === 'totp';
  return (
    <Form fields={codeFields} submit="Confirm" busy="Confirming…" wide onSubmit={complete} label="Second step">
      <TextField
        name="code"
        label={isTotp ? 'Code' : 'Recovery code'}
        hint={
          isTotp
            ? 'The 6 digits that your authenticator app shows.'
            : 'One of the codes that you stored. It works once.'
        }
        autoComplete={isTotp ? 'one-time-code' : 'off'}
        {...(isTotp && { inputMode: 'numeric' as const })}
      />
    </Form>
  );
}

function PasskeyStep({ token, onDone }: StepProps) {
  const complete = async () => {
    const { options } = await direct.auth.requestPasskey.mutate({ token });
    await direct.auth.completeSignIn.mutate({ token, method: 'passkey', credential: await getPasskey(options) });
    await onDone();
  };
  return (
    <Form
      fields={{}}
      submit="Use a passkey"
      busy="Waiting for your passkey…"
      wide
      onSubmit={complete}
      label="Second step"
    >
      <p className="muted">Your browser asks for the passkey of this account.</p>
    </Form>
  );
}
