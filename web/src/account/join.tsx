import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { useGo } from '../navigation/navigation.tsx';
import { loadPage } from '../navigation/start.ts';
import { spendLinkToken, useLinkAddress, useLinkToken } from '../session/link-token.ts';
import { useSwitchWorkspace } from '../session/session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { useNotice } from '../ui/notice.tsx';
import { AccountPage } from './account-page.tsx';
import { useAskedSignOut } from './asked-sign-out.ts';
import { SignInForm } from './sign-in.tsx';
import { SignUpForm } from './sign-up.tsx';

/** Page of an invitation link: accepts it, after signing in or up if needed, with the account of its address. */
export function Join() {
  const token = useLinkToken();
  const email = useLinkAddress();
  const identity = useQuery(identityQuery);
  useEffect(() => {
    // Prepared before it is shown: otherwise this page would render once more, with the new identity, and offer to
    // accept again.
    void loadPage('/').catch(() => {});
  }, []);
  if (token === null) return <NoInvitation />;
  if (!identity.isSuccess) {
    return (
      <AccountPage title="Join a workspace">
        <Loaded query={identity} what="your account">
          {() => null}
        </Loaded>
      </AccountPage>
    );
  }
  if (identity.data === null) return <JoinAsGuest token={token} email={email} />;
  const isForThem = email === null || email.toLowerCase() === identity.data.user.email.toLowerCase();
  return isForThem ? (
    <JoinAs identity={identity.data} token={token} />
  ) : (
    <OtherAccount identity={identity.data} email={email} />
  );
}

/** Shown to a person whose account has another address than the invitation. */
function OtherAccount({ identity, email }: { identity: Identity; email: string }) {
  const signOut = useAskedSignOut();
  return (
    <AccountPage
      title="Join a workspace"
      intro={
        <>
          This invitation is for <strong>{email}</strong>. You are signed in as <strong>{identity.user.name}</strong> (
          {identity.user.email}).
        </>
      }
    >
      <Button kind="primary" wide onPress={() => signOut('/join')}>
        Use another account
      </Button>
    </AccountPage>
  );
}

function NoInvitation() {
  return (
    <AccountPage title="Join a workspace" intro="Open the link of your invitation again: this page does not store it.">
      <ButtonLink to="/" wide>
        Go to Tandem
      </ButtonLink>
    </AccountPage>
  );
}

function JoinAs({ identity, token }: { identity: Identity; token: string }) {
  const switchWorkspace = useSwitchWorkspace();
  const signOut = useAskedSignOut();
  const go = useGo();
  const notify = useNotice();
  // It can be accepted once: where the switch failed, the next try is only that.
  const joined = useRef<{ id: string; name: string }>(null);
  const join = async () => {
    joined.current ??= await api.workspaces.acceptInvitation.mutate({ invitationToken: token });
    const { id, name } = joined.current;
    await switchWorkspace(id);
    await go('/');
    spendLinkToken();
    notify(`Welcome to ${name}.`);
  };
  return (
    <AccountPage
      title="Join a workspace"
      intro={
        <>
          You are signed in as <strong>{identity.user.name}</strong> ({identity.user.email}).
        </>
      }
    >
      <Form
        fields={{ invitationToken: { label: 'Invitation' } }}
        submit="Accept the invitation"
        busy="Joining…"
        wide
        onSubmit={join}
        actions={
          <Button kind="quiet" wide onPress={() => signOut('/join')}>
            Use another account
          </Button>
        }
      >
        {null}
      </Form>
    </AccountPage>
  );
}

function JoinAsGuest({ token, email }: { token: string; email: string | null }) {
  const [hasAccount, setHasAccount] = useState(false);
  const go = useGo();
  const notify = useNotice();
  const joined = async () => {
    await go('/');
    spendLinkToken();
    notify('Welcome. You are now a member.');
  };
  return (
    <AccountPage
      key={String(hasAccount)}
      title={hasAccount ? 'Sign in to join' : 'Join a workspace'}
      intro={
        hasAccount
          ? 'You can accept the invitation after signing in.'
          : 'You have been invited to work together in Tandem. Create your account to join.'
      }
      foot={
        <p>
          {hasAccount ? 'New to Tandem? ' : 'Have an account already? '}
          <Button kind="quiet" onPress={() => setHasAccount(!hasAccount)}>
            {hasAccount ? 'Create an account' : 'Sign in'}
          </Button>
        </p>
      }
    >
      {hasAccount ? (
        <SignInForm {...(email !== null && { email })} onDone={() => {}} />
      ) : (
        <SignUpForm invitationToken={token} email={email} onDone={joined} />
      )}
    </AccountPage>
  );
}
