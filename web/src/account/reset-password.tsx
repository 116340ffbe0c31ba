import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { spendLinkToken, useLinkToken } from '../link-token.ts';
import { PasswordField, TextField } from '../ui/fields.tsx';
import { type Fields, type Filled, Form } from '../ui/form.tsx';
import { Icon } from '../ui/icons.tsx';
import { AccountPage } from './account-page.tsx';
import { newPasswordHint } from './sign-up.tsx';

/** Asking for the letter, or setting the password by the link in it. */
export function ResetPassword() {
  const token = useLinkToken();
  return token === null ? <AskForLetter /> : <SetPassword token={token} key={token} />;
}

const askFields: Fields = { email: { label: 'E-mail address', required: 'Enter your e-mail address' } };

function AskForLetter() {
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const ask = async (filled: Filled) => {
    const { email } = await api.auth.requestPasswordReset.mutate({ email: filled.text('email').trim() });
    setAskedFor(email);
  };
  return (
    <AccountPage
      title="Reset your password"
      intro={askedFor === null && 'We send you a letter with a link to choose a new one.'}
      foot={
        <p>
          <Link to="/sign-in">Back to sign in</Link>
        </p>
      }
    >
      <div role="status">
        {askedFor !== null && (
          <div className="callout good">
            <Icon name="check" />
            <p>
              If there is an account for <strong>{askedFor}</strong>, a letter is on its way. Its link works for an
              hour.
            </p>
          </div>
        )}
      </div>
      {askedFor === null && (
        <Form fields={askFields} submit="Send the letter" busy="Sending…" wide onSubmit={ask}>
          <TextField name="email" label="E-mail address" type="email" autoComplete="username" />
        </Form>
      )}
    </AccountPage>
  );
}

const setFields: Fields = {
  newPassword: { label: 'New password', required: 'Choose a new password' },
  token: { label: 'Link' },
};

function SetPassword({ token }: { token: string }) {
  const navigate = useNavigate();
  const set = async (filled: Filled) => {
    await api.auth.confirmPasswordReset.mutate({ token, newPassword: filled.text('newPassword') });
    queryClient.clear();
    await navigate('/sign-in', { state: { notice: 'Your new password is set. Sign in with it.' } });
    spendLinkToken();
  };
  return (
    <AccountPage
      title="Choose a new password"
      intro="You are signed out everywhere once it is set."
      foot={
        <p>
          Link no longer good?{' '}
          <Link to="/reset-password" onClick={spendLinkToken}>
            Ask for a new one
          </Link>
        </p>
      }
    >
      <Form fields={setFields} submit="Set the password" busy="Setting…" wide onSubmit={set}>
        <PasswordField name="newPassword" label="New password" autoComplete="new-password" hint={newPasswordHint} />
      </Form>
    </AccountPage>
  );
}
