import { z } from 'zod';
import type { AuthenticatedContext } from '../context.ts';
import { Failure, invalid, invalidInput } from '../errors.ts';
import { AnswerForm } from './asking.ts';
import { decideApproval } from './decide.ts';
import { DecideApproval } from './shapes.ts';

/** `AnswerForm`, in which the person can also correct what the agent will do. */
export const EditForm = {
  ...AnswerForm,
  properties: {
    ...AnswerForm.properties,
    input: {
      type: 'string' as const,
      title: 'Arguments',
      description: 'To approve with changes: all arguments of the call, as JSON. Empty: as the agent asks.',
    },
  },
};

const Edited = z.object({
  decision: DecideApproval.shape.decision,
  note: DecideApproval.shape.note.or(z.literal('')),
  input: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
});

/** The corrected arguments; undefined when the person left them as they are. @throws Failure 400. */
function inputOf(given: string | Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return undefined;
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(given));
  } catch {
    throw invalid(
      'input',
      'input must be a JSON object with all arguments of the call, such as {"title":"Order desks"}.',
    );
  }
}

/**
 * Decides an approval as the person answered in `EditForm`. A response that does not accept the form decides nothing,
 * nor does one to an approval that was decided otherwise meanwhile. @throws Failure 400 for a decision or arguments
 * that are not valid, 403, 404.
 */
export async function takeEdit(
  ctx: AuthenticatedContext,
  { approvalId, response }: { approvalId: string; response: unknown },
): Promise<void> {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action !== 'accept') return;
  const edited = Edited.safeParse(content);
  if (!edited.success) throw invalidInput(edited.error);
  const { decision, note } = edited.data;
  const input = decision === 'approve' ? inputOf(edited.data.input) : undefined;
  try {
    await decideApproval(ctx, { approvalId, decision, ...(note && { note }), ...(input && { input }) });
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.status !== 409) throw error;
  }
}
