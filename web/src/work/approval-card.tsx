import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitle } from '../ui/page.tsx';
import type { Approval } from './queries.ts';

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields that the tool will be called with. */
function fieldsOf(input: unknown): [name: string, value: string][] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).map(([name, value]) => [name, shown(value)]);
}

/** What an agent asks to be allowed, and the decision. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const { id: approvalId, title, input, reason } = approval;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const deciding = useMutation({
    mutationFn: (decision: 'approve' | 'deny') => api.approvals.decide.mutate({ approvalId, decision }),
    onSuccess: async (_, decision) => {
      await Promise.all([readAgain(queryClient, 'chats'), readAgain(queryClient, 'todos')]);
      focusPageTitle();
      notify(decision === 'approve' ? 'Approved. The agent continues.' : 'Denied. The agent continues without it.');
    },
    onError: (error) => {
      notify(problemOf(error).message);
      void readAgain(queryClient, 'chats');
    },
  });
  return (
    <Card title={`The agent asks: ${title}`} intro={reason}>
      <dl className="approval-input">
        {fieldsOf(input).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className="form-actions">
        <Button kind="primary" isBusy={deciding.isPending} onPress={() => deciding.mutate('approve')}>
          Approve
        </Button>
        <Button isBusy={deciding.isPending} onPress={() => deciding.mutate('deny')}>
          Deny
        </Button>
      </div>
    </Card>
  );
}
