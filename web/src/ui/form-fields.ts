/** The fields of a form by name: what they are called, and what to say when a needed one is empty. */
export type Fields = Record<string, { label: string; required?: string }>;
