import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { once } from '../api/once.ts';
import { readAgain } from '../api/queries.ts';
import { changeTagged } from '../api/tagged.ts';
import { useIdentity } from '../session/session.ts';
import { asFilter } from '../todos/use-filter.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card, Loaded } from '../ui/card.tsx';
import { TextField } from '../ui/fields.tsx';
import type { Filled } from '../ui/form.tsx';
import { useGoOn } from '../ui/here.ts';
import { useNotice } from '../ui/notice.tsx';
import { agentsKey, type Skill, taggedSkillQuery } from './queries.ts';
import { StoredForm, TextArea } from './stored-form.tsx';
import { TextEditor } from './text-editor.tsx';

const maxName = 80;
const maxInstructions = 50_000;
/** How often a change is tried again when another field was changed meanwhile. */
const maxTries = 5;

interface SkillEditorProps {
  agentId: string;
  skillId: string;
  /** The address of the list. */
  back: string;
}

/** Focuses the heading of what took the place of the list. */
function useFocusedHeading() {
  const around = useRef<HTMLDivElement>(null);
  useEffect(() => around.current?.focus(), []);
  return around;
}

/** Changes the name and the instructions of a skill. */
export function SkillEditor({ agentId, skillId, back }: SkillEditorProps) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const around = useFocusedHeading();
  const options = taggedSkillQuery(workspace.id, agentId, skillId);
  const query = useQuery(options);
  const save = async (field: 'name' | 'instructions', value: string | null, base: string | null) => {
    for (let tries = 1; ; tries++) {
      const { resource, tag } = await queryClient.ensureQueryData(options);
      if (resource[field] === value) return true;
      if (resource[field] !== base) return false;
      const change = value === null ? { clear: [field] } : { [field]: value };
      try {
        const path = `/agents/${encodeURIComponent(agentId)}/skills/${encodeURIComponent(skillId)}`;
        const changed = await changeTagged<Skill>(path, tag, change);
        await queryClient.cancelQueries({ queryKey: options.queryKey });
        queryClient.setQueryData(options.queryKey, changed);
        await readAgain(queryClient, agentsKey);
        return true;
      } catch (error) {
        if (problemOf(error).status !== 412 || tries === maxTries) throw error;
        await queryClient.fetchQuery({ ...options, staleTime: 0 });
      }
    }
  };
  return (
    <div ref={around} tabIndex={-1} className="part">
      <Card
        title={query.data?.resource.name ?? 'Skill'}
        intro={
          query.data?.resource.isArchived ? 'It is archived: the agent does not have it.' : query.data?.resource.summary
        }
        actions={
          <Link to={back} state={asFilter}>
            All skills
          </Link>
        }
      >
        <Loaded query={query} what="the skill">
          {({ resource }) => (
            <>
              <TextEditor
                label="Name"
                hint="What the agent can do with it. It sees the name in every conversation."
                current={resource.name}
                draftName={`skill.${skillId}.name`}
                maxLength={maxName}
                isLine
                save={(value, base) => save('name', value, base)}
              />
              <TextEditor
                label="Instructions"
                hint="What the agent reads when it needs the skill. A summary of one line is written from them."
                current={resource.instructions}
                draftName={`skill.${skillId}.instructions`}
                maxLength={maxInstructions}
                save={(value, base) => save('instructions', value, base)}
              />
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

/** The form of a new skill. */
export function NewSkill({ agentId, back }: Omit<SkillEditorProps, 'skillId'>) {
  const queryClient = useQueryClient();
  const goOn = useGoOn();
  const notify = useNotice();
  const around = useFocusedHeading();
  const create = async (filled: Filled) => {
    const [name, instructions] = [filled.text('name').trim(), filled.text('instructions')];
    await once(api.skills.create.mutate, { agentId, name, ...(instructions.trim() !== '' && { instructions }) });
    await readAgain(queryClient, agentsKey);
    await goOn(back);
    notify(`“${name}” is added. The agent can use it from now on.`);
  };
  return (
    <div ref={around} tabIndex={-1} className="part">
      <Card title="Add a skill" intro="What applies to every conversation belongs into the instructions instead.">
        <StoredForm
          draftName={`skill.new.${agentId}`}
          fields={{ name: { label: 'Name', required: 'Enter a name' }, instructions: { label: 'Instructions' } }}
          submit="Add skill"
          busy="Adding…"
          label="Add a skill"
          onSubmit={create}
          actions={<ButtonLink to={back}>Cancel</ButtonLink>}
        >
          {(initial) => (
            <>
              <TextField
                name="name"
                label="Name"
                hint="What the agent can do with it, such as: Weekly digest"
                maxLength={maxName}
                defaultValue={initial.name ?? ''}
              />
              <TextArea
                name="instructions"
                label="Instructions"
                hint="What the agent reads when it needs the skill."
                rows={10}
                maxLength={maxInstructions}
                defaultValue={initial.instructions ?? ''}
              />
            </>
          )}
        </StoredForm>
      </Card>
    </div>
  );
}
