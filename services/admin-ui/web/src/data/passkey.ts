import { isIpAddress } from './host-name.ts'
import { InputError } from './load-state.ts'
import { calls } from './query-client.ts'
import type {
  NewPasskeyRequest,
  PasskeyEntry,
  PasskeyPurpose,
  PasskeyRequest,
  Session,
} from './admin-types.ts'

type FailureTexts = Readonly<Record<string, string>>

/** Texts for errors of the browser at the use of a passkey, by error name (WebAuthn §5.1.4). */
const useFailures: FailureTexts = {
  NotAllowedError:
    'No passkey was used. Try again, and confirm the request of the browser. If this device has ' +
    'no passkey for these pages, choose another device or another factor.',
}

/** Texts for errors of the browser at the creation of a passkey (WebAuthn §5.1.3). */
const creationFailures: FailureTexts = {
  NotAllowedError:
    'No passkey was added. Try again, and confirm the request of the browser. If this device ' +
    'cannot store passkeys, use another device or a security key.',
  InvalidStateError: 'This device has a passkey for you already. Use another device.',
}

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

/**
 * Signs in, or repeats the factor of the session, with a passkey of the browser.
 *
 * @throws InputError if the person cancels, or the browser has no passkey for the pages
 */
export async function signWithPasskey(purpose: PasskeyPurpose): Promise<Session> {
  const options = await calls.admin<PublicKeyCredentialRequestOptionsJSON>(
    'POST /admin/session/passkey/options',
    { body: { purpose } },
  )
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(rethrowAs(useFailures))
  const body: PasskeyRequest = { response: toJson<PasskeyRequest>(credential), purpose }
  return calls.admin('POST /admin/session/passkey', { body })
}

/**
 * Creates a passkey for the signed-in person.
 *
 * @throws InputError if the person cancels, or the device has a passkey of the person already
 */
export async function createPasskey(): Promise<Pick<PasskeyEntry, 'id' | 'name'>> {
  const options = await calls.admin<PublicKeyCredentialCreationOptionsJSON>(
    'POST /admin/session/passkeys/options',
    { body: {} },
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials
    .create({ publicKey })
    .catch(rethrowAs(creationFailures))
  const body: NewPasskeyRequest = { response: toJson<NewPasskeyRequest>(credential) }
  return calls.admin('POST /admin/session/passkeys', { body })
}

/** Returns a function that throws an error of the browser again, with the text for its name. */
function rethrowAs(texts: FailureTexts) {
  return (error: unknown): never => {
    const text = error instanceof DOMException ? texts[error.name] : undefined
    throw text === undefined ? error : new InputError(text)
  }
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
