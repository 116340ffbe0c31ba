import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { type Identity, readAgain, workspacesQuery } from '../api/queries.ts';
import { useIdentity, useSwitching, useSwitchWorkspace } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { Page } from '../ui/page.tsx';
import { Badge, Initial, Row, Rows } from '../ui/rows.tsx';
import { TimeZoneField } from '../ui/time-zone-field.tsx';
import { useChanged } from '../ui/use-changed.ts';
import { RequiredFactor } from './required-factor.tsx';

const fields: Fields = {
  name: { label: 'Name', required: 'Enter a name' },
  timezone: { label: 'Time zone', required: 'Choose a time zone from the list' },
};

/** Page of the workspace settings. */
export function Workspace() {
  const { workspace, user } = useIdentity();
  const { agentMinutesRemaining: minutes } = workspace;
  return (
    <Page
      title="Workspace"
      intro={
        minutes !== null && `${Math.floor(minutes).toLocaleString('en')} agent minutes are left in ${workspace.name}.`
      }
    >
      {user.role === 'owner' ? <EditWorkspace workspace={workspace} /> : <ShowWorkspace workspace={workspace} />}
      {user.role === 'owner' && <RequiredFactor workspace={workspace} />}
      <YourWorkspaces />
      <CreateWorkspace />
    </Page>
  );
}

function ShowWorkspace({ workspace }: { workspace: Identity['workspace'] }) {
  return (
    <Card title={workspace.name} intro="Its owners can rename it.">
      <dl className="pairs">
        <dt>Time zone</dt>
        <dd>{workspace.timezone.replaceAll('_', ' ')}</dd>
      </dl>
    </Card>
  );
}

function EditWorkspace({ workspace }: { workspace: Identity['workspace'] }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const send = useChanged({ name: workspace.name, timezone: workspace.timezone });
  const save = async (filled: Filled) => {
    await send({ name: filled.text('name').trim(), timezone: filled.text('timezone') }, (changes) =>
      api.workspaces.update.mutate({ workspaceId: workspace.id, ...changes }),
    );
    await readAgain(queryClient, 'identity');
    await readAgain(queryClient, 'workspaces');
    notify('The workspace is saved.');
  };
  return (
    <Card title="This workspace" intro="The default time zone of schedules.">
      <Form fields={fields} submit="Save" busy="Saving…" onSubmit={save} label="This workspace">
        <TextField name="name" label="Name" autoComplete="organization" defaultValue={workspace.name} maxLength={100} />
        <TimeZoneField name="timezone" label="Time zone" defaultValue={workspace.timezone} />
      </Form>
    </Card>
  );
}

function YourWorkspaces() {
  const { workspace: current } = useIdentity();
  const workspaces = useQuery(workspacesQuery);
  const switching = useSwitching();
  return (
    <Card title="Your workspaces" intro="This browser uses one workspace at a time.">
      <Loaded query={workspaces} what="your workspaces">
        {({ data }) => (
          <Rows label="Your workspaces">
            {data.map(({ id, name, role, timezone }) => (
              <Row
                key={id}
                icon={<Initial name={name} />}
                title={name}
                badges={id === current.id && <Badge tone="good">Open</Badge>}
                facts={[role === 'owner' ? 'You own it' : 'You are a member', timezone.replaceAll('_', ' ')]}
                actions={
                  id !== current.id && (
                    <Button
                      aria-label={`Switch to ${name}`}
                      isDisabled={switching.isPending}
                      onPress={() => switching.mutate(id)}
                    >
                      Switch
                    </Button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </Loaded>
    </Card>
  );
}

function CreateWorkspace() {
  const switchWorkspace = useSwitchWorkspace();
  const notify = useNotice();
  const create = async (filled: Filled) => {
    const made = await api.workspaces.create.mutate({
      name: filled.text('name').trim(),
      timezone: filled.text('timezone'),
    });
    await switchWorkspace(made.id);
    notify(`${made.name} is ready. You are in it now.`);
  };
  return (
    <Card title="Create another workspace" intro="It has its own members, todos, agents and keys.">
      <Form
        fields={fields}
        submit="Create workspace"
        busy="Creating…"
        kind="secondary"
        onSubmit={create}
        label="Create another workspace"
        clears
      >
        <TextField name="name" label="Name" autoComplete="off" maxLength={100} />
        <TimeZoneField name="timezone" label="Time zone" defaultValue={ownTimeZone} />
      </Form>
    </Card>
  );
}
