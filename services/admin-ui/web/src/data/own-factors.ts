import type { PasskeyList, SessionEntry } from './admin-types.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Cache key of the sessions of the signed-in person. */
export const ownSessionsKey = ['own sessions'] as const
/** Cache key of the passkeys of the signed-in person. */
export const passkeysKey = ['passkeys'] as const

/** Loads the sessions of the signed-in person in all browsers. */
export function useOwnSessions(): Load<{ sessions: SessionEntry[] }> {
  return useLoad(ownSessionsKey, () => calls.admin('GET /admin/session/sessions'))
}

/** Loads the passkeys of the signed-in person. */
export function usePasskeys(): Load<PasskeyList> {
  return useLoad(passkeysKey, () => calls.admin('GET /admin/session/passkeys'))
}

/** Calls that change the password, factors and sessions of the signed-in person. */
export const ownActions = {
  changePassword: (body: { current?: string; new: string }) =>
    calls.admin('POST /admin/session/password', { body }),
  startTotp: () =>
    calls.admin<{ seed: string; uri: string }>('POST /admin/session/totp', { body: {} }),
  confirmTotp: (code: string) =>
    calls.admin<{ recoveryCodes: string[] }>('POST /admin/session/totp/confirm', {
      body: { code },
    }),
  removeTotp: () => calls.admin('DELETE /admin/session/totp'),
  renewRecoveryCodes: () =>
    calls.admin<{ recoveryCodes: string[] }>('POST /admin/session/recovery-codes', { body: {} }),
  renamePasskey: ({ id, name }: { id: string; name: string }) =>
    calls.admin('PUT /admin/session/passkeys/{id}', { id, body: { name } }),
  removePasskey: (id: string) => calls.admin('DELETE /admin/session/passkeys/{id}', { id }),
  startMailReading: (reason: string) =>
    calls.admin('POST /admin/session/mail-reading', { body: { reason } }),
  endMailReading: () => calls.admin('DELETE /admin/session/mail-reading'),
  endSession: (id: string) => calls.admin('DELETE /admin/session/sessions/{id}', { id }),
  endOtherSessions: () => calls.admin('DELETE /admin/session/sessions'),
}
