import { cleanText } from '../../agents/models/text.ts';
import type { Refusal } from '../../providers/refusal.ts';
import type { ResponseFormat } from './settings.ts';
import type { PieceOfAudio } from './transcriber.ts';

/** How a provider is asked, beside the audio itself. */
export interface Manner {
  /** What it is asked to answer in, and after a refusal the next of these. Never empty. */
  formats: readonly ResponseFormat[];
  prompt: boolean;
  language: boolean;
}

/** Models of OpenAI that tell voices apart: they want the audio cut by themselves, and refuse a prompt. */
const tellsVoicesApart = (model: string) => /diari[sz]/i.test(model);

/** How `model` is asked at first. */
export function mannerFor(model: string, format: ResponseFormat | 'auto'): Manner {
  const voices = tellsVoicesApart(model);
  const usual: ResponseFormat[] = ['verbose_json', 'json'];
  const formats = format !== 'auto' ? [format] : voices ? ['diarized_json' as const, ...usual] : usual;
  return { formats, prompt: !voices && format !== 'diarized_json', language: true };
}

/**
 * How to ask again after a refusal that names what it does not know (as models other than whisper-1 refuse
 * `verbose_json` at OpenAI, and vLLM a language), or nothing when it names nothing that can be left out.
 */
export function otherManner(manner: Manner, { status, said }: Refusal, sent: FormData): Manner | undefined {
  const wrong = status === 400 || status === 422;
  const [, ...others] = manner.formats;
  // Gateways make 500 of it.
  if (
    (wrong || status === 500) &&
    others.length > 0 &&
    /response.?format|timestamp_granularities|chunking_strategy/i.test(said)
  )
    return { ...manner, formats: others };
  if (!wrong) return undefined;
  if (sent.has('prompt') && /\bprompt\b/i.test(said)) return { ...manner, prompt: false };
  if (sent.has('language') && /\blanguage\b/i.test(said)) return { ...manner, language: false };
  return undefined;
}

/** Characters of a prompt: Whisper looks at the last 224 tokens, Groq refuses more than 896 characters. */
const longestPrompt = 800;

/** The end of a text, from the beginning of a word. */
function endOf(text: string): string {
  const clean = cleanText(text).replace(/\s+/g, ' ').trim();
  if (clean.length <= longestPrompt) return clean;
  const end = clean.slice(-longestPrompt).replace(/^[\udc00-\udfff]/, '');
  return end.includes(' ') ? end.slice(end.indexOf(' ') + 1) : end;
}

const files = { 'audio/webm': 'audio.webm', 'audio/wav': 'audio.wav' } as const;

/** The form that asks for a piece. The file comes last, for servers that read as it arrives. */
export function formOf(audio: PieceOfAudio, model: string, { formats, ...manner }: Manner): FormData {
  const form = new FormData();
  form.set('model', model);
  if (formats[0]) form.set('response_format', formats[0]);
  if (tellsVoicesApart(model) || formats[0] === 'diarized_json') form.set('chunking_strategy', 'auto');
  // OpenAI knows languages without their region.
  const language = /^([a-z]{2,3})\b/i.exec(audio.language ?? '')?.[1]?.toLowerCase();
  if (manner.language && language !== undefined) form.set('language', language);
  const prompt = endOf(audio.prompt ?? '');
  if (manner.prompt && prompt !== '') form.set('prompt', prompt);
  form.set('file', new Blob([audio.bytes as Uint8Array<ArrayBuffer>], { type: audio.type }), files[audio.type]);
  return form;
}
