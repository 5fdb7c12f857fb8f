import type { LiveStatus } from '@posthorn/contracts/admin/live'
import { followChanges, type ReaderDeps } from './change-reader.ts'
import { FigureReader } from './figure-reader.ts'
import { frameText } from './frames.ts'
import type { Viewer } from './viewers.ts'

/**
 * Reads changes of accounts and figures at api-gateway for all browser tabs of this process, from
 * its creation to its disposal. Notifies the tabs when api-gateway cannot be read.
 */
export class LiveReader implements AsyncDisposable {
  readonly #viewers: ReaderDeps['viewers']
  readonly #stop = new AbortController()
  readonly #following: Promise<void>
  readonly #figures: FigureReader
  readonly #isUp: { changes?: boolean; figures?: boolean } = {}
  #status: LiveStatus | undefined

  constructor(deps: Omit<ReaderDeps, 'report'>) {
    this.#viewers = deps.viewers
    const report = (source: 'changes' | 'figures') => (isUp: boolean) => {
      this.#isUp[source] = isUp
      this.#announce()
    }
    this.#following = followChanges({ ...deps, report: report('changes') }, this.#stop.signal)
    this.#figures = new FigureReader({ ...deps, report: report('figures') })
  }

  /**
   * Sends the state of api-gateway and the latest figures to a browser tab that has just connected.
   */
  welcome(viewer: Viewer): void {
    if (this.#status) viewer.send(frameText('status', this.#status))
    this.#figures.welcome(viewer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#figures[Symbol.asyncDispose]()
    await this.#following
  }

  #announce(): void {
    const { changes, figures } = this.#isUp
    const isDown = changes === false || figures === false
    if (!isDown && (changes === undefined || figures === undefined)) return
    if (this.#status?.connected === !isDown) return
    this.#status = { connected: !isDown }
    this.#viewers.send(frameText('status', this.#status))
  }
}
