import { isIpAddress } from './host-name.ts'
import { calls } from './query-client.ts'
import type {
  NewPasskeyRequest,
  PasskeyEntry,
  PasskeyPurpose,
  PasskeyRequest,
  Session,
} from './admin-types.ts'

/**
 * True if the browser supports passkeys for the host of the pages, with options and results as
 * JSON.
 */
export function hasPasskeys(): boolean {
  return (
    !isIpAddress(globalThis.location.hostname) &&
    'PublicKeyCredential' in globalThis &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential
  )
}

/** Signs in, or repeats the factor of the session, with a passkey of the browser. */
export async function signWithPasskey(purpose: PasskeyPurpose): Promise<Session> {
  const options = await calls.admin<PublicKeyCredentialRequestOptionsJSON>(
    'POST /admin/session/passkey/options',
    { body: { purpose } },
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  const body: PasskeyRequest = { response: toJson<PasskeyRequest>(credential), purpose }
  return calls.admin('POST /admin/session/passkey', { body })
}

/** Creates a passkey for the signed-in person. */
export async function createPasskey(): Promise<Pick<PasskeyEntry, 'id' | 'name'>> {
  const options = await calls.admin<PublicKeyCredentialCreationOptionsJSON>(
    'POST /admin/session/passkeys/options',
    { body: {} },
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  const body: NewPasskeyRequest = { response: toJson<NewPasskeyRequest>(credential) }
  return calls.admin('POST /admin/session/passkeys', { body })
}

/**
 * Response of an authenticator as JSON. Browsers write the members that a request with a passkey
 * needs.
 */
function toJson<R extends PasskeyRequest | NewPasskeyRequest>(
  credential: Credential | null,
): R['response'] {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was chosen.')
  return credential.toJSON() as R['response']
}
