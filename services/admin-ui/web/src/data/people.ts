import type {
  InvitationEntry,
  NewLink,
  PersonRecord,
  PersonSession,
  PersonUpdate,
} from './admin-types.ts'
import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Cache key of all data about people. */
export const peopleKey = ['people'] as const

/** Loads the people who may sign in. */
export function usePeople(): Load<{ people: PersonRecord[] }> {
  return useLoad([...peopleKey, 'list'], () => calls.admin('GET /admin/people'))
}

/** Loads the invitations that are neither used nor revoked. */
export function useInvitations(): Load<{ invitations: InvitationEntry[] }> {
  return useLoad([...peopleKey, 'invitations'], () => calls.admin('GET /admin/people/invitations'))
}

/** Loads the sessions of all people. */
export function usePeopleSessions(): Load<{ sessions: PersonSession[] }> {
  return useLoad([...peopleKey, 'sessions'], () => calls.admin('GET /admin/people/sessions'), {
    everyMs: 10_000,
  })
}

/** Calls that change people, which the server records in the audit log. */
export const peopleActions = {
  update: ({ id, changes }: { id: string; changes: PersonUpdate }) =>
    calls.admin('PUT /admin/people/{id}', { id, body: changes }),
  remove: (id: string) => calls.admin('DELETE /admin/people/{id}', { id }),
  resetFactors: (id: string) =>
    calls.admin<NewLink | undefined>('POST /admin/people/{id}/reset-factors', { id, body: {} }),
  endSessions: (id: string) => calls.admin('DELETE /admin/people/{id}/sessions', { id }),
  endSession: (id: string) => calls.admin('DELETE /admin/people/sessions/{id}', { id }),
  invite: (body: { email: string; role: AdminRole; mayReadMail: boolean }) =>
    calls.admin<NewLink>('POST /admin/people/invitations', { body }),
  revoke: (id: string) => calls.admin('DELETE /admin/people/invitations/{id}', { id }),
}
