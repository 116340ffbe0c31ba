import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/** The folders that each folder may import, beside itself (docs/architecture.md). */
const mayImport: Record<string, readonly string[]> = {
  db: [],
  domain: ['db'],
  outbound: [],
  engine: ['domain', 'outbound'],
  media: ['domain', 'engine', 'outbound'],
  routers: ['db', 'domain'],
  adapters: ['domain', 'routers'],
  server: ['db', 'domain', 'outbound', 'engine', 'media', 'routers', 'adapters'],
  cli: [],
  scripts: ['db', 'domain', 'routers', 'adapters', 'server', 'cli'],
  bench: ['db', 'domain', 'routers', 'adapters', 'server', 'scripts'],
  client: [],
  web: ['client'],
  examples: ['client'],
  tests: [
    'db',
    'domain',
    'outbound',
    'engine',
    'media',
    'routers',
    'adapters',
    'server',
    'scripts',
    'bench',
    'cli',
    'client',
    'web',
  ],
};

/** Entry points of this package. */
const entries: Record<string, string> = { tandem: 'routers/index.ts', 'tandem/client': 'client/index.ts' };

/** Folders that a separate program may import types from, because it is built without them. */
const mayImportTypes: Record<string, readonly string[]> = {
  cli: ['domain', 'routers'],
  client: ['domain', 'routers'],
  web: ['domain', 'routers'],
};

/** The only reader of settings, the file that passes environment variables to PostgreSQL, and the text of samples. */
const environmentReaders = new Set(['server/config.ts', 'db/embedded/cluster.ts', 'adapters/rest/openapi/samples.ts']);
const readsEnvironment =
  /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'node:process'/;
const settled = new Set(['db', 'domain', 'outbound', 'engine', 'media', 'routers', 'adapters', 'server']);

/** Source files by path, with their text. Paths use `/`. */
export type Sources = ReadonlyMap<string, string>;

/** Every TypeScript file of the folders above. */
export async function readSources(root = '.'): Promise<Sources> {
  const sources = new Map<string, string>();
  for (const folder of Object.keys(mayImport)) {
    const names = await readdir(join(root, folder), { recursive: true }).catch(() => []);
    for (const name of names.filter((each) => /\.tsx?$/.test(each) && !each.startsWith('generated'))) {
      const path = join(root, folder, name);
      sources.set(relative(root, path).replaceAll('\\', '/'), await readFile(path, 'utf8'));
    }
  }
  return sources;
}

/** The path of an imported file; undefined for another package. */
function pathOf(file: string, name: string): string | undefined {
  return name.startsWith('.') ? normalize(join(dirname(file), name)).replaceAll('\\', '/') : entries[name];
}

/** Paths of the files that a file imports, including types and dynamic imports. */
function importsOf(file: string, text: string): string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return importedFiles.map((each) => pathOf(file, each.fileName)).filter((path) => path !== undefined);
}

/** The imports of types only. */
function typeImportsOf(file: string, text: string): Set<string> {
  const types = new Set<string>();
  const values = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    const from = isDeclaration ? node.moduleSpecifier : undefined;
    if (isDeclaration && from && ts.isStringLiteral(from)) {
      const isType = ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly === true : node.isTypeOnly;
      (isType ? types : values).add(from.text);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) types.add(node.argument.literal.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  const own = [...types].filter((name) => !values.has(name));
  return new Set(own.map((name) => pathOf(file, name)).filter((path) => path !== undefined));
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** Pairs of folders that import each other, including parent and child; tests are exempt. */
function mutualFolders(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const edges = new Map<string, string>();
  for (const [file, imports] of graph) {
    for (const imported of imports) {
      const [from, to] = [dirname(file), dirname(imported)];
      if (from !== to && folderOf(file) !== 'tests') edges.set(`${from} ${to}`, `${file} → ${imported}`);
    }
  }
  return [...edges].flatMap(([pair, example]) => {
    const [from = '', to = ''] = pair.split(' ');
    const back = edges.get(`${to} ${from}`);
    return back && from < to ? [`${from}/ and ${to}/ import each other: ${example}, and ${back}`] : [];
  });
}

/** The first import cycle, as the path back to its start. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Violations of the import rules, one line each. */
export function importFaults(sources: Sources): string[] {
  const faults: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const folder = folderOf(file);
    const imports = importsOf(file, text);
    graph.set(file, imports);
    const ofTypes = mayImportTypes[folder] ?? [];
    const types = ofTypes.length > 0 ? typeImportsOf(file, text) : new Set<string>();
    for (const imported of imports) {
      const target = folderOf(imported);
      if (target === folder || mayImport[folder]?.includes(target)) continue;
      if (ofTypes.includes(target) && types.has(imported)) continue;
      const onlyTypes = ofTypes.map((each) => `types of ${each}`);
      const allowed = [...(mayImport[folder] ?? []), ...onlyTypes].join(', ') || 'no other folder';
      faults.push(`${file} imports ${imported}: ${folder}/ may import ${allowed}`);
    }
    if (settled.has(folder) && !environmentReaders.has(file) && readsEnvironment.test(text)) {
      faults.push(`${file} reads process.env: settings come from server/config.ts`);
    }
  }
  faults.push(...mutualFolders(graph));
  const cycle = findCycle(graph);
  if (cycle) faults.push(`These files import each other in a circle: ${cycle.join(' → ')}`);
  return faults;
}

if (import.meta.main) {
  for (const fault of importFaults(await readSources())) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
