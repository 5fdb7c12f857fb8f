import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'

const scripts = join(import.meta.dirname, '../scripts')

/** A process for as long as it lives: numbers are used again, a number with its start time is not. */
export interface ProcessId {
  readonly pid: number
  /** Clock ticks between the machine's start and the process's, from /proc. */
  readonly started: string
}

export interface Launch {
  command: string
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
  /** Runs as this user; needs root. */
  uid?: number
  gid?: number
  logFile: string
  /** Goes on when we end. Otherwise it is ended with us, even if we are killed. */
  outlive?: boolean
  /** How it is told to end in good order. */
  signal?: NodeJS.Signals
}

export interface Running {
  readonly id: ProcessId
  readonly signal: NodeJS.Signals
  readonly logFile: string
  /** Takes back the guard that would end the process with us. */
  release(): void
}

/** Starts a program in a process group of its own, its output appended to the log file. */
export async function launch(options: Launch): Promise<Running> {
  const {
    command,
    args,
    env,
    cwd,
    uid,
    gid,
    logFile,
    outlive = false,
    signal = 'SIGTERM',
  } = options
  const log = openSync(logFile, 'a', 0o644)
  let child: ChildProcess
  try {
    child = spawn(command, args, {
      stdio: ['ignore', log, log],
      detached: true,
      ...(env ? { env } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
    })
  } finally {
    closeSync(log)
  }
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new Error(`cannot start ${command}`, { cause })))
  })
  child.unref()
  const pid = child.pid ?? 0
  const release = outlive ? () => undefined : guard(pid, signal)
  child.once('exit', release)
  // A process that is gone already has no start time; an impossible one makes it count as dead.
  return { id: identify(pid) ?? { pid, started: 'gone' }, signal, logFile, release }
}

function guard(pid: number, signal: NodeJS.Signals): () => void {
  const args = [join(scripts, 'guard.sh'), String(pid), signal.replace('SIG', '')]
  const child = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.unref()
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  // The type says Writable; it is the socket of a pipe, which alone could keep us from ending.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return () => {
    child.kill('SIGKILL')
    child.stdin.destroy()
  }
}

/** The process that has this number now; undefined if none has, or if it is only waiting to be buried. */
export function identify(pid: number): ProcessId | undefined {
  const stat = readStat(pid)
  return stat && stat.state !== 'Z' && stat.state !== 'X'
    ? { pid, started: stat.started }
    : undefined
}

export function isAlive({ pid, started }: ProcessId): boolean {
  return identify(pid)?.started === started
}

/** Ends processes in good order; those still there after the grace are killed. Resolves when all are gone, with whatever they started. */
export async function stopAll(
  running: readonly Pick<Running, 'id' | 'signal'>[],
  graceMs = 10_000,
): Promise<void> {
  const family = running.flatMap(({ id }) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const { id, signal } of running) send(id, signal)
  if (await gone(family, graceMs)) return
  await killAll(family)
}

/** Ends processes at once, with whatever they started. Resolves when they are gone. */
export async function killAll(ids: readonly ProcessId[]): Promise<void> {
  const family = ids.flatMap((id) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const id of family) send(id, 'SIGKILL')
  if (!(await gone(family, 5_000)))
    throw new Error(`processes ${family.map(({ pid }) => pid).join(', ')} do not end`)
}

/** Sends a signal to processes and whatever they started: SIGSTOP and SIGCONT make a machine that hangs. */
export function signalAll(ids: readonly ProcessId[], signal: NodeJS.Signals): void {
  for (const id of ids) {
    const family = [id, ...descendants(id.pid)]
    for (const member of family) send(member, signal)
  }
}

function send(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

async function gone(ids: readonly ProcessId[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (ids.some(isAlive)) {
    if (Date.now() > deadline) return false
    await delay(15)
  }
  return true
}

/** Whatever a process started, and what those started. */
function descendants(pid: number): ProcessId[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : undefined
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)])
  }
  const found: ProcessId[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      const id = identify(child)
      if (id) found.push(id)
      queue.push(child)
    }
  }
  return found
}

function readStat(pid: number): { state: string; parent: number; started: string } | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // proc(5): the name stands in parentheses and may hold anything; fields are counted from behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), started: fields[19] ?? '' }
}
