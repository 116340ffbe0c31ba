import { useMutation, useQuery } from '@tanstack/react-query';
import { Navigate, useLocation, useSearchParams } from 'react-router';
import { isSignedOut, problemOf } from '../api/client.ts';
import { decide, type Interaction, readInteraction } from '../api/consent.ts';
import { type Identity, identityQuery } from '../api/queries.ts';
import { withNext } from '../session/next-page.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import { Initial } from '../ui/rows.tsx';
import { AccountPage } from './account-page.tsx';
import { useAskedSignOut } from './asked-sign-out.ts';
import { ScopeChoice, WorkspaceChoice } from './consent-choices.tsx';

/** Consent of an OAuth client: the app, the workspace, the scopes. */
export function Consent() {
  const [search] = useSearchParams();
  const { pathname, search: query } = useLocation();
  const uid = search.get('uid') ?? '';
  const identity = useQuery(identityQuery);
  const interaction = useQuery({
    queryKey: ['interaction', uid],
    queryFn: ({ signal }) => readInteraction(uid, signal),
    enabled: uid !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (identity.data === null || isSignedOut(interaction.error))
    return <Navigate to={withNext('/sign-in', pathname + query)} replace />;
  const status = interaction.error ? problemOf(interaction.error).status : 0;
  if (uid === '' || [400, 404, 410].includes(status)) {
    const intro = 'The request of this app has expired or was decided. Go back to the app and connect it again.';
    return <AccountPage title="This request has ended" intro={intro} />;
  }
  // A decision names the person who makes it, so it is not offered before that is known.
  if (interaction.data === undefined || identity.data === undefined) {
    return (
      <AccountPage title="Connect an app">
        <Loaded<unknown> query={interaction.data === undefined ? interaction : identity} what="the request">
          {() => null}
        </Loaded>
      </AccountPage>
    );
  }
  return <Decide uid={uid} interaction={interaction.data} identity={identity.data} />;
}

interface DecideProps {
  uid: string;
  interaction: Interaction;
  identity: Identity;
}

function Decide({ uid, interaction: { client, scopes, workspaces }, identity }: DecideProps) {
  const fields = {
    workspaceId: { label: 'Workspace', required: 'Choose the workspace that the app may work in' },
    scopes: { label: 'Permissions', required: 'Allow at least one thing, or deny the request' },
  };
  const denying = useMutation({ mutationFn: () => decide(uid, { decision: 'deny' }) });
  const approve = (filled: Filled) =>
    decide(uid, { decision: 'approve', workspaceId: filled.text('workspaceId'), scopes: filled.all('scopes') });
  return (
    <AccountPage wide title={`Connect ${client.name} to Tandem?`} foot={<SignedInAs {...identity} />}>
      <div className="app-card">
        <Initial name={client.name} />
        <div>
          <p>
            <strong>{client.name}</strong> requests access to one of your workspaces.
          </p>
          <p className="muted">{redirectNotice(client.redirectHost)}</p>
        </div>
      </div>
      <Form
        fields={fields}
        submit="Allow access"
        busy="Connecting…"
        onSubmit={approve}
        actions={
          <Button isBusy={denying.isPending} onPress={() => denying.mutate()}>
            Deny
          </Button>
        }
      >
        <WorkspaceChoice name="workspaceId" workspaces={workspaces} />
        <ScopeChoice name="scopes" scopes={scopes.filter(({ requested }) => requested)} />
      </Form>
      {denying.error && (
        <p className="field-error" role="alert">
          {problemOf(denying.error).message}
        </p>
      )}
      <p className="muted small">You can end this access at any time in the settings, under connected apps.</p>
    </AccountPage>
  );
}

function redirectNotice(host: string) {
  const name = host.replace(/:\d+$/, '');
  if (['localhost', '127.0.0.1', '[::1]'].includes(name)) {
    return 'It runs on this computer. Allow it only if you have just started it yourself.';
  }
  return (
    <>
      You will be sent back to <strong className="host">{host}</strong>. Deny if you do not know this address.
    </>
  );
}

function SignedInAs({ user }: Identity) {
  const { pathname, search } = useLocation();
  const signOut = useAskedSignOut();
  return (
    <p>
      Signed in as {user.email}.{' '}
      <Button kind="quiet" onPress={() => signOut(withNext('/sign-in', pathname + search))}>
        Use another account
      </Button>
    </p>
  );
}
