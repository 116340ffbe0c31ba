import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icons.tsx';

/** The secret of the signatures, shown once. */
export function Secret({ secret }: { secret: string }) {
  return (
    <>
      <p className="callout warn">
        <Icon name="warning" />
        <span>
          Copy it now. It is shown only once and cannot be displayed again. Your receiver reads it from
          TANDEM_WEBHOOK_SECRET.
        </span>
      </p>
      <div className="secret-line">
        <code className="secret-text" data-testid="webhook-secret">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy secret" what="The secret is" kind="primary" />
      </div>
    </>
  );
}
