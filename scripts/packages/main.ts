import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage, defaultScope, type PackageName } from './build.ts';

/* `npm run build:client` and `npm run build:cli`: see build.ts. */

const names: readonly string[] = ['client', 'cli'] satisfies PackageName[];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scope: { type: 'string', default: defaultScope }, repository: { type: 'string' } },
});
const [name = ''] = positionals;
if (!names.includes(name) || positionals.length > 1) {
  throw new Error(`Name one package: ${names.join(' or ')}.`);
}
if (!/^@[a-z0-9][a-z0-9._-]*$/.test(values.scope)) throw new Error('A scope is an @ and a name: --scope @yours');
const directory = await buildPackage(name as PackageName, values);
process.stdout.write(`Built ${relative('.', directory)}. To publish it: npm publish ./${relative('.', directory)}\n`);
