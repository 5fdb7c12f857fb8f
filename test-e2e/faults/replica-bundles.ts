import { previousMayRefuseMoved } from './previous-release.ts'

/** Releases of the replicas during a rolling upgrade, by the folder of their bundle. */
export class ReplicaBundles {
  readonly #previous: string | undefined
  readonly #replaced = new Map<string, string | undefined>()

  /**
   * `previous` is the folder of the bundle with which all replicas start. Undefined without an
   * upgrade.
   */
  constructor(previous: string | undefined) {
    this.#previous = previous
  }

  set(replica: string, bundle: string | undefined): void {
    this.#replaced.set(replica, bundle)
  }

  /**
   * True if a replica of the previous release may have caused an error code: the replica of
   * api-gateway that responds with the code, or any sync-worker.
   */
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
