import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { SelectField } from '../../ui/choices.tsx';
import { type Filled, Form } from '../../ui/form.tsx';
import type { Fields } from '../../ui/form-errors.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { webhooksKey } from './queries.ts';

const hourMs = 3_600_000;

const spans = [
  { id: '1', label: 'the last hour' },
  { id: '24', label: 'the last day' },
  { id: '168', label: 'the last week' },
  { id: '720', label: 'the last 30 days' },
];

const fields: Fields = { hours: { label: 'Since' } };

/** Sends again what was not delivered, for after a receiver was down or the endpoint disabled. */
export function SendAgainSince({ endpointId }: { endpointId: string }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const send = async (filled: Filled) => {
    const since = new Date(Date.now() - Number(filled.text('hours')) * hourMs).toISOString();
    const { fromSequence } = await api.webhookEndpoints.redeliverSince.mutate({ endpointId, since });
    await readAgain(queryClient, webhooksKey);
    notify(fromSequence === null ? 'Nothing happened since then.' : 'What was not delivered since then is sent again.');
  };
  return (
    <Form
      fields={fields}
      submit="Send again what failed"
      busy="Sending…"
      kind="secondary"
      label="Send again"
      onSubmit={send}
    >
      <SelectField name="hours" label="Events of" options={spans} defaultValue="24" />
    </Form>
  );
}
