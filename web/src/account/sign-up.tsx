import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { direct } from '../api/direct.ts';
import { useGo } from '../navigation/navigation.tsx';
import { NewPasswordField } from '../passwords/new-password-field.tsx';
import { useNextPage, withNext } from '../session/next-page.ts';
import { signedIn } from '../session/signed-in.ts';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { AccountPage } from './account-page.tsx';
import { useSkipWhenSignedIn } from './skip.ts';

const fields: Fields = {
  name: { label: 'Your name', required: 'Enter your name' },
  email: { label: 'Email address', required: 'Enter your email address' },
  password: { label: 'Password', required: 'Choose a password' },
  workspaceName: { label: 'Workspace name' },
};

interface SignUpFormProps {
  /** Token of the invitation that the new account accepts. */
  invitationToken?: string;
  /** The address that the account must have. */
  email?: string | null;
  onDone: () => unknown;
}

/** The sign-up form without its page. */
export function SignUpForm({ invitationToken, email = null, onDone }: SignUpFormProps) {
  const signUp = async (filled: Filled) => {
    const workspaceName = filled.text('workspaceName').trim();
    await direct.auth.signUp.mutate({
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
      <TextField
        name="email"
        label="Email address"
        type="email"
        autoComplete="username"
        {...(email !== null && { defaultValue: email, isReadOnly: true, hint: 'The invitation is for this address.' })}
      />
      <NewPasswordField name="password" label="Password" />
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

/** Whether an account needs an invitation: false until the service has answered. */
function useIsClosed(): boolean {
  const [isClosed, setClosed] = useState(false);
  useEffect(() => {
    void direct.meta.serviceInfo.query({}).then(
      ({ signUp }) => setClosed(signUp === 'invited'),
      () => {},
    );
  }, []);
  return isClosed;
}

/** Page `/sign-up`. */
export function SignUp() {
  const next = useNextPage();
  const go = useGo();
  useSkipWhenSignedIn(next);
  const isClosed = useIsClosed();
  return (
    <AccountPage
      title="Create your account"
      intro={
        isClosed
          ? 'You need an invitation: ask an owner of a workspace for one, and open its link.'
          : 'Your account comes with a workspace that has a todo list and an assistant.'
      }
      foot={
        <p>
          Have an account already? <Link to={withNext('/sign-in', next)}>Sign in</Link>
        </p>
      }
    >
      {!isClosed && <SignUpForm onDone={() => go(next, { replace: true })} />}
    </AccountPage>
  );
}
