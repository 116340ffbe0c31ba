import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { serviceInfoQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { useGo } from '../navigation/navigation.tsx';
import { NewPasswordField } from '../passwords/new-password-field.tsx';
import { spendLinkToken, useLinkToken } from '../session/link-token.ts';
import { Loaded } from '../ui/card.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { Icon, Tick } from '../ui/icons.tsx';
import { AccountPage } from './account-page.tsx';

/** Requests a reset email, or sets the password with the link of one. */
export function ResetPassword() {
  const token = useLinkToken();
  return token === null ? <RequestEmail /> : <SetPassword token={token} key={token} />;
}

const askFields: Fields = { email: { label: 'Email address', required: 'Enter your email address' } };

function RequestEmail() {
  const service = useQuery(serviceInfoQuery);
  const [requestedFor, setRequestedFor] = useState<string | null>(null);
  const ask = async (filled: Filled) => {
    const { email } = await api.auth.requestPasswordReset.mutate({ email: filled.text('email').trim() });
    setRequestedFor(email);
  };
  if (service.data?.sendsEmail === false) return <AskOperator />;
  return (
    <AccountPage
      title="Reset your password"
      intro={service.isSuccess && requestedFor === null && 'We send you an email with a link to choose a new password.'}
      foot={backToSignIn}
    >
      <div role="status">
        {requestedFor !== null && (
          <div className="callout good">
            <Icon name="check" />
            <p>
              If there is an account for <strong>{requestedFor}</strong>, we have sent it an email. Its link is valid
              for one hour.
            </p>
          </div>
        )}
      </div>
      <Loaded query={service} what="the page">
        {() =>
          requestedFor === null && (
            <Form fields={askFields} submit="Send the email" busy="Sending…" wide onSubmit={ask}>
              <TextField name="email" label="Email address" type="email" autoComplete="username" />
            </Form>
          )
        }
      </Loaded>
    </AccountPage>
  );
}

const backToSignIn = (
  <p>
    <Link to="/sign-in">Back to sign in</Link>
  </p>
);

/** Where the service has no mail server, only its operator can make a link. */
function AskOperator() {
  return (
    <AccountPage
      title="Reset your password"
      intro="This service sends no email. Ask the person who runs it for a link to choose a new password."
      foot={backToSignIn}
    >
      <p>They print one with this command, with your email address:</p>
      <p>
        <code>npm run reset-password -- EMAIL</code>
      </p>
    </AccountPage>
  );
}

const setFields: Fields = {
  newPassword: { label: 'New password', required: 'Choose a new password' },
  token: { label: 'Link' },
};

function SetPassword({ token }: { token: string }) {
  const go = useGo();
  const set = async (filled: Filled) => {
    const revokeAccess = filled.text('revokeAccess') !== '';
    await api.auth.confirmPasswordReset.mutate({ token, newPassword: filled.text('newPassword'), revokeAccess });
    queryClient.clear();
    await go('/sign-in', { state: { notice: 'Your new password is set. Sign in with it.' } });
    spendLinkToken();
  };
  return (
    <AccountPage
      title="Choose a new password"
      intro="This signs you out of all sessions."
      foot={
        <p>
          Link expired?{' '}
          <Link to="/reset-password" onClick={spendLinkToken}>
            Request a new one
          </Link>
        </p>
      }
    >
      <Form fields={setFields} submit="Set the password" busy="Setting…" wide onSubmit={set}>
        <NewPasswordField name="newPassword" label="New password" />
        <Checkbox className="choice inline" name="revokeAccess" value="yes" defaultSelected>
          <Tick />
          Also revoke my API keys and connected apps. Untick only if you are sure that nobody else used your account.
        </Checkbox>
      </Form>
    </AccountPage>
  );
}
