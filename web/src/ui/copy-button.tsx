import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { useNotice } from './notice.tsx';

/** Copies to the clipboard, on insecure origins by execCommand; false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

/** Copies `text`; confirms on the button and to screen readers. */
export function CopyButton({ text, label, what, kind = 'secondary' }: CopyButtonProps) {
  const notify = useNotice();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 3_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const press = async () => {
    const done = await copyText(text);
    setCopied(done);
    notify(
      done ? `${what} copied to the clipboard.` : 'The browser did not allow copying. Select the text and copy it.',
    );
  };
  return (
    <Button kind={kind} onPress={() => void press()}>
      <Icon name={copied ? 'check' : 'copy'} />
      {copied ? 'Copied' : label}
    </Button>
  );
}

interface CopyButtonProps {
  text: string;
  label: string;
  /** What was copied, as the start of a sentence. */
  what: string;
  kind?: 'primary' | 'secondary' | 'quiet';
}
