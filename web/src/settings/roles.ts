/** What a member may be. */
export const roles = [
  { id: 'member', label: 'Member' },
  { id: 'owner', label: 'Owner' },
];
