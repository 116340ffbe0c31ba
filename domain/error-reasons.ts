/**
 * What `reason` of an error may be, by its code: more detail where the code alone does not say what to do. Unlike the
 * codes, reasons may be added. `adapters/error-guide.ts` has a remedy for each.
 */
export interface ErrorReasons {
  validation_failed: 'host_not_allowed' | 'origin_not_allowed' | 'batch_too_long';
  invalid_cursor: 'position_expired' | 'position_unknown';
  invalid_api_key: 'wrong_credentials' | 'wrong_passkey' | 'wrong_second_factor' | 'sign_in_ended';
  missing_scope: 'session_required' | 'reauthentication_required' | 'email_not_verified' | 'person_required';
  workspace_access_denied:
    | 'owner_required'
    | 'author_required'
    | 'second_factor_required'
    | 'invitation_required'
    | 'invitation_for_another_address';
  resource_not_found: 'link_expired';
  resource_conflict:
    | 'idempotency_in_progress'
    | 'precondition_failed'
    | 'version_mismatch'
    | 'count_differs'
    | 'id_taken'
    | 'id_erased'
    | 'already_running'
    | 'agent_mid_turn'
    | 'awaiting_person'
    | 'already_member'
    | 'disabled'
    | 'recording_stopped'
    | 'session_changed';
  rate_limit_exceeded: 'sign_in_attempts' | 'sign_in_queue' | 'verification_emails' | 'invitations';
  internal_error: 'unavailable';
}

/** The reasons of errors with this code. */
export type ReasonOf<Code> = Code extends keyof ErrorReasons ? ErrorReasons[Code] : never;
