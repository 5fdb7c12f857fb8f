import type { InvitationDetails, Session, SignInResult } from './admin-types.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

type Values = Readonly<Record<string, string>>

/** Calls that sign a person in, by password, second factor, passkey or link. */
export const entryActions = {
  signIn: (body: Values) => calls.admin<SignInResult>('POST /admin/session/sign-in', { body }),
  secondFactor: (body: { ticket: string; code: string }) =>
    calls.admin<Session>('POST /admin/session/second-factor', { body }),
  setUp: (body: Values) => calls.admin<SignInResult>('POST /admin/session/set-up', { body }),
  acceptInvitation: (body: Values) =>
    calls.admin<SignInResult>('POST /admin/session/invitation', { body }),
}

/** Loads the invitation whose token is in the address of the page. */
export function useInvitation(token: string): Load<InvitationDetails> {
  return useLoad(
    ['invitation', token],
    () => calls.admin('POST /admin/session/invitation/details', { body: { token } }),
    { enabled: token !== '' },
  )
}
