import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { Diff } from '../ui/diff-view.tsx';
import { fieldNames, valueInWords } from './field-words.ts';
import { type AgentDetail, type Field, patchOf } from './merge.ts';
import { agentQuery } from './queries.ts';
import { TextEditor } from './text-editor.tsx';
import type { SaveAgent } from './use-agent.ts';

/** What the parts of the page of an agent get. */
export interface PartProps {
  agent: AgentDetail;
  save: SaveAgent;
}

type TextField = Extract<Field, 'name' | 'description' | 'instructions' | 'approvalGuidance'>;

interface AgentTextProps extends PartProps {
  field: TextField;
  hint: ReactNode;
  maxLength: number;
  isLine?: boolean;
  rows?: number;
  examples?: readonly string[];
}

/** One text of an agent, with a preview of what a change of it means. */
export function AgentText({ agent, save, field, ...editor }: AgentTextProps) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const { id: agentId } = agent;
  const preview = async (value: string | null) => {
    const options = { ...agentQuery(workspace.id, agentId), staleTime: 0 };
    const now = await queryClient.fetchQuery(options);
    const patch = patchOf({ [field]: value });
    const { changes } = await api.agents.preview.mutate({ agentId, ...patch, expectedVersion: now.version });
    return <Changes changes={changes} before={now[field]} after={value} />;
  };
  return (
    <TextEditor
      {...editor}
      label={fieldNames[field]}
      current={agent[field]}
      draftName={`agent.${agentId}.${field}`}
      save={async (value, base) => (await save({ [field]: value }, { ...agent, [field]: base })).length === 0}
      preview={preview}
    />
  );
}

type Changed = Awaited<ReturnType<typeof api.agents.preview.mutate>>['changes'];

const characters = (length: number | null) => (length ?? 0).toLocaleString('en');

/** What the service would change, field by field; long texts by their lengths there, and line by line here. */
function Changes({ changes, before, after }: { changes: Changed; before: string | null; after: string | null }) {
  if (changes.length === 0) return <p className="callout good">Saving would change nothing.</p>;
  return (
    <div className="preview">
      <h3>If you save</h3>
      {changes.map(({ field, redacted, beforeLength, afterLength, ...values }) => (
        <div key={field} className="preview-field">
          <p>
            {fieldNames[field as Field]}:{' '}
            {redacted
              ? `from ${characters(beforeLength)} to ${characters(afterLength)} characters`
              : `${valueInWords(field as Field, values.before)} → ${valueInWords(field as Field, values.after)}`}
          </p>
          {redacted && <Diff label="Old and new lines" before={before} after={after} />}
        </div>
      ))}
    </div>
  );
}
