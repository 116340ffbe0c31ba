import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useLocation, useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { identityQuery } from '../api/queries.ts';
import { useSignedIn } from '../api/sessions.ts';
import { useNextPage, withNext } from '../next-page.ts';
import { PasswordField, TextField } from '../ui/fields.tsx';
import { type Fields, type Filled, Form } from '../ui/form.tsx';
import { AccountPage } from './account-page.tsx';

const fields: Fields = {
  email: { label: 'E-mail address', required: 'Enter your e-mail address' },
  password: { label: 'Password', required: 'Enter your password' },
};

/** The fields and the button alone, for every page that one can sign in on. */
export function SignInForm({ onDone }: { onDone: () => unknown }) {
  const signedIn = useSignedIn();
  const signIn = async (filled: Filled) => {
    await api.auth.signIn.mutate({ email: filled.text('email').trim(), password: filled.text('password') });
    await signedIn();
    await onDone();
  };
  return (
    <Form fields={fields} submit="Sign in" busy="Signing in…" wide onSubmit={signIn}>
      <TextField name="email" label="E-mail address" type="email" autoComplete="username" />
      <PasswordField name="password" label="Password" autoComplete="current-password" />
    </Form>
  );
}

export function SignIn() {
  const identity = useQuery(identityQuery);
  const next = useNextPage();
  const navigate = useNavigate();
  const { state } = useLocation() as { state: { notice?: string } | null };
  if (identity.data) return <Navigate to={next} replace />;
  return (
    <AccountPage
      title="Sign in"
      intro={state?.notice ?? (next.startsWith('/oauth/') ? 'Sign in to decide what the app may do.' : undefined)}
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
      <SignInForm onDone={() => navigate(next, { replace: true })} />
    </AccountPage>
  );
}
