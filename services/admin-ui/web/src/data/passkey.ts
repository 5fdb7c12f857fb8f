import { calls } from './query-client.ts'
import type { Session } from './admin-types.ts'

/** True if the browser supports passkeys with options and results as JSON. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** Signs in, or repeats the factor of the session, with a passkey of the browser. */
export async function signWithPasskey(purpose: 'signIn' | 'stepUp'): Promise<Session> {
  const options = await calls.admin<PublicKeyCredentialRequestOptionsJSON>(
    'POST /admin/session/passkey/options',
    { body: { purpose } },
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  return calls.admin('POST /admin/session/passkey', {
    body: { response: toJson(credential), purpose },
  })
}

/** Creates a passkey for the signed-in person. */
export async function createPasskey(): Promise<void> {
  const options = await calls.admin<PublicKeyCredentialCreationOptionsJSON>(
    'POST /admin/session/passkeys/options',
    { body: {} },
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await calls.admin('POST /admin/session/passkeys', { body: { response: toJson(credential) } })
}

function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was chosen.')
  return credential.toJSON()
}
