import { useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  Suspense,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { Link } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { storedDraft } from '../session/stored-drafts.ts';
import { Pending } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { AllOfChat } from './approve-all.tsx';
import { DecidedElsewhere, DecisionButtons, EffectList, Facts, type FormName } from './card-parts.tsx';
import { DenyForm } from './deny-form.tsx';
import { approvalQuery, type ShownApproval } from './queries.ts';
import { sentenceOf } from './subject.ts';
import { directoryQuery, isUndecided, subjectQuery } from './subject-queries.ts';
import { draftOf, useDecision } from './use-approvals.ts';

const EditForm = lazyPart(() => import('./edit-form.tsx').then(({ EditForm }) => EditForm));

/** What the keys of a list do with a card. */
export interface CardKeys {
  /** Arms the approval; approves if it is armed. */
  approve: () => void;
  /** Asks for the note of a denial. */
  deny: () => void;
}

interface ApprovalCardProps extends ShownApproval {
  /** Called once it is decided here, and when what was decided elsewhere was read. */
  onSettled: (approvalId: string) => void;
  /** Of its heading. */
  level?: 2 | 3;
  /** Where its heading leads: not on the page of its chat. */
  to?: string;
  keys?: Ref<CardKeys>;
  all?: AllOfChat | undefined;
  /** What else can be done with it, after its decision. */
  more?: ReactNode;
}

const armedMs = 3_000;

/** Whether an approval is armed; for three seconds after `arm`. */
function useArmed() {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    if (!isArmed) return;
    const timer = setTimeout(() => setArmed(false), armedMs);
    return () => clearTimeout(timer);
  }, [isArmed]);
  return [isArmed, setArmed] as const;
}

/** The form that is open in the card of an approval; `ask`: none, the buttons are shown. A draft opens its form. */
function useForms(approvalId: string) {
  const [mode, setMode] = useState<'ask' | FormName>(() => {
    if (storedDraft(draftOf(approvalId, 'edit')) !== undefined) return 'edit';
    return storedDraft(draftOf(approvalId, 'note')) !== undefined ? 'deny' : 'ask';
  });
  const [left, setLeft] = useState<FormName | null>(null);
  const [isOpened, setOpened] = useState(false);
  return {
    mode,
    /** The form that was left: its button gets the focus back. */
    left,
    /** Whether a person opened the form: one that a draft opened does not take the focus. */
    isOpened,
    open: (form: FormName) => {
      setOpened(true);
      setMode(form);
    },
    back: (from: FormName) => () => {
      setLeft(from);
      setMode('ask');
    },
  };
}

/** What an agent asks to be allowed: who wants what, what it would change, why, and the decision. */
export function ApprovalCard({ approval, isPending, onSettled, level = 2, to, keys, all, more }: ApprovalCardProps) {
  const { workspace } = useIdentity();
  const { decide, isBusy, problem, isTaken } = useDecision(approval, onSettled);
  const decided = useQuery({ ...approvalQuery(workspace.id, approval.id), enabled: !isPending || isTaken });
  const isOpen = !isTaken && isUndecided(isPending, decided.data);
  const known = useQuery(directoryQuery(workspace.id)).data;
  const directory = known ?? [];
  const subject = useQuery(subjectQuery(workspace.id, approval)).data ?? null;
  const { mode, left, isOpened, open, back } = useForms(approval.id);
  const [isArmed, setArmed] = useArmed();
  // An error is shown in the card.
  const approve = () => void decide({ decision: 'approve' }).catch(() => {});
  useImperativeHandle(keys, () => ({
    approve: () => {
      if (!isOpen || mode !== 'ask' || isBusy) return;
      if (isArmed) approve();
      setArmed(!isArmed);
    },
    deny: () => isOpen && mode === 'ask' && open('deny'),
  }));
  const press = (event: KeyboardEvent) => {
    if (!isArmed || mode !== 'ask') return;
    const isOnButton = (event.target as Element).closest('button, summary') !== null;
    if (event.key === 'Escape') setArmed(false);
    if (event.key !== 'Enter' || event.repeat || isOnButton) return;
    event.preventDefault();
    setArmed(false);
    approve();
  };
  const card = useRef<HTMLElement>(null);
  // Who decided is shown only to a person who was about to. A message in its chat replaced it: that needs no card.
  const end = isOpen ? undefined : decided.data?.status;
  useEffect(() => {
    if (end === undefined || isTaken || mode !== 'ask') return;
    const isInUse = card.current?.contains(document.activeElement) ?? false;
    if (end === 'superseded' || !isInUse) onSettled(approval.id);
  }, [end, isTaken, mode, onSettled, approval.id]);
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  const nameOf = (each: string) => directory.find((named) => named.id === each)?.name;
  const sentence = sentenceOf(nameOf(approval.agentId) ?? 'An agent', approval, subject);
  return (
    <article ref={card} className="card approval" aria-labelledby={id} onKeyDown={press}>
      <div>
        <Heading id={id}>{to === undefined ? sentence : <Link to={to}>{sentence}</Link>}</Heading>
        <Facts approval={approval} isOpen={isOpen} subject={subject} />
      </div>
      <EffectList approval={approval} subject={isOpen ? subject : null} nameOf={nameOf} />
      <p className="muted small">
        {approval.reason} {isOpen && <Link to={`/agents/${approval.agentId}/approval`}>What the agent asks about</Link>}
      </p>
      <details className="approval-details">
        <summary>Details</summary>
        <p className="muted small">
          Tool {approval.toolName}: {approval.title}
        </p>
        <pre>{JSON.stringify(approval.input, null, 2)}</pre>
      </details>
      {problem && !isTaken && mode === 'ask' && (
        <div className="callout danger" role="alert">
          <Icon name="warning" />
          <p className="callout-title">{problem.message}</p>
        </div>
      )}
      {!isOpen && (
        <DecidedElsewhere
          query={decided}
          asked={approval.input}
          people={directory}
          onClose={() => onSettled(approval.id)}
        />
      )}
      {isOpen && mode === 'deny' && (
        <DenyForm approvalId={approval.id} isFocused={isOpened} decide={decide} onCancel={back('deny')} />
      )}
      {isOpen && mode === 'edit' && (
        <Suspense fallback={<Pending what="the form" isPaused={false} />}>
          {known && (
            <EditForm approval={approval} lists={known} isFocused={isOpened} decide={decide} onCancel={back('edit')} />
          )}
        </Suspense>
      )}
      {isOpen && mode === 'ask' && <DecisionButtons {...{ isBusy, isArmed, left, approve, open, all, more }} />}
      <p role="status" className="visually-hidden">
        {isArmed && 'Press A or Enter within 3 seconds to approve.'}
      </p>
    </article>
  );
}
