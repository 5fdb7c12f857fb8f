import type { ListedMailbox, MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { type VerificationResult, type VerifiedMailbox, verifyImap } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { Deps } from '../deps.ts'
import { serverOptions } from '../sessions/connect.ts'

/** Kept of the time there is for the answer to arrive in. */
const marginMs = 500

/** Logs in at a server that belongs to no account yet. Credentials come with the question, and are gone with it. */
export function onVerifyImap(
  deps: Pick<Deps, 'backend' | 'settings' | 'openLogin' | 'config' | 'log'>,
): CommandHandler {
  return on(verifyImap, async (asked, { signal, deadline }) => {
    const options = await serverOptions(deps, asked.server, asked.proxy ?? null)
    const leftMs = Math.max(1, deadline - Date.now() - marginMs)
    try {
      await using session = await deps.backend.connect({
        ...options,
        credentials: asked.credentials,
        connectTimeoutMs: Math.min(options.connectTimeoutMs ?? leftMs, leftMs),
        log: deps.log,
        signal,
      })
      const verdict = { success: true }
      return asked.mailboxes ? { verdict, mailboxes: await list(session) } : { verdict }
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error
      return { verdict: failedResult(error) }
    }
  })
}

function failedResult({ message, code, extras }: AppError): VerificationResult {
  const responseText = extras.info?.['response']
  return {
    success: false,
    error: message,
    ...(code === undefined ? {} : { code }),
    ...(typeof responseText === 'string' ? { responseText } : {}),
  }
}

async function list(session: MailSession): Promise<VerifiedMailbox[]> {
  return (await session.listMailboxes()).map(describe)
}

function describe(mailbox: ListedMailbox): VerifiedMailbox {
  const { path, delimiter, parentPath, name, subscribed, attributes } = mailbox
  const { specialUse, specialUseSource = 'name' } = mailbox
  const inbox = path.toUpperCase() === 'INBOX'
  const noInferiors = attributes.some((attribute) => attribute.toLowerCase() === '\\noinferiors')
  return {
    path,
    delimiter,
    ...(parentPath === '' ? {} : { parentPath }),
    name,
    listed: true,
    subscribed,
    // RFC 9051 §5.1: INBOX in any case is the primary mailbox.
    ...(inbox ? { specialUse: '\\Inbox', specialUseSource: 'name' } : {}),
    ...(!inbox && specialUse ? { specialUse, specialUseSource } : {}),
    ...(noInferiors ? { noInferiors } : {}),
  }
}
