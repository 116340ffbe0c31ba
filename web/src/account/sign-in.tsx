import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { direct } from '../api/direct.ts';
import { useGo } from '../navigation/navigation.tsx';
import { useNextPage, withNext } from '../session/next-page.ts';
import { arePasskeysSupported, getPasskey } from '../session/passkeys.ts';
import { signedIn } from '../session/signed-in.ts';
import { PasswordField, TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { AccountPage } from './account-page.tsx';
import { type Challenge, SecondStep } from './second-step.tsx';
import { useSkipWhenSignedIn } from './skip.ts';

const fields: Fields = {
  email: { label: 'Email address', required: 'Enter your email address' },
  password: { label: 'Password', required: 'Enter your password' },
};

/** The sign-in form without its page, and its second step for people with a second factor. `email` is filled in. */
export function SignInForm({ email = '', onDone }: { email?: string; onDone: () => unknown }) {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const done = async () => {
    await signedIn();
    await onDone();
  };
  const signIn = async (filled: Filled) => {
    const credentials = { email: filled.text('email').trim(), password: filled.text('password') };
    const answer = await direct.auth.signIn.mutate(credentials);
    if (answer.object === 'session') return done();
    setChallenge(answer);
  };
  const withPasskey = async () => {
    const { options } = await direct.auth.requestPasskey.mutate({});
    await direct.auth.signInWithPasskey.mutate({ credential: await getPasskey(options) });
    await done();
  };
  if (challenge) return <SecondStep challenge={challenge} onDone={done} onBack={() => setChallenge(null)} />;
  return (
    <>
      <Form fields={fields} submit="Sign in" busy="Signing in…" wide onSubmit={signIn}>
        <TextField name="email" label="Email address" type="email" autoComplete="username" defaultValue={email} />
        <PasswordField name="password" label="Password" autoComplete="current-password" />
      </Form>
      {arePasskeysSupported() && (
        <Form
          fields={{}}
          submit="Sign in with a passkey"
          busy="Waiting for your passkey…"
          kind="secondary"
          wide
          onSubmit={withPasskey}
          label="Sign in with a passkey"
        >
          {null}
        </Form>
      )}
    </>
  );
}

/** Page `/sign-in`. */
export function SignIn() {
  const next = useNextPage();
  const go = useGo();
  useSkipWhenSignedIn(next);
  const { state } = useLocation() as { state: { notice?: string } | null };
  return (
    <AccountPage
      title="Sign in"
      intro={
        state?.notice ?? (next.startsWith('/oauth/') ? 'Sign in to review the access request of the app.' : undefined)
      }
      foot={
        <>
          <p>
            New to Tandem? <Link to={withNext('/sign-up', next)}>Create an account</Link>
          </p>
          <p>
            <Link to="/reset-password">Forgot your password?</Link>
          </p>
        </>
      }
    >
      <SignInForm onDone={() => go(next, { replace: true })} />
    </AccountPage>
  );
}
