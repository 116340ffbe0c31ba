import { z } from 'zod';
import type { Done } from './plan.ts';
import { listed, quote, shown } from './rows.ts';

const Fault = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullish(),
  allowedValues: z.array(z.string()).nullish(),
});

type ToolFault = z.infer<typeof Fault>;

/** Why a call was not made, by the code of the fault, where that is due to a person. */
const people: Record<string, (fault: ToolFault) => string> = {
  denied: ({ message }) => {
    const note = /^A person denied this call: (.+)$/s.exec(message)?.[1];
    return note ? `it was denied: ${quote(note)}` : 'it was denied';
  },
  expired: () => 'nobody approved it in time',
  superseded: () => 'it was not approved before you wrote',
  not_executed: () => 'the turn was stopped before it',
};

const others: Record<string, string> = {
  resource_not_found: 'what it is about does not exist in this workspace any more',
  missing_scope: 'this chat is not allowed to do that',
  insufficient_minutes: 'the workspace has no agent minutes left',
  internal_error: 'the service had a fault of its own; nothing was changed, and you can ask again',
};

const named: Record<string, string> = {
  todoListId: 'there is no todo list of that name',
  todoListName: 'there is no todo list of that name',
  assigneeId: 'nobody has that name',
  dueDate: 'that date does not exist',
  dueAfter: 'that date does not exist',
  dueBefore: 'that date does not exist',
};

function wrongValue({ param, message, allowedValues }: ToolFault): string {
  const name = param?.startsWith('assignees') ? 'assigneeId' : (param ?? '');
  const isUnknown = /^No \w/.test(message) || name.startsWith('due');
  const cause = (isUnknown && named[name]) || shown(message.replace(/ Pass .*$/s, '').replace(/\.$/, ''), 300);
  if (!isUnknown || !allowedValues?.length) return cause;
  const some = allowedValues.slice(0, 10).map(quote);
  const more = allowedValues.length > 10 ? ['others'] : [];
  return `${cause}. There ${allowedValues.length === 1 ? 'is' : 'are'} ${listed([...some, ...more])}`;
}

/** Why a call failed, in plain words, to follow a colon; without a full stop. */
export function causeOf({ output }: Pick<Done, 'output'>): string {
  const parsed = Fault.safeParse(output);
  if (!parsed.success) return 'the tool answered with an error that I cannot read';
  const fault = parsed.data;
  return people[fault.code]?.(fault) ?? others[fault.code] ?? wrongValue(fault);
}
