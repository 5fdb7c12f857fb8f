import {
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@posthorn/telemetry'
import type { Submission } from '../store/submission.ts'
import type { SendResult } from '../transports/transport.ts'

/**
 * Message that the mail server or provider has accepted, and whose outcome may not be recorded in
 * Postgres yet. The journal of accepted messages stores no content of the message.
 */
export interface Acceptance {
  submission: Submission
  result: SendResult
}

export interface JournalOptions {
  /**
   * Directory of the acceptance journals of all senders of this machine that use the same database.
   */
  folder: string
  /** Id of this sender process, which becomes part of the journal's file name. */
  worker: string
  log: Logger
}

/**
 * Size of the journal file from which the file is truncated, as soon as all its acceptances are
 * recorded in Postgres.
 */
const maxBytes = 1024 * 1024

/**
 * Journal of accepted messages of one sender. Each acceptance is written to a file in the tick in
 * which the reply of the server arrives, before the outcome is recorded in Postgres. A killed
 * process loses no received reply: the next sender on the machine records the reply. Entries are
 * not flushed to the disk, so a crash of the machine loses the latest entries.
 *
 * Without a writable directory, there is no journal.
 */
export class AcceptanceJournal implements Disposable {
  readonly #options: JournalOptions
  readonly #path: string
  #file: number | undefined
  #size = 0
  /** Queue ids of the acceptances in the journal file that are not recorded in Postgres. */
  readonly #unrecorded = new Set<string>()

  constructor(options: JournalOptions) {
    this.#options = options
    const { folder, worker, log } = options
    this.#path = join(folder, `${worker}.${processStamp(process.pid) ?? ''}`)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const { uid, mode } = lstatSync(folder)
      if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
        throw new Error('The folder is accessible to other users: remove it')
      this.#file = openSync(this.#path, 'ax', 0o600)
    } catch (err) {
      log.warn({ err, folder }, 'acceptances are not journalled')
    }
  }

  /**
   * Writes the acceptance of a message to the journal file. Must be called in the tick in which the
   * server's reply arrives.
   */
  add(submission: Submission, result: SendResult): void {
    this.#unrecorded.add(submission.queueId)
    if (this.#file === undefined) return
    const { mime: _mime, ...rest } = submission
    try {
      this.#size += writeSync(this.#file, `${JSON.stringify({ submission: rest, result })}\n`)
    } catch (err) {
      this.#options.log.warn({ err }, 'acceptance not journalled')
    }
  }

  /**
   * Marks an acceptance as recorded in Postgres, which allows truncation of the journal file. No
   * effect on submissions without a journalled acceptance.
   */
  remove({ queueId }: Pick<Submission, 'queueId'>): void {
    if (!this.#unrecorded.delete(queueId) || this.#file === undefined) return
    if (this.#unrecorded.size > 0 || this.#size < maxBytes) return
    ftruncateSync(this.#file)
    this.#size = 0
  }

  /**
   * Passes the acceptances in the journal files of other senders of this machine to `record`, and
   * deletes these files. Applies to the sender with the id `ended`, and to all senders whose
   * processes have ended.
   */
  async recover(record: (acceptance: Acceptance) => Promise<void>, ended?: string): Promise<void> {
    const { folder, worker, log } = this.#options
    if (this.#file === undefined) return
    for (const name of await readdir(folder)) {
      const [sender = '', stamp = ''] = name.split('.')
      if (sender === worker || (sender !== ended && isRunning(stamp))) continue
      const path = join(folder, name)
      const acceptances = parse(await readFile(path, 'utf8').catch(() => ''))
      log.info({ sender, acceptances: acceptances.length }, 'recovering journalled acceptances')
      await Promise.all(acceptances.map(record))
      // Ignores a missing journal file: another sender may have recovered and deleted the file
      // already.
      await unlink(path).catch(() => undefined)
    }
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return
    closeSync(this.#file)
    this.#file = undefined
    if (this.#unrecorded.size === 0) void unlink(this.#path).catch(() => undefined)
  }
}

/**
 * Parses the acceptances of a journal file. The last entry may be incomplete, because the process
 * was killed while it wrote the entry.
 */
function parse(text: string): Acceptance[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.flatMap((line) => {
    if (line === '') return []
    const { submission, result } = JSON.parse(line) as Acceptance
    return [{ submission: { ...submission, mime: Buffer.alloc(0) }, result }]
  })
}

/**
 * Stamp of a running process: process id and start time. The process id alone is not unique: a
 * container uses the same ids after each start. Undefined if the process does not run.
 */
function processStamp(pid: number): string | undefined {
  try {
    // `/proc/<pid>/stat` (proc(5)): the name in parentheses is followed by field 3, the process
    // state.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : `${pid}-${fields[18] ?? ''}`
  } catch {
    return isSystemWithoutProc() && isAlive(pid) ? `${pid}-` : undefined
  }
}

/** True if the process with this stamp (process id and start time) runs. */
function isRunning(stamp: string): boolean {
  const pid = Number(stamp.split('-')[0])
  return Number.isSafeInteger(pid) && pid > 0 && processStamp(pid) === stamp
}

function isSystemWithoutProc(): boolean {
  return process.platform !== 'linux'
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
