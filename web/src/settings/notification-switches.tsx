import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { emailVerificationQuery, type NotificationSettings, notificationSettingsQuery } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { PushCard } from './push-card.tsx';

type Kind = keyof NotificationSettings['kinds'];

const kinds: { kind: Kind; label: string; about: string }[] = [
  { kind: 'todo_due', label: 'A todo is due', about: 'A todo that is assigned to you has reached its planned time.' },
  { kind: 'todo_reminder', label: 'A reminder', about: 'You asked to be reminded of the due date of a todo.' },
  {
    kind: 'approval_requested',
    label: 'An agent requests approval',
    about: 'It works for you, or on a todo that is assigned to you, and waits.',
  },
  {
    kind: 'run_failed',
    label: 'An agent failed',
    about: 'It worked for you, or on a todo that is assigned to you.',
  },
  {
    kind: 'minutes_exhausted',
    label: 'No minutes are left',
    about: 'Owners are notified when agents can no longer work.',
  },
  {
    kind: 'webhook_disabled',
    label: 'A webhook was disabled',
    about:
      'A webhook of yours failed for five days, returned 410 Gone, or its key was revoked; for owners also when its person has left.',
  },
  {
    kind: 'invited',
    label: 'You are invited',
    about: 'You are invited to another workspace. The email is always sent.',
  },
  { kind: 'mentioned', label: 'You are mentioned', about: 'Somebody mentions you in a comment on a todo.' },
];

/** Notification settings of the user in this workspace. Changes are saved at once. */
export function NotificationSwitches() {
  const { workspace } = useIdentity();
  const settings = useQuery(notificationSettingsQuery(workspace.id));
  const verification = useQuery(emailVerificationQuery);
  return (
    <Page title="Notification settings" intro={`When and how you are notified in ${workspace.name}.`}>
      <Card
        title="Notify me when"
        intro={
          settings.data?.sendsLetters === false
            ? 'This service does not send emails yet; your choice applies once it does.'
            : verification.data?.verifiedAt === null && <Unconfirmed />
        }
      >
        <Loaded query={settings} what="your settings">
          {(data) => (
            <div className="switches">
              {kinds.map((each) => (
                <SwitchRow key={each.kind} {...each} settings={data} />
              ))}
            </div>
          )}
        </Loaded>
      </Card>
      <PushCard />
    </Page>
  );
}

function Unconfirmed() {
  return (
    <>
      You get none by email until you have <Link to="/settings/sessions">confirmed your address</Link>.
    </>
  );
}

function SwitchRow({ kind, label, about, settings }: (typeof kinds)[number] & { settings: NotificationSettings }) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const saving = useMutation({
    mutationFn: (change: { inApp?: boolean; email?: boolean; push?: boolean }) =>
      api.notifications.updateSettings.mutate({ kinds: { [kind]: change } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(notificationSettingsQuery(workspace.id).queryKey, saved);
      notify('Your settings are saved.');
    },
    onError: (error) => notify(problemOf(error).message),
  });
  const switches: { inApp: boolean; email?: boolean; push?: boolean } = settings.kinds[kind];
  const { inApp, email, push } = { ...switches, ...(saving.isPending && saving.variables) };
  return (
    <fieldset className="switch-row">
      <legend>
        <strong>{label}</strong>
        <span className="block muted small">{about}</span>
      </legend>
      <Checkbox className="choice inline" isSelected={inApp} onChange={(on) => saving.mutate({ inApp: on })}>
        <Tick />
        In Tandem
      </Checkbox>
      {email !== undefined && (
        <Checkbox className="choice inline" isSelected={email} onChange={(on) => saving.mutate({ email: on })}>
          <Tick />
          By email
        </Checkbox>
      )}
      {push !== undefined && (
        <Checkbox className="choice inline" isSelected={push} onChange={(on) => saving.mutate({ push: on })}>
          <Tick />
          On devices
        </Checkbox>
      )}
    </fieldset>
  );
}
