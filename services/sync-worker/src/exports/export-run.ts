import { exportSettingDefaults } from '@posthorn/contracts/settings/export-settings'
import { AppError } from '@posthorn/errors'
import type { Backoff } from '@posthorn/flow'
import type { ExportDriver } from '../drivers/export-driver.ts'
import { type AccountLease } from '../store/lease.ts'
import {
  rewindFile,
  saveUnavailable,
  startExport,
  sumStoredBytes,
} from '../store/running-exports.ts'
import { type ExportContext, type ExportDeps, finishExport, inExport } from './export-context.ts'
import { ExportFile } from './export-file.ts'
import type { ExportTurns } from './export-turns.ts'
import { FailedItem } from './failures/failed-item.ts'
import { listTurn, type ListedExport, selectExportFolders, skipFolder } from './list-messages.ts'
import { MailFailure } from './failures/mail-failure.ts'
import { type ExportBounds, MessageExporter } from './message-exporter.ts'
import { OwnFailures } from './failures/own-failures.ts'
import type { ExportPosition } from './position.ts'

/** Account whose messages an export reads, with the account's lease and driver on this worker. */
export interface ExportAccount {
  lease: AccountLease
  driver: ExportDriver
  /** True while new mail of the account waits for a sync, so that the export pauses. */
  isSyncDue: () => boolean
}

export interface RunDeps extends ExportDeps {
  readonly turns: Pick<ExportTurns, 'take'>
  /** Delay before an interrupted export continues, by the number of consecutive failures. */
  readonly retryDelayMs: Backoff
  /** Finds the exported account. @throws AppError `unavailable` if the account has no session */
  readonly findAccount: (account: string, signal: AbortSignal) => Promise<ExportAccount>
}

/** Maximum times that an export starts its list of messages again after a lost folder or cursor. */
const maxRestarts = 10
/** Messages that an export reads one by one after a failure, to find the message that fails. */
const maxCareful = 100

/** Failed turn (work period) of an export, and the message or folder to read first in that turn. */
interface FailedTurn {
  item: string
  state: ListedExport | undefined
  /** Exporter that writes the messages. Absent while the export still lists the messages. */
  exporter: MessageExporter | undefined
  cause: unknown
}

/** Run of an export on this worker. The state in memory is dropped after each failure. */
export class ExportRun {
  hasEnded = false
  readonly #deps: RunDeps
  readonly #exportId: string
  #account: ExportAccount | undefined
  #state: ListedExport | undefined
  #exporter: MessageExporter | undefined
  readonly #failed = new FailedItem()
  readonly #ownFailures = new OwnFailures()
  /** Number of messages that the export still has to read one by one. */
  #careful = 0
  /** Messages that the export had listed, exported or skipped before the current turn. */
  #doneBefore = 0

  constructor(deps: RunDeps, exportId: string) {
    this.#deps = deps
    this.#exportId = exportId
  }

