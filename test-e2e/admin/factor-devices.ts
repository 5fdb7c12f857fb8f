import { createHmac } from 'node:crypto'
import type { Page } from './admin-world.ts'

/** Duration of a time step of one-time codes (RFC 6238 §4). */
const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Authenticator app of a person, which shows one-time codes (RFC 6238: SHA-1, six digits). */
export class AuthenticatorApp {
  readonly #key: Buffer
  #step = 0

  /** Stores the key of the one-time codes, which the set-up shows in base32 (RFC 4648 §6). */
  constructor(secret: string) {
    const bits = Array.from(secret, (letter) =>
      alphabet.indexOf(letter).toString(2).padStart(5, '0'),
    )
    const bytes = bits.join('').match(/.{8}/g) ?? []
    this.#key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  }

  /**
   * Returns a new one-time code: of the current time step, or of the step after the last returned
   * code. admin-ui accepts codes of the next step, so that a test does not wait for the step.
   */
  nextCode(): string {
    this.#step = Math.max(Math.floor(Date.now() / stepMs), this.#step + 1)
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(this.#step))
    const mac = createHmac('sha1', this.#key).update(counter).digest()
    // RFC 4226 §5.3: the last four bits of the hash are the offset of the number.
    const number = mac.readUInt32BE(mac.readUInt8(19) & 0xf) & 0x7fff_ffff
    return String(number % 1_000_000).padStart(6, '0')
  }
}

/** Device with passkeys that is part of the computer, such as a fingerprint reader. */
export interface PasskeyDevice {
  /**
   * Sets whether the person confirms requests of the passkey device, such as a sign-in. At first,
   * the person confirms requests.
   */
  setConfirmed: (isConfirmed: boolean) => Promise<void>
}

/** Adds a virtual authenticator of Chromium to a page. The authenticator stores passkeys. */
export async function addPasskeyDevice(page: Page): Promise<PasskeyDevice> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async setConfirmed(isConfirmed) {
      const change = { authenticatorId, isUserVerified: isConfirmed }
      await session.send('WebAuthn.setUserVerified', change)
    },
  }
}
