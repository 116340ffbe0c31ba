import { join } from 'node:path';
import ts from 'typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operations, sampleOf } from '../support/described.ts';

const test = suite('the TypeScript samples');
const root = join(import.meta.dirname, '../..');
/** The samples stand in this folder for the compiler only. */
const folder = join(root, 'tests/generated/samples');

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
  const paths = { '@tandem/client': [join(root, 'client/index.ts')] };
  return { ...options, paths, noEmit: true, incremental: false, composite: false };
}

/** What the compiler reports on these sources, by the name of each. */
function findingsOf(sources: ReadonlyMap<string, string>): string[] {
  const options = compilerOptions();
  const files = new Map([...sources].map(([name, text]) => [join(folder, `${name}.ts`), text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${path.slice(folder.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

const samples = new Map(operations.map((operation) => [operation.id, sampleOf(operation, 'TypeScript')]));

test('compile against the typed client, and a wrong one does not', () => {
  const wrong = (samples.get('createTodo') ?? '').replace('title:', 'titel:');
  const findings = findingsOf(new Map([...samples, ['wrong', wrong]]));
  assert.equal(
    findings.filter((each) => !each.startsWith('wrong.ts')),
    [],
  );
  assert.match(findings.join('\n'), /^wrong\.ts: .*titel/);
});

test.run();
