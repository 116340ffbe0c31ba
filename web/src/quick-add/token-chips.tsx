import { Icon } from '../ui/icons.tsx';
import { labelOf } from './labels.ts';
import type { ParsedLine, Token } from './parse.ts';

interface TokenChipsProps {
  line: ParsedLine;
  timeZone: string;
  /** Turns a token back to text. */
  onText: (token: Token) => void;
  /** It is due today, as the line does not say when. */
  isDueToday: boolean;
}

/** The tokens of a line. Pressing one, or Backspace on it, turns it back to text. */
export function TokenChips({ line: { tokens, input }, timeZone, onText, isDueToday }: TokenChipsProps) {
  if (tokens.length === 0 && !isDueToday) return null;
  return (
    <ul className="tokens" aria-label="Read from the line">
      {isDueToday && <li className="muted small">Due today</li>}
      {tokens.map((token) => {
        const label = labelOf(token, input, timeZone);
        return (
          <li key={token.start}>
            <button
              type="button"
              className={`token ${token.kind}`}
              title="Turn back to text"
              aria-label={`${label}. Turn “${token.text}” back to text`}
              onClick={() => onText(token)}
              onKeyDown={(event) => {
                if (event.key !== 'Backspace' && event.key !== 'Delete') return;
                // The focus moves to the line, where the key would remove a character.
                event.preventDefault();
                onText(token);
              }}
            >
              {label}
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
