/** A setting of the transaction. `value`: a parameter of the statement, `$n`, or a literal. */
export interface LocalSetting {
  name: string;
  value: string;
}

export interface WithoutSettings {
  text: string;
  before: LocalSetting[];
  after: LocalSetting[];
}

const call = String.raw`set_config\('(\w+)', (\$\d+|'[^']*'), true\)`;
const inReturning = new RegExp(String.raw`\breturning ${call}`, 'gi');
const alone = new RegExp(String.raw`\s+from ${call}(?!\s*,)`, 'gi');
const amongOthers = new RegExp(String.raw`\s*,\s*${call}`, 'gi');

/**
 * Takes the `set_config` calls out of a change, in FROM and in RETURNING: Citus runs these functions on the coordinator
 * or refuses them. `set local` reaches the workers, which hold the locks.
 */
export function withoutSettings(text: string): WithoutSettings {
  const before: LocalSetting[] = [];
  const after: LocalSetting[] = [];
  if (!/^\s*(with\b[\s\S]*\b)?insert\b/i.test(text)) return { text, before, after };
  const take = (list: LocalSetting[], left: string) => (_: string, name: string, value: string) => {
    list.push({ name, value });
    return left;
  };
  const bare = text
    .replace(inReturning, take(after, 'returning 1'))
    .replace(alone, take(before, ''))
    .replace(amongOthers, take(before, ''));
  return { text: bare, before, after };
}

/** The statement that makes the setting until the end of the transaction. @throws Error for a value of another form. */
export function setLocal({ name, value }: LocalSetting, values: readonly unknown[]): string {
  const made = value.startsWith('$') ? String(values[Number(value.slice(1)) - 1]) : value.slice(1, -1);
  if (!/^\w+$/.test(made)) throw new Error(`The setting ${name} is not a word`);
  return `set local ${name} = '${made}'`;
}
