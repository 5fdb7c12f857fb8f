import { PosthornError } from '@posthorn/client/create-client'

/** Proof that the server may require before a call: a factor, or a reason to read mail. */
export type Proof = 'factor' | 'mailReason'

/**
 * Function that asks the person for a proof. Resolves with true when the server has accepted the
 * proof.
 */
export type RequestProof = (proof: Proof) => Promise<boolean>

const proofs: Readonly<Record<string, Proof>> = {
  StepUpRequired: 'factor',
  MailReadingRequired: 'mailReason',
}

/** Proof of the person without which the server has refused a call. */
function requiredProof(error: unknown): Proof | undefined {
  return error instanceof PosthornError ? proofs[error.code ?? ''] : undefined
}

/** True if the server refused a call with the status 401. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof PosthornError && error.status === 401
}

/**
 * Runs a call to the server. If the server requires a proof, asks the person for the proof and
 * repeats the call. Each proof is requested once.
 *
 * @throws the last error of the call if the person cancels
 */
export async function callWithProofs<T>(call: () => Promise<T>, request: RequestProof): Promise<T> {
  const requested = new Set<Proof>()
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const proof = requiredProof(error)
      if (proof === undefined || requested.has(proof) || !(await request(proof))) throw error
      requested.add(proof)
    }
  }
}

/**
 * Requests for one kind of proof by the person: concurrent calls share one dialog and its result.
 */
export class ProofRequests {
  #resolve: ((accepted: boolean) => void) | undefined
  #pending: Promise<boolean> | undefined
  readonly #listeners = new Set<() => void>()

  /** True while the dialog that asks for the proof must be shown. */
  readonly isOpen = () => this.#pending !== undefined

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  request(): Promise<boolean> {
    this.#pending ??= new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#notify()
    return this.#pending
  }

  /** Ends the request for a proof. `accepted` is true if the server has accepted the proof. */
  settle(accepted: boolean): void {
    this.#resolve?.(accepted)
    this.#resolve = undefined
    this.#pending = undefined
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
