import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface AuthenticatorChanges {
  /** Origin of the page that the browser reports to the authenticator. */
  origin?: string
  /** Id of the relying party for which the authenticator signs. */
  rpId?: string
  isUserVerified?: boolean
  challenge?: string
  userHandle?: string
}

/** Passkey options of the server, as far as the authenticator reads them. */
export interface ServerOptions {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
}

/** Software authenticator with one discoverable passkey (ES256), and the browser around it. */
export class TestAuthenticator {
  counter = 0
  readonly id = randomBytes(32)
  readonly #key: KeyObject
  readonly #point: { x: Buffer; y: Buffer }
  readonly #origin: string
  #userHandle: string | undefined

  constructor(origin: string, clonedFrom?: TestAuthenticator) {
    this.#origin = origin
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = clonedFrom ? clonedFrom.#key : privateKey
    if (clonedFrom) {
      this.id = clonedFrom.id
      this.counter = clonedFrom.counter
      this.#userHandle = clonedFrom.#userHandle
    }
    const { x = '', y = '' } = this.#key.export({ format: 'jwk' })
    this.#point = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
  }

  /** Creates a passkey. Returns the response of `navigator.credentials.create` as JSON. */
  create(options: ServerOptions, changes: AuthenticatorChanges = {}) {
    this.#userHandle = options.user?.id
    const { x, y } = this.#point
    // Public key of the passkey as COSE key (RFC 9053 §7.1): kty EC2, alg ES256, curve P-256,
    // coordinates.
    const coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      x,
      Buffer.from('225820', 'hex'),
      y,
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, coseKey])
    const authData = Buffer.concat([this.#head(options, changes, 0x40), credential])
    const size = Buffer.alloc(2)
    size.writeUInt16BE(authData.length)
    // Attestation object: CBOR map with the members fmt, attStmt and authData (WebAuthn §6.5.4).
    const attestationObject = Buffer.concat([
      Buffer.from('a3', 'hex'),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from('a0', 'hex'),
      text('authData'),
      Buffer.from('59', 'hex'),
      size,
      authData,
    ])
    return this.#response({
      clientDataJSON: this.#clientData('webauthn.create', options, changes).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Uses the passkey. Returns the response of `navigator.credentials.get` as JSON. */
  use(options: ServerOptions, changes: AuthenticatorChanges = {}) {
    const clientData = this.#clientData('webauthn.get', options, changes)
    const authData = this.#head(options, changes, 0)
    const hash = createHash('sha256').update(clientData).digest()
    return this.#response({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, hash]), this.#key).toString('base64url'),
      userHandle: changes.userHandle ?? this.#userHandle ?? null,
    })
  }

  #response<T>(response: T) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(type: string, options: ServerOptions, changes: AuthenticatorChanges): Buffer {
    const { origin = this.#origin, challenge = options.challenge } = changes
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  /**
   * Start of the authenticator data: hash of the relying party, flags and counter (WebAuthn §6.1).
   */
  #head(options: ServerOptions, changes: AuthenticatorChanges, flags: number): Buffer {
    const { rpId = options.rpId ?? options.rp?.id ?? '', isUserVerified = true } = changes
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const all = flags | 0x01 | (isUserVerified ? 0x04 : 0)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([all]), counter])
  }
}

/** Encodes a text of fewer than 24 bytes as CBOR. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}
