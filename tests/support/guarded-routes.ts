import * as assert from 'uvu/assert';
import type { Answer, TestService } from './harness.ts';
import { newAccount } from './people.ts';

/* Headers that every response has, for browsers and caches. */

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

/** All routes of the service, as it lists them itself: `METHOD /path`, with an id for each parameter. */
export function routesOf({ service }: TestService): string[] {
  const parents: string[] = [];
  return service.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path = '', methods] = /^([\s│]*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (path === '' && methods === undefined) return [];
      const depth = indent.length / 4;
      const whole = `${parents.slice(0, depth).join('')}${path}`;
      parents[depth] = path;
      return (methods ?? '').split(', ').flatMap((method) => (method === '' ? [] : `${method} ${whole}`));
    })
    .map((route) => route.replace(/:\w+|\*/g, id));
}

/** What a browser and a cache may do with any response (ASVS 5, 3.4.3–3.4.6). */
export function assertGuarded({ status, headers }: Pick<Answer, 'status' | 'headers'>, about: string): void {
  const description = `${about} ${status}`;
  assert.is(headers.get('x-content-type-options'), 'nosniff', description);
  assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, description);
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    assert.ok(policy.split('; ').includes(directive), `${description} ${policy}`);
  }
  const type = headers.get('content-type') ?? '';
  const caching = headers.get('cache-control') ?? '';
  // The manifest is a file of the pages, the same for everybody.
  if (/(?<!manifest\+)json|event-stream/.test(type))
    assert.match(caching, /^(no-store|private, no-cache)$/, description);
  assert.ok(caching !== '', description);
  if (type.startsWith('text/html') && status < 400) {
    assert.match(headers.get('cross-origin-opener-policy') ?? '', /^(same-origin|unsafe-none)$/, description);
  }
}

/** An answer without its body: streams have no end. */
async function headOf(
  tandem: TestService,
  route: string,
  headers: Record<string, string>,
): Promise<Pick<Answer, 'status' | 'headers'>> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(new URL(path, tandem.url), { method, headers, redirect: 'manual' });
  await response.body?.cancel();
  return response;
}

/** Documents that hold nothing of anybody, and say that they may be kept. */
const shared = /^(GET|HEAD) (\/mcp)?\/\.well-known\/|^(GET|HEAD) \/docs\/assets\//;

/** Asks at these routes, with a credential and without, and holds the answers to what every response must keep. */
export async function assertRoutesGuarded(tandem: TestService, routes: readonly string[]): Promise<void> {
  let person = await newAccount(tandem);
  for (const [place, route] of routes.entries()) {
    // A session has 600 requests a minute.
    if (place % 300 === 299) person = await newAccount(tandem);
    const [method = ''] = route.split(' ');
    if (method === 'TRACE') continue;
    // Signing the person out would leave the rest without a credential.
    const credentials = /^DELETE .*sessions/.test(route)
      ? [{}]
      : [{}, { authorization: `Bearer ${person.session.token}` }];
    for (const headers of credentials) {
      const answer = await headOf(tandem, route, headers);
      const caching = answer.headers.get('cache-control') ?? '';
      if (shared.test(route)) assert.match(caching, /max-age|no-cache/, route);
      else assertGuarded(answer, route);
      assert.is(answer.headers.get('x-content-type-options'), 'nosniff', route);
      assert.is(answer.headers.get('strict-transport-security'), null, route);
    }
  }
}
