import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { identify, isAlive, type ProcessId } from './process-id.ts'

/**
 * Takes a lock file that prevents concurrent runs of a command such as `make up`. A lock file of a
 * dead process is ignored.
 */
export async function acquireCommandLock(file: string, command: string): Promise<AsyncDisposable> {
  const lock = await tryLock(file)
  if (lock) return lock
  const holder = await readHolder(file)
  throw new Error(`${command} is already running (process ${holder?.pid ?? 'unknown'})`)
}

/** Takes a lock file for this process. Returns undefined if another process holds the lock. */
export async function tryLock(file: string): Promise<AsyncDisposable | undefined> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const own = `${file}.${randomUUID()}`
  // The lock file is created as a hard link to a complete file, so that no process can read an
  // empty lock file.
  await writeFile(own, JSON.stringify(identify(process.pid)), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await linked(own, file)) return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
      if (!(await removeStale(file))) return undefined
    }
    return undefined
  } finally {
    await rm(own, { force: true })
  }
}

/**
 * Removes the lock file of a dead process. Returns false if the process that holds the lock is
 * alive.
 */
async function removeStale(file: string): Promise<boolean> {
  if (await isHeld(file)) return false
  const removed = `${file}.${randomUUID()}`
  try {
    await rename(file, removed)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true // Another process has removed the lock file.
    throw error
  }
  try {
    // If the removed lock file belongs to a live process, the lock file is restored. That process
    // may have replaced the lock file of the dead process just before the removal.
    return !((await isHeld(removed)) && (await linked(removed, file)))
  } finally {
    await rm(removed, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function isHeld(file: string): Promise<boolean> {
  const holder = await readHolder(file)
  return holder !== undefined && isAlive(holder)
}

async function readHolder(file: string): Promise<ProcessId | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessId
  } catch {
    return undefined
  }
}
