type Row = Readonly<Record<string, unknown>>;

/** Fields that become columns, the most useful first. A list shows those that its items have. */
const preferred = [
  'sequence',
  'id',
  'title',
  'clientName',
  'client',
  'name',
  'email',
  'status',
  'kind',
  'role',
  'trigger',
  'decision',
  'dueDate',
  'priority',
  'text',
  'plannedAt',
  'assignees',
  'type',
  'timezone',
  'prefix',
  'scopes',
  'isCurrent',
  'isDefault',
  'requiresApproval',
  'activeTodoCount',
  'todoCount',
  'captureCount',
  'durationSeconds',
  'tags',
  'summary',
  'description',
  'firedAt',
  'startedAt',
  'finishedAt',
  'requestedAt',
  'lastMessageAt',
  'nextRunAt',
  'lastUsedAt',
  'expiresAt',
  'updatedAt',
  'createdAt',
];

const maxColumns = 7;

/** The columns of a list whose items have these fields. Messages show `sequence` instead of `id`. */
export function columnsOf(fields: readonly string[]): string[] {
  const known = fields.includes('sequence') ? fields.filter((name) => name !== 'id') : fields;
  const chosen = preferred.filter((name) => known.includes(name));
  const rest = known.filter((name) => !preferred.includes(name) && name !== 'object');
  const times = chosen.filter((name) => name.endsWith('At'));
  const facts = chosen.filter((name) => !name.endsWith('At'));
  return [...facts, ...(facts.length < 3 ? rest : [])]
    .slice(0, maxColumns - Math.min(1, times.length))
    .concat(times.slice(0, 1));
}

/** Columns with a value in at least one row. */
export function filledColumns(columns: readonly string[], rows: readonly Row[]): string[] {
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return columns.filter((name) => rows.length === 0 || rows.some((row) => !isEmpty(row[name])));
}
