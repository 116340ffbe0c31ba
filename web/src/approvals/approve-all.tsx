import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { ConfirmDialog } from '../ui/lazy-overlay.tsx';
import { useNotice } from '../ui/notice.tsx';
import { type Approval, readAfterDecision, type ShownApproval } from './queries.ts';
import { sentenceOf } from './subject.ts';
import { directoryQuery, subjectQuery } from './subject-queries.ts';
import { forgetDrafts } from './use-approvals.ts';

/** What a card offers beside its own decision: to approve all that its chat waits for. */
export interface AllOfChat {
  count: number;
  ask: () => void;
}

interface ApproveAll {
  /** The offer of a chat; undefined where it waits for less than two decisions. */
  offerOf(chatId: string): AllOfChat | undefined;
  /** What asks before they are approved. */
  dialog: ReactNode;
}

/** Approves all that the agent of one chat waits for. What it asks for afterwards is not approved with it. */
export function useApproveAll(shown: readonly ShownApproval[], onSettled: (approvalId: string) => void): ApproveAll {
  const [asked, setAsked] = useState<readonly Approval[]>([]);
  const queryClient = useQueryClient();
  const notify = useNotice();
  const approve = async () => {
    let count = 0;
    try {
      for (const { id: approvalId } of asked) {
        const isApproved = await api.approvals.decide.mutate({ approvalId, decision: 'approve' }).then(
          () => true,
          (error: unknown) => {
            // Decided elsewhere, or in an earlier attempt: its card shows by whom.
            if (problemOf(error).status !== 409) throw error;
            return false;
          },
        );
        if (!isApproved) continue;
        count += 1;
        forgetDrafts(approvalId);
        onSettled(approvalId);
      }
      notify(count === 1 ? '1 action is approved.' : `${count} actions are approved.`);
    } finally {
      void readAfterDecision(queryClient);
    }
  };
  const offerOf = (chatId: string) => {
    const pending = shown.filter(({ isPending, approval }) => isPending && approval.chatId === chatId);
    if (pending.length < 2) return undefined;
    return { count: pending.length, ask: () => setAsked(pending.map(({ approval }) => approval)) };
  };
  const dialog = asked.length > 0 && (
    <ConfirmDialog
      title={`Approve all ${asked.length} actions?`}
      confirm="Approve all"
      busy="Approving…"
      onConfirm={approve}
      close={() => setAsked([])}
    >
      <ul>
        {asked.map((approval) => (
          <Sentence key={approval.id} approval={approval} />
        ))}
      </ul>
    </ConfirmDialog>
  );
  return { offerOf, dialog };
}

function Sentence({ approval }: { approval: Approval }) {
  const { workspace } = useIdentity();
  const directory = useQuery(directoryQuery(workspace.id)).data ?? [];
  const subject = useQuery(subjectQuery(workspace.id, approval)).data ?? null;
  const agent = directory.find(({ id }) => id === approval.agentId)?.name ?? 'An agent';
  return <li>{sentenceOf(agent, approval, subject)}</li>;
}
