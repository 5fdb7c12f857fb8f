import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { identify, isAlive, type ProcessId } from './process-id.ts'

/** Prevents concurrent runs of a command. The lock of a dead process is ignored. */
export async function acquireCommandLock(file: string, command: string): Promise<AsyncDisposable> {
  await mkdir(dirname(file), { recursive: true })
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const handle = await open(file, 'wx', 0o600)
      await handle.writeFile(JSON.stringify(identify(process.pid)))
      await handle.close()
      return { [Symbol.asyncDispose]: () => rm(file, { force: true }) }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
    const holder = await readHolder(file)
    if (holder && isAlive(holder))
      throw new Error(`${command} is already running (process ${holder.pid})`)
    await rm(file, { force: true })
  }
  throw new Error(`cannot take ${file}`)
}

async function readHolder(file: string): Promise<ProcessId | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessId
  } catch {
    return undefined
  }
}
