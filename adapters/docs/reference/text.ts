import type { Guide } from '../texts/guides.ts';
import type { Linked } from './html.ts';
import type { ReferenceOperation, ReferencePage } from './model.ts';
import { type FieldLine, notesOf } from './schemas.ts';

/* The reference as Markdown: for assistants, and for people who read in an editor. */

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function fieldLines(fields: readonly FieldLine[], linked: Linked, indent = ''): string {
  return fields
    .map(({ name, type, isRequired, description, limits, fields: inner }) => {
      const notes = notesOf({ description, limits });
      const lead = `${indent}- \`${name}\` (${type}${isRequired ? ', required' : ''})`;
      const line = notes === '' ? lead : `${lead}: ${linked(notes)}`;
      return inner.length > 0 ? `${line}\n${fieldLines(inner, linked, `${indent}  `)}` : line;
    })
    .join('\n');
}

function operationText(operation: ReferenceOperation, guides: readonly Guide[], linked: Linked): string {
  const { id, method, path, title, description, inputs, answer, errors, samples } = operation;
  const see = guides.filter(({ name }) => operation.guides.some((each) => each === name));
  return [
    `## ${title}`,
    `\`${method} ${path}\` · operation \`${id}\``,
    linked(description),
    ...(see.length > 0 ? [`Guides: ${see.map((each) => `[${each.title}](../${each.name}.md)`).join(', ')}`] : []),
    ...inputs.map((each) => `**${each.title}**\n\n${fieldLines(each.fields, linked)}`),
    `**Errors:** ${errors.map((each) => `${each.status} ${each.codes.map((code) => `\`${code}\``).join(', ')}`).join('; ')} ([what they mean](../errors.md))`,
    ...samples.map(({ lang, label, source }) => `${label}:\n\n${fence(lang === 'Shell' ? 'sh' : 'ts', source)}`),
    `Answer, ${answer.status}${answer.type === undefined ? '' : ` \`${answer.type}\``}:\n\n${fence('json', answer.example)}`,
  ].join('\n\n');
}

/** The operations of one tag, and the objects that they answer with. */
export function referenceText(page: ReferencePage, guides: readonly Guide[], linked: Linked): string {
  return `${[
    `# ${page.title}`,
    page.description,
    ...page.operations.map((each) => operationText(each, guides, linked)),
    '## Objects',
    ...page.objects.map(({ name, fields }) => `### ${name}\n\n${fieldLines(fields, linked)}`),
  ].join('\n\n')}\n`;
}

/** The home of the reference: guides, every operation, the introduction. */
export function indexText(pages: readonly ReferencePage[], guides: readonly Guide[], introduction: string): string {
  const line = (tag: string) => (each: ReferenceOperation) =>
    `- [${each.title}](reference/${tag}.md): \`${each.method} ${each.path}\`, operation \`${each.id}\``;
  return `${[
    '# Tandem API reference',
    guides.map(({ name, title, summary }) => `- [${title}](${name}.md): ${summary}`).join('\n'),
    '## All operations',
    ...pages.map(
      ({ tag, title, operations }) => `### [${title}](reference/${tag}.md)\n\n${operations.map(line(tag)).join('\n')}`,
    ),
    '## What holds for all operations',
    introduction.replaceAll(/^## /gm, '### '),
  ].join('\n\n')}\n`;
}
