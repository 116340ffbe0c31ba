/* Drawn on a grid of 20; they say nothing by themselves, so assistive technology skips them. */

const paths = {
  key: 'M13 10.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 9.5l-7 7M5.8 14.2l2 2M8.4 11.6l1.7 1.7',
  apps: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM14 11.5v5M11.5 14h5',
  members:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5c0-3 2.2-4.5 5-4.5s5 1.5 5 4.5M13 4a3 3 0 0 1 0 5.3M14.5 12.3c2 .5 3 2 3 4.2',
  sessions: 'M3.5 4.5h13v9h-13zM7.5 16.5h5M10 13.5v3',
  workspace: 'M3.5 16.5v-13h8v13M11.5 8h5v8.5M2.5 16.5h15M6.2 7h2.6M6.2 10h2.6M6.2 13h2.6',
  bell: 'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 3.6-1.2 5-2 6.5h13c-.8-1.5-2-2.9-2-6.5A4.5 4.5 0 0 0 10 3zM8.2 16.6a1.9 1.9 0 0 0 3.6 0',
  copy: 'M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1',
  check: 'M4 10.5l4 4 8-9',
  close: 'M5 5l10 10M15 5L5 15',
  down: 'M5 7.5l5 5 5-5',
  eye: 'M2 10c2-3.7 4.8-5.5 8-5.5s6 1.8 8 5.5c-2 3.7-4.8 5.5-8 5.5S4 13.7 2 10zM10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  'eye-off':
    'M3 3l14 14M8.2 4.7c.6-.1 1.2-.2 1.8-.2 3.2 0 6 1.8 8 5.5-.7 1.3-1.5 2.3-2.4 3.2M12.5 14.9c-.8.4-1.6.6-2.5.6-3.2 0-6-1.8-8-5.5.9-1.7 2-3 3.3-3.9M8.2 8.2a2.5 2.5 0 0 0 3.6 3.6',
  warning: 'M10 3l7.5 13.5h-15zM10 8v4M10 14.2h.01',
  plus: 'M10 4v12M4 10h12',
  microphone:
    'M10 12.5a2.8 2.8 0 0 0 2.8-2.8V5.3a2.8 2.8 0 0 0-5.6 0v4.4a2.8 2.8 0 0 0 2.8 2.8zM4.5 9.5a5.5 5.5 0 0 0 11 0M10 15v2.5M7.5 17.5h5',
  note: 'M4.5 2.8h8l3.5 3.5v10.9H4.5zM12.3 3v3.5h3.5M7.3 9.8h5.4M7.3 13h3.6',
  captures: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h8',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6.5 4.2l9 5.8-9 5.8z',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  edit: 'M4 16l.8-3.4L13.4 4a1.8 1.8 0 0 1 2.6 2.6l-8.6 8.6zM11.8 5.6l2.6 2.6',
  back: 'M12 4.5L6.5 10l5.5 5.5',
  person: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.8 16.8c.3-3.1 2.8-4.6 6.2-4.6s5.9 1.5 6.2 4.6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** Two wheels on one frame. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <circle cx="12.5" cy="16" r="6" />
      <circle cx="19.5" cy="16" r="6" />
    </svg>
  );
}
