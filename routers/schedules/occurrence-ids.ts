import { hash } from 'node:crypto';
import { stringify } from 'uuid';

/**
 * The id of the occurrence of a todo that is planned for an instant: a UUIDv7 of that instant whose random part is a hash
 * of both. So a time that is still to come has an id without a row, and the same one when it has come.
 */
export function occurrenceId(todoId: string, plannedAt: string): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Date.parse(plannedAt), 0, 6);
  hash('sha256', `${todoId.toLowerCase()} ${plannedAt}`, 'buffer').copy(bytes, 6, 0, 10);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return stringify(bytes);
}
