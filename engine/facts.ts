import type { Trigger } from '../domain/usage/minutes.ts';

/** Something with a name, such as a list. */
export interface Named {
  id: string;
  name: string;
}

export interface SkillFacts extends Named {
  summary: string | null;
}

export interface TodoFacts {
  id: string;
  title: string | null;
  content: string | null;
  status: 'ready' | 'in_progress' | 'done';
  type: 'task' | 'responsibility';
  priority: 'urgent' | 'high' | 'medium' | 'low' | null;
  /** `YYYY-MM-DD`. */
  dueDate: string | null;
  /** Name of the list that it is in. */
  list: string | null;
  captureId: string | null;
}

export interface CaptureFacts {
  id: string;
  title: string | null;
  /**
   * The part of it that the turn may read: note, transcript, notes; or the beginning of that, as much as a prompt can
   * have.
   */
  text: string;
  /** How long all of it is in characters, where `text` may be its beginning. */
  length?: number;
}

/** The facts of an agent's next step. Read again for every step, so that changes apply at once. */
export interface TurnFacts {
  /** Marks data in this prompt; from `newNonce`, the same for a whole turn so that providers can cache its prompts. */
  nonce: string;
  now: Date;
  /** IANA time zone of the chat. */
  timezone: string;
  trigger: Trigger;
  /** Number of agents between a person and this turn. */
  depth: number;
  agent: {
    id: string;
    name: string;
    description: string | null;
    instructions: string | null;
    requiresApproval: boolean;
    approvalGuidance: string | null;
    skills: readonly SkillFacts[];
  };
  /** Its people, active agents and open lists by name, or the first hundred of each. */
  workspace: Named & { people: readonly Named[]; agents: readonly Named[]; lists: readonly Named[] };
  /** The person on whose behalf the agent works. */
  person: Named;
  /** The todo of the chat. */
  todo: TodoFacts | null;
  captures: readonly CaptureFacts[];
}
