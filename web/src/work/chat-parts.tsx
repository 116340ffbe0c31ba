import { FieldError, Label, TextArea, TextField } from 'react-aria-components';
import { useFieldError } from '../ui/form-errors.tsx';
import { Badge } from '../ui/rows.tsx';
import type { Chat } from './queries.ts';

const shown: Record<Chat['status'], { text: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  queued: { text: 'Waiting to start', tone: 'plain' },
  running: { text: 'At work', tone: 'good' },
  awaiting_input: { text: 'Needs you', tone: 'warn' },
  completed: { text: 'Answered', tone: 'plain' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Stopped', tone: 'plain' },
};

/** The status of a chat in words. */
export function StatusBadge({ status }: Pick<Chat, 'status'>) {
  return <Badge tone={shown[status].tone}>{shown[status].text}</Badge>;
}

/** The field of a message to an agent. */
export function MessageField({ label }: { label: string }) {
  const { message, isInvalid } = useFieldError('message');
  return (
    <TextField
      className="field"
      name="message"
      validationBehavior="aria"
      isRequired
      isInvalid={isInvalid}
      maxLength={32_000}
    >
      <Label>{label}</Label>
      <TextArea className="input" rows={3} />
      <FieldError className="field-error">{message}</FieldError>
    </TextField>
  );
}

/** The fields of a form with one message. */
export const messageFields = { message: { label: 'Message', required: 'Write a message' } };
