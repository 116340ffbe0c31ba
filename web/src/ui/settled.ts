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
 * The text of a search field whose words are kept elsewhere, such as in the address. `onChange` gets them, trimmed, once
 * nothing more is typed; words that are changed elsewhere replace what the field shows.
 */
export function useWords(words: string, onChange: (words: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(words);
  const [shown, setShown] = useState(words);
  if (shown !== words) {
    setShown(words);
    // Else they are what was typed here.
    if (text.trim() !== words) setText(words);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts a search
  useEffect(() => {
    if (text.trim() === words) return;
    const timer = setTimeout(() => onChange(text.trim()), typedMs);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
