import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { useSignOut, useSwitchWorkspace } from '../api/sessions.ts';
import { spendLinkToken, useLinkToken } from '../link-token.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { useNotice } from '../ui/notice.tsx';
import { AccountPage } from './account-page.tsx';
import { SignInForm } from './sign-in.tsx';
import { SignUpForm } from './sign-up.tsx';

/** By the link of an invitation: signed in, one joins; else one signs in or up first, here. */
export function Join() {
  const token = useLinkToken();
  const identity = useQuery(identityQuery);
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
  return identity.data === null ? <JoinAsGuest token={token} /> : <JoinAs identity={identity.data} token={token} />;
}

function NoInvitation() {
  return (
    <AccountPage
      title="Join a workspace"
      intro="Open the link in your invitation letter again: this page needs it and does not keep it."
    >
      <ButtonLink to="/settings" wide>
        Go to Tandem
      </ButtonLink>
    </AccountPage>
  );
}

function JoinAs({ identity, token }: { identity: Identity; token: string }) {
  const switchWorkspace = useSwitchWorkspace();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const tell = useNotice();
  const join = async () => {
    const workspace = await api.workspaces.acceptInvitation.mutate({ invitationToken: token });
    await switchWorkspace(workspace.id);
    await navigate('/settings/members');
    spendLinkToken();
    tell(`Welcome to ${workspace.name}.`);
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
          <Button kind="quiet" wide onPress={() => void signOut('/join')}>
            Use another account
          </Button>
        }
      >
        {null}
      </Form>
    </AccountPage>
  );
}

function JoinAsGuest({ token }: { token: string }) {
  const [hasAccount, setHasAccount] = useState(false);
  const navigate = useNavigate();
  const tell = useNotice();
  const joined = async () => {
    // At once, before this page hears that somebody is signed in and offers to accept again.
    await navigate('/settings/members', { flushSync: true });
    spendLinkToken();
    tell('Welcome. You are a member now.');
  };
  return (
    <AccountPage
      key={String(hasAccount)}
      title={hasAccount ? 'Sign in to join' : 'Join a workspace'}
      intro={
        hasAccount
          ? 'You can accept the invitation right after.'
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
      {hasAccount ? <SignInForm onDone={() => {}} /> : <SignUpForm invitationToken={token} onDone={joined} />}
    </AccountPage>
  );
}
