import { Link } from 'react-router';
import { direct } from '../api/direct.ts';
import { useGo } from '../navigation/navigation.tsx';
import { NewPasswordField } from '../passwords/new-password-field.tsx';
import { spendLinkToken, useLinkToken } from '../session/link-token.ts';
import { homePage } from '../session/next-page.ts';
import { signedIn } from '../session/signed-in.ts';
import { ButtonLink } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { AccountPage } from './account-page.tsx';

const fields: Fields = {
  name: { label: 'Your name', required: 'Enter your name' },
  email: { label: 'Email address', required: 'Enter your email address' },
  password: { label: 'Password', required: 'Choose a password' },
  token: { label: 'Link' },
};

/** Page of the link that the first start prints: makes the account of the owner of the first workspace. */
export function Welcome() {
  const token = useLinkToken();
  return token === null ? <NoLink /> : <TakeWorkspace token={token} key={token} />;
}

function NoLink() {
  return (
    <AccountPage
      title="Welcome to Tandem"
      intro={
        <>
          Open the link that the first start printed: this page does not store it. The command{' '}
          <code>npm run welcome</code> prints a new one.
        </>
      }
    >
      <ButtonLink to="/sign-in" wide>
        Sign in instead
      </ButtonLink>
    </AccountPage>
  );
}

function TakeWorkspace({ token }: { token: string }) {
  const go = useGo();
  const notify = useNotice();
  const take = async (filled: Filled) => {
    await direct.auth.takeFirstWorkspace.mutate({
      token,
      name: filled.text('name').trim(),
      email: filled.text('email').trim(),
      password: filled.text('password'),
      timezone: ownTimeZone,
    });
    await signedIn();
    await go(homePage);
    spendLinkToken();
    notify('Welcome. The workspace is yours.');
  };
  return (
    <AccountPage
      title="Welcome to Tandem"
      intro="Create your account. It will own the first workspace, and everything that is created with the printed API key."
      foot={
        <p>
          Have an account already?{' '}
          <Link to="/sign-in" onClick={spendLinkToken}>
            Sign in
          </Link>
        </p>
      }
    >
      <Form fields={fields} submit="Create account" busy="Creating your account…" wide onSubmit={take}>
        <TextField name="name" label="Your name" autoComplete="name" maxLength={100} />
        <TextField name="email" label="Email address" type="email" autoComplete="username" />
        <NewPasswordField name="password" label="Password" />
      </Form>
    </AccountPage>
  );
}
