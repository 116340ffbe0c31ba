import { readFileSync } from 'node:fs';

/* The code that checks the signature of a webhook: the pages show what docs/webhooks.md has. */

const guide = new URL('../docs/webhooks.md', import.meta.url);
const heading = '## Check the signature';

/** The first block of code in a language below the heading. @throws Error when the guide has none. */
function blockOf(text: string, language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no ${language} below “${heading}”`);
  return code;
}

/** The snippets of the guide, by language. */
export function webhookSnippets(): { typescript: string; python: string } {
  const text = readFileSync(guide, 'utf8');
  const [, part = ''] = text.split(heading);
  return { typescript: blockOf(part, 'ts'), python: blockOf(part, 'python') };
}
