import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { identityQuery } from '../api/queries.ts';
import { useSignedIn } from '../api/sessions.ts';
import { useNextPage, withNext } from '../next-page.ts';
import { ownTimeZone } from '../ui/choices.tsx';
import { PasswordField, TextField } from '../ui/fields.tsx';
import { type Fields, type Filled, Form } from '../ui/form.tsx';
import { AccountPage } from './account-page.tsx';

export const newPasswordHint = 'At least 12 characters. A few unrelated words work well.';

const fields: Fields = {
  name: { label: 'Your name', required: 'Enter your name' },
  email: { label: 'E-mail address', required: 'Enter your e-mail address' },
  password: { label: 'Password', required: 'Choose a password' },
  workspaceName: { label: 'Workspace name' },
};

interface SignUpFormProps {
  /** Of the invitation that this account joins by. */
  invitationToken?: string;
  onDone: () => unknown;
}

/** The fields and the button alone, for every page that one can sign up on. */
export function SignUpForm({ invitationToken, onDone }: SignUpFormProps) {
  const signedIn = useSignedIn();
  const signUp = async (filled: Filled) => {
    const workspaceName = filled.text('workspaceName').trim();
    await api.auth.signUp.mutate({
      name: filled.text('name').trim(),
      email: filled.text('email').trim(),
      password: filled.text('password'),
      timezone: ownTimeZone,
      ...(workspaceName !== '' && { workspaceName }),
      ...(invitationToken !== undefined && { invitationToken }),
    });
    await signedIn();
    await onDone();
  };
  return (
    <Form fields={fields} submit="Create account" busy="Creating your account…" wide onSubmit={signUp}>
      <TextField name="name" label="Your name" autoComplete="name" maxLength={100} />
      <TextField name="email" label="E-mail address" type="email" autoComplete="username" />
      <PasswordField name="password" label="Password" autoComplete="new-password" hint={newPasswordHint} />
      {invitationToken === undefined && (
        <TextField
          name="workspaceName"
          label="Workspace name"
          hint="Such as your team or company. You can change it later."
          autoComplete="organization"
          maxLength={100}
          optional
        />
      )}
    </Form>
  );
}

export function SignUp() {
  const identity = useQuery(identityQuery);
  const next = useNextPage();
  const navigate = useNavigate();
  if (identity.data) return <Navigate to={next} replace />;
  return (
    <AccountPage
      title="Create your account"
      intro="You get a workspace of your own, with a todo list and an assistant in it."
      foot={
        <p>
          Have an account already? <Link to={withNext('/sign-in', next)}>Sign in</Link>
        </p>
      }
    >
      <SignUpForm onDone={() => navigate(next, { replace: true })} />
    </AccountPage>
  );
}
