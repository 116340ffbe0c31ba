import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { readFactorsAgain, type SecondFactors, secondFactorsQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { Passkeys } from './passkeys.tsx';
import { ReauthenticationProvider, useReauthenticated } from './reauthentication.tsx';
import { NewRecoveryCodes } from './recovery-codes.tsx';

/** Page of the second factors. */
export function Security() {
  const factors = useQuery(secondFactorsQuery);
  const [codes, setCodes] = useState<string[] | null>(null);
  const showCodes = (made: { codes: string[] } | null) => made && setCodes(made.codes);
  return (
    <ReauthenticationProvider>
      <Page
        title="Security"
        intro="A second factor protects your account when somebody knows your password. Where this service sends emails, every change is reported by one."
      >
        {codes && <NewRecoveryCodes codes={codes} onStored={() => setCodes(null)} />}
        <Loaded query={factors} what="your second factors">
          {(found) => (
            <>
              {found.isRequired && !found.isActive && <Required />}
              <AuthenticatorApp app={found.totp} onCodes={showCodes} />
              <Passkeys onCodes={showCodes} />
              {found.isActive && <RecoveryCodes codes={found.recoveryCodes} onCodes={showCodes} />}
            </>
          )}
        </Loaded>
        <p className="muted">
          You can end your other sessions and change your password under <Link to="/settings/sessions">Sessions</Link>.
        </p>
      </Page>
    </ReauthenticationProvider>
  );
}

function Required() {
  return (
    <p className="callout warn">
      <Icon name="warning" />
      <span>
        This workspace requires a second factor. Set up an authenticator app or a passkey to use the rest of the
        workspace.
      </span>
    </p>
  );
}

interface RecoveryCodesProps {
  codes: SecondFactors['recoveryCodes'];
  onCodes: (made: { codes: string[] }) => void;
}

function RecoveryCodes({ codes, onCodes }: RecoveryCodesProps) {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const replace = async () => {
    const made = await reauthenticated(() => api.secondFactors.createRecoveryCodes.mutate({}));
    await readFactorsAgain(queryClient);
    onCodes(made);
  };
  const left = codes.remaining;
  return (
    <Card
      title="Recovery codes"
      intro="Each signs you in once when you do not have your other factors."
      actions={
        <ConfirmButton
          label="Replace codes"
          title="Replace your recovery codes?"
          confirm="Replace codes"
          busy="Replacing…"
          onConfirm={replace}
        >
          <p>You get ten new codes. The old ones are no longer accepted.</p>
        </ConfirmButton>
      }
    >
      <p>
        {left === 1 ? 'One code is' : `${left} codes are`} left.{' '}
        {left <= 3 && <Badge tone="warn">Replace them soon</Badge>}
      </p>
    </Card>
  );
}
