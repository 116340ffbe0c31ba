import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { asFilter } from '../todos/use-filter.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import type { PartProps } from './agent-text.tsx';
import { agentsKey, type Skill, skillsQuery } from './queries.ts';
import { NewSkill, SkillEditor } from './skill-editor.tsx';

/** Part of the page of an agent: its skills, and the one that the address names (`?skill=`, an id or `new`). */
export function Skills({ agent }: Pick<PartProps, 'agent'>) {
  const { workspace } = useIdentity();
  const [search] = useSearchParams();
  const skills = useQuery(skillsQuery(workspace.id, agent.id));
  const here = `/agents/${agent.id}/skills`;
  const opened = search.get('skill');
  if (opened === 'new') return <NewSkill agentId={agent.id} back={here} />;
  if (opened !== null) return <SkillEditor key={opened} agentId={agent.id} skillId={opened} back={here} />;
  return (
    <Card
      title="Skills"
      intro="Instructions for one kind of work. The agent knows their names, and reads them when it needs them."
      actions={
        <Link to={`${here}?skill=new`} state={asFilter} className="button primary">
          <Icon name="plus" />
          Add skill
        </Link>
      }
    >
      <Loaded query={skills} what="the skills">
        {(data) =>
          data.length === 0 ? (
            <Empty title="No skills yet">Such as “Weekly digest”: what to collect, for whom, in which form.</Empty>
          ) : (
            <Rows label="Skills">
              {data.map((skill) => (
                <SkillRow key={skill.id} skill={skill} href={`${here}?skill=${skill.id}`} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  );
}

function SkillRow({ skill, href }: { skill: Skill; href: string }) {
  const { id: skillId, agentId, name, summary, isArchived, updatedAt } = skill;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const moving = useMutation({
    mutationFn: (archived: boolean) => api.skills.update.mutate({ agentId, skillId, archived }),
    onSuccess: async (_, archived) => {
      await readAgain(queryClient, agentsKey);
      notify(archived ? `“${name}” is archived: the agent no longer has it.` : `“${name}” is restored.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <Row
      title={
        <Link to={href} state={asFilter}>
          {name}
        </Link>
      }
      badges={isArchived && <Badge>Archived</Badge>}
      detail={summary}
      facts={[
        <span key="at">
          Changed <Ago at={updatedAt} />
        </span>,
      ]}
      actions={
        <Button
          kind="quiet"
          aria-label={`${isArchived ? 'Restore' : 'Archive'} ${name}`}
          isBusy={moving.isPending}
          onPress={() => moving.mutate(!isArchived)}
        >
          {isArchived ? 'Restore' : 'Archive'}
        </Button>
      }
    />
  );
}
