import { useEffect, useState } from 'react';

/** How long nothing is typed before what was typed counts, in ms. */
const typedMs = 250;

/** A value once it has been the same for `ms`; compared as JSON. `first` is returned until then. */
export function useSettled<Value>(value: Value, ms = typedMs, first = value): Value {
  const [settled, setSettled] = useState(first);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}

/**
 * The text of a search field whose words are kept elsewhere, such as in the address. `onChange` gets them, trimmed,
 * once nothing more is typed; words that are changed elsewhere replace what the field shows.
 */
export function useWords(words: string, onChange: (words: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(words);
  const [shown, setShown] = useState(words);
  /** What was typed here and is on its way: more may be typed by the time that it is back. */
  const [sent, setSent] = useState<readonly string[]>([]);
  if (shown !== words) {
    setShown(words);
    const place = sent.indexOf(words);
    setSent(sent.slice(place < 0 ? sent.length : place + 1));
    if (place < 0 && text.trim() !== words) setText(words);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only words start a search
  useEffect(() => {
    if (text.trim() === words) return;
    const timer = setTimeout(() => {
      setSent((before) => [...before, text.trim()]);
      onChange(text.trim());
    }, typedMs);
    return () => clearTimeout(timer);
  }, [text, words]);
  return [text, setText];
}
