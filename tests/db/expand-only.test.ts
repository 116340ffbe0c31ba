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

interface Journal {
  entries: { tag: string }[];
}

test('only add, so that it runs on their database (docs/backup-and-upgrade.md)', async () => {
  const { entries }: Journal = JSON.parse(await readFile('db/migrations/meta/_journal.json', 'utf8'));
  const { lastMigration } = JSON.parse(await readFile('db/migrations/previous-release.json', 'utf8'));
  const tags = entries.map(({ tag }) => tag);
  assert.ok(tags.includes(lastMigration));
  const found: string[] = [];
  for (const tag of tags.slice(tags.indexOf(lastMigration) + 1)) {
    const text = await readFile(`db/migrations/${tag}.sql`, 'utf8');
    const code = text.replaceAll(/--.*$/gm, '');
    for (const statement of code.split(';'))
      for (const [what, pattern] of Object.entries(contractions))
        if (pattern.test(statement)) found.push(`${tag} ${what}: ${statement.trim().slice(0, 80)}`);
  }
  assert.equal(found, []);
});

test.run();
