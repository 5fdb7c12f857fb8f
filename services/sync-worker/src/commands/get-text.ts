import { type CommandHandler, on } from '@posthorn/bus'
import { getText } from '@posthorn/contracts'
import { decodeTextId } from '@posthorn/message-id'
import { type Outline, outlineOf } from '../messages/body.ts'
import { readWanted } from '../messages/read-wanted.ts'
import { assertConnected, type ReadDeps, sessionOf, withMailServer } from './account.ts'
import { fetchMessage } from './get-message.ts'
import { getMailboxOf, openFor, unlessTooNew } from './mailbox.ts'

/** The texts of a message that an id names. Only parts that are texts of the message are read, whatever the id says. */
export function onGetText(deps: ReadDeps): CommandHandler {
  return on(getText, async ({ account, text, ...wish }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { mailbox, uid, ...named } = decodeTextId(text)
    const sought = { key: mailbox, find: () => getMailboxOf(deps.db, account, mailbox) }
    return deps.mailboxes.use(session, sought, (row) =>
      withMailServer(session, { signal, mailbox: row.path }, async (mail) => {
        await openFor(mail, row, { readOnly: true })
        const { bodyStructure } = await unlessTooNew(mail, () => fetchMessage(mail, uid))
        const outline = onlyNamed(outlineOf(bodyStructure), named)
        const read = await readWanted(mail, { uid, outline }, wish)
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
