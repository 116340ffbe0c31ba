import ts from 'typescript';

/** A piece of a file to search: its kind, its text and its offset in the file. */
export interface Segment {
  kind: 'identifier' | 'comment' | 'literal' | 'title' | 'prose';
  text: string;
  start: number;
}

const titled = /^(test|suite)(\.\w+)*$/;

/** Whether a literal is the title of a test or a suite. */
function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    call.arguments[0] === node &&
    titled.test(call.expression.getText())
  );
}

function isLiteral(node: ts.Node): boolean {
  const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
  return ts.isStringLiteralLike(node) || isTemplate || ts.isJsxText(node) || ts.isRegularExpressionLiteral(node);
}

/** Comments of code in which every literal is replaced by spaces. */
function commentsIn(code: string): Segment[] {
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map((match) => ({
    kind: 'comment',
    text: match[0],
    start: match.index,
  }));
}

/**
 * Identifiers, literals and comments of a TypeScript file. In tests, literals are data and only titles are returned.
 */
function segmentsOfCode(path: string, text: string): Segment[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const segments: Segment[] = [];
  const code: string[] = [];
  let copied = 0;
  const visit = (node: ts.Node): void => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      segments.push({ kind: 'identifier', text: node.text, start });
    }
    if (isLiteral(node)) {
      code.push(text.slice(copied, start), ' '.repeat(end - start));
      copied = end;
      const literal = { text: text.slice(start, end), start };
      if (isTitle(node)) segments.push({ kind: 'title', ...literal });
      else if (!path.startsWith('tests/')) segments.push({ kind: 'literal', ...literal });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  code.push(text.slice(copied));
  return [...segments, ...commentsIn(code.join(''))];
}

/** Whether a path is that of a TypeScript file. */
export const isCode = (path: string): boolean => /\.tsx?$/.test(path);

/** What of a file is searched for words: the segments of code, or the whole text of any other file. */
export function segmentsOf(path: string, text: string): Segment[] {
  if (isCode(path)) return segmentsOfCode(path, text);
  return [{ kind: 'prose', text, start: 0 }];
}

/** The words of a camel-case or kebab-case name, in lower case: `maxTries` → `max`, `tries`. */
export function partsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_#$-]+/)
    .map((part) => part.toLowerCase());
}
