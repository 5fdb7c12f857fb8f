import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { coreServices } from '@posthorn/local/role-passwords'
import { productionIntervals } from '../intervals.ts'
import { startWorld } from '../world.ts'
import { buildBundle } from './build-bundle.ts'
import { containerOptions } from './container-options.ts'
import type { Row } from './report.ts'

/** Time after the start of the services at which memory and CPU time are read, in milliseconds. */
const idleMs = 300_000
/** Length of the measurement of CPU time in milliseconds. The measurement ends at `idleMs`. */
const windowMs = 120_000

/**
 * Measures memory and CPU time of the seven services of the image without accounts, 5 minutes after
 * their start, with the V8 options of the containers. Compares them with seven processes of bare
 * Node.
 */
export async function benchIdle(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const bundle = await buildBundle(stack)
  const world = stack.use(
    await startWorld({ bundle, env: productionIntervals, envByService: await containerOptions() }),
  )
  const bare = coreServices.map(() => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e8)']))
  stack.defer(() => bare.forEach((process) => process.kill()))
  const services = new Usage(Object.values(world.services.pids))
  const reference = new Usage(bare.map(({ pid = 0 }) => pid))
  const startMs = [await services.cpuMs(), await reference.cpuMs()] as const
  await delay(idleMs - windowMs)
  const before = [await services.cpuMs(), await reference.cpuMs()] as const
  await delay(windowMs)
  const idle = [await services.cpuMs(), await reference.cpuMs()] as const
  const row = (what: string, unit: string, [measured, compared]: readonly [number, number]) => ({
    what: `seven idle services, ${what}`,
    measured,
    reference: compared,
    unit,
    referenceIs: 'seven processes of bare Node',
  })
  const percent = (n: 0 | 1) => ((idle[n] - before[n]) / windowMs) * 100
  return [
    row('resident memory after 5 min (RSS)', ' MB', [
      await services.mb('Rss'),
      await reference.mb('Rss'),
    ]),
    row('share of memory after 5 min (PSS)', ' MB', [
      await services.mb('Pss'),
      await reference.mb('Pss'),
    ]),
    row('CPU time until all are ready', ' s', [startMs[0] / 1_000, startMs[1] / 1_000]),
    row('CPU time while idle', ' % of a core', [percent(0), percent(1)]),
  ]
}

/** Sum of the memory and of the CPU time of processes and their children (Linux). */
class Usage {
  #pids: readonly number[]

  constructor(pids: readonly number[]) {
    this.#pids = pids
  }

  /** CPU time in ms since the start of the processes, in steps of 10 ms. */
  cpuMs(): Promise<number> {
    return this.#sum(async (pid) => {
      const [, , ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(/(?<=\)) | /)
      // Fields 14 to 17 of proc(5): user and system time of the process, then of its ended
      // children.
      return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * 10
    })
  }

  mb(field: 'Rss' | 'Pss'): Promise<number> {
    return this.#sum(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_024
    })
  }

  async #sum(read: (pid: number) => Promise<number>): Promise<number> {
    const values = await Promise.all((await withChildren(this.#pids)).map(read))
    return values.reduce((sum, value) => sum + value, 0)
  }
}

async function withChildren(pids: readonly number[]): Promise<number[]> {
  const children = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
      return withChildren(text.split(' ').filter(Boolean).map(Number))
    }),
  )
  return [...pids, ...children.flat()]
}
