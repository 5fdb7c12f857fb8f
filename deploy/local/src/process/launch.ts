import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from './process-id.ts'
import { recordProcess } from './run-record.ts'
import type { Stoppable } from './stop.ts'

const scripts = join(import.meta.dirname, '../../scripts')

export interface LaunchOptions {
  command: string
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
  /** User id under which the started program runs. A user id can only be set by root. */
  uid?: number
  gid?: number
  logFile: string
  /**
   * File that records the started process (see run-record.ts). A recorded process outlives this
   * process. Without `record`, the started process ends with this process, even if this process is
   * killed.
   */
  record?: string | undefined
  /** Name under which the started program is recorded in the file `record`. */
  name?: string
  /** Signal for an orderly shutdown of the started program. Defaults to SIGTERM. */
  signal?: NodeJS.Signals
}

export interface ServerProcess extends Stoppable {
  readonly logFile: string
  /** Stops the guard, the helper process that ends the server process when this process ends. */
  release(): void
}

/** Starts a program in its own process group. The program's output is appended to the log file. */
export async function launch(options: LaunchOptions): Promise<ServerProcess> {
  const {
    command,
    args,
    env,
    cwd,
    uid,
    gid,
    logFile,
    record,
    name = command,
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
  // A started process that has already ended has no start time in /proc. Its start time becomes
  // 'gone', so that the process counts as dead.
  const id = identify(pid) ?? { pid, started: 'gone' }
  if (record !== undefined) recordProcess(record, { ...id, signal, name })
  const release = record === undefined ? startGuard(pid, signal) : () => undefined
  child.once('exit', release)
  return { id, signal, logFile, release }
}

function startGuard(pid: number, signal: NodeJS.Signals): () => void {
  const args = [join(scripts, 'guard.sh'), String(pid), signal.replace('SIG', '')]
  const child = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.unref()
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  // The pipe to the guard (the helper process that ends the server) must not keep this process
  // running. The type of `stdin` has no `unref`, but the object is a socket and has the method.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return () => {
    child.kill('SIGKILL')
    child.stdin.destroy()
  }
}
