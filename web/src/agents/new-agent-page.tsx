import { useQueryClient } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import type { Filled } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useGoOn } from '../ui/here.ts';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { agentsKey } from './queries.ts';
import { StoredForm, TextArea } from './stored-form.tsx';

const fields: Fields = {
  name: { label: 'Name', required: 'Enter a name' },
  description: { label: 'Role' },
  instructions: { label: 'Instructions' },
  requiresApproval: { label: 'Approval' },
};

/** Page `/agents/new`. */
export function NewAgentPage() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const notify = useNotice();
  const create = async (filled: Filled) => {
    const [description, instructions] = [filled.text('description').trim(), filled.text('instructions')];
    const { id, name } = await once(api.agents.create.mutate, {
      name: filled.text('name').trim(),
      requiresApproval: filled.all('requiresApproval').length > 0,
      ...(description !== '' && { description }),
      ...(instructions.trim() !== '' && { instructions }),
    });
    await readAgain(queryClient, agentsKey);
    await goOn(`/agents/${id}`);
    notify(`${name} is ready. Assign it a todo, or start a chat with it.`);
  };
  return (
    <Page title="New agent" intro="It starts no work by itself: you assign it todos, or write to it.">
      <section className="card">
        <StoredForm
          draftName={`agent.new.${workspace.id}`}
          fields={fields}
          submit="Create agent"
          busy="Creating…"
          label="New agent"
          onSubmit={create}
          actions={<ButtonLink to="/agents">Cancel</ButtonLink>}
        >
          {(initial) => (
            <>
              <TextField
                name="name"
                label="Name"
                hint="Todos and chats name it by this, such as @Scout."
                maxLength={80}
                defaultValue={initial.name ?? ''}
              />
              <TextArea
                name="description"
                label="Role"
                hint="What it is for, and what it leaves to others."
                rows={2}
                maxLength={2000}
                defaultValue={initial.description ?? ''}
              />
              <TextArea
                name="instructions"
                label="Instructions"
                hint="They apply to every conversation, such as: Name your sources."
                rows={8}
                maxLength={50_000}
                defaultValue={initial.instructions ?? ''}
              />
              <Checkbox className="choice inline" name="requiresApproval" value="true" defaultSelected>
                <Tick />
                <span>
                  <strong>Ask first</strong>
                  <span className="muted block">
                    It pauses until a person approves a change outside the todo or chat that it works on.
                  </span>
                </span>
              </Checkbox>
            </>
          )}
        </StoredForm>
      </section>
    </Page>
  );
}
