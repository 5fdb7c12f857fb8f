import { type Bus, on } from '@posthorn/bus'
import { isSending } from '@posthorn/contracts/commands/outbox'
import type { Db } from '@posthorn/db'
import { TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { type Acceptance, AcceptanceJournal } from './attempt/acceptance-journal.ts'
import { decideAccepted } from './attempt/decide-outcome.ts'
import type { OutcomeRecorder } from './attempt/outcome-recorder.ts'
import type { Config } from './config.ts'
import { HolderCheck, senderKey } from './dispatch/holder-check.ts'
import { RecordError } from './transports/transport.ts'
import type { LiveSenders } from './live-senders.ts'

export interface ConnectSendersDeps {
  db: Db
  bus: Bus
  log: Logger
  worker: string
  live: Pick<LiveSenders, 'steadyMs'>
  recorder: Pick<OutcomeRecorder, 'record'>
  config: Pick<Config, 'journalFolder' | 'retryBaseMs'>
}

/**
 * Connects this sender process with the other sender processes. Confirms to other processes that
 * this process runs. Takes over from processes that have ended: first the acceptances in their
 * journals, then their submissions with an unknown outcome.
 */
export async function connectSenders(
  stack: AsyncDisposableStack,
  { db, bus, log, worker, live, recorder, config }: ConnectSendersDeps,
): Promise<{ journal: AcceptanceJournal; holders: HolderCheck }> {
  const { journalFolder: folder, retryBaseMs } = config
  const journal = stack.use(new AcceptanceJournal({ folder, worker, log }))
  const record = async ({ submission, result }: Acceptance) => {
    const decision = decideAccepted(submission, result, retryBaseMs)
    await recorder.record(submission, decision).catch(ignoreRecorded)
  }
  const recovery = stack.use(new TaskGroup())
  const onError = (err: unknown) => log.error({ err }, 'journals not recovered')
  recovery.run(journal.recover(record).catch(onError))
  const key = senderKey(worker)
  const confirm = on(isSending, async () => ({}))
  stack.use(await bus.serve({ queue: 'private', keys: [key], handlers: [confirm] }))
  const steadyMs = () => live.steadyMs
  const recover = (sender: string) => journal.recover(record, sender)
  const holders = stack.use(new HolderCheck({ db, bus, worker, steadyMs, recover, log }))
  return { journal, holders }
}

/**
 * Ignores the acceptance of a message that a journal contains, if the sender of the journal had
 * recorded the acceptance, or if the outbox row was deleted.
 */
function ignoreRecorded(error: unknown): void {
  if (!(error instanceof RecordError)) throw error
}