  /** Runs one turn (limited work period) of the export. Returns true once the export has ended. */
  async turn(account: ExportAccount, signal: AbortSignal): Promise<boolean> {
    if (account.lease.epoch !== this.#account?.lease.epoch) this.#dropState()
    this.#account = account
    const { lease, isSyncDue, driver } = account
    const turn = { account: lease.account, isSyncDue, signal }
    using taken = await this.#deps.turns.take(turn)
    const context = this.#context(lease)
    const state = (this.#state ??= await this.#load(context, signal))
    this.#doneBefore = doneOf(state)
    if (state.row.phase !== 'exporting') {
      await listTurn(context, state, { driver, signal })
      return false
    }
    const exporter = (this.#exporter ??= await this.#openExporter(context, state, signal))
    const bounds = await this.#bounds()
    const options = { driver, bounds, signal, pause: taken.pause }
    if (this.#careful === 0) return await exporter.turn(options)
    this.#careful--
    const { onLastAttempt } = this.#failed
    return await exporter.turn({ ...options, limit: 1, onLastAttempt })
  }

  /** Resets the export's period of internal errors. Called after a turn without failure. */
  clearFailures(): void {
    this.#ownFailures.reset()
  }

  /** Recovers from a failure of the export. Returns the consecutive failures without progress. */
  async recover(error: unknown, before: number, signal: AbortSignal): Promise<number> {
    try {
      if (isStale(error)) throw error
      return await this.#recordFailure(error, before, signal)
    } catch (err) {
      if (isStale(err)) {
        this.#deps.log.info({ err }, 'export stopped')
        this.hasEnded = true
      } else if (!signal.aborted)
        this.#deps.log.warn({ err }, 'recording a failure of an export failed')
      return before + 1
    }
  }

  /** Records a failure of the export. A message or folder that fails repeatedly is skipped. */
  async #recordFailure(error: unknown, before: number, signal: AbortSignal): Promise<number> {
    // Only the first of several consecutive failures of an export is logged as info.
    const level = before === 0 ? 'info' : 'debug'
    this.#deps.log[level]({ err: error }, 'export interrupted, will be repeated')
    const item = this.#item
    const failed = { state: this.#state, exporter: this.#exporter }
    const hasProgressed = this.#state !== undefined && doneOf(this.#state) > this.#doneBefore
    if (hasProgressed) this.clearFailures()
    const failures = hasProgressed ? 1 : before + 1
    this.#dropState()
    const account = this.#account
    if (!account) return failures
    const context = this.#context(account.lease)
    if (!(error instanceof MailFailure)) await this.#recordOwnFailure(context, error)
    else if (item === undefined || (await this.#isDown(account, error, signal)))
      await this.#recordOutage(context, error.cause)
    else if (await this.#handle(context, { ...failed, item, cause: error.cause }, signal)) return 0
    return failures
  }

  /**
   * Handles a failure to read one message or folder, while the mail server works. Returns true if
   * the message or folder is skipped, false if the export repeats the failed work.
   */
  async #handle(
    context: ExportContext,
    { item, state, exporter, cause }: FailedTurn,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!state) return false
    if (!exporter && isLost(cause)) {
      await this.#restart(context, state, signal)
      return false
    }
    if (exporter) this.#careful = maxCareful
    if (!this.#failed.count(item, cause)) return false
    this.#deps.log.warn({ err: cause, item }, 'skipping what cannot be exported')
    await (exporter ? exporter.skip() : skipFolder(context, state.position))
    return true
  }

  /** Identifies the message or folder that the export reads first in its next turn. */
  get #item(): string | undefined {
    if (this.#exporter) return this.#exporter.nextId
    const { position } = this.#state ?? {}
    return position && `${position.scanned} ${position.cursor ?? ''}`
  }

  /** True if the export cannot use the mail server at all, or if the server limits the requests. */
  async #isDown(
    { driver }: ExportAccount,
    { cause }: MailFailure,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (isOfKind(cause, 'rate-limited')) return true
    try {
      await driver.check(signal)
      return false
    } catch (err) {
      signal.throwIfAborted()
      this.#deps.log.debug({ err }, 'mail server of an export cannot be used')
      return true
    }
  }

  /** Records that the mail server cannot be used. Fails the export after `SVC_EXPORT_PATIENCE`. */
  async #recordOutage(context: ExportContext, cause: unknown): Promise<void> {
    const unavailableMs = await inExport(context, (tx) => saveUnavailable(tx, this.#exportId))
    if (unavailableMs < this.#deps.config.exports.maxUnavailableMs) return
    const error = cause instanceof AppError ? cause.message : 'The mail server is unavailable'
    const errorCode = cause instanceof AppError ? cause.code : undefined
    await this.#fail(context, { error, ...(errorCode !== undefined && { errorCode }) })
  }

  /** Records an error that is not the mail server's. If such errors last, fails the export. */
  async #recordOwnFailure(context: ExportContext, err: unknown): Promise<void> {
    const { config, log } = this.#deps
    if (!this.#ownFailures.isOver(err, config.exports.maxUnavailableMs)) return
    log.error({ err }, 'export failed with an unexpected error')
    await this.#fail(context, { error: 'The export could not be continued, create it again' })
  }

  async #fail(
    context: ExportContext,
    failure: { error: string; errorCode?: string },
  ): Promise<void> {
    await finishExport(context, { status: 'failed', ...failure })
    this.hasEnded = true
  }

  /** Lists the messages and folders of the export again, because a folder or cursor was lost. */
  async #restart(
    context: ExportContext,
    { row, position }: ListedExport,
    signal: AbortSignal,
  ): Promise<void> {
    const restarts = position.restarts + 1
    const driver = this.#account?.driver
    if (restarts > maxRestarts) await skipFolder(context, position)
    else if (driver) await selectExportFolders(context, { driver, row, restarts }, signal)
  }

  #context(lease: AccountLease): ExportContext {
    const { log } = this.#deps
    return { exportId: this.#exportId, lease, deps: this.#deps, log }
  }

  #dropState(): void {
    this.#state = undefined
    this.#exporter = undefined
  }

  async #load(context: ExportContext, signal: AbortSignal): Promise<ListedExport> {
    const row = await inExport(context, (tx) => startExport(tx, this.#exportId))
    const stored = row.position as ExportPosition | null
    if (stored) return { row, position: stored }
    const driver = this.#account?.driver
    if (!driver) throw new AppError('unavailable', 'The account has no session')
    const position = await selectExportFolders(context, { driver, row, restarts: 0 }, signal)
    return { row, position }
  }

  async #openExporter(
    context: ExportContext,
    { row, position }: ListedExport,
    signal: AbortSignal,
  ): Promise<MessageExporter> {
    const { account } = context.lease
    const key = await this.#deps.readKey({ account, exportId: this.#exportId }, signal)
    // A worker that died while it exported a message left chunks of this message in the file.
    if (row.chunks > position.file.chunks)
      await inExport(context, (tx) => rewindFile(tx, this.#exportId, position.file))
    const file = new ExportFile(context, key, position.file)
    return new MessageExporter({ context, row, position, file })
  }

  async #bounds(): Promise<ExportBounds> {
    const { commit, config } = this.#deps
    const settings = await commit.settings.get()
    return {
      maxMessages: settings.exportMaxMessages ?? exportSettingDefaults.exportMaxMessages,
      maxBytes: settings.exportMaxSize ?? exportSettingDefaults.exportMaxSize,
      isStorageFull: async () => (await sumStoredBytes(commit.db)) >= config.exports.maxStoredBytes,
    }
  }
}

/** Messages that an export has listed, exported or skipped. Each turn with progress adds some. */
function doneOf({ row }: ListedExport): number {
  return row.messagesQueued + row.messagesExported + row.messagesSkipped
}

function isOfKind(error: unknown, kind: AppError['kind']): boolean {
  return error instanceof AppError && error.kind === kind
}

function isStale(error: unknown): boolean {
  return isOfKind(error, 'stale')
}

/** True if an error means that a folder or the cursor of a message list does not exist any more. */
function isLost(error: unknown): boolean {
  return (
    error instanceof AppError &&
    (error.kind === 'not-found' || error.code === 'SearchCursorExpired')
  )
}
