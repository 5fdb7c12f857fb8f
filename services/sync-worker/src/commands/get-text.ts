import { type CommandHandler, on } from '@posthorn/bus'
import { getText } from '@posthorn/contracts'
import { decodeTextId } from '@posthorn/message-id'
import { type Outline, parseOutline } from '../messages/outline.ts'
import { readRequestedText } from '../messages/read-wanted.ts'
import { assertConnected, type ReadDeps, getSession, withMailSession } from './account.ts'
import { fetchMessage } from './get-message.ts'
import { getMailboxByNumber, selectMailboxOf, retryAfterNoop } from './mailbox.ts'

/** The texts of a message that an id names. Only parts that are texts of the message are read, whatever the id says. */
export function onGetText(deps: ReadDeps): CommandHandler {
  return on(getText, async ({ account, text, ...wish }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { mailbox, uid, ...named } = decodeTextId(text)
    const sought = { key: mailbox, find: () => getMailboxByNumber(deps.db, account, mailbox) }
    return deps.mailboxes.use(session, sought, (row) =>
      withMailSession(session, { signal, mailbox: row.path }, async (mail) => {
        await selectMailboxOf(mail, row, { readOnly: true })
        const { bodyStructure } = await retryAfterNoop(mail, () => fetchMessage(mail, uid))
        const outline = onlyNamed(parseOutline(bodyStructure), named)
        const read = await readRequestedText(mail, { uid, outline }, wish)
        if (!wish.webSafeHtml) return read
        const { html = '', hasMore } = read
        return { html, webSafe: true, ...(hasMore ? { hasMore } : {}) }
      }),
    )
  })
}

function onlyNamed(outline: Outline, named: { plain: string[]; html: string[] }): Outline {
  const of = (kind: 'plain' | 'html') => {
    const parts = new Set(named[kind])
    return outline[kind].filter(({ part }) => parts.has(part))
  }
  return { ...outline, plain: of('plain'), html: of('html') }
}
