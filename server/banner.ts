import type { FirstSteps } from './first-run.ts';

const newLink = 'A new one: npm run welcome';

function linesOf(url: string, steps: FirstSteps): string[] {
  switch (steps.type) {
    case 'made':
      return [
        'Open this link to make your account (it works once, and for 24 hours):',
        `  ${steps.link}`,
        '',
        `Your API key, shown only this once: ${steps.apiKey}`,
        '',
        'Try it, and see the todo in the browser:',
        `  curl -H 'Authorization: Bearer ${steps.apiKey}' -H 'Content-Type: application/json' \\`,
        `    -d '{"title": "My first todo"}' ${url}/api/v1/todos`,
      ];
    case 'open': {
      const until =
        steps.validUntil === null
          ? 'its link has expired.'
          : `the link that was printed is valid until ${steps.validUntil}.`;
      return [`Nobody owns the first workspace yet: ${until}`, newLink];
    }
    case 'empty':
      return [`Make the first account: ${url}/sign-up`, 'Or print a key and a link for it: npm run welcome'];
    case 'taken':
      return [`Sign in: ${url}/sign-in`, 'Forgot the password? npm run reset-password -- EMAIL'];
  }
}

/** What a start prints: where the service runs, and how a person gets in. Secrets only on the first start. */
export function banner(url: string, installUrl: string, steps: FirstSteps): string {
  const install = `Command line: curl -fsSL ${installUrl} | sh`;
  const lines = ['', `Tandem is running at ${url}`, `Reference: ${url}/docs`, install, '', ...linesOf(url, steps), ''];
  return lines.join('\n');
}
