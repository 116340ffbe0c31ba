import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Failed, Pending } from '../ui/card.tsx';
import { useNow } from '../ui/clock.ts';
import { Ago } from '../ui/time.tsx';
import type { AllOfChat } from './approve-all.tsx';
import { editsOf, effectOf, expiryWords, type FieldEffect, headed, type NameOf } from './effect.ts';
import type { Approval } from './queries.ts';
import type { Subject } from './subject.ts';
import type { Named } from './subject-queries.ts';

interface FactsProps {
  approval: Approval;
  isOpen: boolean;
  subject: Subject | null;
}

/** When it was asked, how long is left to decide, and a link to what it is about. */
export function Facts({ approval, isOpen, subject }: FactsProps) {
  const expiry = expiryWords(approval.expiresAt, useNow());
  return (
    <p className="approval-facts muted small">
      <span>
        Asked <Ago at={approval.requestedAt} />
      </span>
      {isOpen && expiry !== null && <strong className="approval-expiry">{expiry}</strong>}
      {subject?.path && <Link to={subject.path}>{subject.name}</Link>}
    </p>
  );
}

const maxLineLength = 120;

function isLong(text: string): boolean {
  return text.length > maxLineLength || text.includes('\n');
}

/** A value beside the present one; long texts one below the other. */
function Values({ effect: { before, after, isSame } }: { effect: FieldEffect }) {
  if (isSame) return <span className="muted">stays {after}</span>;
  if (before === null) return <span className="effect-text">{after}</span>;
  if (isLong(before) || isLong(after))
    return (
      <>
        <details>
          <summary>The present text</summary>
          <del className="effect-text">{before}</del>
        </details>
        <ins className="effect-text">{after}</ins>
      </>
    );
  return (
    <>
      <span className="visually-hidden">from </span>
      <del>{before}</del>
      <span aria-hidden="true"> → </span>
      <span className="visually-hidden"> to </span>
      <ins>{after}</ins>
    </>
  );
}

interface EffectListProps {
  approval: Pick<Approval, 'toolName' | 'input'>;
  subject: Subject | null;
  nameOf: NameOf;
}

/** What a call would change, a line for each field. */
export function EffectList({ approval, subject, nameOf }: EffectListProps) {
  return <Fields label="What it would change" effects={effectOf(approval, subject, nameOf)} />;
}

interface EditListProps {
  /** The input that the agent asked with. */
  asked: unknown;
  approved: unknown;
  nameOf: NameOf;
}

/** What a person changed in a call before they approved it. */
export function EditList({ asked, approved, nameOf }: EditListProps) {
  return <Fields label="What was changed" effects={editsOf(asked, approved, nameOf)} />;
}

function Fields({ label, effects }: { label: string; effects: readonly FieldEffect[] }) {
  if (effects.length === 0) return null;
  return (
    <dl className="effect" aria-label={label}>
      {effects.map((effect) => (
        <div key={effect.field}>
          <dt>{headed(effect.label)}</dt>
          <dd>
            <Values effect={effect} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface DecidedElsewhereProps {
  query: UseQueryResult<Approval>;
  /** The input that the agent asked with. */
  asked: unknown;
  people: readonly Named[];
  onClose: () => void;
}

/** Who decided an approval in another window, and how. */
export function DecidedElsewhere({ query, asked, people, onClose }: DecidedElsewhereProps) {
  const { user } = useIdentity();
  if (!query.data) {
    return query.error ? (
      <Failed error={query.error} retry={() => void query.refetch()} />
    ) : (
      <Pending what="the decision" isPaused={query.fetchStatus === 'paused'} />
    );
  }
  const { status, decidedBy, decidedAt, note, input } = query.data;
  const nameOf = (id: string) => people.find((named) => named.id === id)?.name;
  const isEdited = status === 'approved' && editsOf(asked, input, nameOf).length > 0;
  const name = decidedBy === user.id ? 'You' : (nameOf(decidedBy ?? '') ?? 'Somebody');
  const unanswered = {
    expired: 'Nobody decided in time, and the agent continued without it.',
    superseded: 'The agent no longer waits for this: its turn ended, or a message replaced it.',
    pending: 'Nobody has decided this yet. Load the page again to decide.',
  };
  return (
    <div className="callout warn" role="status">
      <div>
        <p className="callout-title">
          {status === 'approved' || status === 'denied' ? (
            <>
              {name} {status} this{isEdited && ' with changes'} {decidedAt !== null && <Ago at={decidedAt} />}.
            </>
          ) : (
            unanswered[status]
          )}
        </p>
        {note !== null && <p className="conflict-value">“{note}”</p>}
        {isEdited && <EditList asked={asked} approved={input} nameOf={nameOf} />}
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}

/** A form of the card, instead of its buttons. */
export type FormName = 'deny' | 'edit';

interface DecisionButtonsProps {
  isBusy: boolean;
  isArmed: boolean;
  /** The form whose button gets the focus. */
  left: FormName | null;
  approve: () => void;
  open: (form: FormName) => void;
  all: AllOfChat | undefined;
  /** What else can be done, after the decision. */
  more: ReactNode;
}

/** Approve, or open one of the forms. */
export function DecisionButtons({ isBusy, isArmed, left, approve, open, all, more }: DecisionButtonsProps) {
  return (
    <div className="form-actions">
      <Button kind="primary" isBusy={isBusy} onPress={approve}>
        {isArmed ? 'Press A or Enter to approve' : 'Approve'}
      </Button>
      <Button isBusy={isBusy} autoFocus={left === 'deny'} onPress={() => open('deny')}>
        Deny with a note
      </Button>
      <Button kind="quiet" isBusy={isBusy} autoFocus={left === 'edit'} onPress={() => open('edit')}>
        Edit first
      </Button>
      {all && (
        <Button kind="quiet" isBusy={isBusy} aria-haspopup="dialog" onPress={all.ask}>
          Approve all {all.count}
        </Button>
      )}
      {more}
    </div>
  );
}
