import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { TandemInputs } from 'tandem/client';
import { api, problemOf } from '../api/client.ts';
import { storeDraft } from '../session/stored-drafts.ts';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';
import { type Approval, readAfterDecision, type ShownApproval } from './queries.ts';

interface Held {
  pending: readonly Approval[];
  shown: readonly Approval[];
  /** Those that are settled for this page. */
  released: ReadonlySet<string>;
}

const none: readonly Approval[] = [];

function hold({ shown, released }: Held, pending: readonly Approval[]): Held {
  const ids = new Set(pending.map(({ id }) => id));
  const left = shown.filter(({ id }) => !ids.has(id));
  const all = [...pending, ...left].filter(({ id }) => !released.has(id));
  return { pending, released, shown: all.sort((a, b) => b.requestedAt.localeCompare(a.requestedAt)) };
}

/**
 * The approvals of a page, the newest first. One that is decided elsewhere stays until its card releases it: what is
 * typed about it is not lost, and the card shows who decided.
 */
export function useHeldApprovals(pending: readonly Approval[] = none) {
  const [held, setHeld] = useState<Held>(() => hold({ pending: none, shown: none, released: new Set() }, pending));
  if (held.pending !== pending) setHeld(hold(held, pending));
  const release = useCallback((approvalId: string) => {
    setHeld((now) => hold({ ...now, released: new Set([...now.released, approvalId]) }, now.pending));
    // Where the page does not move the focus to something else, it would be lost with the card.
    focusPageTitleIfLost();
  }, []);
  const ids = new Set(pending.map(({ id }) => id));
  const approvals = held.shown.map((approval): ShownApproval => ({ approval, isPending: ids.has(approval.id) }));
  return { approvals, release };
}

/** The name of the draft of what is typed about an approval (session/stored-drafts.ts). */
export function draftOf(approvalId: string, what: 'note' | 'edit'): string {
  return `approval.${approvalId}.${what}`;
}

/** Discards what was typed about an approval. */
export function forgetDrafts(approvalId: string): void {
  storeDraft(draftOf(approvalId, 'note'), undefined);
  storeDraft(draftOf(approvalId, 'edit'), undefined);
}

export type Decision = Omit<TandemInputs['approvals']['decide'], 'approvalId'>;

/** Decides an approval, once. `onSettled` is called when it is decided as given. */
export function useDecision({ id: approvalId }: Approval, onSettled: (approvalId: string) => void) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const isSending = useRef(false);
  const deciding = useMutation({
    mutationFn: (decision: Decision) => api.approvals.decide.mutate({ approvalId, ...decision }),
    onSuccess: (_, { decision }) => {
      forgetDrafts(approvalId);
      onSettled(approvalId);
      notify(decision === 'approve' ? 'Approved. The agent continues.' : 'Denied. The agent continues without it.');
    },
    onSettled: () => {
      isSending.current = false;
      void readAfterDecision(queryClient);
    },
  });
  /** A second call while the first one is under way does nothing. @throws ProblemError */
  const decide = async (decision: Decision): Promise<void> => {
    // The reference for a second press before the button is rendered as busy.
    if (isSending.current) return;
    isSending.current = true;
    await deciding.mutateAsync(decision);
  };
  const problem = deciding.error && problemOf(deciding.error);
  return { decide, isBusy: deciding.isPending, problem, isTaken: problem?.status === 409 };
}
