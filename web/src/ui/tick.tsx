/** The box of a checkbox; its look follows the state of the control around it. */
export function Tick() {
  return (
    <i className="tick">
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d="M3 8.5l3.5 3.5L13 4.5" />
      </svg>
    </i>
  );
}
