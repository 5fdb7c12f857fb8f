import type { Bus } from '@posthorn/bus'
import { checkAdminTotp, createAdminTotp } from '@posthorn/contracts/commands/admin-totp'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { replaceRecoveryCodes } from '../identity/recovery-codes.ts'
import { hashSecret, newSecret } from '../identity/secrets.ts'
import {
  confirmEnrolment,
  consumeStep,
  deleteOneTimeCodes,
  openEnrolment,
  startEnrolment,
} from '../store/one-time-codes.ts'

export interface OneTimeCodesDeps {
  db: Db
  bus: Pick<Bus, 'request'>
}

/** Timeout of a call to auth-bridge. A person waits for the result. */
const timeoutMs = 10_000

/** Seed of new one-time codes, with its URI for authenticator apps. */
interface NewSeed {
  seed: string
  uri: string
}

/**
 * One-time codes of people (RFC 6238). auth-bridge creates, seals and unseals the seeds and finds
 * the time step of a code. admin-ui uses up each time step once over all replicas.
 */
export class OneTimeCodes {
  readonly #deps: OneTimeCodesDeps

  constructor(deps: OneTimeCodesDeps) {
    this.#deps = deps
  }

  /** Checks a one-time code of a person and uses it up. Earlier codes are then used up too. */
  async check(person: string, code: string): Promise<boolean> {
    const step = await this.#findStep(person, code)
    return step !== undefined && (await consumeStep(this.#deps.db, person, step))
  }

  /**
   * Creates the seed of one-time codes for a person, who must confirm the seed with a code.
   *
   * @throws AppError `invalid` if the person has one-time codes; `unavailable` without auth-bridge
   */
  async create({ id, email }: { id: string; email: string }): Promise<NewSeed> {
    const { db, bus } = this.#deps
    await startEnrolment(db, id, hashSecret(newSecret()))
    const { seed } = await bus
      .request(createAdminTotp, { person: id }, { key: 'credentials', timeoutMs, failFast: true })
      .catch(rethrowOutage)
    return { seed, uri: uriOf(seed, email) }
  }

  /**
   * Activates the one-time codes of a person with a first code. Returns new recovery codes.
   *
   * @throws AppError `invalid` for a wrong code or an expired enrolment; `unavailable` without
   * auth-bridge
   */
  async confirm(person: string, code: string): Promise<string[]> {
    const { db } = this.#deps
    const hash = await openEnrolment(db, person)
    if (hash === undefined) throw enrolmentExpired()
    const step = await this.#findStep(person, code)
    if (step === undefined)
      throw new AppError('invalid', 'The code is wrong. Check the clock of the device')
    return await db.transaction().execute(async (tx) => {
      if (!(await confirmEnrolment(tx, { person, hash, step }))) throw enrolmentExpired()
      return await replaceRecoveryCodes(tx, person)
    })
  }

  /** Deletes the one-time codes and the recovery codes of a person. */
  remove(person: string): Promise<void> {
    return this.#deps.db.transaction().execute((tx) => deleteOneTimeCodes(tx, person))
  }

  async #findStep(person: string, code: string): Promise<number | undefined> {
    const plain = code.replace(/\s/g, '')
    if (!/^\d{6}$/.test(plain)) return undefined
    const request = { person, code: plain }
    const { step } = await this.#deps.bus
      .request(checkAdminTotp, request, { key: 'credentials', timeoutMs, failFast: true })
      .catch(rethrowOutage)
    return step
  }
}

/** URI of a one-time code seed, which authenticator apps read from a QR code. */
function uriOf(seed: string, email: string): string {
  const label = `Posthorn:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${seed}&issuer=Posthorn&algorithm=SHA1&digits=6&period=30`
}

function rethrowOutage(error: unknown): never {
  const isOutage = error instanceof AppError && /^(?:unavailable|timeout)$/.test(error.kind)
  if (!isOutage) throw error
  const message =
    'One-time codes cannot be checked: auth-bridge does not respond. Use a passkey or a recovery code, or retry later'
  throw new AppError('unavailable', message, { cause: error })
}

function enrolmentExpired(): AppError {
  const message = 'The setup of one-time codes has expired. Set up one-time codes again'
  return new AppError('invalid', message)
}
