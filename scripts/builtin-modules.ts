import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

/*
 * An `import` of a module of Node reads all that it exports, and so makes what Node otherwise makes when it is first used:
 * `node:http` loads Node's own copy of undici for its `WebSocket`, which takes 25 ms of every start.
 */

const statement = /^import (.+) from "([\w:/]+)";$/gm;
const named = /^(?:(?<whole>[\w$]+)(?:, |$))?(?:\{ (?<names>[^{}]+) \})?$/;
const namespace = /^\* as ([\w$]+)$/;

/** The bindings of an import as those of a `const`; undefined for a form that has to stay an import. */
function bindingsOf(clause: string, module: string): string | undefined {
  const all = namespace.exec(clause)?.[1];
  if (all) return `${all} = ${module}`;
  const { whole, names } = named.exec(clause)?.groups ?? {};
  if ((!whole && !names) || (names && /\bdefault\b/.test(names))) return undefined;
  const picked = names && `{ ${names.replace(/ as /g, ': ')} }`;
  return [whole && `${whole} = ${module}`, picked && `${picked} = ${whole ?? module}`].filter(Boolean).join(', ');
}

/** Replaces the imports of modules of Node in a chunk by what reads only the exports that are named, line by line. */
export function builtinsAsNeeded(code: string): string {
  return code.replace(statement, (line: string, clause: string, name: string) => {
    if (!isBuiltin(name)) return line;
    const bindings = bindingsOf(clause, `process.getBuiltinModule(${JSON.stringify(name)})`);
    return bindings === undefined ? line : `const ${bindings};`;
  });
}

/** Has the chunks of a bundle load modules of Node without what they do not use. */
export const builtins: Plugin = {
  name: 'builtins-as-needed',
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) if (part.type === 'chunk') part.code = builtinsAsNeeded(part.code);
  },
};
