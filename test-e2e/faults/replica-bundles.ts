import { previousMayRefuseMoved } from './previous-release.ts'

/** Releases of the replicas of a rolling upgrade, by the folder of their bundle. */
export class ReplicaBundles {
  readonly #previous: string | undefined
  readonly #replaced = new Map<string, string | undefined>()

  /** `previous`: bundle of all replicas at the start. Absent without an upgrade. */
  constructor(previous: string | undefined) {
    this.#previous = previous
  }

  set(replica: string, bundle: string | undefined): void {
    this.#replaced.set(replica, bundle)
  }

  /** True if a gateway that responds with a code, or any sync-worker, may cause it. */
  mayRefuse(gateway: string, code: string): boolean {
    if (this.#isPrevious(gateway)) return true
    return code === 'IMAPUnavailable' && ['sync-worker', 'sync-worker-2'].some(this.#isPrevious)
  }

  readonly #isPrevious = (replica: string): boolean => {
    const previous = this.#previous
    if (!previousMayRefuseMoved || previous === undefined) return false
    return !this.#replaced.has(replica) || this.#replaced.get(replica) === previous
  }
}
