import type { LiveTopic } from '@posthorn/contracts/admin/live'
import { adminRoles, mayCall } from '@posthorn/contracts/admin/roles'
import type { SignedIn } from '../identity/signed-in.ts'

/** Browser tab that follows live updates. */
export interface Viewer {
  readonly signedIn: Pick<SignedIn, 'person' | 'credential' | 'address'>
  readonly topics: ReadonlySet<LiveTopic>
  /** Signal that aborts when the browser tab's stream of live updates ends. */
  readonly signal: AbortSignal
  /**
   * Sends a frame of live updates to the browser tab. Does nothing after the end of the tab's
   * stream.
   */
  send(frame: string): void
}

/**
 * Browser tabs that follow live updates in this process. The process has no credential of its own
 * for api-gateway: it reads with the credential of one of these tabs, while that tab is connected.
 */
export class Viewers {
  readonly #viewers = new Set<Viewer>()
  /** Tabs whose credential api-gateway has refused. */
  readonly #refused = new WeakSet<Viewer>()

  get size(): number {
    return this.#viewers.size
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer)
  }

  delete(viewer: Viewer): void {
    this.#viewers.delete(viewer)
  }

  /** True if a browser tab follows the topic of live updates. */
  hasFollower(topic: LiveTopic): boolean {
    return [...this.#viewers].some(({ topics }) => topics.has(topic))
  }

  /**
   * Sends a frame of live updates to all browser tabs that follow the topic; without a topic, to
   * all tabs.
   */
  send(frame: string, topic?: LiveTopic): void {
    for (const viewer of this.#viewers)
      if (topic === undefined || viewer.topics.has(topic)) viewer.send(frame)
  }

  /**
   * Chooses the browser tab with whose credential admin-ui reads an operation at api-gateway. Tabs
   * with the fewest sufficient rights come first, of these the oldest tab. Tabs whose credential
   * was refused come last. Undefined if no tab may call the operation.
   */
  choose(operationId: string): Viewer | undefined {
    const rank = (viewer: Viewer) =>
      adminRoles.length * Number(!this.#refused.has(viewer)) +
      adminRoles.indexOf(viewer.signedIn.person.role)
    return [...this.#viewers]
      .filter(
        ({ signal, signedIn }) => !signal.aborted && mayCall(signedIn.person.role, operationId),
      )
      .toSorted((first, second) => rank(second) - rank(first))[0]
  }

  /**
   * Marks a browser tab whose credential api-gateway has refused. Returns true if another tab may
   * read the operation instead.
   */
  refuse(viewer: Viewer, operationId: string): boolean {
    this.#refused.add(viewer)
    const next = this.choose(operationId)
    return next !== undefined && !this.#refused.has(next)
  }
}
