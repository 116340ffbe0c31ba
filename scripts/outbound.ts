import ts from 'typescript';
import { readSources, type Sources } from './imports.ts';

/* Every HTTP request that leaves the service is sent by outbound/: nothing else may use another client. */

/** The folders of the service. */
const service = /^(db|domain|engine|media|routers|adapters|server)\//;
/** Files with a method of that name that is no request. */
const otherFetch = new Map([['adapters/mcp/server.ts', 'answers a request in this process']]);

/** Modules that send requests. */
const clients = /^(undici|node-fetch|axios|got|ky|superagent|request)(\/|$)/;
/** What sends requests in modules that also answer them. */
const senders: Record<string, RegExp> = {
  http: /^(request|get|Agent|globalAgent|ClientRequest)$/,
  https: /./,
  http2: /^(connect|ClientHttp2Session)$/,
};
/** Globals that send requests. */
const globals = /^(fetch|EventSource|XMLHttpRequest)$/;

/** Texts without any of these words send nothing: most files need not be parsed. */
const words =
  /\b(fetch|EventSource|XMLHttpRequest)\b|['"](node:)?(https?|http2|undici|node-fetch|axios|got|ky|superagent|request)\b/;

/** What an import brings that sends requests. */
function importedSender(node: ts.ImportDeclaration): string | undefined {
  const { importClause: clause, moduleSpecifier } = node;
  if (!ts.isStringLiteral(moduleSpecifier) || clause?.isTypeOnly) return undefined;
  const { text } = moduleSpecifier;
  if (clients.test(text)) return text;
  const sends = senders[text.replace(/^node:/, '')];
  if (!sends) return undefined;
  const bindings = clause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings) || clause?.name) return text;
  const found = bindings.elements.find(({ propertyName, name, isTypeOnly }) => {
    return !isTypeOnly && sends.test((propertyName ?? name).text);
  });
  return found && `${(found.propertyName ?? found.name).text} of ${text}`;
}

/** Whether a name stands for a value, and not for a property, a type or a label. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.propertyName !== node;
  const isName = ts.isPropertySignature(parent) || ts.isMethodSignature(parent) || ts.isMethodDeclaration(parent);
  return !isName && !ts.isQualifiedName(parent) && !ts.isTypeQueryNode(parent);
}

/** What a node uses to send a request. */
function senderIn(node: ts.Node, file: string): string | undefined {
  if (ts.isImportDeclaration(node)) return importedSender(node);
  if (ts.isIdentifier(node) && globals.test(node.text) && isValue(node)) return node.text;
  if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
    return globals.test(node.argumentExpression.text) ? node.argumentExpression.text : undefined;
  }
  if (!ts.isCallExpression(node)) return undefined;
  const [argument] = node.arguments;
  const isLoaded = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
  if (isLoaded && argument && ts.isStringLiteral(argument)) {
    return clients.test(argument.text) || argument.text.replace(/^node:/, '') in senders ? argument.text : undefined;
  }
  const isMethod = ts.isPropertyAccessExpression(node.expression) && globals.test(node.expression.name.text);
  return isMethod && !otherFetch.has(file) ? node.expression.getText() : undefined;
}

/** Requests of the service that bypass outbound/, one line each. */
export function bypasses(sources: Sources): string[] {
  const found: string[] = [];
  for (const [file, text] of sources) {
    if (!service.test(file) || !words.test(text)) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const sender = senderIn(node, file);
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (sender !== undefined) found.push(`${file}:${line} uses ${sender}: requests are sent by outbound/`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

if (import.meta.main) {
  for (const fault of bypasses(await readSources())) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
