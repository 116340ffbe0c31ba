import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type Operation, operationsOf } from '../../adapters/operations.ts';
import { ErrorObject } from '../../adapters/rest/openapi/failures.ts';
import { appRouter } from '../../routers/index.ts';
import { docComment, member, TypePrinter } from './printed-types.ts';

/*
 * The type declarations of the client's package in one file, which imports nothing. The types of the operations are
 * printed from their schemas (client/types.ts infers them from the router instead, with zod, tRPC and drizzle behind
 * it; a test compares the two). Everything else is declared by the modules of client/.
 */

const client = join(import.meta.dirname, '../..', 'client');

/** The module whose types are printed from the operations. */
const inferred = './types.ts';
/** A type that another module infers from the router. */
const printed: ReadonlySet<string> = new Set(['Problem']);

const calls = `/** Options of one call. */
export interface CallOptions {
  /** Ends the call when it aborts. */
  signal?: AbortSignal | undefined;
  /** The context that \`keyed()\` makes. */
  context?: Record<string, unknown> | undefined;
}

/** An operation that reads. */
export interface Query<Input, Output> {
  query(input: Input, options?: CallOptions): Promise<Output>;
}

/** An operation that changes something. */
export interface Mutation<Input, Output> {
  mutate(input: Input, options?: CallOptions): Promise<Output>;
}
`;

interface Exported {
  module: string;
  names: string[];
}

/** The modules that `index.ts` exports from, with the names. */
function exportsOf(text: string): Exported[] {
  const source = ts.createSourceFile('index.ts', text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier || !statement.exportClause) return [];
    if (!ts.isNamedExports(statement.exportClause) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const names = statement.exportClause.elements.map(({ name }) => name.text);
    return [{ module: statement.moduleSpecifier.text, names }];
  });
}

/** The name that a declaration declares; undefined for imports and exports. */
function nameOf(statement: ts.Statement): string | undefined {
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed ? statement.name?.text : undefined;
}

/** A class that extends the error of tRPC extends `Error` here: what it adds is declared by the class itself. */
function withoutTrpc(text: string): string {
  return text.replace(/\bextends TRPCClientError<\w+>/, 'extends Error');
}

/** The exported declarations of a module, and the types that they use. */
function declarationsOf(module: string, names: readonly string[]): string[] {
  const file = join(client, module);
  const options = { stripInternal: true, removeComments: false, target: ts.ScriptTarget.ES2024 };
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: options,
    reportDiagnostics: true,
  });
  if (diagnostics.length > 0) {
    throw new Error(`${module}: ${diagnostics.map(({ messageText }) => JSON.stringify(messageText)).join('\n')}`);
  }
  const source = ts.createSourceFile('module.d.ts', outputText, ts.ScriptTarget.Latest);
  const found = source.statements.flatMap((statement) => {
    const name = nameOf(statement);
    return name === undefined || printed.has(name) ? [] : [{ name, text: statement.getFullText(source).trim() }];
  });
  const kept = found.filter(({ name }) => names.includes(name));
  const used = found.filter(
    ({ name }) => !names.includes(name) && kept.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)),
  );
  return [...used, ...kept].map(({ text }) => `${withoutTrpc(text).replace(/^declare /m, 'export declare ')}\n`);
}

type Printed = { [name: string]: string | Printed };

/** `{ 'todos.list': text }` as nested members. */
function nested(members: readonly (readonly [name: string, text: string])[]): Printed {
  const root: Printed = {};
  for (const [name, text] of members) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let place = root;
    for (const part of path) {
      place[part] ??= {};
      place = place[part] as Printed;
    }
    place[last] = text;
  }
  return root;
}

function members(tree: Printed, indent: string, comments: ReadonlyMap<string, string>, path = ''): string {
  return Object.entries(tree)
    .map(([name, value]) => {
      const full = path === '' ? name : `${path}.${name}`;
      const type = typeof value === 'string' ? value : `{\n${members(value, `${indent}  `, comments, full)}${indent}}`;
      return docComment(comments.get(full), indent) + member(name, false, type, indent);
    })
    .join('');
}

const indexed = (root: string, name: string) => `${root}['${name.split('.').join("']['")}']`;

function operationTypes(operations: readonly Operation[], printer: TypePrinter): string[] {
  const inputs = operations.map(({ name, input, pathParameters }) => {
    // Such an input is a named body with the ids of the path beside it.
    const isBody = pathParameters.length === 0;
    return [name, isBody ? printer.type(input, 'input', '    ') : printer.structure(input, 'input', '    ')] as const;
  });
  const outputs = operations.map(({ name, output, stream }) => {
    const type = printer.type(output, 'output', '    ');
    return [name, stream ? `AsyncIterable<${type}>` : type] as const;
  });
  const procedures = operations.map(({ name, type }) => {
    const both = `${indexed('TandemInputs', name)}, ${indexed('TandemOutputs', name)}`;
    return [name, `${type === 'query' ? 'Query' : 'Mutation'}<${both}>`] as const;
  });
  const texts = operations.map(({ name, summary, description }) => {
    const text = description ? `${summary}.\n\n${description}` : `${summary}.`;
    return [name, text] as const;
  });
  const none = new Map<string, string>();
  return [
    `/** Inputs of the operations: \`TandemInputs['todos']['create']\`. */\nexport interface TandemInputs {\n${members(nested(inputs), '  ', none)}}\n`,
    `/** Outputs of the operations: \`TandemOutputs['todos']['get']\`. */\nexport interface TandemOutputs {\n${members(nested(outputs), '  ', none)}}\n`,
    `/** The typed API: every operation as \`tandem.todos.list.query(…)\` or \`tandem.todos.create.mutate(…)\`. */\nexport interface TandemClient {\n${members(nested(procedures), '  ', new Map(texts))}}\n`,
  ];
}

const changed = `/** A change of one resource of the workspace. */
export type TandemEvent = TandemOutputs['events']['list']['data'][number];
`;

/** The text of the package's `index.d.ts`. @throws Error when a name that the client exports has no declaration. */
export function clientDeclarations(): string {
  const modules = exportsOf(readFileSync(join(client, 'index.ts'), 'utf8'));
  const own = [
    ...modules.filter(({ module }) => module !== inferred).flatMap((each) => declarationsOf(each.module, each.names)),
    ...declarationsOf('index.ts', ['createTandemClient', 'TandemClientOptions']),
  ];
  const printer = new TypePrinter([
    'Problem',
    'CallOptions',
    'Query',
    'Mutation',
    'TandemInputs',
    'TandemOutputs',
    'TandemClient',
    'TandemEvent',
  ]);
  const fields = printer.structure(ErrorObject, 'output').replaceAll(' Array<', ' ReadonlyArray<');
  const problem = `/** The service's error object, the same over every transport. */\nexport interface Problem ${fields}\n`;
  const types = operationTypes(operationsOf(appRouter), printer);
  const head = '// The types of the Tandem client in one file, generated by `npm run build:client`.\n';
  const text = [head, ...own, problem, calls, ...types, changed, ...printer.declarations(), 'export {};\n'].join('\n');
  const declared = new Set(
    [...text.matchAll(/^export (?:declare )?(?:function\*?|class|interface|type) (\w+)/gm)].map(([, name]) => name),
  );
  const missing = modules.flatMap(({ names }) => names).filter((name) => !declared.has(name));
  if (missing.length > 0) {
    throw new Error(`client/index.ts exports types that no declaration covers: ${missing.join(', ')}`);
  }
  return text;
}
