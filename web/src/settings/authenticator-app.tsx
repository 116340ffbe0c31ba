import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readFactorsAgain, type SecondFactors } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { useReauthenticated } from './reauthentication.tsx';

interface AuthenticatorAppProps {
  app: SecondFactors['totp'];
  onCodes: (made: { codes: string[] } | null) => void;
}

/** The authenticator app: set it up, or remove it. */
export function AuthenticatorApp({ app, onCodes }: AuthenticatorAppProps) {
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const begun = useMutation({
    mutationFn: () => reauthenticated(() => api.secondFactors.beginTotp.mutate({})),
    onError: (error) => notify(problemOf(error).message),
  });
  const isOpen = !app.isActive && begun.data !== undefined;
  return (
    <Card
      title="Authenticator app"
      intro="An app on your phone shows a new code every 30 seconds."
      actions={
        app.isActive ? (
          <RemoveApp />
        ) : (
          !isOpen && (
            <Button kind="primary" isBusy={begun.isPending} onPress={() => begun.mutate()}>
              Set up an app
            </Button>
          )
        )
      }
    >
      {app.isActive && app.since !== null && (
        <p>
          <Badge tone="good">Active</Badge> Set up <Ago at={app.since} />
        </p>
      )}
      {isOpen && begun.data && <Enrolment {...begun.data} onCodes={onCodes} onEnd={begun.reset} />}
    </Card>
  );
}

function RemoveApp() {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const remove = async () => {
    await reauthenticated(() => api.secondFactors.removeTotp.mutate({}));
    await readFactorsAgain(queryClient);
    notify('The authenticator app is removed.');
  };
  return (
    <ConfirmButton
      label="Remove app"
      title="Remove the authenticator app?"
      confirm="Remove app"
      busy="Removing…"
      onConfirm={remove}
    >
      <p>Its codes are no longer accepted. Without a passkey, only your password protects your account then.</p>
    </ConfirmButton>
  );
}

const fields: Fields = { code: { label: 'Code', required: 'Enter the code that the app shows' } };

interface EnrolmentProps {
  secret: string;
  uri: string;
  onCodes: (made: { codes: string[] } | null) => void;
  onEnd: () => void;
}

function Enrolment({ secret, uri, onCodes, onEnd }: EnrolmentProps) {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const confirm = async (filled: Filled) => {
    const code = filled.text('code');
    const { recoveryCodes } = await reauthenticated(() => api.secondFactors.confirmTotp.mutate({ code }));
    onCodes(recoveryCodes);
    await readFactorsAgain(queryClient);
    onEnd();
    notify('The authenticator app is set up.');
  };
  return (
    <div className="enrolment">
      <QrCode text={uri} label="QR code for your authenticator app" />
      <div className="enrolment-steps">
        <p>Scan the QR code with your authenticator app, or enter this key:</p>
        <div className="secret-line">
          <code className="secret-text" data-testid="totp-secret">
            {secret}
          </code>
          <CopyButton text={secret} label="Copy key" what="The key is" />
        </div>
        <Form
          fields={fields}
          submit="Activate"
          busy="Activating…"
          onSubmit={confirm}
          label="Authenticator app"
          actions={<Button onPress={onEnd}>Cancel</Button>}
        >
          <TextField
            name="code"
            label="Code"
            hint="The 6 digits that the app shows now."
            autoComplete="one-time-code"
            inputMode="numeric"
          />
        </Form>
      </div>
    </div>
  );
}
