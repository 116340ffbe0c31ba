import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

/*
 * Lets a model serve the requests of tests/support/tasks over MCP and counts those that end in the right state. The
 * model is configured as for the service (AI_PROVIDER, AI_BASE_URL, AI_API_KEY); --model names it, else AI_MODEL.
 */
const { values } = parseArgs({ options: { model: { type: 'string', default: process.env.AI_MODEL ?? '' } } });

if (values.model === '') {
  process.stderr.write(
    'Name a model: npm run tasks -- --model NAME, with AI_PROVIDER, AI_BASE_URL and AI_API_KEY set.\n',
  );
  process.exit(2);
}
const env = { TEST_TIMEOUT_SECONDS: '7200', ...process.env, TASKS_MODEL: values.model };
const child = spawn(process.execPath, ['scripts/test.ts', 'proof/mcp-tasks'], { stdio: 'inherit', env });
// It calls a model until it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('close', (code) => process.exit(code ?? 1));
