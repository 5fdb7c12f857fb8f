import { operations } from '@posthorn/contracts/operations'
import type { Stats } from '@posthorn/contracts/schemas/stats'
import { messageOf } from '@posthorn/errors'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { ReaderDeps } from './change-reader.ts'
import { changedTopics } from './figures.ts'
import { frameText } from './frames.ts'
import type { Read } from './gateway-reads.ts'
import type { Viewer } from './viewers.ts'

/**
 * Interval in milliseconds at which the dashboard's statistics and the list of workers are read.
 */
export const figuresMs = 2_000

/**
 * Call that reads the statistics with the counters of the last 24 hours, as the dashboard shows
 * them.
 */
const statistics: Read = { operation: operations.getStats, search: '?seconds=86400' }
const workers: Read = { operation: operations.listWorkers }

/**
 * Reads figures from api-gateway every two seconds for all browser tabs: the statistics, and the
 * list of workers if a tab follows the list.
 */
export class FigureReader implements AsyncDisposable {
  readonly #deps: ReaderDeps
  readonly #task: PeriodicTask
  #statistics: Stats | undefined
  #workers: unknown

  constructor(deps: ReaderDeps) {
    this.#deps = deps
    this.#task = runPeriodically({ everyMs: figuresMs, name: 'figures', log: deps.log }, (stop) =>
      this.#read(stop),
    )
  }

  /**
   * Sends the latest statistics and workers to a new browser tab, as far as the tab follows them.
   * If the tab is the first that follows the workers, reads them immediately.
   */
  welcome(viewer: Viewer): void {
    const { topics } = viewer
    if (topics.has('figures') && this.#statistics)
      viewer.send(frameText('figures', this.#statistics))
    if (!topics.has('workers')) return
    if (this.#workers === undefined) this.#task.wake()
    else viewer.send(frameText('workers', this.#workers))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]()
  }

  async #read(stop: AbortSignal): Promise<void> {
    const { viewers, log, report } = this.#deps
    if (viewers.size === 0) return
    try {
      const current = await this.#get<Stats>(statistics, stop)
      if (current) this.#announce(current)
      // The list of workers is stored only while a browser tab follows it. Otherwise the list would
      // get old.
      this.#workers = viewers.hasFollower('workers') ? await this.#get(workers, stop) : undefined
      if (this.#workers !== undefined) viewers.send(frameText('workers', this.#workers), 'workers')
      report(true)
    } catch (error) {
      if (stop.aborted) return
      log.debug({ reason: messageOf(error) }, 'reading figures failed, will retry')
      report(false)
    }
  }

  #announce(current: Stats): void {
    const { viewers } = this.#deps
    viewers.send(frameText('figures', current), 'figures')
    for (const topic of changedTopics(this.#statistics, current))
      viewers.send(frameText('refresh', [topic]), topic)
    this.#statistics = current
  }

  async #get<T>(read: Read, stop: AbortSignal): Promise<T | undefined> {
    const { reads, onRead } = this.#deps
    const { id } = read.operation
    try {
      const result = await reads.get<T>(read, stop)
      onRead(id, 'done')
      return result
    } catch (error) {
      if (!stop.aborted) onRead(id, 'failed')
      throw error
    }
  }
}
