import { type Ref, useId } from 'react';
import { useAppearance } from './appearance.ts';
import { useFieldError } from './form-errors.tsx';
import { isComposing } from './typed-ahead.tsx';

interface MessageAreaProps {
  ref?: Ref<HTMLTextAreaElement>;
  label: string;
  /** Whether the label is for assistive technology only. */
  isLabelHidden?: boolean;
  value: string;
  onChange: (value: string) => void;
  /** The id of what is said about the field. */
  describedBy?: string | undefined;
}

/**
 * A field for a message to an agent, which grows with it. Enter sends its form, Shift and Enter begin a new line; where
 * the person chose so, Enter begins a new line, and ⌘ or Ctrl and Enter send.
 */
export function MessageArea({ ref, label, isLabelHidden = false, value, onChange, describedBy }: MessageAreaProps) {
  const id = useId();
  const { message, isInvalid } = useFieldError('message');
  const doesSend = useAppearance().enter === 'sends';
  return (
    <div className="field" {...(isInvalid && { 'data-invalid': true })}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <textarea
        ref={ref}
        id={id}
        name="message"
        className="input message-area"
        rows={2}
        maxLength={32_000}
        enterKeyHint={doesSend ? 'send' : 'enter'}
        value={value}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? `${id}-error` : describedBy}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          const isSending = event.metaKey || event.ctrlKey || (doesSend && !event.shiftKey);
          if (event.key !== 'Enter' || !isSending || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {isInvalid && (
        <span className="field-error" id={`${id}-error`}>
          {message}
        </span>
      )}
    </div>
  );
}
