import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idsOf, walkCaptures } from '../support/capture-filters.ts';
import { newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';

const test = suite('paging captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

/** Captures that tie on their instant, and hold a word that occurs often. */
async function steady(workspace: TestWorkspace, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const createdAt = `2026-03-01T09:00:00.00${made % 3}Z`;
    ids.push((await newRecording(tandem, workspace, { notes: 'a steady word', createdAt })).id);
  }
  await Promise.all(ids.map((id) => workspace.call(`PATCH /captures/${id}`, { tags: ['steady'] })));
  return idsOf(await walkCaptures(workspace, { limit: 100 }));
}

for (const limit of [1, 2, 3]) {
  test(`by ${limit}, what stays put comes exactly once while others write`, async () => {
    const workspace = await tandem.workspace();
    const fixed = await steady(workspace, 12);
    assert.is(fixed.length, 12);
    for (const way of [
      {},
      { query: 'steady' },
      { tags: 'steady' },
      { query: 'te' },
      { updatedSince: '2026-01-01T00:00:00Z' },
    ]) {
      let turns = 0;
      const others: string[] = [];
      const between = async () => {
        if (turns++ >= 12) return;
        const createdAt = turns % 2 ? `2026-03-01T09:00:00.00${turns % 3}Z` : new Date().toISOString();
        others.push(
          (await newRecording(tandem, workspace, { notes: 'a steady word', tags: ['steady'], createdAt })).id,
        );
        if (turns % 3 === 0) await workspace.call(`DELETE /captures/${others.shift()}?permanent=true`);
        if (turns % 4 === 0) await workspace.call(`DELETE /captures/${others.at(-1)}`);
        await workspace.call(`PATCH /captures/${fixed[turns]}`, { notes: `a steady word ${turns}` });
      };
      const listed = idsOf(await walkCaptures(workspace, { limit, ...way }, between));
      assert.equal(
        listed.filter((id) => fixed.includes(id)),
        fixed,
        JSON.stringify(way),
      );
      assert.is(new Set(listed).size, listed.length);
      await tandem.db.rows('delete from captures where workspace_id = $1 and not (id = any($2::uuid[]))', [
        workspace.workspaceId,
        fixed,
      ]);
    }
  });
}

test.run();
