import { PosthornError } from '@posthorn/client/create-client'
import { useSyncExternalStore } from 'react'
import type { Session, SignInOptions } from './admin-types.ts'
import type { Load } from './load-state.ts'
import { calls, proofRequests, queryClient, sessionKey } from './query-client.ts'
import { mayDo, type PageAction } from './rights.ts'
import type { Proof } from './step-up.ts'
import { useLoad } from './use-load.ts'

/** Interval at which the pages check whether the session still exists. */
const sessionCheckMs = 30_000

async function loadSession(): Promise<Session | null> {
  try {
    return await calls.admin<Session>('GET /admin/session')
  } catch (error) {
    if (error instanceof PosthornError && error.status === 401) return null
    throw error
  }
}

/** Loads the session of this browser. Its data is null if no person is signed in. */
export function useSession(): Load<Session | null> {
  return useLoad(sessionKey, loadSession, { everyMs: sessionCheckMs })
}

/** Returns the session of this browser, for pages that are shown only to signed-in people. */
export function useSignedIn(): Session {
  const { data } = useSession()
  if (!data) throw new Error('the page is shown without a session')
  return data
}

/** Returns the function that tells whether the signed-in person may do an action of the pages. */
export function useRights(): (action: PageAction) => boolean {
  const { data } = useSession()
  return (action) => data !== null && data !== undefined && mayDo(data.person.role, action)
}

/**
 * Stores the session after a sign-in. Drops the cached data that another person has loaded, and
 * cancels the calls that still wait for a proof of that person.
 */
export function startSession(session: Session): void {
  for (const requests of Object.values(proofRequests)) requests.settle(false)
  queryClient.setQueryData(sessionKey, session)
  dropLoadedData()
}

function dropLoadedData(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}

const loadSignInOptions = () => calls.admin<SignInOptions>('GET /admin/session/options')

/**
 * Ends the session of this browser. Then opens the page of the OpenID provider for the sign-out, if
 * the installation has one.
 */
export async function signOut(): Promise<void> {
  await calls.admin('POST /admin/session/sign-out')
  queryClient.setQueryData(sessionKey, null)
  dropLoadedData()
  // The session has ended, even if the sign-in options cannot be loaded. Without them, the sign-in
  // page stays open.
  const options = await loadSignInOptions().catch(() => undefined)
  if (options?.oidc?.logout !== undefined) globalThis.location.assign(options.oidc.logout)
}

/** Loads the ways to sign in that the installation offers. */
export function useSignInOptions(): Load<SignInOptions> {
  return useLoad(['sign-in options'], loadSignInOptions)
}

/** True while a call waits for a proof (a factor, a reason to read mail) of the person. */
export function useProofRequest(proof: Proof): boolean {
  const { subscribe, isOpen } = proofRequests[proof]
  return useSyncExternalStore(subscribe, isOpen)
}
