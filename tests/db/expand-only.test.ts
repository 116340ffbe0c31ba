import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('the migrations since the previous release');

/** What the previous release may still use, or does not know that it must give. */
const contractions: Record<string, RegExp> = {
  'drops something': /\bdrop\s+(table|column|schema|type|view|function|extension)\b/i,
  'renames something': /\brename\s+(to|column|constraint)\b/i,
  'changes the type of a column': /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i,
  'requires a value that was optional': /\balter\s+column\s+\S+\s+set\s+not\s+null\b/i,
  'removes a default': /\balter\s+column\s+\S+\s+drop\s+default\b/i,
  'adds a column that every insert must name': /\badd\s+column\s+(?!.*\bdefault\b).*\bnot\s+null\b/i,
};

/** Whether a statement renames a column that one of these texts added: the previous release does not know it. */
function renamesAdded(statement: string, added: readonly string[]): boolean {
  const [, table, column] = /\balter\s+table\s+(\S+)\s+rename\s+column\s+(\S+)\s+to\b/i.exec(statement) ?? [];
  return table !== undefined && added.some((text) => text.includes(`ALTER TABLE ${table} ADD COLUMN ${column} `));
}

interface Journal {
  entries: { tag: string }[];
}

test('only add, so that it runs on their database (docs/backup-and-upgrade.md)', async () => {
  const { entries }: Journal = JSON.parse(await readFile('db/migrations/meta/_journal.json', 'utf8'));
  const { lastMigration } = JSON.parse(await readFile('db/migrations/previous-release.json', 'utf8'));
  const tags = entries.map(({ tag }) => tag);
  assert.ok(tags.includes(lastMigration));
  const found: string[] = [];
  const added: string[] = [];
  for (const tag of tags.slice(tags.indexOf(lastMigration) + 1)) {
    const text = await readFile(`db/migrations/${tag}.sql`, 'utf8');
    const code = text.replaceAll(/--.*$/gm, '');
    for (const statement of code.split(';')) {
      if (renamesAdded(statement, added)) continue;
      for (const [what, pattern] of Object.entries(contractions))
        if (pattern.test(statement)) found.push(`${tag} ${what}: ${statement.trim().slice(0, 80)}`);
    }
    added.push(code);
  }
  assert.equal(found, []);
});

test.run();
