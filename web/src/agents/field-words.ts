import { hoursInWords } from './hours.ts';
import type { AgentDetail, Field } from './merge.ts';

/** What the fields of an agent are called. */
export const fieldNames: Record<Field, string> = {
  name: 'Name',
  description: 'Role',
  instructions: 'Instructions',
  approvalGuidance: 'Guidance',
  requiresApproval: 'Approval',
  workingHoursEnabled: 'Working hours',
  workingHours: 'Hours',
};

/** A value of a field in words. */
export function valueInWords(field: Field, value: AgentDetail[Field] | undefined): string {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'object') return hoursInWords(value);
  if (field === 'requiresApproval') return value ? 'asks first' : 'does not ask';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value;
}
