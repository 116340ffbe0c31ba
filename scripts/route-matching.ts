import type { Plugin } from 'vite';

/*
 * The router of Fastify has V8 compile functions from texts: three for each of hundreds of routes, at each start,
 * because V8 keeps no compiled code of them. Closures do the same a few nanoseconds slower, and what is for routes with
 * constraints is compiled when it is asked.
 */

/** In a file of the router: the beginning and the end of what is replaced, and what takes its place. */
const replacements: Record<string, [from: string, to: string, by: string][]> = {
  'find-my-way/lib/node.js': [
    ['  const lines = []\n', ".join(' && ')}`)", '  return (path, i) => path.startsWith(prefix, i)'],
  ],
  'find-my-way/lib/handler-storage.js': [
    [
      `    const fnBody = ["'use strict'"]\n`,
      "fnBody.join('\\n'))(NullObject)",
      `    return (...values) => {
      const found = new NullObject()
      for (let i = 0; i < params.length; i++) found[params[i]] = i < 4 ? values[i] : values[4][i - 4]
      return found
    }`,
    ],
    [
      '  _compileGetHandlerMatchingConstraints (constrainer) {\n',
      '',
      `  _compileGetHandlerMatchingConstraints (constrainer, constraints, isAsked) {
    if (!isAsked) {
      this._getHandlerMatchingConstraints = (derived) => {
        this._compileGetHandlerMatchingConstraints(constrainer, constraints, true)
        return this._getHandlerMatchingConstraints(derived)
      }
      return
    }\n`,
    ],
  ],
};

/** The code of a file of the router without such functions. @throws Error where the file is not as expected. */
export function withClosures(file: string, code: string): string {
  return (replacements[file] ?? []).reduce((text, [from, to, by]) => {
    const begin = text.indexOf(from);
    const end = text.indexOf(to, begin + from.length);
    if (begin < 0 || end < 0) throw new Error(`${file} has another version than scripts/route-matching.ts expects`);
    return `${text.slice(0, begin)}${by}${text.slice(end + to.length)}`;
  }, code);
}

export const routeMatching: Plugin = {
  name: 'route-matching',
  transform(code, id) {
    const file = Object.keys(replacements).find((each) => id.endsWith(`node_modules/${each}`));
    return file === undefined ? null : withClosures(file, code);
  },
};
