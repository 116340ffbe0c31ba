import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icons.tsx';

interface NewRecoveryCodesProps {
  codes: string[];
  onStored: () => void;
}

/** New recovery codes, shown once. */
export function NewRecoveryCodes({ codes, onStored }: NewRecoveryCodesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves to new codes.
  useEffect(() => {
    // After the dialog that made them has restored the focus.
    const timer = setTimeout(() => heading.current?.focus(), 200);
    return () => clearTimeout(timer);
  }, [codes]);
  return (
    <section className="card secret" aria-labelledby="codes-title">
      <h2 id="codes-title" ref={heading} tabIndex={-1}>
        Your recovery codes
      </h2>
      <p className="callout warn">
        <Icon name="warning" />
        <span>
          Store them where you find them without this device, such as on paper. They are shown only once, and each signs
          you in once.
        </span>
      </p>
      <ul className="recovery-codes" data-testid="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="form-actions">
        <CopyButton text={codes.join('\n')} label="Copy codes" what="The codes are" kind="primary" />
        <Button onPress={onStored}>I have stored them</Button>
      </div>
    </section>
  );
}
