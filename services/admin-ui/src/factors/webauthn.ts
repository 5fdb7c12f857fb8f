import type { NewPasskeyRequest, PasskeyRequest } from '@posthorn/contracts/admin/factors'
import type { RelyingParty } from './relying-party.ts'

/**
 * Imports the WebAuthn library at the first use of a passkey, because the library takes several
 * megabytes of memory. No other module imports the library.
 */
const importLibrary = () => import('@simplewebauthn/server')

/** Time that the browser gives a person to use a passkey, as long as the challenge is stored. */
const timeoutMs = 300_000
/**
 * Signature algorithms of passkeys (COSE): EdDSA, ES256 and RS256. Every authenticator supports one
 * of them.
 */
const algorithms = [-8, -7, -257]

/** Description of a stored passkey, with which a browser excludes or selects the passkey. */
interface KnownPasskey {
  id: string
  transports: string[]
}

export interface CreationRequest {
  party: RelyingParty
  person: { id: string; email: string; name: string }
  challenge: string
  existing: readonly KnownPasskey[]
}

/**
 * Creates the options with which a browser creates a discoverable passkey with user verification.
 */
export async function creationOptions({ party, person, challenge, existing }: CreationRequest) {
  const { generateRegistrationOptions } = await importLibrary()
  return generateRegistrationOptions({
    rpName: 'Posthorn',
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: [...existing],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

/**
 * Creates the options with which a browser signs in by passkey. `allowed`: passkeys of the person
 * of a step-up.
 */
export async function useOptions(
  party: RelyingParty,
  challenge: string,
  allowed: readonly KnownPasskey[],
) {
  const { generateAuthenticationOptions } = await importLibrary()
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    userVerification: 'required',
    allowCredentials: [...allowed],
  })
}

/** New passkey from a checked response of a browser. */
export interface CheckedPasskey {
  id: string
  publicKey: Buffer
  counter: number
}

/**
 * Checks the response of a browser that has created a passkey.
 *
 * @throws Error for another challenge, origin or relying party, and without user verification
 */
export async function checkCreation(
  { response }: NewPasskeyRequest,
  challenge: string,
  party: RelyingParty,
): Promise<CheckedPasskey> {
  const { verifyRegistrationResponse } = await importLibrary()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  })
  if (!verified) throw new Error('the attestation is not valid')
  const { id, publicKey, counter } = registrationInfo.credential
  return { id, publicKey: Buffer.from(publicKey), counter }
}

export interface CheckedUse {
  challenge: string
  party: RelyingParty
  passkey: { id: string; publicKey: Buffer; counter: string }
}

/**
 * Checks the response of a browser that has used a passkey. Returns the signature counter.
 *
 * @throws Error for a wrong signature, another challenge, origin or relying party, without user
 * verification, and for a counter that did not increase
 */
export async function checkUse(
  { response }: PasskeyRequest,
  { challenge, party, passkey }: CheckedUse,
): Promise<number> {
  const { verifyAuthenticationResponse } = await importLibrary()
  const { userHandle, ...signed } = response.response
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...response,
      response: { ...signed, ...(userHandle && { userHandle }) },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: Number(passkey.counter),
    },
    requireUserVerification: true,
  })
  if (!verified) throw new Error('the signature is wrong')
  return authenticationInfo.newCounter
}
