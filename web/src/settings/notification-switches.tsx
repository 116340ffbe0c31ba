import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { api, problemOf } from '../api/client.ts';
import { type NotificationSettings, notificationSettingsQuery } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Tick } from '../ui/tick.tsx';
import { SettingsPage } from './settings-page.tsx';

type Kind = keyof NotificationSettings['kinds'];

const kinds: { kind: Kind; label: string; about: string }[] = [
  { kind: 'todo_due', label: 'A todo is due', about: 'The planned time of a todo that you are assigned to has come.' },
  {
    kind: 'approval_requested',
    label: 'An agent asks for approval',
    about: 'It works for you, or on a todo that you are assigned to, and waits.',
  },
  {
    kind: 'run_failed',
    label: 'An agent failed',
    about: 'It worked for you, or on a todo that you are assigned to.',
  },
  {
    kind: 'minutes_exhausted',
    label: 'No minutes are left',
    about: 'Owners are told when no agent can work any more.',
  },
  { kind: 'invited', label: 'You are invited', about: 'To another workspace. Its letter always comes.' },
];

/** What one is told of in this workspace, and how. Every switch is saved at once. */
export function NotificationSwitches() {
  const { workspace } = useIdentity();
  const settings = useQuery(notificationSettingsQuery(workspace.id));
  return (
    <SettingsPage title="Notification settings" intro={`What you are told of in ${workspace.name}, and how.`}>
      <Card
        title="Tell me when"
        intro={
          settings.data?.sendsLetters === false && 'This service sends no letters now; your choice counts once it does.'
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
    </SettingsPage>
  );
}

function SwitchRow({ kind, label, about, settings }: (typeof kinds)[number] & { settings: NotificationSettings }) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const tell = useNotice();
  const saving = useMutation({
    mutationFn: (change: { inApp?: boolean; email?: boolean }) =>
      api.notifications.updateSettings.mutate({ kinds: { [kind]: change } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(notificationSettingsQuery(workspace.id).queryKey, saved);
      tell('Your choice is saved.');
    },
    onError: (error) => tell(problemOf(error).message),
  });
  const switches: { inApp: boolean; email?: boolean } = settings.kinds[kind];
  const { inApp, email } = { ...switches, ...(saving.isPending && saving.variables) };
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
          By letter
        </Checkbox>
      )}
    </fieldset>
  );
}
