import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { checkout } from '@posthorn/local/paths'
import type { Services } from '@posthorn/local/system/services'
import {
  grownMessages,
  type HostileMessage,
  hostileMessages,
  type WebhookReceiver,
} from '@posthorn/testkit'
import type { WorldAccess } from '../world.ts'

/** Divisor of the sample in a short run: 1 of this number of hostile messages is delivered. */
const sampleOf = 20

/**
 * Chooses the hostile messages to deliver: all messages with the size `all`, otherwise a sample and
 * the largest message of each growing dimension.
 */
export function chooseCorpus(size: string | undefined): HostileMessage[] {
  if (size === 'all') return [...hostileMessages, ...grownMessages]
  const dimension = ({ name }: HostileMessage) => name.slice(0, name.lastIndexOf(','))
  const largest = new Map(grownMessages.map((message) => [dimension(message), message]))
  return [...hostileMessages.filter((_, at) => at % sampleOf === 0), ...largest.values()]
}

/**
 * True for messages whose ENVELOPE ends the process of Dovecot 2.3.19: with more than 10,000
 * groups, an assertion in `message_part_envelope_parse_from_header` fails.
 */
export function endsDovecot(name: string): boolean {
  return name === 'grown: groups, 50000'
}

/** Collects the events that a webhook receiver gets, without their contents. */
export function announcements(receiver: WebhookReceiver) {
  const ids = new Map<string, Map<number, Set<string>>>()
  const failures: string[] = []
  receiver.replyWith((request) => {
    const { event, account, data } = request.json() as {
      event: string
      account: string
      data: { uid: number }
    }
    const of = ids.get(account) ?? new Map<number, Set<string>>()
    ids.set(account, of)
    if (event === 'messageNew') {
      const eventIds = of.get(data.uid) ?? new Set()
      of.set(data.uid, eventIds.add(String(request.headers['x-svc-wh-event-id'])))
    }
    if (isFailure(event, data))
      failures.push(`${account}: ${JSON.stringify({ event, data }).slice(0, 500)}`)
    receiver.requests.splice(receiver.requests.indexOf(request), 1)
    return {}
  })
  return {
    /** UIDs of the messages of an account that were announced. */
    uids: (account: string) => [...(ids.get(account)?.keys() ?? [])],
    /** Messages that were announced with several event ids. */
    repeated: () =>
      [...ids].flatMap(([account, of]) =>
        [...of].flatMap(([uid, { size }]) => (size > 1 ? `${account} ${uid}` : [])),
      ),
    failures: () => failures,
  }
}

/** True for events that report a failure, except a timeout of a mail server on a busy machine. */
function isFailure(event: string, data: unknown): boolean {
  if (event === 'connectError') return !/time(?:d )?out/i.test(JSON.stringify(data))
  return ['authenticationError', 'messageMissing'].includes(event)
}

/** Reads messages of an account through the API again and again. */
export function readContinuously({ posthorn }: Pick<WorldAccess, 'posthorn'>, account: string) {
  const times: number[] = []
  const failures: string[] = []
  let isStopped = false
  const read = async <T>(call: Promise<T>): Promise<T | undefined> => {
    const started = performance.now()
    try {
      return await call
    } catch (error) {
      failures.push(JSON.stringify(error))
      return undefined
    } finally {
      times.push(performance.now() - started)
    }
  }
  const run = async () => {
    while (!isStopped) {
      const page = await read(posthorn.listMessages({ account, path: 'INBOX' }))
      const message = page?.messages[0]?.id
      if (message !== undefined)
        await read(posthorn.getMessage({ account, message, textType: '*' }))
      await delay(50) // pace of the reader, not a wait
    }
  }
  const done = run()
  const stop = () => {
    isStopped = true
    return done
  }
  return {
    stop,
    failures: () => failures,
    summary() {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
      return { reads: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
    },
    [Symbol.asyncDispose]: stop,
  }
}

interface Peak {
  residentMiB: number
  limitMiB: number
  /** Longest delay of the event loop of a service in milliseconds. */
  lagMs: number
}

/**
 * Interval in milliseconds at which a service samples the delay of its event loop. The metric of
 * the delay includes this interval.
 */
const lagSampleMs = 100

/** Records memory and event loop delays of the services and of their reader processes. */
export function watchProcesses({ pids, ports }: Services) {
  const peaks = new Map<string, Peak>()
  let isStopped = false
  const sample = async (name: string, pid: number) => {
    const limitMiB = peaks.get(name)?.limitMiB ?? (await readLimit(name))
    const peak = peaks.get(name) ?? { residentMiB: 0, limitMiB, lagMs: 0 }
    peaks.set(name, peak)
    peak.residentMiB = Math.max(peak.residentMiB, Math.round((await residentOf(pid)) / 1024))
    const response = await fetch(`http://127.0.0.1:${ports[name]}/metrics`)
    const [, lag = '0'] =
      /^nodejs_eventloop_lag_max_seconds\{?[^ ]* ([\d.e+-]+)$/m.exec(await response.text()) ?? []
    peak.lagMs = Math.max(peak.lagMs, Math.round(Number(lag) * 1_000) - lagSampleMs)
  }
  const run = async () => {
    while (!isStopped) {
      await Promise.all(Object.entries(pids).map(([name, pid]) => sample(name, pid)))
      await delay(500) // interval of the samples, not a wait
    }
  }
  const done = run()
  const stop = () => {
    isStopped = true
    return done
  }
  return {
    async peaks() {
      await stop()
      return { processes: Object.fromEntries(peaks) }
    },
    /** Services whose memory exceeded the limit in their manifest. */
    aboveLimit: () => [...peaks].filter(([, { residentMiB, limitMiB }]) => residentMiB > limitMiB),
    [Symbol.asyncDispose]: stop,
  }
}

/** Reads the memory limit of a service from its Kubernetes manifest. */
async function readLimit(service: string): Promise<number> {
  const manifest = await readFile(join(checkout, 'k8s/base', `${service}.yaml`), 'utf8')
  const [, amount = '', unit = ''] = /limits: \{ memory: (\d+)(Mi|Gi) \}/.exec(manifest) ?? []
  if (amount === '') throw new Error(`no memory limit in the manifest of ${service}`)
  return Number(amount) * (unit === 'Gi' ? 1_024 : 1)
}

/** Resident memory of a process and its children in kB. */
async function residentOf(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const children = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  const ids = children.flatMap((text) => text.trim().split(' ').filter(Boolean))
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const own = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0)
  const others = await Promise.all(ids.map((id) => residentOf(Number(id))))
  return others.reduce((sum, each) => sum + each, own)
}
