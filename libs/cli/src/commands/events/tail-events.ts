import type { Change, HistoryLost, Posthorn } from '@posthorn/client'
import { take } from '../../io/take.ts'
import type { RunCommand } from '../../program/command.ts'

/**
 * Command `events tail`: prints state changes of accounts until the limit is reached or the command
 * is interrupted.
 */
export const tailEvents: RunCommand = async (context, _args, options) => {
  const { posthorn, output, progress, signal } = context
  const { account, since, limit } = options as {
    account?: string
    since?: string
    limit?: number
  }
  const client = await posthorn()
  const start = await readPosition(client, since, signal)
  progress.note('waiting for changes, Ctrl-C ends')
  const changes = client.changes({ lastEventId: since ?? start }, { signal })
  await output.stream(take(ofAccount(changes, account), limit), changeText)
}

/** State changes of one account. The loss of changes concerns all accounts. */
async function* ofAccount(
  changes: AsyncIterable<Change | HistoryLost>,
  account: string | undefined,
): AsyncGenerator<Change | HistoryLost> {
  for await (const change of changes)
    if (account === undefined || change.type === 'historyLost' || change.account === account)
      yield change
}

/** Line of text for people about a state change of an account. */
export function changeText({ id, type, account, key, payload }: Change | HistoryLost): string {
  if (type === 'historyLost') return `${id}  changes before this one were lost`
  const keyText = typeof key === 'string' ? key : JSON.stringify(key)
  const details = payload === null ? [] : [JSON.stringify(payload)]
  return [id, account ?? 'proxies', type, keyText, ...details].join('  ')
}

/**
 * Opens the API's stream of state changes once, and reads the id of its first frame, the position
 * of the last change. An error, such as an unreachable server, ends the command here: later errors
 * are interruptions, after which the client connects again.
 */
async function readPosition(
  client: Posthorn,
  since: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connection = new AbortController()
  try {
    const { body } = await client.followChanges(since === undefined ? {} : { lastEventId: since }, {
      signal: AbortSignal.any([signal, connection.signal]),
    })
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const id = /^id: ?(.+?)\r?\n/m.exec(text)?.[1]
      if (id !== undefined || text.includes('\n\n')) return id
    }
    return undefined
  } finally {
    connection.abort()
  }
}
