type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan';

const codes: Readonly<Record<Paint, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

/** stdout or stderr, with what is known of its terminal. */
export interface Output {
  isTerminal: boolean;
  /** Columns of the terminal; 80 where there is none. */
  columns: number;
  /** Whether the command goes on when its reader is gone, because its exit code is still wanted. */
  isOptional: boolean;
  write(text: string): void;
  paint(style: Paint, text: string): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Colours are used on terminals; NO_COLOR (no-color.org) and TERM=dumb disable them, FORCE_COLOR enables them. */
function hasColours(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return isTerminal && TERM !== 'dumb';
}

/** The part of a stream that an output uses. */
type Stream = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

/** Wraps a stream. */
export function openOutput(stream: Stream, environment: Environment): Output {
  const isTerminal = stream.isTTY === true;
  const colours = hasColours(isTerminal, environment);
  return {
    isTerminal,
    columns: Math.max(40, (isTerminal && stream.columns) || 80),
    isOptional: false,
    write: (text) => {
      stream.write(text);
    },
    paint: (style, text) => {
      const [on, off] = codes[style];
      return colours && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}

/** The colour of a status or priority; undefined for none. */
export function paintOfState(state: string): Paint | undefined {
  if (['done', 'completed', 'approved', 'fired', 'sent'].includes(state)) return 'green';
  if (['failed', 'error', 'denied', 'timed_out', 'urgent', 'missed'].includes(state)) return 'red';
  if (['running', 'in_progress', 'queued', 'processing', 'recording', 'high'].includes(state)) return 'yellow';
  return ['awaiting_input', 'pending'].includes(state) ? 'magenta' : undefined;
}
