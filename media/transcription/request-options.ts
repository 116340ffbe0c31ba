import type { Refusal } from '../../engine/providers/errors.ts';
import { cleanText } from '../../engine/providers/text.ts';
import type { ResponseFormat } from './settings.ts';
import type { PieceOfAudio } from './transcriber.ts';

/** How a provider is asked, beside the audio itself. */
export interface RequestOptions {
  /** What it is asked to answer in, and after a refusal the next of these. Never empty. */
  formats: readonly ResponseFormat[];
  prompt: boolean;
  language: boolean;
}

/** Models of OpenAI that distinguish speakers: they cut the audio by themselves, and refuse a prompt. */
const diarizes = (model: string) => /diari[sz]/i.test(model);

/** How `model` is asked at first. */
export function optionsFor(model: string, format: ResponseFormat | 'auto'): RequestOptions {
  const withSpeakers = diarizes(model);
  const usual: ResponseFormat[] = ['verbose_json', 'json'];
  const formats = format !== 'auto' ? [format] : withSpeakers ? ['diarized_json' as const, ...usual] : usual;
  return { formats, prompt: !withSpeakers && format !== 'diarized_json', language: true };
}

/**
 * The options for another try after a refusal that names an unknown one (as models other than whisper-1 refuse
 * `verbose_json` at OpenAI, and vLLM a language), or nothing when it names nothing that can be left out.
 */
export function otherOptions(
  options: RequestOptions,
  { status, text }: Refusal,
  sent: FormData,
): RequestOptions | undefined {
  const wrong = status === 400 || status === 422;
  const [, ...others] = options.formats;
  // Gateways make 500 of it.
  if (
    (wrong || status === 500) &&
    others.length > 0 &&
    /response.?format|timestamp_granularities|chunking_strategy/i.test(text)
  )
    return { ...options, formats: others };
  if (!wrong) return undefined;
  if (sent.has('prompt') && /\bprompt\b/i.test(text)) return { ...options, prompt: false };
  if (sent.has('language') && /\blanguage\b/i.test(text)) return { ...options, language: false };
  return undefined;
}

/** Characters of a prompt: Whisper looks at the last 224 tokens, Groq refuses more than 896 characters. */
const maxPromptLength = 800;

/** The end of a text, from the beginning of a word. */
function endOf(text: string): string {
  const clean = cleanText(text).replace(/\s+/g, ' ').trim();
  if (clean.length <= maxPromptLength) return clean;
  const end = clean.slice(-maxPromptLength).replace(/^[\udc00-\udfff]/, '');
  return end.includes(' ') ? end.slice(end.indexOf(' ') + 1) : end;
}

const files = { 'audio/webm': 'audio.webm', 'audio/wav': 'audio.wav' } as const;

/** The form of a request for one piece. The file comes last, for servers that read as it arrives. */
export function formOf(audio: PieceOfAudio, model: string, { formats, ...options }: RequestOptions): FormData {
  const form = new FormData();
  form.set('model', model);
  if (formats[0]) form.set('response_format', formats[0]);
  if (diarizes(model) || formats[0] === 'diarized_json') form.set('chunking_strategy', 'auto');
  // OpenAI accepts languages without their region.
  const language = /^([a-z]{2,3})\b/i.exec(audio.language ?? '')?.[1]?.toLowerCase();
  if (options.language && language !== undefined) form.set('language', language);
  const prompt = endOf(audio.prompt ?? '');
  if (options.prompt && prompt !== '') form.set('prompt', prompt);
  form.set('file', new Blob([audio.bytes as Uint8Array<ArrayBuffer>], { type: audio.type }), files[audio.type]);
  return form;
}
