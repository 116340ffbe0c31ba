import { useMutation } from '@tanstack/react-query';
import { Checkbox } from 'react-aria-components';
import { problemOf } from '../api/client.ts';
import { Card } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { AgentText, type PartProps } from './agent-text.tsx';

/** Limit of the service, in characters. */
const maxGuidance = 5000;

const examples = [
  'Ask before anything that a customer would see.',
  'Name in the reason what changes, and for whom.',
  'Never archive todos that are assigned to a person.',
];

/** Part of the page of an agent: whether it asks a person first, and what about. */
export function Approval({ agent, save }: PartProps) {
  const { name, requiresApproval } = agent;
  const notify = useNotice();
  const switching = useMutation({
    mutationFn: (asks: boolean) => save({ requiresApproval: asks }, agent),
    onSuccess: (conflicts, asks) => {
      if (conflicts.length > 0) notify('Somebody else changed this meanwhile. Look at it and try again.');
      else notify(asks ? `${name} asks before it changes anything.` : `${name} makes changes without asking.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <>
      <Card
        title="Approval"
        intro="An agent that asks pauses until a person approves or denies a change outside the todo or chat that it works on. Reading needs no approval."
      >
        <Checkbox
          className="choice inline"
          isSelected={switching.isPending ? switching.variables : requiresApproval}
          onChange={(asks) => !switching.isPending && switching.mutate(asks)}
        >
          <Tick />
          {name} asks a person before it changes anything
        </Checkbox>
      </Card>
      <Card
        title="What it asks about"
        intro="In your words. It is read together with the instructions, and adds to the rule above: it cannot lift it."
      >
        <AgentText
          agent={agent}
          save={save}
          field="approvalGuidance"
          hint={requiresApproval ? 'One rule on each line.' : 'It has an effect once the agent asks at all.'}
          maxLength={maxGuidance}
          rows={6}
          examples={examples}
        />
      </Card>
    </>
  );
}
