import { Card } from '../ui/card.tsx';
import { AgentText, type PartProps } from './agent-text.tsx';

/** Limits of the service, in characters. */
const maxInstructions = 50_000;

/** Part of the page of an agent: what it is instructed to do in every conversation. */
export function Instructions({ agent, save }: PartProps) {
  return (
    <Card
      title="Standing instructions"
      intro="They apply to every conversation, also to those that are open, from the next step on."
    >
      <AgentText
        agent={agent}
        save={save}
        field="instructions"
        hint="Plain text or Markdown. What is only needed for one kind of work is better a skill."
        maxLength={maxInstructions}
        rows={16}
      />
    </Card>
  );
}
